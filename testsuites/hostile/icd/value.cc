#include "testsuites/hostile/icd/value.h"

#include <bit>
#include <cstring>

namespace assay::hostile {
namespace {

struct TypeRow {
  std::string_view name;
  int width;
  bool is_signed;
  int mantissa_bits;  // 0: an integer
};

constexpr TypeRow kTypes[] = {
    {"char", 8, true, 0},     {"uchar", 8, false, 0},  {"short", 16, true, 0},
    {"ushort", 16, false, 0}, {"int", 32, true, 0},    {"uint", 32, false, 0},
    {"long", 64, true, 0},    {"ulong", 64, false, 0}, {"half", 16, true, 10},
    {"float", 32, true, 23},  {"double", 64, true, 52}};

const TypeRow& Row(Type type) { return kTypes[static_cast<int>(type)]; }

}  // namespace

std::optional<Type> TypeFromName(std::string_view name) {
  for (int k = 0; k < static_cast<int>(std::size(kTypes)); ++k) {
    if (kTypes[k].name == name) return static_cast<Type>(k);
  }
  return std::nullopt;
}

std::size_t SizeOf(Type type) { return static_cast<std::size_t>(Row(type).width) / 8; }
bool IsFloating(Type type) { return Row(type).mantissa_bits > 0; }

Bits Load(Type type, const std::byte* data, std::size_t index) {
  Bits bits = 0;  // little-endian, as the devices are
  std::memcpy(&bits, data + index * SizeOf(type), SizeOf(type));
  return bits;
}

void Store(Type type, std::byte* data, std::size_t index, Bits bits) {
  std::memcpy(data + index * SizeOf(type), &bits, SizeOf(type));
}

long double ValueOf(Type type, Bits bits) {
  switch (type) {
    case Type::kHalf:
      return std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits));
    case Type::kFloat:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Type::kDouble:
      return std::bit_cast<double>(bits);
    default:
      break;
  }
  const int unused = 64 - Row(type).width;
  if (!Row(type).is_signed) return static_cast<long double>(bits);
  return static_cast<long double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

Bits BitsOf(Type type, long double value) {
  switch (type) {
    case Type::kHalf:
      return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    case Type::kFloat:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case Type::kDouble:
      return std::bit_cast<Bits>(static_cast<double>(value));
    default:
      break;
  }
  const Bits bits =
      value < 0 ? static_cast<Bits>(static_cast<std::int64_t>(value)) : static_cast<Bits>(value);
  return bits & (~Bits{0} >> (64 - Row(type).width));
}

long double Least(Type type) {
  return Row(type).is_signed ? -static_cast<long double>(Bits{1} << (Row(type).width - 1)) : 0.0L;
}

long double Most(Type type) {
  return static_cast<long double>(~Bits{0} >>
                                  (64 - Row(type).width + (Row(type).is_signed ? 1 : 0)));
}

Bits SignMask(Type type) { return Bits{1} << (Row(type).width - 1); }
Bits Infinity(Type type) {
  return (SignMask(type) - 1) & ~((Bits{1} << Row(type).mantissa_bits) - 1);
}
Bits QuietNan(Type type) { return Infinity(type) | (Bits{1} << (Row(type).mantissa_bits - 1)); }
Bits MinNormal(Type type) { return Bits{1} << Row(type).mantissa_bits; }
Bits One(Type type) { return Infinity(type) / 2 & ~((Bits{1} << Row(type).mantissa_bits) - 1); }

}  // namespace assay::hostile
