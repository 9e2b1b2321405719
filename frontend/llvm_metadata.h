// Reads LLVM's metadata in the text form of its IR: the nodes of debug information.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay::frontend {

// "!DILocation(line: 4, column: 16, scope: !43)" or "!{!1, !2}".  A view of the text.
class LlvmNode {
 public:
  LlvmNode() = default;
  explicit LlvmNode(std::string_view text);

  std::string_view kind() const { return kind_; }  // "DILocation"; empty for a tuple
  bool Is(std::string_view kind) const { return kind_ == kind; }
  // As they stand; empty where the node has no such field.
  std::string_view Field(std::string_view name) const;
  std::string Text(std::string_view name) const;  // a string, without quotes and escapes
  // The number of a field; 0 where there is none.
  std::int64_t Number(std::string_view name) const;
  std::optional<std::uint32_t> Reference(std::string_view name) const;  // "!43"
  // The elements of a tuple, or the operands of an expression.
  std::vector<std::string_view> Elements() const;

 private:
  std::string_view kind_;
  std::string_view body_;  // between the parentheses or braces
};

// "!43"; nothing for other text.
std::optional<std::uint32_t> ReadReference(std::string_view text);

class LlvmMetadata {
 public:
  // `module` is the IR, which must outlive this.  Unknown metadata is ignored.
  explicit LlvmMetadata(std::string_view module);

  std::optional<LlvmNode> Find(std::uint32_t number) const;
  // The DISubprogram of a function that has a body, and the DIGlobalVariableExpression of a
  // variable, by their names in the module.
  std::optional<std::uint32_t> SubprogramOf(std::string_view function) const;
  const std::unordered_map<std::string_view, std::uint32_t>& globals() const { return globals_; }
  const std::unordered_map<std::string_view, std::uint32_t>& subprograms() const {
    return subprograms_;
  }
  // "#dbg_value(i32 %lsr.iv, !96, !DIExpression(), !118)": the values of variables that are said to
  // be an induction variable of loop strength reduction's.
  const std::vector<std::string_view>& inductions() const { return inductions_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

 private:
  std::vector<std::string_view> nodes_;  // by number; empty where there is none
  std::unordered_map<std::string_view, std::uint32_t> subprograms_, globals_;
  std::vector<std::string_view> inductions_;
};

}  // namespace assay::frontend
