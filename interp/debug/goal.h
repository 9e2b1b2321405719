// What a debugged run is to do, and why it stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "interp/program/debug_table.h"
#include "interp/program/memory.h"

namespace assay::interp {

// A work-item: the linear id of its group, and its own linear id in that group.
struct DebugItemId {
  std::uint64_t group = 0;
  std::uint64_t local = 0;
  auto operator<=>(const DebugItemId&) const = default;
};

// The accesses that a watchpoint reports.
enum class DebugWatchKind : std::uint8_t { kChange, kRead, kAccess };

// What a run is to do.
struct DebugGoal {
  enum class Kind : std::uint8_t {
    kContinue,
    kStep,             // to another line
    kNext,             // ... of this function or one around it
    kUntil,            // ... that stands behind this one
    kFinish,           // to the function around it
    kStepInstruction,  // to the work-item's next place
    kNextInstruction,
    kBarrier,  // to where the work-item waits for its group
    kTime,     // to a time
    kCall,     // to the call of this function (backwards)
    kItem,     // to any place of the work-item
    kWrite,    // to an access that writes to a range
  };
  Kind kind = Kind::kContinue;
  bool whole_group = false;                // any work-item of the group
  std::optional<DebugItemId> item;         // whose steps count
  std::uint32_t start_marker = kNoMarker;  // where it stands; the depth that kNext keeps
  std::uint64_t count = 1;                 // of steps of one work-item
  std::uint64_t time = 0;                  // kTime
  Address address = 0;                     // kWrite
  std::uint64_t bytes = 0;
  // Goes on at what would stop it, up to the time, and tells the last: how a run goes backwards.
  bool searches = false;
  std::uint64_t search_end = 0;
  bool stops_at_breakpoints = true;
  std::vector<std::uint64_t> checkpoint_at;  // ascending times
};

enum class DebugStopReason : std::uint8_t {
  kStart,  // before the first instruction
  kGoal,
  kBreakpoint,
  kWatchpoint,
  kFinding,
  kReturned,  // the work-item that was stepped has returned
  kInterrupted,
  kSearched,  // the end of a search
  kEnd,       // of the launch; nothing runs any more
  kLogged,    // only breakpoints that print were met; a front end says so in place of kBreakpoint
};

}  // namespace assay::interp
