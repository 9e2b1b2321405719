#include "tools/litmus/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace assay::tools::litmus {

std::string Location::Text() const {
  const std::string plain = process ? fmt::format("{}:{}", *process, name) : name;
  return has_element ? fmt::format("{}[{}]", plain, element) : plain;
}

namespace {

// Decimal, or hexadecimal with 0x.
std::optional<std::int64_t> NumberOf(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, is_hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

// The lowest `bits` bits, as a signed number.
std::int64_t Narrowed(std::int64_t number, int bits) {
  if (bits >= 64) return number;
  const int unused = 64 - bits;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) << unused) >> unused;
}

bool Compares(std::int64_t left, std::string_view relation, std::int64_t right) {
  if (relation == "=" || relation == "==") return left == right;
  if (relation == "!=") return left != right;
  if (relation == "<") return left < right;
  if (relation == "<=") return left <= right;
  if (relation == ">") return left > right;
  return left >= right;
}

bool IsRelation(std::string_view text) {
  return text == "=" || text == "==" || text == "!=" || text == "<" || text == "<=" ||
         text == ">" || text == ">=";
}

// "[1]" behind a name.
Expected<void> ReadElement(Scanner* scanner, Location* location) {
  while (scanner->TakeIf("[")) {
    const auto element = NumberOf(scanner->Peek().text);
    if (!element) return scanner->Wrong("a number is wanted between [ and ]");
    scanner->Take();
    if (!scanner->TakeIf("]")) return scanner->Wrong("a ']' is missing");
    if (location->has_element) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("{}:{}: {} has several indices; name an element of one array",
                              scanner->path(), location->line, location->name));
    }
    location->element = static_cast<std::uint64_t>(*element);
    location->has_element = true;
  }
  return {};
}

}  // namespace

Expected<Location> ReadLocation(Scanner* scanner) {
  Location location{.process = std::nullopt, .name = {}, .line = scanner->Peek().line};
  const bool in_brackets = scanner->TakeIf("[");
  scanner->TakeIf("*");
  Token token = scanner->Take();
  if (scanner->Peek().text == ":") {
    std::string_view digits = token.text;
    if (digits.starts_with('P')) digits.remove_prefix(1);
    const auto process = NumberOf(digits);
    if (!process) {
      return scanner->Wrong(fmt::format("'{}' is no process: write 0:r0", token.text), token.line);
    }
    location.process = static_cast<int>(*process);
    scanner->Take();
    token = scanner->Take();
  }
  if (token.kind != TokenKind::kWord) {
    return scanner->Wrong(
        fmt::format("'{}' is no register and no variable: write 0:r0 or x", token.text),
        token.line);
  }
  location.name = token.text;
  if (auto read = ReadElement(scanner, &location); !read) return tl::unexpected(read.error());
  if (in_brackets && !scanner->TakeIf("]")) return scanner->Wrong("a ']' is missing");
  return location;
}

// Expressions by precedence: "or" of "and" of "not".
class ConditionReader {
 public:
  ConditionReader(Scanner* scanner, std::vector<Location>* locations)
      : scanner_(*scanner), locations_(*locations) {}

  Expected<Condition> ReadOr() {
    return ReadList(Condition::Kind::kOr, {"\\/", "or", "||"}, &ConditionReader::ReadAnd);
  }

 private:
  using Reader = Expected<Condition> (ConditionReader::*)();

  Expected<Condition> ReadList(Condition::Kind kind, const std::vector<std::string_view>& words,
                               Reader part) {
    auto first = (this->*part)();
    if (!first) return first;
    std::vector<Condition> parts;
    while (std::ranges::any_of(words, [this](auto word) { return scanner_.TakeIf(word); })) {
      auto next = (this->*part)();
      if (!next) return next;
      if (parts.empty()) parts.push_back(std::move(*first));
      parts.push_back(std::move(*next));
    }
    if (parts.empty()) return first;
    Condition condition;
    condition.kind_ = kind;
    condition.parts_ = std::move(parts);
    return condition;
  }

  Expected<Condition> ReadAnd() {
    return ReadList(Condition::Kind::kAnd, {"/\\", "and", "&&"}, &ConditionReader::ReadNot);
  }

  Expected<Condition> ReadNot() {
    if (scanner_.TakeIf("~") || scanner_.TakeIf("not") || scanner_.TakeIf("!")) {
      auto inner = ReadNot();
      if (!inner) return inner;
      Condition condition;
      condition.kind_ = Condition::Kind::kNot;
      condition.parts_.push_back(std::move(*inner));
      return condition;
    }
    if (scanner_.TakeIf("true")) return Condition::True();
    if (!scanner_.TakeIf("(")) return ReadCompare();
    auto inner = ReadOr();
    if (inner && !scanner_.TakeIf(")")) return scanner_.Wrong("a ')' is missing in the condition");
    return inner;
  }

  Expected<Condition> ReadCompare() {
    Condition condition;
    condition.kind_ = Condition::Kind::kCompare;
    auto left = ReadOperand();
    if (!left) return tl::unexpected(left.error());
    condition.left_ = *left;
    if (!IsRelation(scanner_.Peek().text)) {
      return scanner_.Wrong(
          fmt::format("'{}' is no comparison: write 0:r0=1, x!=2 or x<3", scanner_.Peek().text));
    }
    condition.relation_ = scanner_.Take().text;
    auto right = ReadOperand();
    if (!right) return tl::unexpected(right.error());
    condition.right_ = *right;
    return condition;
  }

  Expected<Condition::Operand> ReadOperand() {
    const bool is_negative = scanner_.TakeIf("-");
    const Token token = scanner_.Peek();
    if (token.kind == TokenKind::kNumber) {
      // "0:r0" is a register, "0" a number.
      Scanner ahead = scanner_;
      ahead.Take();
      if (ahead.Peek().text != ":") {
        const auto number = NumberOf(token.text);
        if (!number) return scanner_.Wrong(fmt::format("'{}' is no whole number", token.text));
        scanner_.Take();
        return Condition::Operand{.location = std::nullopt,
                                  .number = is_negative ? -*number : *number};
      }
    }
    auto location = ReadLocation(&scanner_);
    if (!location) return tl::unexpected(location.error());
    const auto known = std::ranges::find(locations_, *location);
    const auto place = static_cast<std::size_t>(known - locations_.begin());
    if (known == locations_.end()) locations_.push_back(std::move(*location));
    return Condition::Operand{.location = place};
  }

  Scanner& scanner_;
  std::vector<Location>& locations_;
};

Expected<Condition> Condition::Read(Scanner* scanner, std::vector<Location>* locations) {
  return ConditionReader(scanner, locations).ReadOr();
}

Condition Condition::Both(Condition one, Condition other) {
  Condition both;
  both.kind_ = Kind::kAnd;
  both.parts_.push_back(std::move(one));
  both.parts_.push_back(std::move(other));
  return both;
}

bool Condition::Holds(const State& state) const {
  switch (kind_) {
    case Kind::kTrue:
      return true;
    case Kind::kNot:
      return !parts_[0].Holds(state);
    case Kind::kAnd:
      return std::ranges::all_of(parts_, [&](const auto& part) { return part.Holds(state); });
    case Kind::kOr:
      return std::ranges::any_of(parts_, [&](const auto& part) { return part.Holds(state); });
    case Kind::kCompare:
      break;
  }
  // A number has the width of the location that it is compared with: -1 is 0xffffffff.
  const auto of = [&state](const Operand& operand) {
    return operand.location ? state(*operand.location) : Value{operand.number, 64};
  };
  const Value left = of(left_), right = of(right_);
  const int bits = std::min(left.bits, right.bits);
  return Compares(Narrowed(left.number, bits), relation_, Narrowed(right.number, bits));
}

}  // namespace assay::tools::litmus
