// assay matrix probe: a device's matrix instructions as models, with the evidence for each number.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::tools {

struct ProbeOptions {
  std::string pipe;                       // the command of the device
  std::vector<std::string> instructions;  // of those that it declares; empty: all
  std::string output;                     // the model file; one that is there is continued
  std::uint64_t seed = 1;
  std::uint64_t dots = 1'000'000;  // dot products to compare, for each instruction
  std::size_t samples = 512;       // tiles that the numbers are fitted to
  double seconds = 0;              // 0: no limit
  double timeout = 60;             // how long the device may be silent
  int threads = 0;
};

struct ProbeOutcome {
  bool disagrees = false;  // a model does not explain all results
  bool complete = true;    // all dot products were compared
  std::string text;        // for people
};

Expected<ProbeOutcome> Probe(const ProbeOptions& options, const std::atomic<bool>& stop);

}  // namespace assay::tools
