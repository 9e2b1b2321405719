// The only source of nondeterminism: every decision that a run could make differently is requested
// here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interp/execute/launch_options.h"

namespace assay::interp {

class ChoiceSource {
 public:
  // Answers `first` to begin with.  After them seed 0 always answers 0, what would happen anyhow,
  // and any other seed what its numbers say.
  ChoiceSource(std::uint64_t seed, std::span<const std::uint32_t> first, bool records);

  // One of 0 to options - 1.
  std::uint32_t Choose(std::uint32_t options);

  const std::vector<Choice>& made() const { return made_; }

 private:
  std::uint64_t Next();

  std::uint64_t seed_;
  std::uint64_t state_;
  std::vector<std::uint32_t> first_;
  std::size_t place_ = 0;
  bool records_;
  std::vector<Choice> made_;
};

}  // namespace assay::interp
