#include <fmt/format.h>

#include <algorithm>

#include "tools/litmus/program.h"

namespace assay::tools::litmus {
namespace {

// The type of a register, by the first word of its declaration; "" where none begins.
std::string RegisterType(std::string_view word) {
  if (word == "int" || word == "uint" || word == "long" || word == "ulong") {
    return std::string(word);
  }
  if (word == "bool" || word == "short" || word == "char") return "int";
  if (word == "unsigned" || word == "ushort" || word == "uchar") return "uint";
  if (word == "size_t" || word == "uintptr_t") return "ulong";
  return word == "intptr_t" || word == "ptrdiff_t" ? "long" : "";
}

bool IsBarrier(std::string_view word) {
  return word == "barrier" || word == "work_group_barrier" || word == "sub_group_barrier";
}

bool BeginsStatement(std::string_view previous) {
  return previous.empty() || previous == ";" || previous == "{" || previous == "}";
}

// Walks over the tokens of a process once: declarations lose their types, because registers are
// declared at the kernel's beginning, where barriers between them do not end their lives.
class Translator {
 public:
  Translator(const Process& process, bool device_is_group, const std::string& path)
      : process_(process),
        device_is_group_(device_is_group),
        scanner_(process.body, path, Language::kC, process.body_line) {
    segment_.line = process.body_line;
  }

  Expected<Translated> Run() {
    while (scanner_.Peek().kind != TokenKind::kEnd) {
      if (auto taken = TakeOne(); !taken) return tl::unexpected(taken.error());
    }
    translated_.segments.push_back(std::move(segment_));
    return std::move(translated_);
  }

 private:
  Expected<void> TakeOne() {
    const Token token = scanner_.Peek();
    const bool begins = BeginsStatement(previous_);
    if (token.text == "return" || token.text == "goto") {
      return scanner_.Wrong(fmt::format(
          "a process has no {}: its registers are read at its end; use if", token.text));
    }
    if (begins && depth_ == 0 && TakesBarrier()) return TakeBarrier();
    if (begins && TakesDeclaration()) return {};
    if (token.text.starts_with("atomic_") && token.kind == TokenKind::kWord) return TakeAtomic();
    if (token.text == "{") ++depth_;
    if (token.text == "}") --depth_;
    if (token.text == "(" || token.text == "[") ++parentheses_;
    if (token.text == ")" || token.text == "]") --parentheses_;
    if (token.text == ";" && parentheses_ == 0) declared_type_.clear();
    if (token.kind == TokenKind::kWord) return TakeWord();
    expects_name_ = token.text == "," && parentheses_ == 0 && !declared_type_.empty();
    Emit(token.text);
    return {};
  }

  Expected<void> TakeWord() {
    const std::string word(scanner_.Peek().text);
    if (expects_name_) {
      expects_name_ = false;
      const auto known = std::ranges::find(translated_.registers, word,
                                           &std::pair<std::string, std::string>::first);
      if (known == translated_.registers.end()) {
        translated_.registers.emplace_back(word, declared_type_);
      } else if (known->second != declared_type_) {
        return scanner_.Wrong(
            fmt::format("{} is declared as {} and as {}", word, known->second, declared_type_));
      }
    }
    const bool is_member = previous_ == "." || previous_ == "->";
    if (!is_member && IsRegister(word)) {
      Emit(RegisterName(process_.number, word));
    } else if (device_is_group_ && word == "memory_scope_device") {
      Emit("memory_scope_work_group");
    } else {
      Emit(word);
    }
    return {};
  }

  bool IsRegister(std::string_view word) const {
    return std::ranges::any_of(translated_.registers,
                               [word](const auto& known) { return known.first == word; });
  }

  const Parameter* FindParameter(std::string_view word) const {
    const auto found = std::ranges::find(process_.parameters, word, &Parameter::name);
    return found == process_.parameters.end() ? nullptr : &*found;
  }

  // "int r0", but not "int* p" and not "int a[2]", which stay where they are.
  bool TakesDeclaration() {
    const std::string type = RegisterType(scanner_.Peek().text);
    if (type.empty()) return false;
    Scanner ahead = scanner_;
    if (ahead.Take().text == "unsigned") ahead.TakeIf("int");
    if (ahead.Peek().kind != TokenKind::kWord) return false;
    Scanner behind = ahead;
    behind.Take();
    if (behind.Peek().text == "[" || behind.Peek().text == "(") return false;
    while (scanner_.Peek().place != ahead.Peek().place) Skip();
    declared_type_ = type;
    expects_name_ = true;
    return true;
  }

  // "barrier(", also behind a label.
  bool TakesBarrier() const {
    Scanner ahead = scanner_;
    if (IsBarrier(ahead.Peek().text)) return true;
    ahead.Take();
    return ahead.TakeIf(":") && IsBarrier(ahead.Peek().text);
  }

  Expected<void> TakeBarrier() {
    if (!IsBarrier(scanner_.Peek().text)) {
      segment_.barrier_id = scanner_.Take().text;
      scanner_.Take();
    }
    segment_.barrier_line = scanner_.Peek().line;
    segment_.barrier = scanner_.Take().text;
    if (scanner_.Peek().text != "(") return scanner_.Wrong("a '(' is missing behind barrier");
    int open = 0;
    do {
      const Token token = scanner_.Take();
      if (token.kind == TokenKind::kEnd) return scanner_.Wrong("a ')' is missing behind barrier");
      if (token.text == "(") ++open;
      if (token.text == ")") --open;
      segment_.barrier += token.text;
    } while (open > 0);
    if (!scanner_.TakeIf(";")) return scanner_.Wrong("a ';' is missing behind barrier");
    translated_.segments.push_back(std::move(segment_));
    segment_ = Segment{.line = scanner_.Peek().line};
    line_ = segment_.line;
    previous_ = ";";
    return {};
  }

  // A call of an atomic function: its first argument becomes a pointer to an atomic variable, as
  // the kernel's parameters are plain ones.
  Expected<void> TakeAtomic() {
    const Token function = scanner_.Peek();
    Scanner ahead = scanner_;
    ahead.Take();
    if (ahead.Peek().text != "(") return TakeWord();
    if (auto good = CheckScope(ahead, function); !good) return good;
    Emit(function.text);
    ++parentheses_;
    Emit("(");
    if (function.text == "atomic_work_item_fence") return {};
    Scanner argument = scanner_;
    argument.TakeIf("&");
    const Parameter* parameter = FindParameter(argument.Peek().text);
    if (parameter == nullptr) return {};
    segment_.code +=
        fmt::format("(volatile {} atomic_{}*)",
                    parameter->space == Space::kLocal ? "local" : "global", parameter->type);
    return {};
  }

  // Without a scope it would be that of the device, and reach the other groups.
  Expected<void> CheckScope(Scanner ahead, const Token& function) const {
    if (!device_is_group_) return {};
    int open = 0;
    do {
      const Token token = ahead.Take();
      if (token.kind == TokenKind::kEnd || token.text.starts_with("memory_scope_")) return {};
      if (token.text == "(") ++open;
      if (token.text == ")") --open;
    } while (open > 0);
    return scanner_.Wrong(
        fmt::format("processes are on several devices: give {} its memory scope", function.text),
        function.line);
  }

  // Copies lines and blanks up to the next token, without comments.
  void CopySpace() {
    const int line = scanner_.Peek().line;
    if (line != line_) {
      segment_.code.append(static_cast<std::size_t>(line - line_), '\n');
    } else if (scanner_.Peek().place != behind_) {
      segment_.code += ' ';
    }
    line_ = line;
    behind_ = scanner_.Peek().place + scanner_.Peek().text.size();
  }
  void Emit(std::string_view text) {
    CopySpace();
    segment_.code += text;
    previous_ = scanner_.Take().text;
  }
  void Skip() {
    CopySpace();
    previous_ = scanner_.Take().text;
  }

  const Process& process_;
  const bool device_is_group_;
  Scanner scanner_;
  Translated translated_;
  Segment segment_;
  int line_ = process_.body_line;  // of the end of segment_.code
  std::size_t behind_ = 0;         // the last token
  int depth_ = 0;                  // of braces
  int parentheses_ = 0;
  std::string declared_type_;  // of the declaration that is being read
  bool expects_name_ = false;  // of a declarator
  std::string_view previous_;  // token
};

}  // namespace

std::string RegisterName(int process, std::string_view name) {
  return fmt::format("P{}_{}", process, name);
}

Expected<Translated> Translate(const Process& process, bool device_is_group,
                               const std::string& path) {
  return Translator(process, device_is_group, path).Run();
}

}  // namespace assay::tools::litmus
