// Where the values of a work-item on a driver leave what is allowed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "tools/bisect/bisect.h"
#include "tools/bisect/subject.h"
#include "tools/bisect/trial.h"

namespace assay::tools {

class Search {
 public:
  Search(const Subject& subject, Trials* trials) : subject_(subject), trials_(*trials) {}

  // Nothing where the kernel as it is written here computes only what is allowed.
  Expected<std::optional<Divergence>> Run(const Violation& output);

  // The launch with one value of all work-items written out, and which bytes are the work-item's.
  Expected<interp::Job> Cut(const Divergence& at, const CReduction& reduction, Focus* focus,
                            CKernel* written = nullptr) const;

 private:
  struct Slot {
    frontend::Id id = 0;
    std::uint32_t component = 0;
    std::uint32_t occurrence = 0;
  };

  Expected<void> FindWriter(const Violation& output);
  // Of the values from the place `from` on; sets found_ or grows what is known.
  Expected<bool> Window(std::uint32_t from);
  Expected<interp::Job> LogJob(std::uint32_t from, bool* has_doubles, bool* has_halfs) const;
  void Learn(const interp::Job& job, const TrialOutcome& outcome);
  Expected<bool> IsWrong(Divergence* at);
  Expected<void> ByCuts();
  frontend::Id StoredValue() const;

  const Subject& subject_;
  Trials& trials_;
  std::uint64_t item_ = 0;
  std::uint32_t store_ = 0;  // place of the instruction that wrote the wrong value
  std::vector<Slot> slots_;  // what was logged, in order
  std::map<frontend::Id, std::uint32_t> occurrences_;
  std::map<frontend::Id, TracedValue> latest_;
  std::optional<Divergence> found_;
};

}  // namespace assay::tools
