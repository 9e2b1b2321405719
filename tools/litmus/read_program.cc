#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "tools/litmus/program.h"

namespace assay::tools::litmus {
namespace {

constexpr std::string_view kExample = "P0 (global atomic_int* x) { ... }";

// "P0" as 0.
std::optional<int> ProcessNumber(std::string_view text) {
  if (text.starts_with('P') || text.starts_with('T')) text.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The type without "atomic_"; "" for one that no variable can have here.
std::string ElementTypeOf(std::string_view word) {
  if (word.starts_with("atomic_")) word.remove_prefix(7);
  if (word == "unsigned") return "uint";
  if (word == "intptr_t" || word == "ptrdiff_t") return "long";
  if (word == "uintptr_t" || word == "size_t") return "ulong";
  const bool is_known = word == "int" || word == "uint" || word == "long" || word == "ulong";
  return is_known ? std::string(word) : "";
}

class ProgramReader {
 public:
  ProgramReader(std::string_view text, const std::string& path)
      : scanner_(text, path, Language::kLitmus) {
    program_.path = path;
  }

  Expected<Program> Read() {
    if (auto read = ReadHead(); !read) return tl::unexpected(read.error());
    if (auto read = ReadInitials(); !read) return tl::unexpected(read.error());
    while (scanner_.Peek().kind != TokenKind::kEnd) {
      if (auto read = ReadPart(); !read) return tl::unexpected(read.error());
    }
    if (program_.processes.empty()) {
      return scanner_.Wrong(fmt::format("the test has no process; write {}", kExample));
    }
    if (!has_question_) {
      return scanner_.Wrong("the test asks nothing; end it with exists (0:r0=1 /\\ x=2)");
    }
    if (auto good = CheckPlaces(); !good) return tl::unexpected(good.error());
    return std::move(program_);
  }

 private:
  // "OPENCL MP", and lines of information up to the initial state.
  Expected<void> ReadHead() {
    const Token language = scanner_.Take();
    std::string name(language.text);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    if (name != "OPENCL" && name != "C") {
      return scanner_.Wrong(
          fmt::format("this is a test for '{}'; assay runs those whose first line is OPENCL NAME",
                      language.text),
          language.line);
    }
    program_.name = scanner_.TakeLine();
    while (std::isspace(static_cast<unsigned char>(
               program_.name.empty() ? 'x' : program_.name.back())) != 0) {
      program_.name.pop_back();
    }
    while (scanner_.Peek().text != "{") {
      if (scanner_.Peek().kind == TokenKind::kEnd) {
        return scanner_.Wrong("the initial state is missing; write { x=0; y=0; }");
      }
      scanner_.Take();
    }
    return {};
  }

  Expected<std::int64_t> ReadNumber() {
    const bool is_negative = scanner_.TakeIf("-");
    const std::string text(scanner_.Take().text);
    char* end = nullptr;
    const long long number = std::strtoll(text.c_str(), &end, 0);
    if (text.empty() || *end != '\0') {
      return scanner_.Wrong(fmt::format("'{}' is no whole number", text));
    }
    return is_negative ? -number : number;
  }

  Expected<void> ReadInitials() {
    scanner_.Take();
    while (!scanner_.TakeIf("}")) {
      if (scanner_.TakeIf(";")) continue;
      if (scanner_.Peek().kind == TokenKind::kEnd) return scanner_.Wrong("a '}' is missing");
      Initial initial;
      // "int x = 1", "volatile global atomic_int y", "0:long r0 = 1".
      while (IsQualifier(scanner_.Peek().text) || !ElementTypeOf(scanner_.Peek().text).empty()) {
        const std::string type = ElementTypeOf(scanner_.Take().text);
        if (!type.empty()) initial.type = type;
      }
      auto location = ReadLocation(&scanner_);
      if (!location) return tl::unexpected(location.error());
      initial.location = std::move(*location);
      if (scanner_.TakeIf("=")) {
        if (auto read = ReadValues(&initial); !read) return read;
      }
      program_.initials.push_back(std::move(initial));
    }
    return {};
  }

  static bool IsQualifier(std::string_view word) {
    return word == "volatile" || word == "global" || word == "local" || word == "const" ||
           word == "__global" || word == "__local";
  }

  Expected<void> ReadValues(Initial* initial) {
    if (scanner_.Peek().kind == TokenKind::kWord || scanner_.Peek().text == "&") {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("{}:{}: the value of {} is an address; assay takes numbers",
                              scanner_.path(), scanner_.Peek().line, initial->location.Text()));
    }
    const bool is_list = scanner_.TakeIf("{");
    do {
      auto number = ReadNumber();
      if (!number) return tl::unexpected(number.error());
      initial->values.push_back(*number);
    } while (is_list && scanner_.TakeIf(","));
    if (is_list && !scanner_.TakeIf("}")) return scanner_.Wrong("a '}' is missing");
    return {};
  }

  Expected<void> ReadPart() {
    const Token token = scanner_.Peek();
    if (token.text == ";") {
      scanner_.Take();
      return {};
    }
    if (token.text == "scopes" || token.text == "scopeTree" || token.text == "scope_tree") {
      scanner_.Take();
      scanner_.TakeIf(":");
      return ReadScopes(Place(), 0);
    }
    if (token.text == "locations") return ReadLocations();
    if (token.text == "filter") {
      scanner_.Take();
      auto filter = Condition::Read(&scanner_, &program_.locations);
      if (!filter) return tl::unexpected(filter.error());
      program_.question.filter = std::move(*filter);
      return {};
    }
    if (token.text == "exists" || token.text == "forall" || token.text == "~" ||
        token.text == "not") {
      return ReadQuestion();
    }
    if (token.kind == TokenKind::kWord && token.text.starts_with('P') &&
        ProcessNumber(token.text)) {
      return ReadProcess();
    }
    return scanner_.Wrong(
        fmt::format("'{}' begins neither a process ({}) nor exists, forall, ~exists, filter, "
                    "locations or scopes",
                    token.text, kExample));
  }

  Expected<void> ReadQuestion() {
    Question& question = program_.question;
    if (has_question_) return scanner_.Wrong("the test has one question already");
    has_question_ = true;
    question.line = scanner_.Peek().line;
    const std::size_t begin = scanner_.Peek().place;
    const bool is_negated = scanner_.TakeIf("~") || scanner_.TakeIf("not");
    const bool is_forall = scanner_.Peek().text == "forall";
    if (!is_forall && scanner_.Peek().text != "exists") {
      return scanner_.Wrong("exists or forall is wanted here");
    }
    if (is_forall && is_negated) return scanner_.Wrong("write exists of the contrary");
    scanner_.Take();
    question.quantifier = is_forall    ? Quantifier::kForall
                          : is_negated ? Quantifier::kNotExists
                                       : Quantifier::kExists;
    auto condition = Condition::Read(&scanner_, &program_.locations);
    if (!condition) return tl::unexpected(condition.error());
    question.condition = std::move(*condition);
    question.text = scanner_.TextBetween(begin, scanner_.Peek().place);
    return {};
  }

  // "locations [x; 0:r0;]": shown beside those of the question.
  Expected<void> ReadLocations() {
    scanner_.Take();
    if (!scanner_.TakeIf("[")) return scanner_.Wrong("a '[' is missing: locations [x; 0:r0;]");
    while (!scanner_.TakeIf("]")) {
      if (scanner_.TakeIf(";")) continue;
      if (scanner_.Peek().kind == TokenKind::kEnd) return scanner_.Wrong("a ']' is missing");
      auto location = ReadLocation(&scanner_);
      if (!location) return tl::unexpected(location.error());
      if (std::ranges::find(program_.locations, *location) == program_.locations.end()) {
        program_.locations.push_back(std::move(*location));
      }
    }
    return {};
  }

  // "(device (work_group 0 1) (work_group (sub_group 2) 3))"; names as herd's models have them.
  Expected<void> ReadScopes(Place place, int depth) {
    constexpr int kDeepest = 16;
    if (depth > kDeepest) return scanner_.Wrong("scopes are nested too deeply");
    if (!scanner_.TakeIf("(")) return scanner_.Wrong("a '(' is missing: (device (work_group 0 1))");
    std::string scope;
    while (!scanner_.TakeIf(")")) {
      const Token token = scanner_.Peek();
      if (token.kind == TokenKind::kEnd) return scanner_.Wrong("a ')' is missing");
      if (token.text == "(") {
        if (auto read = ReadScopes(place, depth + 1); !read) return read;
        continue;
      }
      scanner_.Take();
      if (const auto process = ProcessNumber(token.text); process && !scope.empty()) {
        places_[*process] = place;
        continue;
      }
      scope = token.text;
      if (scope == "device" || scope == "dev" || scope == "agent" || scope == "gpu") {
        place.device = devices_++;
      } else if (scope == "work_group" || scope == "wg" || scope == "cta" || scope == "block") {
        place.work_group = groups_++;
      } else if (scope == "sub_group" || scope == "sg" || scope == "wave" || scope == "warp") {
        place.sub_group = sub_groups_++;
      } else if (scope != "system" && scope != "sys" && scope != "work_item" && scope != "kernel") {
        return scanner_.Wrong(
            fmt::format("'{}' is no scope: write device, work_group or sub_group", scope),
            token.line);
      }
    }
    return {};
  }

  // "@wg 0, dev 0"
  Expected<void> ReadPlace(Process* process) {
    Place place;
    do {
      const Token scope = scanner_.Take();
      auto number = ReadNumber();
      if (!number) return tl::unexpected(number.error());
      const int place_in_scope = static_cast<int>(*number);
      if (scope.text == "dev") {
        place.device = place_in_scope;
      } else if (scope.text == "wg") {
        place.work_group = place_in_scope;
      } else if (scope.text == "sg") {
        place.sub_group = place_in_scope;
      } else {
        return scanner_.Wrong(fmt::format("'{}' is no scope: write P0@wg 0, dev 0", scope.text),
                              scope.line);
      }
    } while (scanner_.TakeIf(","));
    process->place = place;
    return {};
  }

  Expected<void> ReadParameter(Process* process) {
    Parameter parameter{.name = {}, .type = {}, .line = scanner_.Peek().line};
    bool is_pointer = false;
    while (scanner_.Peek().text != "," && scanner_.Peek().text != ")") {
      const Token token = scanner_.Take();
      if (token.kind == TokenKind::kEnd) return scanner_.Wrong("a ')' is missing");
      if (token.text == "*") {
        is_pointer = true;
      } else if (token.text == "local" || token.text == "__local") {
        parameter.space = Space::kLocal;
      } else if (const std::string type = ElementTypeOf(token.text); !type.empty()) {
        parameter.type = type;
      } else if (!IsQualifier(token.text)) {
        parameter.name = token.text;
      }
    }
    if (parameter.name.empty() || parameter.type.empty() || !is_pointer) {
      return scanner_.Wrong(
          "a parameter is a pointer to int, uint, long, ulong or an atomic one of them: global "
          "atomic_int* x",
          parameter.line);
    }
    process->parameters.push_back(std::move(parameter));
    return {};
  }

  Expected<void> ReadProcess() {
    Process process{.number = *ProcessNumber(scanner_.Peek().text), .line = scanner_.Peek().line};
    scanner_.Take();
    for (const Process& other : program_.processes) {
      if (other.number == process.number) {
        return scanner_.Wrong(fmt::format("there are two processes P{}", process.number),
                              process.line);
      }
    }
    if (scanner_.TakeIf("@")) {
      if (auto read = ReadPlace(&process); !read) return read;
    }
    if (!scanner_.TakeIf("(")) return scanner_.Wrong(fmt::format("write {}", kExample));
    while (!scanner_.TakeIf(")")) {
      if (scanner_.TakeIf(",")) continue;
      if (auto read = ReadParameter(&process); !read) return read;
    }
    if (scanner_.Peek().text != "{") return scanner_.Wrong(fmt::format("write {}", kExample));
    process.body_line = scanner_.Peek().line;
    auto body = scanner_.TakeBraces();
    if (!body) return tl::unexpected(body.error());
    process.body = *body;
    program_.processes.push_back(std::move(process));
    return {};
  }

  // Scopes name all processes or none.
  Expected<void> CheckPlaces() {
    for (Process& process : program_.processes) {
      if (const auto known = places_.find(process.number); known != places_.end()) {
        process.place = known->second;
      }
    }
    const auto is_placed = [](const Process& process) { return process.place.has_value(); };
    if (std::ranges::none_of(program_.processes, is_placed)) return {};
    const auto missing = std::ranges::find_if_not(program_.processes, is_placed);
    if (missing == program_.processes.end()) return {};
    return scanner_.Wrong(fmt::format("the scopes do not say where P{} is", missing->number),
                          missing->line);
  }

  Scanner scanner_;
  Program program_;
  bool has_question_ = false;
  std::map<int, Place> places_;  // of a scope tree
  int devices_ = 0, groups_ = 0, sub_groups_ = 0;
};

}  // namespace

Expected<Program> ReadProgram(std::string_view text, const std::string& path) {
  return ProgramReader(text, path).Read();
}

}  // namespace assay::tools::litmus
