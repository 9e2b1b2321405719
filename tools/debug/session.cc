#include "tools/debug/session.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "interp/rules/rule.h"
#include "tools/debug/inferior.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/near_names.h"

namespace assay::tools {
namespace {

// Whether a finding is more than an observation that was asked for.
bool IsMistake(const DebugMessage& finding) {
  const interp::RuleRow* rule = interp::FindRule(TextOf(finding, "rule"));
  return rule == nullptr || rule->finding_class != interp::FindingClass::kObservation;
}

bool HasMistakes(const DebugMessage& message) {
  return message.contains("findings") && std::ranges::any_of(message.at("findings"), IsMistake);
}

constexpr std::size_t kMostCheckpoints = 64;
// How long a run is looked for in which a plain one was interrupted.
constexpr std::chrono::seconds kMostCatchingUp(1);

}  // namespace

DebugSession::DebugSession(interp::Job job, PreparedRun prepared,
                           std::function<void(std::string_view)> output)
    : job_(std::move(job)), prepared_(std::move(prepared)), output_(std::move(output)) {}

DebugSession::~DebugSession() = default;

Expected<std::unique_ptr<DebugSession>> DebugSession::Start(
    interp::Job job, PreparedRun prepared, std::function<void(std::string_view)> output) {
  auto session = std::unique_ptr<DebugSession>(
      new DebugSession(std::move(job), std::move(prepared), std::move(output)));
  auto root = StartInferior(session->job_, session->prepared_);
  if (!root) return tl::unexpected(root.error());
  auto stop = session->Wait(&*root);
  if (!stop) return tl::unexpected(stop.error());
  if (stop->contains("error")) {
    return Fail(static_cast<ErrorKind>(stop->value("kind", 0)), TextOf(*stop, "error"));
  }
  session->stop_ = *stop;
  if (TextOf(*stop, "event") == "ended") {
    // A job without work-items.
    session->state_ = State::kEnded;
    session->ShowOutput(*stop);
    return session;
  }
  session->time_ = stop->at("time");
  session->checkpoints_[session->time_] = std::move(*root);
  return session;
}

// --- messages ---------------------------------------------------------------------------------

void DebugSession::TellProgress(const DebugMessage& message) const {
  if (progress) progress(message);
}

Expected<DebugMessage> DebugSession::Wait(DebugChannel* channel) {
  auto message = WaitForStop(channel);
  TellProgress(DebugMessage::object());
  return message;
}

Expected<DebugMessage> DebugSession::WaitForStop(DebugChannel* channel) {
  bool asked = false;
  bool tells_itself = false;
  const Clock::time_point start = Clock::now();
  std::int64_t told_seconds = 0;
  // What came before is to be seen, too: a client may have sent it in one piece.
  if (readable_) wish_ = std::max(wish_, readable_());
  for (;;) {
    pollfd waiting[] = {{channel->descriptor(), POLLIN, 0}, {watched_, POLLIN, 0}};
    const int ready = poll(waiting, std::size(waiting), 100);
    if (readable_) wish_ = std::max(wish_, readable_());
    if (wish_ == Wish::kAbandon) {
      channel->Close();
      return Fail(ErrorKind::kUsage, "the run was abandoned");
    }
    const bool is_late = stop_at_ && Clock::now() >= *stop_at_;
    if ((g_interrupted || wish_ == Wish::kStop || is_late) && !asked) {
      asked = true;
      (void)channel->Send({{"do", "interrupt"}});
    }
    if (ready <= 0 || waiting[0].revents == 0) {
      const auto seconds =
          std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
      if (!tells_itself && seconds > told_seconds) TellProgress({{"seconds", seconds}});
      told_seconds = seconds;
      continue;
    }
    DebugChannel passed;
    auto message = channel->Receive(&passed);
    if (!message) return message;
    const std::string event = TextOf(*message, "event");
    if (event == "progress") {
      tells_itself = true;
      TellProgress(*message);
    } else if (event == "output") {
      TellProgress(DebugMessage::object());
      ShowOutput(*message);
    } else if (event == "checkpoint") {
      Keep(message->at("time"), std::move(passed));
    } else {
      // It may have stopped for something else in that moment.
      if (g_interrupted.exchange(false)) (*message)["interrupted"] = true;
      return message;
    }
  }
}

// Far away from now they stand further apart.
void DebugSession::Keep(std::uint64_t time, DebugChannel channel) {
  checkpoints_[time] = std::move(channel);
  if (checkpoints_.size() <= kMostCheckpoints) return;
  auto worst = checkpoints_.end();
  double least = 0;
  for (auto one = std::next(checkpoints_.begin()); std::next(one) != checkpoints_.end(); ++one) {
    const auto gap = static_cast<double>(std::next(one)->first - std::prev(one)->first);
    const std::uint64_t distance = time > one->first ? time - one->first : one->first - time;
    // Nowhere too far apart: a step back anywhere must not wait long.
    const double value = gap / (static_cast<double>(distance) + static_cast<double>(time) / 8 + 1);
    if (worst == checkpoints_.end() || value < least) {
      worst = one;
      least = value;
    }
  }
  checkpoints_.erase(worst);
}

std::vector<std::uint64_t> DebugSession::CheckpointTimes() const {
  std::vector<std::uint64_t> times;
  for (const auto& [time, channel] : checkpoints_) times.push_back(time);
  return times;
}

// Output belongs to its time: what was shown is not shown again.
void DebugSession::ShowOutput(const DebugMessage& message) {
  const std::string text = TextOf(message, "output");
  const std::uint64_t end = message.value("output_end", std::uint64_t{0});
  if (end <= shown_output_) return;
  const std::uint64_t fresh = std::min<std::uint64_t>(end - shown_output_, text.size());
  if (output_) output_(std::string_view(text).substr(text.size() - fresh));
  shown_output_ = end;
}

void DebugSession::TakeStop(const DebugMessage& message) {
  ShowOutput(message);
  stop_ = message;
  time_ = message.value("time", std::uint64_t{0});
  if (TextOf(message, "event") == "ended") {
    state_ = State::kEnded;
    exit_code_ = message.value("exit_code", 0);
    end_time_ = time_;
    if (wants_results_) TakeResults(live_);
    live_.Close();
  } else {
    state_ = State::kStopped;
  }
  has_findings_ |=
      (message.contains("finding") && IsMistake(message.at("finding"))) || HasMistakes(message);
  const DebugMessage hits = message.value("hits", DebugMessage::object());
  for (SessionBreakpoint& one : breakpoints_) {
    const std::uint64_t fresh = hits.value(fmt::format("{}", one.number), std::uint64_t{0});
    one.hits += fresh;
    one.ignore -= std::min(one.ignore, fresh);
  }
  const auto met = message.value("breakpoints", std::vector<int>());
  // Deleted watchpoints are named by their expression.
  const auto ended = message.value("ended_watchpoints", std::vector<int>());
  DebugMessage names = DebugMessage::array();
  for (const int number : ended) {
    if (const SessionBreakpoint* one = FindBreakpoint(number)) {
      names.push_back({{"number", number}, {"what", one->what}});
    }
  }
  stop_["ended_watchpoints"] = std::move(names);
  SetLoggedApart(&stop_);
  std::erase_if(breakpoints_, [&](const SessionBreakpoint& one) {
    return (one.temporary && std::ranges::find(met, one.number) != met.end()) ||
           std::ranges::find(ended, one.number) != ended.end();
  });
}

// What only prints is no reason to stop, and what waits for kernels to begin neither.
void DebugSession::SetLoggedApart(DebugMessage* stop) const {
  std::vector<int> seen;
  std::vector<int> logged;
  const auto met = stop->value("breakpoints", std::vector<int>());
  for (const int number : met) {
    const auto one = std::ranges::find(breakpoints_, number, &SessionBreakpoint::number);
    const bool logs = one != breakpoints_.end() && (one->logs || !one->log.empty());
    if (logs) logged.push_back(number);
    if (!logs && number != kBegins) seen.push_back(number);
    if (number == kBegins) (*stop)["begins"] = true;
  }
  if (seen.size() == met.size()) return;
  if (seen.empty() && TextOf(*stop, "reason") == "breakpoint") {
    (*stop)["reason"] = stop->value("meets_goal", false) ? "goal" : "logged";
  }
  (*stop)["breakpoints"] = std::move(seen);
  if (!logged.empty()) (*stop)["logged"] = std::move(logged);
}

bool DebugSession::IsWatching() const {
  return prepared_.shadow_bits != 0 ||
         std::ranges::any_of(breakpoints_,
                             [](const SessionBreakpoint& one) { return one.enabled; });
}

void DebugSession::AddStops(DebugMessage* goal) const {
  DebugMessage breakpoints = DebugMessage::array();
  DebugMessage watchpoints = DebugMessage::array();
  DebugMessage rules = DebugMessage::array();
  bool waits = false;
  // Of these breakpoints, or of this rule, only.
  const DebugMessage only = goal->value("only", DebugMessage::object());
  goal->erase("only");
  const auto numbers = only.value("numbers", std::vector<int>());
  // Printing is about what happens, and not about going back.  There hits are counted from the last
  // one on, which a search knows when it is over (PassesIgnored).
  const bool searches = goal->contains("search_end");
  const bool counts = !searches || TextOf(*goal, "goal") == "continue";
  for (const SessionBreakpoint& one : breakpoints_) {
    waits |= one.pending && !searches;
    if (!one.enabled || one.pending || (searches && (one.logs || !one.log.empty()))) continue;
    if (!only.empty() && std::ranges::find(numbers, one.number) == numbers.end()) continue;
    DebugMessage request = one.request;
    if (translate && request.contains("condition")) {
      request["condition"] = translate(request.at("condition"));
    }
    request["number"] = one.number;
    if (!counts && one.ignore != 0) continue;
    request["ignore"] = searches ? 0 : one.ignore;
    switch (one.kind) {
      case SessionBreakpoint::Kind::kBreakpoint:
        breakpoints.push_back(std::move(request));
        break;
      case SessionBreakpoint::Kind::kWatchpoint:
        watchpoints.push_back(std::move(request));
        break;
      case SessionBreakpoint::Kind::kCatchpoint:
        rules.push_back(one.rule);
        break;
    }
  }
  if (waits && only.empty()) {
    for (DebugMessage& one : Beginnings()) breakpoints.push_back(std::move(one));
  }
  (*goal)["breakpoints"] = std::move(breakpoints);
  (*goal)["watchpoints"] = std::move(watchpoints);
  if (stops_at_findings && only.empty()) rules.push_back("all");
  if (only.contains("rule")) rules.push_back(only.at("rule"));
  (*goal)["catch"] = std::move(rules);
}

Expected<DebugMessage> DebugSession::Send(DebugMessage goal, bool stops) {
  goal["do"] = "run";
  goal["stops"] = stops;
  goal["progress"] = static_cast<bool>(progress);
  if (stops) AddStops(&goal);
  if (auto sent = live_.Send(goal); !sent) return tl::unexpected(sent.error());
  auto message = Wait(&live_);
  if (message && message->contains("error") && !message->contains("event")) {
    return Fail(ErrorKind::kUsage, TextOf(*message, "error"));
  }
  return message;
}

// --- running ----------------------------------------------------------------------------------

Expected<DebugMessage> DebugSession::Run() {
  wish_ = Wish::kGoOn;
  Kill();
  shown_output_ = 0;  // everything once more
  if (!IsWatching()) return RunPlainly();
  return ForwardFromBeginning({{"goal", "continue"}});
}

void DebugSession::Kill() {
  live_.Close();
  state_ = State::kNotStarted;
  time_ = 0;
  DebugMessage ignored;
  UndoChanges(&ignored);
}

Expected<DebugMessage> DebugSession::ForwardFromBeginning(DebugMessage goal) {
  const auto from = Restore(checkpoints_.empty() ? 1 : checkpoints_.begin()->first);
  if (!from) return tl::unexpected(from.error());
  state_ = State::kStopped;
  time_ = *from;
  return Forward(std::move(goal));
}

// Nothing is to be looked at: the run that `assay run` makes, at its speed.
Expected<DebugMessage> DebugSession::RunPlainly() {
  auto channel = StartPlainRun(job_, prepared_);
  if (!channel) return tl::unexpected(channel.error());
  const Clock::time_point start = Clock::now();
  auto message = Wait(&*channel);
  if (!message) return message;
  if (TextOf(*message, "reason") == "interrupted") {
    channel->Close();
    return CatchUp(Clock::now() - start);
  }
  if (message->contains("error")) {
    return Fail(static_cast<ErrorKind>(message->value("kind", 0)), TextOf(*message, "error"));
  }
  const bool found = message->contains("findings") && !message->at("findings").empty();
  has_findings_ |= HasMistakes(*message);
  if (found && stops_at_findings) {
    auto again = ForwardFromBeginning({{"goal", "continue"}});
    // One work-item after the other may come to no finding, where a limit ends the first.
    if (again && state_ == State::kEnded && stop_.contains("findings") &&
        stop_.at("findings").empty()) {
      stop_["findings"] = message->at("findings");
      stop_["found_by"] = "the run without the debugger, in which all work-items come forward";
      return stop_;
    }
    return again;
  }
  ShowOutput(*message);
  stop_ = *message;
  exit_code_ = stop_.value("exit_code", 0);
  state_ = State::kEnded;
  time_ = end_time_.value_or(0);
  TakeResults(*channel);
  return stop_;
}

// Nothing is left to look at of a plain run that was interrupted: the debugger's own run goes as
// far as it comes meanwhile.  Where that is not as far, it is said.
Expected<DebugMessage> DebugSession::CatchUp(Clock::duration taken) {
  wish_ = Wish::kGoOn;
  const Clock::duration most = std::min<Clock::duration>(taken, kMostCatchingUp);
  stop_at_ = Clock::now() + most;
  auto stopped = ForwardFromBeginning({{"goal", "continue"}});
  stop_at_.reset();
  if (!stopped || state_ != State::kStopped || TextOf(stop_, "reason") != "interrupted") {
    return stopped;
  }
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  stop_["notes"].push_back(fmt::format(
      "Nothing was to stop this run, so it was made without the debugger, for {:.1f} s, and that "
      "place is lost. This is as far as a run under the debugger came in {:.1f} s: {} "
      "instructions. "
      "`continue` goes on from here, and Ctrl-C keeps the place from now on; `start` before "
      "`continue` keeps it from the beginning.",
      seconds(taken), seconds(most), time_));
  return stop_;
}

// After a plain run: how long it takes under the debugger.
Expected<void> DebugSession::KnowTheEnd() {
  if (end_time_) {
    time_ = *end_time_;
    return {};
  }
  const auto from = Restore(~std::uint64_t{0});
  if (!from) return tl::unexpected(from.error());
  auto message = Send({{"goal", "continue"}}, false);
  if (!message) return tl::unexpected(message.error());
  TakeStop(*message);
  return {};
}

// --print, --json and the like, which the run that has ended writes by itself.
void DebugSession::TakeResults(const DebugChannel& channel) {
  const RunOptions& options = *prepared_.options;
  if (!WritesResults(options)) return;
  if (!channel.Send({{"do", "results"}})) return;
  const auto results = channel.Receive();
  if (!results) return;
  has_results_ = true;
  stop_["results"] = *results;
  if (results->contains("error")) exit_code_ = static_cast<int>(ExitCodeOf(ErrorKind::kDevice));
}

Expected<bool> DebugSession::LookAtEnd() {
  if (live_.is_open()) return false;
  wish_ = Wish::kGoOn;
  const DebugMessage end = stop_;
  if (auto known = KnowTheEnd(); !known) return tl::unexpected(known.error());
  if (state_ != State::kEnded) return Fail(ErrorKind::kUsage, "interrupted on the way to the end");
  stop_ = end;
  // What a compiler puts around a kernel has no line.
  constexpr std::uint64_t kMost = 4;
  for (std::uint64_t back = 0; back < kMost && back < *end_time_; ++back) {
    const auto from = Restore(*end_time_ - back);
    if (!from) return tl::unexpected(from.error());
    const auto there = Send({{"goal", "time"}, {"time", *end_time_ - back}}, false);
    if (!there) return tl::unexpected(there.error());
    const DebugMessage where = there->value("where", DebugMessage::object());
    if (!there->value("has_lines", false) ||
        where.value("frame", DebugMessage::object()).contains("line")) {
      break;
    }
  }
  return true;
}

Expected<DebugMessage> DebugSession::Forward(DebugMessage goal) {
  if (goal.erase("from_beginning") != 0) return ForwardFromBeginning(std::move(goal));
  wish_ = Wish::kGoOn;
  if (state_ == State::kEnded) {
    return Fail(ErrorKind::kUsage,
                "the run has ended; `run` begins again, reverse commands and "
                "`goto` go back");
  }
  if (!live_.is_open()) {
    const auto from = Restore(std::max<std::uint64_t>(time_, 1));
    if (!from) return tl::unexpected(from.error());
  }
  // What is beside the new way is no past of it.
  const std::uint64_t before = time_;
  for (;;) {
    auto message = Send(goal, true);
    if (!message) {
      if (message.error().kind == ErrorKind::kUsage) return message;
      return ComeBack(before, message.error().message + " before it stopped");
    }
    wants_results_ = true;
    TakeStop(*message);
    wants_results_ = false;
    if (stop_.value("begins", false)) ResolvePending();
    const bool is_seen = TextOf(stop_, "reason") != "logged" || stop_.contains("logged") ||
                         stop_.value("interrupted", false);
    if (is_seen) return stop_;
  }
}

// The process was ended, by the machine when memory ran out: the time that it stood at is there
// still.
tl::unexpected<Error> DebugSession::ComeBack(std::uint64_t time, const std::string& why) {
  live_.Close();
  state_ = State::kNotStarted;
  time_ = 0;
  const auto back = GoTo(time);
  return Fail(ErrorKind::kDevice, fmt::format("{} (was memory short?){}", why,
                                              back ? fmt::format("; back at time {}", time_) : ""));
}

// --- questions --------------------------------------------------------------------------------

Expected<DebugMessage> DebugSession::Ask(const DebugMessage& request) {
  DebugChannel* channel = live_.is_open() ? &live_ : nullptr;
  if (channel == nullptr && !checkpoints_.empty()) channel = &checkpoints_.begin()->second;
  if (channel == nullptr) return Fail(ErrorKind::kUsage, "nothing runs");
  Expected<DebugMessage> answer = DebugMessage();
  if (auto sent = channel->Send(request); !sent) {
    answer = tl::unexpected(sent.error());
  } else {
    answer = channel->Receive();
  }
  if (!answer && channel == &live_) return ComeBack(time_, answer.error().message);
  if (answer && answer->contains("error")) {
    return Fail(ErrorKind::kUsage, TextOf(*answer, "error"));
  }
  return answer;
}

Expected<DebugMessage> DebugSession::Change(const DebugMessage& request) {
  if (state_ != State::kStopped || !live_.is_open()) {
    return Fail(ErrorKind::kUsage, "nothing runs that could be changed");
  }
  auto answer = Ask(request);
  if (!answer) return answer;
  // Another future begins here, and the way back to here leads through this change: what sleeps
  // behind it would not know of it.
  checkpoints_.erase(checkpoints_.upper_bound(time_), checkpoints_.end());
  end_time_.reset();
  auto copy = CopyOf(live_);
  if (copy && copy->is_open()) {
    checkpoints_[time_] = std::move(live_);
    live_ = std::move(*copy);
    changes_.push_back({time_, next_change_++});
  }
  shown_output_ = std::min(shown_output_, stop_.value("output_end", shown_output_));
  return answer;
}

}  // namespace assay::tools
