// A debugger session without a user interface; the terminal and the Debug Adapter Protocol use it.
//
// A run is a line of time: its clock is a number, and checkpoints along it are processes that
// sleep. Going back is a copy of a checkpoint that runs forward again (docs/architecture.md, "The
// debugger").  interp/debug/messages.h has the questions about a run that has stopped.
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
  debug::ResolveRequest place;  // of a breakpoint; without its condition
  debug::Watchpoint watch;      // of a watchpoint; without its condition
  std::string condition;        // as it was written; "" : none
  std::string what;             // "saxpy.cl:15", "sum", "race"
  std::uint64_t places = 1;     // of a breakpoint: instructions that it stands at
  bool waits = false;           // of a breakpoint: only another launch may have the place
  std::uint64_t hits = 0;
  std::uint64_t ignore = 0;  // hits that are left to be passed over
  std::string rule;          // of a catchpoint: a rule, a family or "all"
  std::string log;           // of `dprintf`: the text to print; the run does not stop
  bool logs = false;     // stops nothing either: the front end says something, as an editor does
  bool pending = false;  // of a watchpoint: waits for a kernel that has its variable
};

// Where a run stopped, or how it ended.
struct SessionStop : debug::Stopped {
  struct EndedWatchpoint {
    int number = 0;
    std::string what;
  };
  std::optional<debug::Ended> end;     // the run is over: of debug::Stopped only the time is known
  bool interrupted = false;            // Ctrl-C was pressed
  bool undone = false;                 // changes that come after this time
  bool at_beginning = false;           // a way back found nothing before the beginning of the run
  bool at_item_beginning = false;      // ... or of the work-item
  bool found_nothing = false;          // ... or no write, and stays where it was
  bool begins = false;                 // a kernel begins, for watchpoints that wait for it
  std::vector<int> logged;             // breakpoints that only print; `breakpoints` lacks them
  std::vector<EndedWatchpoint> ended;  // `ended_watchpoints`, with what they watched
  std::string found_by;                // where the findings are not of the debugger's own run
  std::optional<debug::ResultsWritten> results;

  // Of a run that is over.
  bool HasFindings() const { return end && !end->findings.empty(); }
  // A finding that is more than an observation that was asked for, here or in the run that is over.
  bool HasMistakes() const;
};

// How far a run has come.
struct SessionProgress {
  std::optional<std::uint64_t> seconds;  // where the time that it takes is all that is known
  debug::Progress run;
};

class DebugSession {
 public:
  using Goal = interp::DebugGoal;
  using Reason = interp::DebugStopReason;
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
  const SessionStop& stop() const { return stop_; }  // the last one, or the end
  const frontend::Module& module() const { return *prepared_.module; }

  // All of these return the stop (or the end) that they came to.
  Expected<SessionStop> Run();  // from the beginning
  void Kill();                  // as if nothing had run
  Expected<SessionStop> Forward(const Goal& goal, bool from_beginning = false);
  // To the last time before now that the goal is met, or to the beginning.  With `breaks`
  // breakpoints and findings stop it, too.
  Expected<SessionStop> Backward(const Goal& goal, bool breaks = true);
  Expected<SessionStop> GoTo(std::uint64_t time);
  // A time with what had been changed by then, and a copy of the run there.
  struct Mark {
    std::uint64_t time = 0;
    std::size_t changes = 0;
    int last_change = 0;
    DebugChannel copy;
  };
  Expected<Mark> Remember();
  // kUsage where a change that came before the mark has been undone.
  Expected<SessionStop> GoTo(const Mark& mark);

  // While a kernel runs, `readable` is called when the descriptor can be read, and at least ten
  // times a second.
  void Watch(int descriptor, std::function<Wish()> readable) {
    watched_ = descriptor;
    readable_ = std::move(readable);
  }

  // About the run where it stands; before it was started, about its first instruction.
  template <typename Request>
  Expected<typename Request::Answer> Ask(const Request& request) {
    return AnswerOf<Request>(Exchange(request));
  }
  // The same for what changes the run: what was known of its future is forgotten.
  template <typename Request>
  Expected<typename Request::Answer> Change(const Request& request) {
    return AnswerOf<Request>(ExchangeChange(request));
  }

  // kUsage where the place, the expression or the rule means nothing.
  Expected<SessionBreakpoint*> AddBreakpoint(const debug::ResolveRequest& place, bool temporary);
  Expected<SessionBreakpoint*> AddWatchpoint(interp::DebugWatchKind kind,
                                             const std::string& expression,
                                             const debug::Target& where);
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
  // Is told now and then how far a run has come, and nothing when it stops.
  std::function<void(const std::optional<SessionProgress>&)> progress;
  // What stands for a front end's names in a condition, when a run goes on.
  std::function<std::string(const std::string&)> translate;
  // A warning if no active detector looks for the rule of a catchpoint; "" otherwise.
  std::string MissingDetectors(const std::string& rule) const;

 private:
  DebugSession(interp::Job job, PreparedRun prepared, std::function<void(std::string_view)> output);

  // What a run is to stop at of all that there is.
  struct Only {
    std::vector<int> numbers;  // these breakpoints
    std::string rule;          // or findings of this rule
  };

  template <typename Request>
  static Expected<typename Request::Answer> AnswerOf(Expected<debug::Message> message) {
    using Answer = typename Request::Answer;
    if (!message) return tl::unexpected(message.error());
    if (auto* answer = std::get_if<Answer>(&*message)) return std::move(*answer);
    return Fail(ErrorKind::kInternal, "the debugger answered another question");
  }
  Expected<debug::Message> Exchange(const debug::Request& request);
  Expected<debug::Message> ExchangeChange(const debug::Request& request);
  Expected<SessionStop> Wait(DebugChannel* channel);
  Expected<SessionStop> WaitForStop(DebugChannel* channel);
  void TellProgress(const std::optional<SessionProgress>& now) const;
  Expected<SessionStop> Send(const Goal& goal, bool stops, const std::optional<Only>& only = {});
  Expected<SessionStop> RunPlainly();
  Expected<SessionStop> CatchUp(std::chrono::steady_clock::duration taken);
  Expected<SessionStop> RepeatFor(std::chrono::steady_clock::duration most);
  bool CameToNoFinding(bool had_little_time) const;
  Expected<SessionStop> ForwardFromBeginning(const Goal& goal);
  Expected<void> KnowTheEnd();
  Expected<std::uint64_t> Restore(std::uint64_t time);
  Expected<debug::SearchResult> Search(const Goal& goal, std::uint64_t from, std::uint64_t to,
                                       bool stops, const std::optional<Only>& only = {});
  Expected<SessionStop> GoToFinding(std::uint64_t time, const debug::StopFinding& finding);
  bool PassesIgnored(debug::Found* found);
  void TakeResults(const DebugChannel& channel);
  Expected<std::optional<debug::Found>> ChangeThatLedHere();
  Expected<std::optional<debug::Found>> LastBefore(Goal goal, bool breaks,
                                                   std::optional<std::uint64_t>* first_time);
  Expected<SessionStop> GoBackToNothing(const Goal& goal, const SessionStop& stood,
                                        std::optional<std::uint64_t> first_time);
  tl::unexpected<Error> ComeBack(std::uint64_t time, const std::string& why);
  Expected<SessionStop> GoBackTo(std::optional<std::uint64_t> found);
  Expected<std::uint64_t> ApproachNow(std::uint64_t from, std::uint64_t to);
  void AddStops(const std::optional<Only>& only, debug::RunRequest* request) const;
  std::string Meant(const std::string& condition) const;
  void SetLoggedApart(SessionStop* stop) const;
  Expected<SessionBreakpoint*> AddEarlyWatchpoint(interp::DebugWatchKind kind,
                                                  const std::string& expression);
  Expected<debug::Watchpoint> WatchRequest(interp::DebugWatchKind kind,
                                           const std::string& expression,
                                           const debug::Target& where);
  std::vector<debug::Breakpoint> Beginnings() const;
  void ResolvePending();
  static constexpr int kBegins = -1;  // the number of what watchpoints wait for
  void TakeStop(const SessionStop& stop);
  void ShowOutput(const debug::Output& output);
  void Keep(std::uint64_t time, DebugChannel channel);
  void UndoChanges(SessionStop* stop);
  void Undo(std::size_t kept);
  static Expected<DebugChannel> CopyOf(const DebugChannel& channel);
  bool IsWatching() const;

  interp::Job job_;
  PreparedRun prepared_;
  std::function<void(std::string_view)> output_;
  State state_ = State::kNotStarted;
  std::uint64_t time_ = 0;
  std::optional<std::uint64_t> end_time_;  // where it is known
  SessionStop stop_;
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
