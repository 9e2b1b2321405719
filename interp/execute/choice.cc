#include "interp/execute/choice.h"

#include <algorithm>

namespace assay::interp {

ChoiceSource::ChoiceSource(std::uint64_t seed, std::span<const std::uint32_t> first, bool records)
    : seed_(seed), state_(seed), first_(first.begin(), first.end()), records_(records) {}

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t ChoiceSource::Next() {
  std::uint64_t value = state_ += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// Half of the time as it would go anyhow: long runs of one work-item find other mistakes than
// changing at every step.
std::uint32_t ChoiceSource::Choose(std::uint32_t options) { return Answer(options, 1); }

std::uint32_t ChoiceSource::ChooseRarely(std::uint32_t options) { return Answer(options, 3); }

std::uint32_t ChoiceSource::Answer(std::uint32_t options, int rare_bits) {
  if (options <= 1 || settled_) return 0;
  std::uint32_t chosen = 0;
  if (place_ < first_.size()) {
    chosen = std::min(first_[place_], options - 1);
  } else if (seed_ != 0) {
    const std::uint64_t number = Next();
    const std::uint64_t rare = (std::uint64_t{1} << rare_bits) - 1;
    if ((number >> (64 - rare_bits)) == rare) {
      chosen = static_cast<std::uint32_t>((number & 0xffffffff) % options);
    }
  }
  ++place_;
  if (records_) made_.push_back({options, chosen});
  return chosen;
}

}  // namespace assay::interp
