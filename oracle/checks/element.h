// Checks of functions and operators that work on each component of vectors by itself.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/checks/check.h"

namespace assay::oracle {

// A scalar type of OpenCL C.
struct ElementType {
  enum class Kind : std::uint8_t { kSigned, kUnsigned, kFloat };
  const char* name = "int";
  int bits = 32;
  Kind kind = Kind::kSigned;

  std::size_t bytes() const { return static_cast<std::size_t>(bits) / 8; }
  bool is_float() const { return kind == Kind::kFloat; }
  bool is_signed() const { return kind == Kind::kSigned; }
};
inline constexpr ElementType kChar{"char", 8, ElementType::Kind::kSigned};
inline constexpr ElementType kUchar{"uchar", 8, ElementType::Kind::kUnsigned};
inline constexpr ElementType kShort{"short", 16, ElementType::Kind::kSigned};
inline constexpr ElementType kUshort{"ushort", 16, ElementType::Kind::kUnsigned};
inline constexpr ElementType kInt{"int", 32, ElementType::Kind::kSigned};
inline constexpr ElementType kUint{"uint", 32, ElementType::Kind::kUnsigned};
inline constexpr ElementType kLong{"long", 64, ElementType::Kind::kSigned};
inline constexpr ElementType kUlong{"ulong", 64, ElementType::Kind::kUnsigned};
inline constexpr ElementType kHalf{"half", 16, ElementType::Kind::kFloat};
inline constexpr ElementType kFloat{"float", 32, ElementType::Kind::kFloat};
inline constexpr ElementType kDouble{"double", 64, ElementType::Kind::kFloat};
inline constexpr ElementType kIntegers[] = {kChar, kUchar, kShort, kUshort,
                                            kInt,  kUint,  kLong,  kUlong};
ElementType SignedOf(const ElementType& type);    // int of uint and float
ElementType UnsignedOf(const ElementType& type);  // uint of int and float

// The bits of a value, zeros above its type's.
using ElementBits = std::uint64_t;
ElementBits Truncated(ElementBits bits, const ElementType& type);
// "127", "-1.5 (0xbfc00000)".
std::string ElementText(ElementBits bits, const ElementType& type);

// A random value: of all bits, of few bits, or an edge.
ElementBits RandomElement(const ElementType& type, std::uint64_t hash);

// The text with each first part replaced by the second one, one pair after the other.
std::string Filled(std::string text, std::span<const std::pair<std::string, std::string>> values);

// One function or operator on components.
struct ElementOp {
  std::string row;  // "integer_add_sat_char"
  std::string clause;
  std::vector<ElementType> in;  // one to three operands, a, b and c in the text
  ElementType scalar_out, vector_out;
  // OpenCL C; {w} becomes the width: "convert_char{w}(a)", and "" for 1.
  std::string text;
  // The only answer that the clause allows; nothing where it defines none.
  std::function<std::optional<ElementBits>(std::span<const ElementBits>, int width)> value;
  std::vector<int> widths = {1, 2, 3, 4, 8, 16};  // those that there are
  std::string lacks = "";                         // see Check
};

// Adds a check for each; the kernels of all of them are one program.
void AddElementChecks(CheckList list, std::vector<ElementOp> ops, std::vector<Check>* checks);

// Makes 64-bit and floating-point types of a program usable.
std::string ExtensionPragmas(std::string_view source);

}  // namespace assay::oracle
