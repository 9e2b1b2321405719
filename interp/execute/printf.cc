#include "interp/execute/printf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "interp/execute/printf_number.h"
#include "interp/rules/rule.h"
#include "numerics/format.h"

namespace assay::interp {
namespace {

// Fields wider than this, and outputs longer than that, are mistakes: a module must not be able to
// take the machine's memory with a few characters.
constexpr std::size_t kMaxField = 65535;
constexpr std::size_t kMaxText = std::size_t{1} << 24;

// One conversion specification, "%-8.3v4hlf".
struct Specification {
  std::string_view text;  // all of it
  PrintfStyle style;
  int components = 0;     // of the vector specifier; 0: none
  std::string_view size;  // length modifier: "", "hh", "h", "hl", "l", or a reserved one
  char conversion = 0;    // 0: the format ends before it
};

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool IsIntegerConversion(char c) { return IsOneOf(c, "diouxX"); }
bool IsFloatConversion(char c) { return IsOneOf(c, "aAeEfFgG"); }

std::string_view FloatName(int bits) {
  return bits == 16 ? "half" : bits == 32 ? "float" : "double";
}

// "a float", "a vector of 4 32-bit integers", "a pointer".
std::string Describe(const PrintfArgument& argument) {
  std::string component = "pointer";
  if (argument.type == PrintfType::kInteger)
    component = fmt::format("{}-bit integer", argument.bits);
  if (argument.type == PrintfType::kFloat) component = FloatName(argument.bits);
  if (argument.components.size() == 1) {
    const bool vowel = component.starts_with('8');  // "an 8-bit"
    return fmt::format("{} {}", vowel ? "an" : "a", component);
  }
  return fmt::format("a vector of {} {}s", argument.components.size(), component);
}

class Formatter {
 public:
  Formatter(std::string_view format, std::span<const PrintfArgument> arguments)
      : format_(format), arguments_(arguments) {}

  PrintfResult Run() {
    while (at_ < format_.size()) {
      const std::size_t percent = std::min(format_.find('%', at_), format_.size());
      result_.text.append(format_.substr(at_, percent - at_));
      at_ = percent;
      if (at_ < format_.size()) Convert(Parse());
      if (result_.text.size() > kMaxText) {
        result_.text.resize(kMaxText);
        Problem(Rule::kPrintfLimit,
                fmt::format("printf: the output of one call is cut at {} bytes", kMaxText));
        break;
      }
    }
    return std::move(result_);
  }

 private:
  void Problem(Rule rule, std::string message) {
    if (RowOf(rule).finding_class != FindingClass::kImplementationDefined) result_.value = -1;
    result_.problems.push_back({rule, std::move(message)});
  }
  void Undefined(const Specification& specification, std::string_view what,
                 Rule rule = Rule::kPrintfSpecifier) {
    Problem(rule, fmt::format("printf: in '{}', {}", specification.text, what));
  }
  // A rule about the argument that is converted.
  void UndefinedArgument(const Specification& specification, std::string_view wanted,
                         const PrintfArgument& argument, Rule rule = Rule::kPrintfType) {
    Undefined(specification,
              fmt::format("{} is wanted, but argument {} is {}", wanted, next_, Describe(argument)),
              rule);
  }

  char Peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }
  bool Take(char c) {
    if (at_ >= format_.size() || format_[at_] != c) return false;
    ++at_;
    return true;
  }

  Specification Parse();
  std::optional<std::size_t> ParseNumber(std::string_view what, bool* star);
  void ParseVector(Specification* specification);
  void CheckFlags(const Specification& specification);
  void CheckSize(const Specification& specification);
  const PrintfArgument* NextArgument(const Specification& specification);
  void Convert(const Specification& specification);
  void ConvertNumber(const Specification& specification, const PrintfArgument& argument);
  void ConvertCharacter(const Specification& specification, const PrintfArgument& argument);
  void ConvertPointer(const Specification& specification, const PrintfArgument& argument);
  void ConvertText(const Specification& specification, const PrintfArgument& argument);
  void ShowValue(const Specification& specification, const PrintfArgument& argument);
  std::string Component(const Specification& specification, const PrintfArgument& argument,
                        std::uint64_t value) const;

  std::string_view format_;
  std::span<const PrintfArgument> arguments_;
  std::size_t at_ = 0;    // in the format
  std::size_t next_ = 0;  // arguments that were taken
  PrintfResult result_;
};

// A field width or precision: decimal digits.  The asterisk of C99 is not OpenCL C's (6.15.14.3);
// its argument is taken as C99 would, so that the arguments behind it keep their places.
std::optional<std::size_t> Formatter::ParseNumber(std::string_view what, bool* star) {
  *star = Take('*');
  std::size_t number = 0;
  if (*star) {
    if (next_ >= arguments_.size()) return std::nullopt;
    const PrintfArgument& argument = arguments_[next_++];
    if (argument.type != PrintfType::kInteger || argument.components.empty()) return std::nullopt;
    number = argument.components[0];
    if (number > kMaxField) return std::nullopt;  // a negative one, as a rule
  } else {
    if (Peek() < '0' || Peek() > '9') return std::nullopt;
    for (; Peek() >= '0' && Peek() <= '9'; ++at_) {
      number = std::min(number * 10 + static_cast<std::size_t>(Peek() - '0'), kMaxField + 1);
    }
  }
  if (number <= kMaxField) return number;
  Problem(Rule::kPrintfLimit, fmt::format("printf: a {} above {} is cut to that", what, kMaxField));
  return kMaxField;
}

void Formatter::ParseVector(Specification* specification) {
  if (!Take('v')) return;
  int components = 0;
  const std::size_t first = at_;
  for (; Peek() >= '0' && Peek() <= '9'; ++at_) {
    components = std::min(components * 10 + (Peek() - '0'), 1000);
  }
  const bool valid =
      components == 2 || components == 3 || components == 4 || components == 8 || components == 16;
  if (!valid) {
    Problem(Rule::kPrintfSpecifier,
            fmt::format("printf: the vector specifier 'v{}' is none of v2, v3, v4, v8 and v16",
                        format_.substr(first, at_ - first)));
  }
  specification->components = std::max(components, 1);
}

Specification Formatter::Parse() {
  Specification specification;
  const std::size_t begin = at_++;
  PrintfStyle& style = specification.style;
  for (; IsOneOf(Peek(), "-+ #0") && Peek() != '\0'; ++at_) {
    style.left |= Peek() == '-';
    style.plus |= Peek() == '+';
    style.space |= Peek() == ' ';
    style.alternate |= Peek() == '#';
    style.zero |= Peek() == '0';
  }
  bool star_width = false, star_precision = false;
  style.width = ParseNumber("field width", &star_width).value_or(0);
  if (Take('.')) style.precision = ParseNumber("precision", &star_precision).value_or(0);
  ParseVector(&specification);
  const std::size_t size = at_;
  for (std::string_view modifier : {"hh", "hl", "h", "ll", "l", "j", "z", "t", "L"}) {
    if (!format_.substr(at_).starts_with(modifier)) continue;
    at_ += modifier.size();
    break;
  }
  specification.size = format_.substr(size, at_ - size);
  if (at_ < format_.size()) specification.conversion = format_[at_++];
  specification.text = format_.substr(begin, at_ - begin);
  if (star_width || star_precision) {
    Undefined(specification, "'*' stands for a number, which OpenCL C does not have (6.15.14.3)");
  }
  return specification;
}

// Flags and precision where 6.15.14.2 gives them no meaning.
void Formatter::CheckFlags(const Specification& specification) {
  const PrintfStyle& style = specification.style;
  const char c = specification.conversion;
  if (style.alternate && !IsFloatConversion(c) && !IsOneOf(c, "oxX")) {
    Undefined(specification, "the flag '#' has no meaning for this conversion (6.15.14.2)");
  }
  if (style.zero && !IsFloatConversion(c) && !IsIntegerConversion(c)) {
    Undefined(specification, "the flag '0' has no meaning for this conversion (6.15.14.2)");
  }
  if (style.precision && !IsFloatConversion(c) && !IsIntegerConversion(c) && c != 's') {
    Undefined(specification, "a precision has no meaning for this conversion (6.15.14.2)");
  }
}

void Formatter::CheckSize(const Specification& specification) {
  const std::string_view size = specification.size;
  const bool integer = IsIntegerConversion(specification.conversion);
  const bool number = integer || IsFloatConversion(specification.conversion);
  const bool vector = specification.components != 0;
  if (vector && !number) {
    Undefined(specification, "a vector specifier is for conversions of numbers only (6.15.14.2)");
    return;
  }
  if (size.empty()) {
    if (vector) {
      Undefined(specification,
                "a vector specifier needs a length modifier: hh, h, hl or l (6.15.14.2)");
    }
    return;
  }
  if (size == "ll" || size == "j" || size == "L") {
    Undefined(
        specification,
        fmt::format("the length modifier '{}' is reserved (6.15.14.3); 'l' is 64 bits", size));
    return;
  }
  const bool offset = size == "z" || size == "t";
  if (offset && integer && !vector) {
    Problem(Rule::kPrintfLengthModifier,
            fmt::format("printf: in '{}', the length modifier '{}' needs OpenCL C 3.1 and is "
                        "reserved before (6.15.14.3)",
                        specification.text, size));
    return;
  }
  if (size == "l" && !integer && number && !vector) {
    // As in C99, where it has no effect; it is common, and no implementation minds.
    Problem(Rule::kPrintfLengthModifier,
            fmt::format("printf: in '{}', the length modifier 'l' is for integers and for vectors; "
                        "of a scalar floating-point number it has no meaning (6.15.14.2)",
                        specification.text));
    return;
  }
  const bool known =
      vector ? number && !offset && (integer || size != "hh") : integer && size != "hl";
  if (!known) {
    Undefined(specification,
              fmt::format("the length modifier '{}' has no meaning for this conversion of {} "
                          "(6.15.14.2)",
                          size, vector ? "a vector" : "a scalar"));
  }
}

const PrintfArgument* Formatter::NextArgument(const Specification& specification) {
  if (next_ < arguments_.size() && !arguments_[next_].components.empty()) {
    return &arguments_[next_++];
  }
  ++next_;
  Undefined(specification,
            fmt::format("argument {} is wanted, but there are {} (6.15.14: \"insufficient "
                        "arguments\")",
                        next_, arguments_.size()),
            Rule::kPrintfArguments);
  return nullptr;
}

void Formatter::Convert(const Specification& specification) {
  const char c = specification.conversion;
  if (c == '%') {
    if (specification.text.size() != 2) {
      Undefined(specification, "the complete specification has to be '%%' (6.15.14.2)");
    }
    result_.text += '%';
    return;
  }
  const bool number = IsIntegerConversion(c) || IsFloatConversion(c);
  if (!number && !IsOneOf(c, "csp")) {
    if (c == 'n') ++next_;  // its pointer
    Undefined(specification, c == 0     ? "the format ends before the conversion (6.15.14.2)"
                             : c == 'n' ? "the conversion 'n' is reserved (6.15.14.3)"
                                        : "the conversion is unknown (6.15.14.2)");
    result_.text.append(specification.text);
    return;
  }
  CheckFlags(specification);
  CheckSize(specification);
  const PrintfArgument* argument = NextArgument(specification);
  if (argument == nullptr) {
    result_.text.append(specification.text);
  } else if (number) {
    ConvertNumber(specification, *argument);
  } else if (c == 's') {
    ConvertText(specification, *argument);
  } else if (c == 'p') {
    ConvertPointer(specification, *argument);
  } else {
    ConvertCharacter(specification, *argument);
  }
}

// A component's size in bits, by the length modifier; 0: any.
int SizeInBits(const Specification& specification) {
  const std::string_view size = specification.size;
  if (IsFloatConversion(specification.conversion)) {
    // Told already where the modifier has no meaning.
    if (specification.components == 0 || size == "hh") return 0;
  }
  if (size == "hh") return 8;
  if (size == "h") return 16;
  if (size == "hl") return 32;
  if (size == "l" || size == "ll" || size == "j") return 64;
  if (size == "z" || size == "t") return 0;  // as the addressing model has it
  return specification.components == 0 ? 32 : 0;
}

// What the specification wants, for a message: "a 32-bit integer", "a vector of 4 floats".
std::string Wanted(const Specification& specification, int bits) {
  PrintfArgument wanted;
  wanted.type =
      IsFloatConversion(specification.conversion) ? PrintfType::kFloat : PrintfType::kInteger;
  if (bits == 0 && wanted.type == PrintfType::kInteger) return "an integer";
  wanted.bits = static_cast<std::uint8_t>(bits == 0 ? 64 : bits);
  wanted.components.resize(static_cast<std::size_t>(std::max(specification.components, 1)));
  return Describe(wanted);
}

void Formatter::ConvertNumber(const Specification& specification, const PrintfArgument& argument) {
  const bool vector = specification.components != 0;
  const bool integer = IsIntegerConversion(specification.conversion);
  const int bits = SizeInBits(specification);
  // A scalar hh or h has an int as its argument; narrower integers in place of int are what the
  // integer promotions would have widened.  A scalar half or float is converted to double, or left
  // as it is on a device without double.
  const bool same_type = argument.type == (integer ? PrintfType::kInteger : PrintfType::kFloat);
  const bool same_size = bits == 0 || argument.bits == bits ||
                         (!vector && integer && bits <= 32 && argument.bits <= 32);
  const std::size_t components = static_cast<std::size_t>(std::max(specification.components, 1));
  if (!same_type || !same_size || argument.components.size() != components) {
    UndefinedArgument(specification, Wanted(specification, bits), argument);
  }
  std::string_view separator;
  for (const std::uint64_t value : argument.components) {
    result_.text.append(separator).append(Component(specification, argument, value));
    separator = ",";
  }
}

// Of a type that is not the conversion's the value is shown as it is: an integer in decimal, a
// floating-point number in style g, a pointer in hexadecimal.
std::string Formatter::Component(const Specification& specification, const PrintfArgument& argument,
                                 std::uint64_t value) const {
  PrintfStyle style = specification.style;
  char conversion = specification.conversion;
  if (argument.type == PrintfType::kFloat) {
    if (!IsFloatConversion(conversion)) {
      conversion = 'g';
      style.precision.reset();
    }
    const numerics::Format format = argument.bits == 16   ? numerics::Format::kHalf
                                    : argument.bits == 32 ? numerics::Format::kFloat
                                                          : numerics::Format::kDouble;
    return FormatPrintfFloating(style, conversion,
                                std::bit_cast<std::uint64_t>(numerics::ToDouble(format, value)));
  }
  if (!IsIntegerConversion(conversion)) {
    conversion = argument.type == PrintfType::kPointer ? 'x' : 'd';
    style.alternate = conversion == 'x';
    style.precision.reset();
  }
  int bits = argument.bits;
  if (specification.components == 0) {
    // "Its value shall be converted to char or uchar before printing."
    if (specification.size == "hh") bits = 8;
    if (specification.size == "h") bits = std::min(bits, 16);
  }
  return FormatPrintfInteger(style, conversion, bits, value & (~std::uint64_t{0} >> (64 - bits)));
}

void Formatter::ConvertCharacter(const Specification& specification,
                                 const PrintfArgument& argument) {
  const bool fits = argument.type == PrintfType::kInteger && argument.components.size() == 1;
  if (!fits || argument.bits > 32) UndefinedArgument(specification, "an int", argument);
  if (!fits) return ShowValue(specification, argument);
  const char c = static_cast<char>(argument.components[0] & 0xff);
  result_.text.append(PadPrintfField(specification.style, std::string_view(&c, 1)));
}

void Formatter::ConvertPointer(const Specification& specification, const PrintfArgument& argument) {
  if (argument.type != PrintfType::kPointer || argument.components.size() != 1) {
    UndefinedArgument(specification, "a pointer", argument);
  }
  ShowValue(specification, argument);
}

void Formatter::ConvertText(const Specification& specification, const PrintfArgument& argument) {
  if (!argument.has_text) {
    const bool is_pointer = argument.type == PrintfType::kPointer;
    UndefinedArgument(specification, "a literal string", argument,
                      is_pointer ? Rule::kPrintfString : Rule::kPrintfType);
    return ShowValue(specification, argument);
  }
  std::string_view text = argument.text;
  text = text.substr(0, text.find('\0'));
  if (specification.style.precision) text = text.substr(0, *specification.style.precision);
  result_.text.append(PadPrintfField(specification.style, text));
}

// Without flags and precision; pointers in hexadecimal ("in an implementation-defined manner"),
// null included.
void Formatter::ShowValue(const Specification& specification, const PrintfArgument& argument) {
  Specification shown{.text = specification.text, .conversion = 'p'};
  shown.style.left = specification.style.left;
  shown.style.width = specification.style.width;
  std::string_view separator;
  for (const std::uint64_t value : argument.components) {
    const bool null = argument.type == PrintfType::kPointer && value == 0;
    result_.text.append(separator).append(null ? PadPrintfField(shown.style, "0x0")
                                               : Component(shown, argument, value));
    separator = ",";
  }
}

}  // namespace

PrintfResult FormatPrintf(std::string_view format, std::span<const PrintfArgument> arguments) {
  return Formatter(format, arguments).Run();
}

}  // namespace assay::interp
