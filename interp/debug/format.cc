// Values as text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "interp/debug/value.h"
#include "numerics/literal.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using frontend::TypeRef;

namespace {

numerics::Format FormatOfBytes(std::uint64_t bytes) {
  return bytes == 2   ? numerics::Format::kHalf
         : bytes == 4 ? numerics::Format::kFloat
                      : numerics::Format::kDouble;
}

class Formatter {
 public:
  Formatter(const DebugProgram& program, const DebugValue& value, const DebugFormat& format)
      : program_(program), memory_(program), value_(value), format_(format) {}

  std::string Text() {
    std::string text = Part(value_.type, 0, true);
    if (shows_undefined_ && !value_.why_undefined.empty()) {
      text += fmt::format(" ({})", value_.why_undefined);
    }
    return text;
  }

 private:
  // Arrays of arrays of structures of arrays: what is looked at, and what is shown, has an end.
  static constexpr std::uint64_t kMostParts = 4'000'000;
  static constexpr std::size_t kMostText = 1 << 20;

  std::uint64_t BitsAt(std::uint64_t offset, std::uint64_t bytes) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, value_.bytes.data() + offset, std::min<std::uint64_t>(bytes, 8));
    return bits;
  }
  bool IsMissing(std::uint64_t offset, std::uint64_t bytes) const {
    if (value_.missing.empty()) return false;
    const auto first = value_.missing.begin() + static_cast<std::ptrdiff_t>(offset);
    return std::any_of(first, first + static_cast<std::ptrdiff_t>(bytes),
                       [](std::byte byte) { return byte != std::byte{0}; });
  }
  // 0: all defined; 1: some bits; 2: none.
  int UndefinedAt(std::uint64_t offset, std::uint64_t bytes) const {
    if (value_.undefined.empty()) return 0;
    bool all = true;
    bool any = false;
    for (std::uint64_t i = offset; i < offset + bytes; ++i) {
      all = all && value_.undefined[i] == std::byte{0xff};
      any = any || value_.undefined[i] != std::byte{0};
    }
    return all ? 2 : any ? 1 : 0;
  }

  std::string Part(TypeRef ref, std::uint64_t offset, bool is_whole) {
    const SourceType& type = program_.types.At(ref);
    if (offset + type.bytes > value_.bytes.size()) return "<too short>";
    if (made_ == kMostParts || shown_ > kMostText) return "...";
    ++made_;
    switch (type.kind) {
      case SourceKind::kVector:
        return Elements(type, offset, "(", ")");
      case SourceKind::kArray:
        if (format_.letter == 's' && program_.types.At(type.element).bytes == 1) {
          return Characters(type, offset);
        }
        return Elements(type, offset, "{", "}");
      case SourceKind::kStruct:
      case SourceKind::kUnion:
        return Members(type, offset);
      case SourceKind::kVoid:
        return "void";
      case SourceKind::kUnknown:
        return "<of a type that is not known>";
      case SourceKind::kBool:
      case SourceKind::kSigned:
      case SourceKind::kUnsigned:
      case SourceKind::kFloat:
      case SourceKind::kPointer:
      case SourceKind::kEnum:
        break;
    }
    if (IsMissing(offset, type.bytes)) return "<optimized out>";
    const int undefined = UndefinedAt(offset, type.bytes);
    shows_undefined_ |= undefined != 0;
    if (undefined == 2) return "<undefined>";
    std::string text = Scalar(type, BitsAt(offset, type.bytes), is_whole);
    if (undefined == 1) text += " <partly undefined>";
    if (!compares_) shown_ += text.size();
    return text;
  }

  std::string Elements(const SourceType& type, std::uint64_t offset, std::string_view open,
                       std::string_view close) {
    const std::uint64_t stride = program_.types.At(type.element).bytes;
    std::string text(open);
    const std::uint64_t shown = std::min<std::uint64_t>(type.count, format_.limit);
    for (std::uint64_t i = 0; i < shown;) {
      const std::string one = Part(type.element, offset + i * stride, false);
      std::uint64_t same = 1;
      const bool compared = std::exchange(compares_, true);
      while (i + same < type.count && same < 1000000 && made_ != kMostParts &&
             Part(type.element, offset + (i + same) * stride, false) == one) {
        ++same;
      }
      compares_ = compared;
      if (i != 0) text += ", ";
      text += one;
      // As gdb: ten or more of a kind are told once.
      if (same >= 10) {
        text += fmt::format(" <repeats {} times>", same);
        i += same;
      } else {
        ++i;
      }
      if (i >= shown && i < type.count) text += ", ...";
    }
    return text + std::string(close);
  }

  // Up to the first zero.
  std::string Characters(const SourceType& type, std::uint64_t offset) {
    std::string text = "\"";
    for (std::uint64_t i = 0; i < type.count; ++i) {
      if (IsMissing(offset + i, 1)) return text + "<optimized out>\"";
      const auto c = static_cast<unsigned char>(BitsAt(offset + i, 1));
      if (c == 0) break;
      if (c == '"' || c == '\\') text += '\\';
      text +=
          c >= 32 && c < 127 ? std::string(1, static_cast<char>(c)) : fmt::format("\\{:03o}", c);
    }
    return text + "\"";
  }

  std::string Members(const SourceType& type, std::uint64_t offset) {
    std::string text = "{";
    for (const frontend::SourceMember& member : type.members) {
      if (text.size() > 1) text += ", ";
      if (!compares_) shown_ += member.name.size();
      text += member.name + " = " + Part(member.type, offset + member.offset, false);
    }
    return text + "}";
  }

  std::string Scalar(const SourceType& type, std::uint64_t bits, bool is_whole) {
    if (format_.letter == 'f' && type.IsInteger() && type.bytes > 1) {
      return Float(FormatOfBytes(type.bytes), bits, is_whole);  // gdb's: its bits as a number
    }
    if (format_.letter != 0 && format_.letter != 'f' && format_.letter != 's') {
      return Lettered(type, bits);
    }
    switch (type.kind) {
      case SourceKind::kFloat:
        return Float(FormatOfBytes(type.bytes), bits, is_whole);
      case SourceKind::kPointer: {
        const std::string object = memory_.DescribeAddress(bits);
        std::string text = fmt::format("{:#x}", bits);
        if (is_whole && !object.empty() && bits != 0) text += ": " + object;
        return text;
      }
      case SourceKind::kBool:
        return bits == 0 ? "false" : bits == 1 ? "true" : fmt::format("{}", bits);
      case SourceKind::kEnum: {
        const std::int64_t value = SignExtended(bits, type.bytes);
        for (const auto& [number, name] : type.enumerators) {
          if (number == value) return is_whole ? fmt::format("{} ({})", name, value) : name;
        }
        return fmt::format("{}", value);
      }
      case SourceKind::kUnknown:
      case SourceKind::kVoid:
      case SourceKind::kSigned:
      case SourceKind::kUnsigned:
      case SourceKind::kVector:
      case SourceKind::kArray:
      case SourceKind::kStruct:
      case SourceKind::kUnion:
        break;
    }
    std::string text = type.kind == SourceKind::kSigned
                           ? fmt::format("{}", SignExtended(bits, type.bytes))
                           : fmt::format("{}", bits);
    if (is_whole) text += fmt::format(" (0x{:0{}x})", bits, type.bytes * 2);
    if (is_whole && type.is_character && bits >= 32 && bits < 127) {
      text += fmt::format(" '{}'", static_cast<char>(bits));
    }
    return text;
  }

  static std::string Float(numerics::Format format, std::uint64_t bits, bool is_whole) {
    std::string shortest = numerics::FormatDecimal(format, bits);
    const bool is_finite = numerics::IsFinite(format, bits);
    const std::string exact = is_finite ? ExactDecimal(format, bits) : "";
    // 1000 rather than 1e+03.
    if (is_finite && exact.size() <= shortest.size()) shortest = exact;
    if (!is_whole) return shortest;
    std::string text = fmt::format("{} ({}", shortest, numerics::FormatBits(format, bits));
    if (is_finite) {
      text += exact == shortest ? ", exact" : ", exactly " + exact;
    }
    return text + ")";
  }

  std::string Lettered(const SourceType& type, std::uint64_t bits) {
    switch (format_.letter) {
      case 'x':
        return fmt::format("0x{:0{}x}", bits, type.bytes * 2);
      case 'o':
        return fmt::format("0{:o}", bits);
      case 't':
      case 'b':
        return fmt::format("{:0{}b}", bits, type.bytes * 8);
      case 'u':
        return fmt::format("{}", bits);
      case 'd':
        return fmt::format("{}", SignExtended(bits, type.bytes));
      case 'c':
        return bits >= 32 && bits < 127 ? fmt::format("'{}'", static_cast<char>(bits))
                                        : fmt::format("'\\{:o}'", bits & 0xff);
      case 'a': {
        const bool is_float = type.kind == SourceKind::kFloat;
        return is_float ? numerics::FormatHexFloat(FormatOfBytes(type.bytes), bits)
                        : fmt::format("{:#x}: {}", bits, memory_.DescribeAddress(bits));
      }
      default:
        return fmt::format("{}", bits);
    }
  }

  const DebugProgram& program_;
  DebugMemory memory_;
  const DebugValue& value_;
  const DebugFormat& format_;
  bool shows_undefined_ = false;  // padding is not shown
  std::uint64_t made_ = 0;        // parts
  std::size_t shown_ = 0;         // bytes of text
  bool compares_ = false;         // what is made now is not shown
};

}  // namespace

std::string ExactDecimal(numerics::Format format, std::uint64_t bits) {
  // Every number of these formats is a double, and a double's digits come to an end.
  const double value = numerics::ToDouble(format, bits);
  if (value == 0) return numerics::FormatDecimal(format, bits);
  char buffer[1200];
  auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 800).ptr;
  std::string text(buffer, end);
  const std::size_t exponent_at = text.find('e');
  const int exponent = std::atoi(text.c_str() + exponent_at + 1);
  std::string digits = text.substr(0, exponent_at);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  if (exponent < -7 || exponent > 20) return digits + fmt::format("e{}", exponent);
  const bool is_negative = digits[0] == '-';
  std::string plain;
  for (const char c : digits) {
    if (c >= '0' && c <= '9') plain += c;
  }
  if (exponent < 0) {
    plain.insert(0, "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0'));
  } else if (plain.size() > static_cast<std::size_t>(exponent) + 1) {
    plain.insert(static_cast<std::size_t>(exponent) + 1, ".");
  } else {
    plain.append(static_cast<std::size_t>(exponent) + 1 - plain.size(), '0');
  }
  return (is_negative ? "-" : "") + plain;
}

std::string FormatValue(const DebugProgram& program, const DebugValue& value,
                        const DebugFormat& format) {
  return Formatter(program, value, format).Text();
}

}  // namespace assay::interp
