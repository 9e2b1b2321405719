// The run that nothing is to stop: made as `assay run` makes it, and repeated under the debugger
// where there is something to look at.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "interp/execute/launch_options.h"
#include "interp/rules/rule.h"
#include "tools/debug/inferior.h"
#include "tools/debug/session.h"

namespace assay::tools {
namespace {

// How long a plain run that was interrupted, or that came to its time limit, is repeated.
constexpr std::chrono::seconds kMostRepeating(1);

bool IsMistake(const std::string& id) {
  const interp::RuleRow* rule = interp::FindRule(id);
  return rule == nullptr || rule->finding_class != interp::FindingClass::kObservation;
}

}  // namespace

bool SessionStop::HasMistakes() const {
  if (finding && IsMistake(finding->rule)) return true;
  return end && std::ranges::any_of(end->findings, IsMistake, &debug::EndFinding::rule);
}

Expected<SessionStop> DebugSession::RunPlainly() {
  auto channel = StartPlainRun(job_, prepared_);
  if (!channel) return tl::unexpected(channel.error());
  const Clock::time_point start = Clock::now();
  auto stop = Wait(&*channel);
  if (!stop) return stop;
  if (!stop->end) {
    // It was interrupted.
    channel->Close();
    return CatchUp(Clock::now() - start);
  }
  const debug::Ended& end = *stop->end;
  if (end.error) return Fail(end.error->kind, end.error->message);
  has_findings_ |= stop->HasMistakes();
  if (stop->HasFindings() && stops_at_findings) {
    // --timeout was spent.
    const bool is_late = end.end == interp::LaunchEndName(interp::LaunchEnd::kTimeLimit);
    auto again = is_late ? RepeatFor(kMostRepeating) : ForwardFromBeginning({});
    if (!again || !CameToNoFinding(is_late)) return again;
    if (state_ == State::kEnded) stop->time = time_;
    live_.Close();
    stop->found_by = "the run without the debugger, in which all work-items come forward";
  }
  ShowOutput(stop->output);
  stop_ = *stop;
  exit_code_ = end.exit_code;
  state_ = State::kEnded;
  time_ = end_time_.value_or(0);
  TakeResults(*channel);
  return stop_;
}

// A run under the debugger that a limit ended: one work-item after the other comes forward in it.
bool DebugSession::CameToNoFinding(bool had_little_time) const {
  if (state_ == State::kEnded) return stop_.end && !stop_.end->error && !stop_.HasFindings();
  return had_little_time && stop_.reason == Reason::kInterrupted && !stop_.interrupted &&
         wish_ == Wish::kGoOn;
}

Expected<SessionStop> DebugSession::RepeatFor(Clock::duration most) {
  wish_ = Wish::kGoOn;
  stop_at_ = Clock::now() + most;
  auto stopped = ForwardFromBeginning({});
  stop_at_.reset();
  return stopped;
}

// Nothing is left to look at of a plain run that was interrupted: the debugger's own run goes as
// far as it comes meanwhile.  Where that is not as far, it is said.
Expected<SessionStop> DebugSession::CatchUp(Clock::duration taken) {
  const Clock::duration most = std::min<Clock::duration>(taken, kMostRepeating);
  auto stopped = RepeatFor(most);
  if (!stopped || state_ != State::kStopped || stop_.reason != Reason::kInterrupted) {
    return stopped;
  }
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  stop_.notes.push_back(fmt::format(
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
  const auto stop = Send({}, false);
  if (!stop) return tl::unexpected(stop.error());
  TakeStop(*stop);
  return {};
}

}  // namespace assay::tools
