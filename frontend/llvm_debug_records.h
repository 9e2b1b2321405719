// Writes LLVM's debug information as OpenCL.DebugInfo.100: files, types, scopes and variables.
// Internal to debug information.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/debug_steps.h"
#include "frontend/debug_writer.h"
#include "frontend/llvm_metadata.h"
#include "frontend/value_shape.h"

namespace assay::frontend {

// The parts of records, for the files that write them.
inline constexpr int kMaxLlvmDepth = 64;  // metadata may be circular
template <typename Enumeration>
constexpr Word WordOf(Enumeration value) {
  return static_cast<Word>(value);
}
inline Word LineOf(const LlvmNode& node) { return static_cast<Word>(node.Number("line")); }
// The number of the DIFile; one that no node has where there is none.
inline std::uint32_t FileOf(const LlvmNode& node) {
  return node.Reference("file").value_or(0xffffffff);
}

// A DILocation.
struct LlvmLocation {
  Id path = 0;  // the OpString of its file
  std::uint32_t line = 0, column = 0;
  Id scope = 0, inlined_at = 0;
  std::uint32_t scope_node = 0;  // the number of its metadata
  std::string place;             // as LLVM prints it: "k.cl:2:11"
};

class LlvmDebugRecords {
 public:
  // `functions` are the ids of the module's by their names there.
  LlvmDebugRecords(const LlvmMetadata& metadata, DebugWriter* writer,
                   std::unordered_map<std::string_view, Id> functions);

  // Reads "!31" or "!DILocation(...)"; null if it is not a location.
  const LlvmLocation* Location(std::string_view text);
  // The DebugLocalVariable that has the name and is seen from a scope; its id is 0 for none.
  struct Local {
    Id id = 0;
    std::uint32_t argument = 0;  // from 1; 0: not a parameter
    ValueShape shape;
  };
  // `line` is that of its declaration, which has to agree.
  Local Variable(std::string_view name, std::uint32_t scope_node, std::uint32_t line);
  // All variables that a function declares, in functions that are inlined into it not included, and
  // the place in its scope where none of them is anywhere yet.
  std::vector<Local> VariablesOf(std::string_view function);
  const LlvmLocation* BeginOf(std::string_view function);
  // A DebugExpression.  `through_pointer`: the value is an address where the variable lies.
  struct Expression {
    Id id = 0;  // 0 for one that DebugStep has no words for
    std::vector<DebugStep> steps;
    std::optional<DebugFragment> fragment;  // also of one without an id
    // As LLVM's loop strength reduction computes one induction variable from another: how far that
    // one moves in an iteration, which it divides by.  Nothing for other expressions.
    std::optional<std::uint64_t> stride;
  };
  const Expression& MakeExpression(std::string_view text, bool through_pointer);
  // That nothing is known about the variable, or a fragment of it.
  const Expression& MakeLost(const std::optional<DebugFragment>& fragment);
  // Whether a variable is said to be an induction variable of loop strength reduction's; all as a
  // machine instruction has them.
  bool IsOfInduction(std::string_view name, std::string_view expression,
                     std::string_view location) const;
  // `expression_node` is the number of a DIGlobalVariableExpression.
  void AddGlobal(std::uint32_t expression_node, Id variable);
  // clang-22 makes two functions of a kernel: the name of the one that the entry point calls.
  static std::string ImplementationOf(std::string_view kernel);

 private:
  void ReadInductions();
  Id Source(std::uint32_t file);
  Id Path(std::uint32_t file);
  Id Unit();
  Id None();
  Id Type(std::optional<std::uint32_t> node);
  Id MakeType(std::uint32_t number, const LlvmNode& node);
  Id MakeDerived(const LlvmNode& node);
  Id MakeComposite(std::uint32_t number, const LlvmNode& node);
  Id MakeArray(const LlvmNode& node);
  Id MakeEnum(const LlvmNode& node);
  Id MakeFunctionType(const LlvmNode& node);
  Id Scope(std::uint32_t node);
  Id MakeScope(const LlvmNode& node);
  Id MakeFunction(const LlvmNode& node);
  const LlvmLocation* MakeLocation(const LlvmNode& node, LlvmLocation* location);
  Id InlinedAt(std::uint32_t location, std::uint32_t inlined_function);
  Local MakeLocal(std::uint32_t number);
  ValueShape ShapeOf(std::optional<std::uint32_t> type, int depth = 0) const;
  // The node that stands for a scope: a kernel's two functions are one for the user.
  std::uint32_t Canonical(std::uint32_t scope) const;
  std::uint32_t FunctionOf(std::uint32_t scope) const;

  const LlvmMetadata& metadata_;
  DebugWriter& writer_;
  std::unordered_map<std::string_view, Id> functions_;
  std::unordered_map<std::uint32_t, std::uint32_t> wrappers_;  // its DISubprogram: the kernel's own
  std::unordered_map<std::uint32_t, Id> sources_, paths_, types_, scopes_, inlined_, locals_;
  std::unordered_map<std::uint32_t, LlvmLocation> locations_;
  std::map<std::string, LlvmLocation, std::less<>> inline_locations_;
  std::map<std::string, Expression, std::less<>> expressions_;
  std::set<std::string> inductions_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> variables_;    // by scope and name
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> variables_of_;  // by function
  std::map<std::string, LlvmLocation, std::less<>> begins_;
  Id unit_ = 0, none_ = 0;
  int depth_ = 0;  // of types in types
};

}  // namespace assay::frontend
