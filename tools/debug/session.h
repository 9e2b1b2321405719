// A debugger session without a user interface; the terminal and the Debug Adapter Protocol use it.
//
// A run has a time line: its clock is a number, and checkpoints along it are sleeping processes.
// To go back, a copy of a checkpoint runs forward again (docs/architecture.md, "The debugger").
// Requests and answers about a stopped run are those of interp/debug/server.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"
#include "tools/debug/channel.h"
#include "tools/run/job_run.h"

namespace assay::tools {

struct SessionBreakpoint {
  enum class Kind : std::uint8_t { kBreakpoint, kWatchpoint, kCatchpoint };
  int number = 0;
  Kind kind = Kind::kBreakpoint;
  bool enabled = true;
  bool temporary = false;
  DebugMessage request = DebugMessage::object();  // as the run takes it: location, or address, ...
  std::string what;                               // "saxpy.cl:15", "sum", "race"
  std::uint64_t hits = 0;
  std::uint64_t ignore = 0;  // hits that are left to be passed over
  std::string rule;          // of a catchpoint: a rule, a family or "all"
  std::string log;           // of `dprintf`: the text to print; the run does not stop
  bool logs = false;     // stops nothing either: the front end says something, as an editor does
  bool pending = false;  // of a watchpoint: waits for a kernel that has its variable
};

class DebugSession {
 public:
  enum class State : std::uint8_t { kNotStarted, kStopped, kEnded };
  // What a front end wants of a running kernel: to continue, to stop soon, or to be abandoned.  An
  // abandoned session can only be ended.
  enum class Wish : std::uint8_t { kGoOn, kStop, kAbandon };

  // Compiles, lowers and stops before the first instruction.  The kernel's printf output goes to
  // `output`, each piece once, also if the run goes back and forward over it.
  static Expected<std::unique_ptr<DebugSession>> Start(
      interp::Job job, PreparedRun prepared, std::function<void(std::string_view)> output);
  ~DebugSession();

  State state() const { return state_; }
  std::uint64_t time() const { return time_; }
  const DebugMessage& stop() const { return stop_; }  // the last one, or the end
  const frontend::Module& module() const { return *prepared_.module; }

  // All of these return the stop (or the end) that was reached.
  Expected<DebugMessage> Run();  // from the beginning
  void Kill();                   // as if nothing had run
  // `goal` has "goal" and its parameters (interp/debug/core.h, DebugGoal).
  Expected<DebugMessage> Forward(DebugMessage goal);
  // To the last time before now that the goal is met, or to the beginning.
  Expected<DebugMessage> Backward(DebugMessage goal);
  Expected<DebugMessage> GoTo(std::uint64_t time);
  // A time, with the changes made up to then, and a copy of the run at that time.
  struct Mark {
    std::uint64_t time = 0;
    std::size_t changes = 0;
    int last_change = 0;
    DebugChannel copy;
  };
  Expected<Mark> Remember();
  // kUsage if a change made before the mark has been undone.
  Expected<DebugMessage> GoTo(const Mark& mark);

  // While a kernel runs, `readable` is called when the descriptor can be read, and at least ten
  // times a second.
  void Watch(int descriptor, std::function<Wish()> readable) {
    watched_ = descriptor;
    readable_ = std::move(readable);
  }

  // About the run where it stands; before it was started, about its first instruction.
  Expected<DebugMessage> Ask(const DebugMessage& request);
  // The same for a request that changes the run: checkpoints after the present time are dropped.
  Expected<DebugMessage> Change(const DebugMessage& request);

  // kUsage where the place, the expression or the rule means nothing.
  Expected<SessionBreakpoint*> AddBreakpoint(DebugMessage request, bool temporary);
  Expected<SessionBreakpoint*> AddWatchpoint(const std::string& kind, const std::string& expression,
                                             const DebugMessage& where);
  Expected<SessionBreakpoint*> AddCatchpoint(const std::string& rule, bool temporary);
  // kUsage for a condition that cannot be evaluated anywhere.  Its names are looked up when it is
  // evaluated.
  Expected<void> CheckCondition(const std::string& condition);
  SessionBreakpoint* FindBreakpoint(int number);
  bool DeleteBreakpoint(int number);
  // Deletes watchpoints on variables of a call or a frame, because another run has other ones.
  std::vector<SessionBreakpoint> DeleteFrameWatchpoints();
  std::vector<SessionBreakpoint>& breakpoints() { return breakpoints_; }

  // After the end of a run: `Ask` is about its last line.  Whether it was not so before.
  Expected<bool> LookAtEnd();

  std::vector<std::uint64_t> CheckpointTimes() const;
  // At every finding, caught or not; a plain run that finds something is made again up to there.
  bool stops_at_findings = true;
  bool has_findings() const { return has_findings_; }  // of any run of this session
  int exit_code() const { return exit_code_; }         // that `assay run` had for the last one
  // Of --print, --json and the like: whether a run has ended, which writes them.
  bool has_results() const { return has_results_; }
  // Called now and then with the progress of a run ("time", "groups_done", ...; only "seconds" if
  // nothing else is known), and with {} when it stops.
  std::function<void(const DebugMessage&)> progress;
  // Replaces the front end's names in a condition, when a run continues.
  std::function<std::string(const std::string&)> translate;
  // A warning if no active detector looks for the rule of a catchpoint; "" otherwise.
  std::string MissingDetectors(const std::string& rule) const;

 private:
  DebugSession(interp::Job job, PreparedRun prepared, std::function<void(std::string_view)> output);

  Expected<DebugMessage> Wait(DebugChannel* channel);
  Expected<DebugMessage> WaitForStop(DebugChannel* channel);
  void TellProgress(const DebugMessage& message) const;
  Expected<DebugMessage> Send(DebugMessage goal, bool stops);
  Expected<DebugMessage> RunPlainly();
  Expected<DebugMessage> CatchUp(std::chrono::steady_clock::duration taken);
  Expected<DebugMessage> ForwardFromBeginning(DebugMessage goal);
  Expected<void> KnowTheEnd();
  Expected<std::uint64_t> Restore(std::uint64_t time);
  Expected<DebugMessage> Search(const DebugMessage& goal, std::uint64_t from, std::uint64_t to,
                                bool stops);
  Expected<DebugMessage> GoToFinding(std::uint64_t time, const DebugMessage& finding);
  bool PassesIgnored(DebugMessage* found);
  void TakeResults(const DebugChannel& channel);
  Expected<std::optional<DebugMessage>> ChangeThatLedHere();
  Expected<DebugMessage> GoBackToNothing(const DebugMessage& goal, const DebugMessage& stood,
                                         std::optional<std::uint64_t> first_time);
  tl::unexpected<Error> ComeBack(std::uint64_t time, const std::string& why);
  Expected<DebugMessage> GoBackTo(std::optional<std::uint64_t> found);
  Expected<std::uint64_t> ApproachNow(std::uint64_t from, std::uint64_t to);
  void AddStops(DebugMessage* goal) const;
  void SetLoggedApart(DebugMessage* stop) const;
  Expected<SessionBreakpoint*> AddEarlyWatchpoint(const std::string& kind,
                                                  const std::string& expression);
  Expected<DebugMessage> WatchRequest(const std::string& kind, const std::string& expression,
                                      const DebugMessage& where);
  DebugMessage Beginnings() const;
  void ResolvePending();
  static constexpr int kBegins = -1;  // the number of what watchpoints wait for
  void TakeStop(const DebugMessage& message);
  void ShowOutput(const DebugMessage& message);
  void Keep(std::uint64_t time, DebugChannel channel);
  void UndoChanges(DebugMessage* stop);
  void Undo(std::size_t kept);
  static Expected<DebugChannel> CopyOf(const DebugChannel& channel);
  bool IsWatching() const;

  interp::Job job_;
  PreparedRun prepared_;
  std::function<void(std::string_view)> output_;
  State state_ = State::kNotStarted;
  std::uint64_t time_ = 0;
  std::optional<std::uint64_t> end_time_;  // where it is known
  DebugMessage stop_;
  DebugChannel live_;                                  // the run that stands at time_
  std::map<std::uint64_t, DebugChannel> checkpoints_;  // by time; the first is the beginning
  std::vector<SessionBreakpoint> breakpoints_;
  struct Changed {
    std::uint64_t time = 0;
    int number = 0;
  };
  std::vector<Changed> changes_;  // by time; a checkpoint stands at each, behind the last of a time
  int next_change_ = 1;
  int next_number_ = 1;
  std::uint64_t shown_output_ = 0;
  bool was_interrupted_ = false;  // the last search
  int watched_ = -1;              // descriptor
  std::function<Wish()> readable_;
  Wish wish_ = Wish::kGoOn;  // of the running kernel
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> stop_at_;  // of the running kernel
  bool has_findings_ = false;
  bool wants_results_ = false;  // of the running kernel: its results are wanted at its end
  bool has_results_ = false;
  int exit_code_ = 0;
};

}  // namespace assay::tools
