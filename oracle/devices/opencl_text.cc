#include "oracle/devices/opencl_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace assay::oracle {
namespace {

// The length of the UTF-8 sequence that the text begins with; 0 where it is none (RFC 3629).
std::size_t SequenceLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = lead & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    const auto next = static_cast<unsigned char>(text[k]);
    if ((next & 0xc0) != 0x80) return 0;
    code = code << 6 | (next & 0x3f);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[length] || code > 0x10ffff || surrogate ? 0 : length;
}

// C0, DEL and C1, which terminals obey.
bool IsControl(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead < 0x20 || lead == 0x7f;
  return lead == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0;
}

std::string Printable(std::string_view text, std::string_view kept) {
  text = text.substr(0, text.find('\0'));
  std::string printable;
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && (!IsControl(sequence) || kept.find(sequence) != std::string_view::npos)) {
      printable += sequence;
    } else {
      for (char c : sequence) {
        fmt::format_to(std::back_inserter(printable), "\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(sequence.size());
  }
  return printable;
}

}  // namespace

std::string PrintableText(std::string_view text) { return Printable(text, ""); }

std::string PrintableLog(std::string_view text, std::size_t limit) {
  const std::size_t whole = std::min(text.find('\0'), text.size());
  text = text.substr(0, whole);
  const bool cut = text.size() > limit;
  std::string log = Printable(text.substr(0, limit), "\n\t");
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  if (cut) fmt::format_to(std::back_inserter(log), "\n[{} more bytes]", whole - limit);
  return log;
}

}  // namespace assay::oracle
