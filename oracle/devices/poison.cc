#include "oracle/devices/poison.h"

#include <algorithm>
#include <cstring>

#include "oracle/inputs/random.h"

namespace assay::oracle {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
// A multiple of every element's size; zones are looked at so much at a time.
constexpr std::size_t kBlock = 512;

// Two words at a time: the least that every 64-bit processor's vector unit has.
typedef std::uint64_t Words __attribute__((vector_size(16)));
template <typename T>
struct LanesOf {
  typedef T Type __attribute__((vector_size(16)));
};

// Is any of the elements the same in both?  Vectors of -1 for yes and 0 for no are gathered.
template <typename T>
Words SameLanes(Words a, Words b) {
  using Lanes = typename LanesOf<T>::Type;
  return reinterpret_cast<Words>(reinterpret_cast<Lanes>(a) == reinterpret_cast<Lanes>(b));
}

}  // namespace

Poison::Poison(const Key& key)
    : start_(ItemStream::Mix(ItemStream::Mix(ItemStream::Mix(key.seed + 1) + key.first_item) +
                             (key.result << 8) + static_cast<std::uint64_t>(key.width))) {}

void Poison::Fill(std::span<std::byte> zone) const {
  const std::size_t words = zone.size() / kWord;
  std::byte* to = zone.data();
  std::size_t i = 0;
  Words next = {start_, start_ + kStep};
  for (; i + 2 <= words; i += 2, next += 2 * kStep) {
    const Words value = next ^ complement_;
    std::memcpy(to + i * kWord, &value, sizeof value);
  }
  for (; i <= words; ++i) {
    const std::uint64_t word = Word(i);
    std::memcpy(to + i * kWord, &word, std::min(kWord, zone.size() - i * kWord));
  }
}

std::optional<Poison::Written> Poison::FindWritten(std::span<const std::byte> zone) const {
  std::optional<Written> written;
  std::byte expected[kBlock];
  for (std::size_t at = 0; at < zone.size(); at += kBlock) {
    const std::size_t size = std::min(kBlock, zone.size() - at);
    Poison(start_ + at / kWord * kStep, complement_).Fill({expected, size});
    if (std::memcmp(expected, zone.data() + at, size) == 0) continue;
    for (std::size_t i = 0; i < size; ++i) {
      if (expected[i] == zone[at + i]) continue;
      if (!written) written = Written{.first = at + i, .last = at + i};
      written->last = at + i;
    }
  }
  return written;
}

template <typename T>
std::vector<std::size_t> Poison::Unwritten(std::span<const std::byte> zone) const {
  const Words complement = {complement_, complement_};
  const Words step = {2 * kStep, 2 * kStep};
  std::vector<std::size_t> found;
  for (std::size_t begin = 0; begin < zone.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, zone.size());
    if (end - begin == kBlock) {
      Words next = {Word(begin / kWord) ^ complement_, Word(begin / kWord + 1) ^ complement_};
      Words any = {};
      for (std::size_t at = 0; at < kBlock; at += sizeof next) {
        Words have;
        std::memcpy(&have, zone.data() + begin + at, sizeof have);
        any |= SameLanes<T>(have, next ^ complement);
        next += step;
      }
      if ((any[0] | any[1]) == 0) continue;
    }
    // The few blocks that hold some are looked at element by element.
    for (std::size_t at = begin; at + sizeof(T) <= end; at += sizeof(T)) {
      T have = 0, left = 0;
      const std::uint64_t word = Word(at / kWord);
      std::memcpy(&have, zone.data() + at, sizeof(T));
      std::memcpy(&left, reinterpret_cast<const std::byte*>(&word) + at % kWord, sizeof(T));
      if (have == left) found.push_back(at / sizeof(T));
    }
  }
  return found;
}

std::vector<std::size_t> Poison::FindUnwritten(std::span<const std::byte> zone,
                                               std::size_t size) const {
  switch (size) {
    case 1:
      return Unwritten<std::uint8_t>(zone);
    case 2:
      return Unwritten<std::uint16_t>(zone);
    case 4:
      return Unwritten<std::uint32_t>(zone);
    default:
      return Unwritten<std::uint64_t>(zone);
  }
}

std::vector<std::size_t> Poison::Take(std::span<std::byte> zone, std::size_t size,
                                      const Poison& next, std::byte* to) const {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < zone.size(); at += kBlock) {
    const std::size_t bytes = std::min(kBlock, zone.size() - at);
    std::memcpy(to + at, zone.data() + at, bytes);
    next.From(at / kWord).Fill(zone.subspan(at, bytes));
    for (std::size_t element : From(at / kWord).FindUnwritten({to + at, bytes}, size)) {
      found.push_back(at / size + element);
    }
  }
  return found;
}

}  // namespace assay::oracle
