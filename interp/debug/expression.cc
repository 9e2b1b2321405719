#include "interp/debug/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "interp/debug/token.h"
#include "numerics/literal.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::StorageClass;
using frontend::TypeRef;
using ExpressionKind = DebugExpression::Kind;

namespace {

constexpr int kMaxDepth = 200;
class Parser {
 public:
  Parser(std::vector<DebugToken> tokens, frontend::SourceTypes* types)
      : tokens_(std::move(tokens)), types_(*types) {}

  std::optional<TypeRef> ParseType() {
    const auto type = Type();
    return type && Now().kind == DebugToken::Kind::kEnd ? type : std::nullopt;
  }

  Expected<DebugExpression> Parse() {
    auto expression = Assignment();
    if (!expression) return expression;
    if (Now().kind != DebugToken::Kind::kEnd) {
      return Wrong(fmt::format("'{}' does not belong here", Now().text));
    }
    return expression;
  }

 private:
  const DebugToken& Now() const { return tokens_[place_]; }
  const DebugToken& Next(std::size_t ahead = 1) const {
    return tokens_[std::min(place_ + ahead, tokens_.size() - 1)];
  }
  bool Is(std::string_view text) const {
    return Now().kind == DebugToken::Kind::kPunctuation && Now().text == text;
  }
  bool Take(std::string_view text) {
    if (!Is(text)) return false;
    ++place_;
    return true;
  }
  tl::unexpected<Error> Wrong(const std::string& what) const {
    return Fail(ErrorKind::kUsage, fmt::format("column {}: {}", Now().column, what));
  }

  // x += 1 is x = x + 1, which is the same where computing x changes nothing.
  static DebugExpression Changed(const std::string& operation, std::size_t column,
                                 DebugExpression target, DebugExpression amount) {
    DebugExpression sum =
        Make(ExpressionKind::kBinary, operation, column, target, std::move(amount));
    return Make(ExpressionKind::kBinary, "=", column, std::move(target), std::move(sum));
  }
  DebugExpression One(std::size_t column) {
    DebugExpression one = Make(ExpressionKind::kInteger, "", column);
    one.bits = 1;
    one.type = types_.Scalar(SourceKind::kSigned, 32);
    return one;
  }

  Expected<DebugExpression> Assignment() {
    if (++depth_ > kMaxDepth) return Wrong("the expression is nested too deep");
    auto result = AssignmentOfOne();
    --depth_;
    return result;
  }

  Expected<DebugExpression> AssignmentOfOne() {
    constexpr std::string_view kAssignments = " = += -= *= /= %= &= |= ^= <<= >>= ";
    auto left = Conditional();
    const DebugToken operation = Now();
    if (!left || operation.kind != DebugToken::Kind::kPunctuation ||
        kAssignments.find(fmt::format(" {} ", operation.text)) == std::string_view::npos) {
      return left;
    }
    ++place_;
    auto right = Assignment();
    if (!right) return right;
    if (operation.text != "=") {
      if (Assigns(*left)) return Wrong("what is assigned to cannot itself be an assignment");
      return Changed(operation.text.substr(0, operation.text.size() - 1), operation.column,
                     std::move(*left), std::move(*right));
    }
    return Make(ExpressionKind::kBinary, "=", operation.column, std::move(*left),
                std::move(*right));
  }

  Expected<DebugExpression> Conditional() {
    auto condition = Binary(0);
    if (!condition || !Is("?")) return condition;
    const std::size_t column = Now().column;
    ++place_;
    auto yes = Assignment();
    if (!yes) return yes;
    if (!Take(":")) return Wrong("':' is missing");
    auto no = Conditional();
    if (!no) return no;
    return Make(ExpressionKind::kConditional, "?", column, std::move(*condition), std::move(*yes),
                std::move(*no));
  }

  static int LevelOf(std::string_view text) {
    // @ as in gdb: so many elements from an object on.
    constexpr std::array<std::string_view, 11> kLevels = {
        " || ",        " && ",    " | ", " ^ ",   " & ",    " == != ",
        " < > <= >= ", " << >> ", " @ ", " + - ", " * / % "};
    for (std::size_t level = 0; level < kLevels.size(); ++level) {
      if (kLevels[level].find(fmt::format(" {} ", text)) != std::string_view::npos) {
        return static_cast<int>(level);
      }
    }
    return -1;
  }

  Expected<DebugExpression> Binary(int least) {
    auto left = Unary();
    while (left && Now().kind == DebugToken::Kind::kPunctuation) {
      const int level = LevelOf(Now().text);
      if (level < least) break;
      const DebugToken operation = Now();
      ++place_;
      auto right = Binary(level + 1);
      if (!right) return right;
      left = Make(ExpressionKind::kBinary, operation.text, operation.column, std::move(*left),
                  std::move(*right));
    }
    return left;
  }

  Expected<DebugExpression> Unary() {
    if (++depth_ > kMaxDepth) return Wrong("the expression is nested too deep");
    auto result = UnaryOfOne();
    --depth_;
    return result;
  }

  Expected<DebugExpression> UnaryOfOne() {
    const DebugToken first = Now();
    if (Take("++") || Take("--")) {
      auto operand = Unary();
      if (!operand) return operand;
      if (Assigns(*operand)) return Wrong("what is assigned to cannot itself be an assignment");
      return Changed(first.text.substr(1), first.column, std::move(*operand), One(first.column));
    }
    for (const std::string_view operation : {"-", "+", "!", "~", "*", "&"}) {
      if (!Take(operation)) continue;
      auto operand = Unary();
      if (!operand) return operand;
      return Make(ExpressionKind::kUnary, std::string(operation), first.column,
                  std::move(*operand));
    }
    if (first.kind == DebugToken::Kind::kName && first.text == "sizeof") {
      ++place_;
      if (Is("(")) {
        const std::size_t mark = place_++;
        if (const auto type = Type(); type && Take(")")) {
          DebugExpression result = Make(ExpressionKind::kSizeof, "", first.column);
          result.type = *type;
          return result;
        }
        place_ = mark;
      }
      auto operand = Unary();
      if (!operand) return operand;
      return Make(ExpressionKind::kSizeof, "", first.column, std::move(*operand));
    }
    if (Is("(")) {
      const std::size_t mark = place_++;
      if (const auto type = Type(); type && Take(")")) return Cast(*type, first.column);
      place_ = mark;
    }
    return Postfix();
  }

  // What stands behind "(float4)".
  Expected<DebugExpression> Cast(TypeRef type, std::size_t column) {
    DebugExpression result = Make(ExpressionKind::kCast, "", column);
    result.type = type;
    if (types_.At(type).kind == SourceKind::kVector && Take("(")) {
      result.kind = ExpressionKind::kVector;
      auto all = Arguments();
      if (!all) return tl::unexpected(all.error());
      result.operands = std::move(*all);
      return result;
    }
    // Behind ")" a % was taken for a remainder.
    const DebugToken name = Next();
    const bool is_id =
        Is("%") && name.column == Now().column + 1 &&
        (name.kind == DebugToken::Kind::kNumber || name.kind == DebugToken::Kind::kName);
    if (is_id) ++place_;
    if (is_id) tokens_[place_].kind = DebugToken::Kind::kId;
    auto operand = Unary();
    if (!operand) return operand;
    result.operands.push_back(std::move(*operand));
    return result;
  }

  std::optional<TypeRef> Type() {
    StorageClass space = StorageClass::kFunction;
    std::string name;
    for (; Now().kind == DebugToken::Kind::kName; ++place_) {
      std::string_view word = Now().text;
      if (word.starts_with("__")) word.remove_prefix(2);
      if (word == "global") {
        space = StorageClass::kCrossWorkgroup;
      } else if (word == "local") {
        space = StorageClass::kWorkgroup;
      } else if (word == "constant") {
        space = StorageClass::kUniformConstant;
      } else if (word == "generic") {
        space = StorageClass::kGeneric;
      } else if (word != "private" && word != "const" && word != "volatile") {
        name += (name.empty() ? "" : " ") + Now().text;
      }
    }
    if (name.starts_with("unsigned")) name = name == "unsigned" ? "uint" : "u" + name.substr(9);
    if (name.starts_with("signed ")) name = name.substr(7);
    if (name.empty()) return std::nullopt;
    auto type = types_.Named(name);
    if (!type) return std::nullopt;
    const auto take_pointers = [&] {
      for (; Take("*"); space = StorageClass::kFunction) type = types_.PointerTo(*type, space);
    };
    take_pointers();
    // As types are shown: the outermost dimension first.
    std::vector<std::uint64_t> counts;
    while (Is("[") && Next().kind == DebugToken::Kind::kNumber && Next(2).text == "]") {
      const auto count = Decimal(Next().text);
      if (!count) break;
      counts.push_back(*count);
      place_ += 3;
    }
    for (auto count = counts.rbegin(); count != counts.rend(); ++count) {
      type = types_.ArrayOf(*type, *count);
    }
    take_pointers();
    return type;
  }

  // Behind "(", up to and with ")".
  Expected<std::vector<DebugExpression>> Arguments() {
    std::vector<DebugExpression> all;
    if (Take(")")) return all;
    do {
      auto one = Assignment();
      if (!one) return tl::unexpected(one.error());
      all.push_back(std::move(*one));
    } while (Take(","));
    if (!Take(")")) return Wrong("')' is missing");
    return all;
  }

  Expected<DebugExpression> Postfix() {
    auto result = Primary();
    while (result) {
      const DebugToken operation = Now();
      if (Take("[")) {
        auto index = Assignment();
        if (!index) return index;
        if (!Take("]")) return Wrong("']' is missing");
        result = Make(ExpressionKind::kIndex, "[", operation.column, std::move(*result),
                      std::move(*index));
      } else if (Is(".") || Is("->")) {
        ++place_;
        if (Now().kind != DebugToken::Kind::kName) return Wrong("the name of a member is missing");
        result = Make(operation.text == "." ? ExpressionKind::kMember : ExpressionKind::kArrow,
                      Now().text, operation.column, std::move(*result));
        ++place_;
      } else if (Is("++") || Is("--")) {
        ++place_;
        // Its value would be the old one, which nothing asks for where it stands alone.
        if (Now().kind != DebugToken::Kind::kEnd || Assigns(*result)) {
          return Wrong(fmt::format("'{}' stands alone behind a variable", operation.text));
        }
        result = Changed(operation.text.substr(1), operation.column, std::move(*result),
                         One(operation.column));
      } else {
        break;
      }
    }
    return result;
  }

  Expected<DebugExpression> Primary() {
    const DebugToken first = Now();
    switch (first.kind) {
      case DebugToken::Kind::kNumber:
        ++place_;
        return Number(first);
      case DebugToken::Kind::kCharacter: {
        ++place_;
        DebugExpression result = Make(ExpressionKind::kInteger, "", first.column);
        result.bits = static_cast<std::uint64_t>(std::stol(first.text));
        result.type = types_.Scalar(SourceKind::kSigned, 32);
        return result;
      }
      case DebugToken::Kind::kId:
        ++place_;
        return Make(ExpressionKind::kId, first.text, first.column);
      case DebugToken::Kind::kDollar:
        ++place_;
        return Make(ExpressionKind::kDollar, first.text, first.column);
      case DebugToken::Kind::kName: {
        ++place_;
        if (!Take("(")) return Make(ExpressionKind::kName, first.text, first.column);
        auto all = Arguments();
        if (!all) return tl::unexpected(all.error());
        DebugExpression call = Make(ExpressionKind::kCall, first.text, first.column);
        call.operands = std::move(*all);
        return call;
      }
      case DebugToken::Kind::kEnd:
      case DebugToken::Kind::kPunctuation:
        break;
    }
    if (Take("(")) {
      auto inner = Assignment();
      if (!inner) return inner;
      if (!Take(")")) return Wrong("')' is missing");
      return inner;
    }
    return Wrong(first.kind == DebugToken::Kind::kEnd
                     ? "something is missing at the end"
                     : fmt::format("'{}' does not belong here", first.text));
  }

  static std::optional<std::uint64_t> Octal(const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
  static std::optional<std::uint64_t> Decimal(const std::string& text) {  // or hexadecimal
    const auto bits = numerics::ParseLiteral(numerics::ScalarType::kUlong, text);
    return bits ? std::optional<std::uint64_t>(*bits) : std::nullopt;
  }

  Expected<DebugExpression> Number(const DebugToken& token) {
    std::string text = token.text;
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const bool is_float = text.find_first_of(is_hex ? ".pP" : ".eE") != std::string::npos ||
                          (!is_hex && (text.back() == 'f' || text.back() == 'h'));
    numerics::ScalarType type = numerics::ScalarType::kInt;
    DebugExpression result =
        Make(is_float ? ExpressionKind::kFloat : ExpressionKind::kInteger, "", token.column);
    if (is_float) {
      type = numerics::ScalarType::kDouble;
      if (text.back() == 'f' || text.back() == 'F') type = numerics::ScalarType::kFloat;
      if (text.back() == 'h' || text.back() == 'H') type = numerics::ScalarType::kHalf;
      if (type != numerics::ScalarType::kDouble) text.pop_back();
      const auto bits = numerics::ParseLiteral(type, text);
      if (!bits) {
        return Fail(ErrorKind::kUsage,
                    fmt::format("column {}: '{}' is no number", token.column, token.text));
      }
      result.bits = *bits;
      result.type =
          types_.Scalar(SourceKind::kFloat, static_cast<std::uint32_t>(numerics::WidthOf(type)));
      return result;
    }
    bool is_unsigned = false;
    bool is_long = false;
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) {
      (std::tolower(text.back()) == 'u' ? is_unsigned : is_long) = true;
      text.pop_back();
    }
    const bool is_octal = !is_hex && text.size() > 1 && text[0] == '0';
    const auto bits = is_octal ? Octal(text) : Decimal(text);
    if (!bits) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("column {}: '{}' is no number", token.column, token.text));
    }
    // The first type of C99 6.4.4.1 that holds it.
    is_unsigned |= *bits >> 63 != 0 || ((is_hex || is_octal) && !is_long && *bits >> 31 == 1);
    is_long |= *bits >> (is_unsigned ? 32 : 31) != 0;
    result.bits = *bits;
    result.type =
        types_.Scalar(is_unsigned ? SourceKind::kUnsigned : SourceKind::kSigned, is_long ? 64 : 32);
    return result;
  }

  template <typename... Operands>
  static DebugExpression Make(ExpressionKind kind, std::string text, std::size_t column,
                              Operands... operands) {
    DebugExpression result;
    result.kind = kind;
    result.text = std::move(text);
    result.column = column;
    result.operands.reserve(sizeof...(operands));
    (result.operands.push_back(std::move(operands)), ...);
    return result;
  }

  std::vector<DebugToken> tokens_;
  frontend::SourceTypes& types_;
  std::size_t place_ = 0;
  int depth_ = 0;
};

}  // namespace

Expected<DebugExpression> ParseDebugExpression(const std::string& text,
                                               frontend::SourceTypes* types) {
  auto tokens = DebugTokens(text);
  if (!tokens) return tl::unexpected(tokens.error());
  if (tokens->size() == 1) return Fail(ErrorKind::kUsage, "an expression is missing");
  return Parser(std::move(*tokens), types).Parse();
}

std::optional<TypeRef> ParseDebugType(const std::string& text, frontend::SourceTypes* types) {
  auto tokens = DebugTokens(text);
  if (!tokens) return std::nullopt;
  return Parser(std::move(*tokens), types).ParseType();
}

}  // namespace assay::interp
