#include "interp/detect/restrict_records.h"

namespace assay::interp {

void RestrictRecords::Clear() {
  lines_.clear();
  counts_.fill(0);
}

void RestrictRecords::Begin(std::uint32_t pointer, int lane) {
  const auto found = lines_.find(std::uint64_t{pointer} << 6 | static_cast<std::uint64_t>(lane));
  if (found == lines_.end()) return;
  counts_[static_cast<std::size_t>(lane)] -= static_cast<std::uint32_t>(found->second.size());
  lines_.erase(found);
}

RestrictRecords::Line* RestrictRecords::LineAt(Lines* lines, int lane, Address number) {
  const auto found = lines->find(number);
  if (found != lines->end()) return &found->second;
  std::uint32_t& count = counts_[static_cast<std::size_t>(lane)];
  if (count == kMostLines) return nullptr;
  ++count;
  return &(*lines)[number];
}

std::optional<std::uint32_t> RestrictRecords::Access(const RestrictUse& use, int lane,
                                                     Address address, std::uint64_t bytes,
                                                     bool writes, std::uint32_t place) {
  Lines& lines = lines_[std::uint64_t{use.pointer} << 6 | static_cast<std::uint64_t>(lane)];
  const std::size_t mine = use.through ? 1 : 0;
  std::optional<std::uint32_t> other;
  Line* line = nullptr;
  for (Address at = address; at < address + bytes; ++at) {
    const std::uint64_t byte = at % kLineBytes;
    if (at == address || byte == 0) line = LineAt(&lines, lane, at / kLineBytes);
    if (line == nullptr) continue;
    const auto bit = static_cast<std::uint16_t>(1u << byte);
    if (writes || (line->accessed[mine] & bit) == 0) line->places[mine][byte] = place;
    line->accessed[mine] |= bit;
    if (writes) line->changed |= bit;
    if (!other && (line->accessed[1 - mine] & line->changed & bit) != 0) {
      other = line->places[1 - mine][byte];
    }
  }
  return other;
}

}  // namespace assay::interp
