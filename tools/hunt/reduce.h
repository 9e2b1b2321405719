// Makes a program smaller that a driver computes wrong, as long as it stays right and the driver
// stays wrong in the same way: delta debugging (Zeller and Hildebrandt, 2002) on the tree.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "tools/hunt/execute.h"
#include "tools/hunt/program.h"

namespace assay::tools {

struct HuntReduction {
  HuntProgram program;
  HuntSetting setting;
  HuntResult result = {};  // of the small program
  int tried = 0;
  // What is right of the buffers that count; filled by who has it.
  std::vector<std::vector<std::byte>> right = {};
};

// What runs candidates: a result for each.
class HuntTrier {
 public:
  virtual ~HuntTrier() = default;
  virtual std::vector<HuntResult> Try(const std::vector<HuntProgram>& candidates,
                                      const HuntSetting& setting) = 0;
};

// `program` has the `result` with the setting.  It ends early, with what it has, at `deadline`.
HuntReduction ReduceProgram(HuntProgram program, HuntSetting setting, HuntResult result,
                            HuntTrier* trier, std::chrono::steady_clock::time_point deadline);

// The operations and features that are left, sorted, each once.
std::vector<std::string> CausesOf(const HuntProgram& program);
// Without everything of these causes: what remains has no fault of theirs.
HuntProgram Without(const HuntProgram& program, const std::set<std::string>& causes);

}  // namespace assay::tools
