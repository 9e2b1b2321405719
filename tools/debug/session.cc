#include "tools/debug/session.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tools/debug/inferior.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/near_names.h"

namespace assay::tools {
namespace {

// Nothing where the message is no stop.
std::optional<SessionStop> StopOf(debug::Message message) {
  SessionStop stop;
  if (auto* stopped = std::get_if<debug::Stopped>(&message)) {
    static_cast<debug::Stopped&>(stop) = std::move(*stopped);
    return stop;
  }
  auto* ended = std::get_if<debug::Ended>(&message);
  if (ended == nullptr) return std::nullopt;
  stop.reason = interp::DebugStopReason::kEnd;
  stop.time = ended->time;
  stop.search = ended->search;
  stop.output = std::move(ended->output);
  stop.end = std::move(*ended);
  return stop;
}

constexpr std::size_t kMostCheckpoints = 64;

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
  if (stop->end && stop->end->error) return Fail(stop->end->error->kind, stop->end->error->message);
  session->stop_ = *stop;
  if (stop->end) {
    // A job without work-items.
    session->state_ = State::kEnded;
    session->ShowOutput(stop->output);
    return session;
  }
  session->time_ = stop->time;
  session->checkpoints_[session->time_] = std::move(*root);
  return session;
}

// --- messages ---------------------------------------------------------------------------------

void DebugSession::TellProgress(const std::optional<SessionProgress>& now) const {
  if (progress) progress(now);
}

Expected<SessionStop> DebugSession::Wait(DebugChannel* channel) {
  auto stop = WaitForStop(channel);
  TellProgress(std::nullopt);
  return stop;
}

Expected<SessionStop> DebugSession::WaitForStop(DebugChannel* channel) {
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
      (void)channel->Send(debug::InterruptRequest());
    }
    if (ready <= 0 || waiting[0].revents == 0) {
      const auto seconds =
          std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
      if (!tells_itself && seconds > told_seconds) {
        TellProgress(SessionProgress{.seconds = static_cast<std::uint64_t>(seconds)});
      }
      told_seconds = seconds;
      continue;
    }
    DebugChannel passed;
    auto message = channel->ReceiveMessage(&passed);
    if (!message) return tl::unexpected(message.error());
    if (const auto* now = std::get_if<debug::Progress>(&*message)) {
      tells_itself = true;
      TellProgress(SessionProgress{.run = *now});
    } else if (const auto* output = std::get_if<debug::Output>(&*message)) {
      TellProgress(std::nullopt);
      ShowOutput(*output);
    } else if (const auto* left = std::get_if<debug::CheckpointLeft>(&*message)) {
      Keep(left->time, std::move(passed));
    } else if (const auto* failure = std::get_if<debug::Failure>(&*message)) {
      return Fail(ErrorKind::kUsage, failure->message);
    } else if (auto stop = StopOf(std::move(*message))) {
      // It may have stopped for something else in that moment.
      if (g_interrupted.exchange(false)) stop->interrupted = true;
      return std::move(*stop);
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
void DebugSession::ShowOutput(const debug::Output& output) {
  if (output.end <= shown_output_) return;
  const std::string_view text = output.text;
  const std::uint64_t fresh = std::min<std::uint64_t>(output.end - shown_output_, text.size());
  if (output_) output_(text.substr(text.size() - fresh));
  shown_output_ = output.end;
}

void DebugSession::TakeStop(const SessionStop& stop) {
  ShowOutput(stop.output);
  stop_ = stop;
  time_ = stop.time;
  if (stop.end) {
    state_ = State::kEnded;
    exit_code_ = stop.end->exit_code;
    end_time_ = time_;
    if (wants_results_) TakeResults(live_);
    live_.Close();
  } else {
    state_ = State::kStopped;
  }
  has_findings_ |= stop.HasMistakes();
  for (const debug::Hits& fresh : stop.hits) {
    SessionBreakpoint* one = FindBreakpoint(fresh.number);
    if (one == nullptr) continue;
    one->hits += fresh.hits;
    one->ignore -= std::min(one->ignore, fresh.hits);
  }
  // Deleted watchpoints are named by their expression.
  for (const int number : stop.ended_watchpoints) {
    if (const SessionBreakpoint* one = FindBreakpoint(number)) {
      stop_.ended.push_back({number, one->what});
    }
  }
  SetLoggedApart(&stop_);
  const auto has = [](const std::vector<int>& numbers, int number) {
    return std::ranges::find(numbers, number) != numbers.end();
  };
  std::erase_if(breakpoints_, [&](const SessionBreakpoint& one) {
    return (one.temporary && has(stop.breakpoints, one.number)) ||
           has(stop.ended_watchpoints, one.number);
  });
}

// What only prints is no reason to stop, and what waits for kernels to begin neither.
void DebugSession::SetLoggedApart(SessionStop* stop) const {
  std::vector<int> seen;
  std::vector<int> logged;
  for (const int number : stop->breakpoints) {
    const auto one = std::ranges::find(breakpoints_, number, &SessionBreakpoint::number);
    const bool logs = one != breakpoints_.end() && (one->logs || !one->log.empty());
    if (logs) logged.push_back(number);
    if (!logs && number != kBegins) seen.push_back(number);
    if (number == kBegins) stop->begins = true;
  }
  if (seen.size() == stop->breakpoints.size()) return;
  if (seen.empty() && stop->reason == Reason::kBreakpoint) {
    stop->reason = stop->meets_goal ? Reason::kGoal : Reason::kLogged;
  }
  stop->breakpoints = std::move(seen);
  if (!logged.empty()) stop->logged = std::move(logged);
}

bool DebugSession::IsWatching() const {
  return prepared_.shadow_bits != 0 ||
         std::ranges::any_of(breakpoints_,
                             [](const SessionBreakpoint& one) { return one.enabled; });
}

// A condition as the run takes it.
std::string DebugSession::Meant(const std::string& condition) const {
  return translate && !condition.empty() ? translate(condition) : condition;
}

void DebugSession::AddStops(const std::optional<Only>& only, debug::RunRequest* request) const {
  bool waits = false;
  // Printing is about what happens, and not about going back.  There hits are counted from the last
  // one on, which a search knows when it is over (PassesIgnored).
  const bool searches = request->goal.searches;
  const bool counts = !searches || request->goal.kind == Goal::Kind::kContinue;
  for (const SessionBreakpoint& one : breakpoints_) {
    waits |= one.pending && !searches;
    if (!one.enabled || one.pending || (searches && (one.logs || !one.log.empty()))) continue;
    if (only && std::ranges::find(only->numbers, one.number) == only->numbers.end()) continue;
    if (!counts && one.ignore != 0) continue;
    const std::uint64_t ignore = searches ? 0 : one.ignore;
    switch (one.kind) {
      case SessionBreakpoint::Kind::kBreakpoint:
        request->breakpoints.push_back({.number = one.number,
                                        .location = one.place.location,
                                        .file = one.place.file,
                                        .condition = Meant(one.condition),
                                        .global_id = one.place.global_id,
                                        .ignore = ignore});
        break;
      case SessionBreakpoint::Kind::kWatchpoint:
        request->watchpoints.push_back(one.watch);
        request->watchpoints.back().number = one.number;
        request->watchpoints.back().condition = Meant(one.condition);
        request->watchpoints.back().ignore = ignore;
        break;
      case SessionBreakpoint::Kind::kCatchpoint:
        request->catches.push_back(one.rule);
        break;
    }
  }
  if (waits && !only) {
    for (debug::Breakpoint& one : Beginnings()) request->breakpoints.push_back(std::move(one));
  }
  if (stops_at_findings && !only) request->catches.emplace_back("all");
  if (only && !only->rule.empty()) request->catches.push_back(only->rule);
}

Expected<SessionStop> DebugSession::Send(const Goal& goal, bool stops,
                                         const std::optional<Only>& only) {
  debug::RunRequest request{.goal = goal};
  request.goal.stops_at_breakpoints = stops;
  request.progress = static_cast<bool>(progress);
  if (stops) AddStops(only, &request);
  if (auto sent = live_.Send(request); !sent) return tl::unexpected(sent.error());
  return Wait(&live_);
}

// --- running ----------------------------------------------------------------------------------

Expected<SessionStop> DebugSession::Run() {
  wish_ = Wish::kGoOn;
  Kill();
  shown_output_ = 0;  // everything once more
  if (!IsWatching()) return RunPlainly();
  return ForwardFromBeginning({});
}

void DebugSession::Kill() {
  live_.Close();
  state_ = State::kNotStarted;
  time_ = 0;
  SessionStop ignored;
  UndoChanges(&ignored);
}

Expected<SessionStop> DebugSession::ForwardFromBeginning(const Goal& goal) {
  const auto from = Restore(checkpoints_.empty() ? 1 : checkpoints_.begin()->first);
  if (!from) return tl::unexpected(from.error());
  state_ = State::kStopped;
  time_ = *from;
  return Forward(goal);
}

// --print, --json and the like, which the run that has ended writes by itself.
void DebugSession::TakeResults(const DebugChannel& channel) {
  const RunOptions& options = *prepared_.options;
  if (!WritesResults(options)) return;
  if (!channel.Send(debug::ResultsRequest())) return;
  const auto message = channel.ReceiveMessage();
  const auto* results = message ? std::get_if<debug::ResultsWritten>(&*message) : nullptr;
  if (results == nullptr) return;
  has_results_ = true;
  stop_.results = *results;
  if (results->error) exit_code_ = static_cast<int>(ExitCodeOf(ErrorKind::kDevice));
}

Expected<bool> DebugSession::LookAtEnd() {
  if (live_.is_open()) return false;
  wish_ = Wish::kGoOn;
  const SessionStop end = stop_;
  if (auto known = KnowTheEnd(); !known) return tl::unexpected(known.error());
  if (state_ != State::kEnded) return Fail(ErrorKind::kUsage, "interrupted on the way to the end");
  stop_ = end;
  // What a compiler puts around a kernel has no line.
  constexpr std::uint64_t kMost = 4;
  for (std::uint64_t back = 0; back < kMost && back < *end_time_; ++back) {
    const auto from = Restore(*end_time_ - back);
    if (!from) return tl::unexpected(from.error());
    const auto there = Send({.kind = Goal::Kind::kTime, .time = *end_time_ - back}, false);
    if (!there) return tl::unexpected(there.error());
    const auto& frame = there->where.frame;
    if (!there->has_lines.value_or(false) || (frame && frame->line)) break;
  }
  return true;
}

Expected<SessionStop> DebugSession::Forward(const Goal& goal, bool from_beginning) {
  if (from_beginning) return ForwardFromBeginning(goal);
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
    const auto stop = Send(goal, true);
    if (!stop) {
      if (stop.error().kind == ErrorKind::kUsage) return stop;
      return ComeBack(before, stop.error().message + " before it stopped");
    }
    wants_results_ = true;
    TakeStop(*stop);
    wants_results_ = false;
    if (stop_.begins) ResolvePending();
    const bool is_seen =
        stop_.reason != Reason::kLogged || !stop_.logged.empty() || stop_.interrupted;
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

Expected<debug::Message> DebugSession::Exchange(const debug::Request& request) {
  DebugChannel* channel = live_.is_open() ? &live_ : nullptr;
  if (channel == nullptr && !checkpoints_.empty()) channel = &checkpoints_.begin()->second;
  if (channel == nullptr) return Fail(ErrorKind::kUsage, "nothing runs");
  const auto sent = channel->Send(request);
  auto answer = sent ? channel->ReceiveMessage() : tl::unexpected(sent.error());
  if (!answer && channel == &live_) return ComeBack(time_, answer.error().message);
  const auto* failure = answer ? std::get_if<debug::Failure>(&*answer) : nullptr;
  if (failure != nullptr) return Fail(ErrorKind::kUsage, failure->message);
  return answer;
}

Expected<debug::Message> DebugSession::ExchangeChange(const debug::Request& request) {
  if (state_ != State::kStopped || !live_.is_open()) {
    return Fail(ErrorKind::kUsage, "nothing runs that could be changed");
  }
  auto answer = Exchange(request);
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
  shown_output_ = std::min(shown_output_, stop_.output.end);
  return answer;
}

}  // namespace assay::tools
