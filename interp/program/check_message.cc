#include "interp/program/check_message.h"

#include <fmt/format.h>

#include <bit>

namespace assay::interp {
namespace {

std::string Number(Kind kind, std::uint64_t bits, char format) {
  if (kind == Kind::kF16) {
    return fmt::format(
        "{}", static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits))));
  }
  if (kind == Kind::kF32) {
    return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  if (kind == Kind::kF64) return fmt::format("{}", std::bit_cast<double>(bits));
  if (format == 'x') return fmt::format("{:#x}", bits);
  if (format != 's') return fmt::format("{}", bits);
  const int shift = 64 - BitsOf(kind);
  return fmt::format("{}", static_cast<std::int64_t>(bits << shift) >> shift);
}

}  // namespace

std::string CheckMessage(const CheckRow& row, Kind kind,
                         const std::array<std::uint64_t, 3>& operands) {
  std::string text;
  for (std::size_t i = 0; i < row.message.size(); ++i) {
    if (row.message[i] != '{') {
      text.push_back(row.message[i]);
      continue;
    }
    const auto operand = static_cast<std::size_t>(row.message[i + 1] - '0');
    const char format = row.message[i + 2] == ':' ? row.message[i + 3] : ' ';
    text += Number(kind, operands[operand], format);
    i = row.message.find('}', i);
  }
  return text;
}

}  // namespace assay::interp
