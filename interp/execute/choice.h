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
  // The first answers are `first`. After them, seed 0 always answers 0, the default, and any other
  // seed answers with its random numbers.
  ChoiceSource(std::uint64_t seed, std::span<const std::uint32_t> first, bool records);

  // A number from 0 to options - 1.
  std::uint32_t Choose(std::uint32_t options);
  // Nothing is chosen meanwhile: it is 0, as if there were one option.
  void set_settled(bool settled) { settled_ = settled; }

  const std::vector<Choice>& made() const { return made_; }

 private:
  std::uint64_t Next();

  std::uint64_t seed_;
  std::uint64_t state_;
  std::vector<std::uint32_t> first_;
  std::size_t place_ = 0;
  bool records_;
  bool settled_ = false;
  std::vector<Choice> made_;
};

}  // namespace assay::interp
