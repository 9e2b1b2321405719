// Where the values of a work-item on a driver leave what is allowed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "tools/bisect/bisect.h"
#include "tools/bisect/subject.h"
#include "tools/bisect/trial.h"

namespace assay::tools {

// The place of a buffer of this name; the number of buffers where there is none.
std::size_t PlaceOf(const interp::Job& job, const std::string& name);
// Of Search::LogJob's buffers the one that has values of such components, and the bytes of each.
std::pair<const char*, std::uint32_t> LogOf(const std::string& component);

class Search {
 public:
  Search(const Subject& subject, Trials* trials) : subject_(subject), trials_(*trials) {}

  // Nothing where the kernel as it is written here computes only what is allowed.
  Expected<std::optional<Divergence>> Run(const Violation& output);

  // Which work-item writes the byte of a buffer of the launch, and by which instruction; `what` is
  // said in an error.  What follows is of that work-item.
  Expected<void> FindWriter(std::size_t buffer, std::uint64_t offset, const std::string& what);
  std::uint64_t item() const { return item_; }
  // The value that it stores there; 0 where it is none of the kernel's.
  frontend::Id StoredValue() const;

  // Values that are logged by one run.
  static constexpr std::uint32_t kWindow = 1 << 15;
  static constexpr std::uint32_t kWindows = 16;
  // The launch with the work-item's values from the place `from` on written out, in the order in
  // which it computes them.
  Expected<interp::Job> LogJob(std::uint32_t from) const;

  // The launch with one value of all work-items written out, and which bytes are the work-item's.
  Expected<interp::Job> Cut(const Divergence& at, const CReduction& reduction, Focus* focus,
                            CKernel* written = nullptr) const;

 private:
  struct Slot {
    frontend::Id id = 0;
    std::uint32_t component = 0;
    std::uint32_t occurrence = 0;
  };

  // Of the values from the place `from` on; sets found_ or grows what is known.
  Expected<bool> Window(std::uint32_t from);
  void Learn(const interp::Job& job, const TrialOutcome& outcome);
  Expected<bool> IsWrong(Divergence* at);
  Expected<void> ByCuts();

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
