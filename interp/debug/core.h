// The debugger's core: it decides where a run stops.
//
// The running program reports markers and accesses to it (interp/program/debug_hook.h). The core
// calls its `DebugClient` when there is a decision to make; the run continues when that call
// returns.  The clock of a run is the number of executed markers.  It is the same in every run with
// the same choices, so a number names a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interp/debug/evaluate.h"
#include "interp/debug/goal.h"
#include "interp/debug/shadow.h"
#include "interp/debug/value.h"
#include "interp/program/debug_hook.h"

namespace assay::interp {

struct DebugBreakpoint {
  int number = 0;
  std::string location;                                   // as DebugPlaces::Resolve takes it
  std::uint32_t file = 0;                                 // of a location that is a line only
  std::string condition;                                  // "" : none
  std::optional<std::array<std::uint64_t, 3>> global_id;  // of the only work-item that it is for
  std::uint64_t ignore = 0;                               // hits that do not stop
  std::uint64_t hits = 0;                                 // since it was given
};

struct DebugWatchpoint {
  using Kind = DebugWatchKind;
  int number = 0;
  Kind kind = Kind::kChange;
  std::string text;
  std::string type;  // its name; bytes without one
  Address address = 0;
  std::uint64_t bytes = 0;
  std::optional<DebugItemId> item;     // of private memory
  std::optional<std::uint64_t> group;  // of local memory
  // Of private memory: the call whose variable it is, in which its condition is meant.
  std::optional<std::uint32_t> site;
  // Of a value that is in no memory, for kChange of `item`: the frame of `site` in which `text` is
  // the value.
  struct Frame {
    std::string function;
    frontend::Id inlined_at = 0;
  };
  std::optional<Frame> frame;
  std::string condition;
  std::uint64_t ignore = 0;
  std::uint64_t hits = 0;
  DebugValue old_value;    // nothing was seen yet, or there was none, where it has no bytes
  bool was_seen = false;   // of an expression: it was looked at
  bool was_alive = false;  // of private memory: its call was seen
  bool has_ended = false;  // ... and is over
};

// A hit of a watchpoint.
struct DebugWatchHit {
  int number = 0;
  std::optional<DebugValue> old_value;  // of kChange; without bytes where there was none
  DebugValue value;
  // The old value as text, for use after the end of the launch that has its types.
  std::string old_text;
  std::string text;
};

struct DebugStop {
  using Reason = DebugStopReason;
  Reason reason = Reason::kGoal;
  std::uint64_t time = 0;
  std::vector<int> breakpoints;  // their numbers; of a watchpoint too
  bool meets_goal = false;       // also where something else is the reason
  std::vector<DebugWatchHit> watch_hits;
  std::vector<int> ended_watchpoints;  // watchpoints whose variable has ended
  std::vector<std::string> notes;      // why a condition cannot be evaluated
  std::optional<Finding> finding;
  // kSearched: the last one that was met, or as far back as the goal counts.
  std::optional<std::uint64_t> found_time;
  std::uint64_t count_left = 0;             // how far back it is still to go
  std::optional<std::uint64_t> first_time;  // where the goal's work-item was first seen
  Reason found_reason = Reason::kGoal;
  std::vector<int> found_breakpoints;
};

class DebugClient {
 public:
  virtual ~DebugClient() = default;
  // Returns when the run is to go on, with DebugCore::goal set.
  virtual void Stopped(const DebugStop& stop) = 0;
  // Between two places: now and then, and at the times of DebugGoal::checkpoint_at.
  virtual void Pause(bool is_checkpoint) = 0;
};

// An expression takes as long as so many markers, about: a run with many can be interrupted, too.
inline constexpr std::uint64_t kExpressionMarkers = 64;

class DebugCore : public DebugHook {
 public:
  explicit DebugCore(DebugClient* client) : client_(*client) {}

  void Begin(LaunchState* launch, std::span<const std::unique_ptr<Worker>> workers) override;
  void Reached(Batch& batch, std::uint32_t marker, std::uint32_t previous) override;
  void Accesses(Batch& batch, std::uint32_t access) override;
  void Computed(Batch& batch, std::uint32_t operation) override;
  void Found(const Batch& batch, const Finding& finding) override;
  void End() override;

  DebugGoal goal;
  std::vector<std::string> caught_rules;  // "all", or rules and families whose findings stop it
  bool interrupted = false;               // stops as soon as it can
  bool looks_again = false;               // at the place where it stands: it may meet a new goal

  // Must be called after setting another goal.
  void Resume();

  // kUsage where the place or the condition means nothing.
  Expected<DebugLocation> Add(const DebugBreakpoint& breakpoint);
  // One of another kernel waits for its launch.
  void AddOrWait(const DebugBreakpoint& breakpoint);
  Expected<void> Add(const DebugWatchpoint& watchpoint);
  void RemoveAll();
  // Nothing for an empty condition; kUsage if it has no meaning in any frame.
  Expected<std::optional<DebugExpression>> ParseCondition(const std::string& condition);
  const std::vector<DebugBreakpoint>& breakpoints() const { return breakpoints_; }
  const std::vector<DebugWatchpoint>& watchpoints() const { return watchpoints_; }

  // Before the first launch: keeps a shadow of so many bits beside every number.
  void KeepShadows(int precision);
  const DebugShadow* shadow() const { return shadow_.get(); }
  // Of the last launch; null before the first.
  const frontend::Module* module() const { return module_; }

  DebugProgram* program() { return program_.get(); }
  std::uint64_t launches() const { return launches_; }
  // The work-item that runs.
  const DebugItem& current() const { return current_; }
  // The result of a completed search, as kSearched reports it.
  DebugStop Searched();
  // Nothing where it is not one of a group that runs.
  std::optional<DebugItem> Find(const DebugItemId& id) const;
  // Whether a work-item runs, or has returned.
  bool HasBegun(const DebugItemId& id) const;

 private:
  struct Resolved {
    std::vector<std::uint32_t> markers;
    std::optional<DebugExpression> condition;
  };
  struct ResolvedWatch {
    frontend::TypeRef type = 0;
    std::optional<DebugExpression> condition;
    std::optional<DebugExpression> expression;
  };

  void Evaluate(Batch& batch, std::uint32_t marker, std::uint32_t previous);
  void SetItem(Batch& batch, std::uint32_t marker);
  bool HitsBreakpoint(std::uint32_t marker, DebugStop* stop);
  bool Holds(const std::string& condition, const std::optional<DebugExpression>& parsed,
             std::optional<std::uint32_t> site, DebugStop* stop);
  std::optional<std::uint32_t> LevelOf(const DebugItem& item, std::uint32_t site,
                                       const DebugExpression& expression) const;
  std::optional<DebugValue> ValueOf(const DebugItem& item, const DebugWatchpoint& watchpoint,
                                    const DebugExpression& expression) const;
  Expected<ResolvedWatch> Resolve(const DebugWatchpoint& watchpoint);
  bool HasChanged(DebugStop* stop);
  bool HasChangedMemory(std::size_t place, DebugWatchHit* hit);
  bool HasChangedValue(std::size_t place, DebugWatchHit* hit);
  bool HasEnded(DebugStop* stop);
  void AddValues(DebugStop* stop) const;
  bool IsInside(std::uint32_t site, std::uint32_t outer) const;
  bool MeetsGoal(std::uint32_t marker, std::uint32_t previous);
  bool MeetsStep(std::uint32_t marker, std::uint32_t previous);
  bool HasReturned() const;
  bool IsMine() const;
  bool StartsStatement(std::uint32_t marker, std::uint32_t previous) const;
  void Stop(DebugStop stop);
  void PlanNext();
  void Resolve();
  void ResolveAgain();
  std::uint32_t ShallowPrevious(std::uint32_t previous);

  DebugClient& client_;
  std::unique_ptr<DebugProgram> program_;
  DebugItem current_;
  std::unique_ptr<DebugShadow> shadow_;
  const frontend::Module* module_ = nullptr;
  std::uint64_t launches_ = 0;
  std::vector<DebugBreakpoint> breakpoints_;
  std::vector<Resolved> resolved_;  // beside them
  std::vector<DebugWatchpoint> watchpoints_;
  std::vector<ResolvedWatch> resolved_watches_;
  std::uint64_t pause_time_ = 0;
  std::size_t next_checkpoint_ = 0;
  DebugStop pending_;  // what an access before the next marker met
  bool has_pending_ = false;
  std::optional<DebugStop> found_;  // of a search: the last
  // The last `count` of a search: times, and what it was if it was something else than the goal.
  std::deque<std::pair<std::uint64_t, std::unique_ptr<DebugStop>>> all_found_;
  std::optional<std::uint64_t> first_time_;
  std::uint32_t last_shallow_ = kNoMarker;
  bool has_shallow_ = false;
  bool is_started_ = false;
};

// "race-nonatomic" is caught by its name, by "race" and by "all".
bool CatchesRule(const std::vector<std::string>& caught, Rule rule);

}  // namespace assay::interp
