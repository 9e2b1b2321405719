// The only source of nondeterminism: every decision that a run could make differently is requested
// here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interp/execute/launch_options.h"

namespace assay::interp {

class ExecutionGraph;

class ChoiceSource {
 public:
  // The first answers are `first`. After them, seed 0 always answers 0, the default, and any other
  // seed answers with its random numbers.
  ChoiceSource(std::uint64_t seed, std::span<const std::uint32_t> first, bool records);

  // A number from 0 to options - 1.
  std::uint32_t Choose(std::uint32_t options);
  // The same, but with a seed the default seven times of eight.
  std::uint32_t ChooseRarely(std::uint32_t options);

  // Of a run that is one of a complete exploration: what it executes.  Else null.
  ExecutionGraph* graph() const { return graph_; }
  void set_graph(ExecutionGraph* graph) { graph_ = graph; }
  // Nothing is chosen meanwhile: it is 0, as if there were one option.
  void set_settled(bool settled) { settled_ = settled; }

  const std::vector<Choice>& made() const { return made_; }

 private:
  std::uint64_t Next();
  // With a seed it is not the default once in 2^rare_bits times.
  std::uint32_t Answer(std::uint32_t options, int rare_bits);

  std::uint64_t seed_;
  std::uint64_t state_;
  std::vector<std::uint32_t> first_;
  std::size_t place_ = 0;
  bool records_;
  bool settled_ = false;
  std::vector<Choice> made_;
  ExecutionGraph* graph_ = nullptr;
};

}  // namespace assay::interp
