// What stops a session's runs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "interp/rules/detector.h"
#include "interp/rules/rule.h"
#include "tools/debug/session.h"
#include "tools/run/rule_names.h"

namespace assay::tools {

using WatchKind = interp::DebugWatchKind;

Expected<SessionBreakpoint*> DebugSession::AddBreakpoint(const debug::ResolveRequest& place,
                                                         bool temporary) {
  debug::ResolveRequest question = place;
  if (place.condition) question.condition = Meant(*place.condition);
  SessionBreakpoint added{
      .temporary = temporary, .place = place, .condition = place.condition.value_or("")};
  added.place.condition.reset();
  if (const auto resolved = Ask(question)) {
    added.what = resolved->text;
    added.places = resolved->places;
  } else {
    // Another launch may have the place.
    if (job_.launches.size() < 2 || Ask(added.place)) return tl::unexpected(resolved.error());
    added.what = place.location;
    added.waits = true;
  }
  added.number = next_number_++;
  breakpoints_.push_back(std::move(added));
  return &breakpoints_.back();
}

Expected<debug::Watchpoint> DebugSession::WatchRequest(WatchKind kind,
                                                       const std::string& expression,
                                                       const debug::Target& where) {
  const auto value = Ask(debug::EvaluateRequest{.target = where, .expression = expression});
  if (!value) return tl::unexpected(value.error());
  debug::Watchpoint watch{.kind = kind, .text = expression};
  if (!value->address) {
    if (kind != WatchKind::kChange) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("'{}' is not in memory, so nothing can be seen to access it; `watch` "
                              "sees its changes",
                              expression));
    }
    if (value->is_constant) {
      return Fail(ErrorKind::kUsage, fmt::format("'{}' is a constant", expression));
    }
    watch.item = value->item;
    watch.frame = value->frame;
    return watch;
  }
  watch.address = *value->address;
  watch.bytes = value->size;
  watch.type = value->type;
  if (value->space == "private" || value->space == "input") {
    watch.item = value->item;
    watch.site = value->site;
  } else if (value->space == "local") {
    watch.group = value->item.group;
  }
  return watch;
}

Expected<SessionBreakpoint*> DebugSession::AddWatchpoint(WatchKind kind,
                                                         const std::string& expression,
                                                         const debug::Target& where) {
  if (state_ != State::kStopped) return AddEarlyWatchpoint(kind, expression);
  auto watch = WatchRequest(kind, expression, where);
  if (!watch) return tl::unexpected(watch.error());
  breakpoints_.push_back({.number = next_number_++,
                          .kind = SessionBreakpoint::Kind::kWatchpoint,
                          .watch = std::move(*watch),
                          .what = expression});
  return &breakpoints_.back();
}

// Buffers, program-scope variables and local memory are there before a kernel has begun.
Expected<SessionBreakpoint*> DebugSession::AddEarlyWatchpoint(WatchKind kind,
                                                              const std::string& expression) {
  auto watch = WatchRequest(kind, expression, {});
  const bool is_there = watch && !watch->item;
  // Another launch's kernel may have it.
  const bool may_come = !watch && job_.launches.size() > 1;
  if (!is_there && !may_come) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{}; before a run there are buffers and program-scope variables: for a "
                    "variable of a function let `start`, or `break` and `run`, stop where it is",
                    watch ? fmt::format("'{}' is each work-item's own", expression)
                          : watch.error().message));
  }
  breakpoints_.push_back(
      {.number = next_number_++,
       .kind = SessionBreakpoint::Kind::kWatchpoint,
       .watch = is_there ? std::move(*watch) : debug::Watchpoint{.kind = kind, .text = expression},
       .what = expression,
       .pending = !is_there});
  return &breakpoints_.back();
}

// Where kernels of the job begin.
std::vector<debug::Breakpoint> DebugSession::Beginnings() const {
  std::vector<debug::Breakpoint> all;
  for (const interp::JobLaunch& launch : job_.launches) {
    // It need not be named where there is one only.
    debug::Breakpoint one{.number = kBegins,
                          .location = launch.kernel.empty() ? stop_.kernel : launch.kernel};
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  }
  return all;
}

Expected<void> DebugSession::CheckCondition(const std::string& condition) {
  const auto good = Ask(debug::CheckRequest{Meant(condition)});
  if (!good) return tl::unexpected(good.error());
  return {};
}

// What this kernel does not have waits for another launch.
void DebugSession::ResolvePending() {
  for (SessionBreakpoint& one : breakpoints_) {
    if (!one.pending) continue;
    const auto watch = WatchRequest(one.watch.kind, one.what, {});
    if (!watch || watch->item) continue;
    one.pending = false;
    one.watch = *watch;
  }
}

// Some rules belong to executing itself: without detectors these are found all the same.
std::string DebugSession::MissingDetectors(const std::string& rule) const {
  const auto detectors = prepared_.settings.detectors;
  std::vector<std::string_view> off;
  for (const interp::RuleRow& one : interp::Rules()) {
    if (rule != "all" && !interp::IsNamed(one, rule)) continue;
    if (!one.detector || detectors.Has(*one.detector)) continue;
    if (rule == "all" && interp::IsOptIn(*one.detector)) continue;  // all that is wrong
    const std::string_view name = interp::DetectorName(*one.detector);
    if (std::ranges::find(off, name) == off.end()) off.push_back(name);
  }
  if (off.empty()) return "";
  if (rule == "all" && detectors.IsEmpty()) {
    return "Nothing is watched but memory accesses, barriers, printf and launches: start `assay "
           "debug` with `--detect all`, or without --detect";
  }
  if (off.size() == 1 && interp::IsOptIn(*interp::FindDetector(off[0]))) {
    return fmt::format("Nothing watches for {0}: start `assay debug` with `--detect all,{0}`",
                       off[0]);
  }
  return fmt::format(
      "Nothing watches for {}: start `assay debug` with `--detect {}`, or without --detect",
      fmt::join(off, ", "), detectors.IsEmpty() ? fmt::format("{}", fmt::join(off, ",")) : "all");
}

Expected<SessionBreakpoint*> DebugSession::AddCatchpoint(const std::string& rule, bool temporary) {
  if (rule != "all" && interp::RulesNamed(rule).empty()) {
    return Fail(ErrorKind::kUsage,
                UnknownRule(rule, "`assay explain` lists the rules; all catches each of them"));
  }
  breakpoints_.push_back({.number = next_number_++,
                          .kind = SessionBreakpoint::Kind::kCatchpoint,
                          .temporary = temporary,
                          .what = rule == "all" ? "findings" : "findings of " + rule,
                          .rule = rule});
  return &breakpoints_.back();
}

SessionBreakpoint* DebugSession::FindBreakpoint(int number) {
  const auto found = std::ranges::find_if(
      breakpoints_, [&](const SessionBreakpoint& one) { return one.number == number; });
  return found == breakpoints_.end() ? nullptr : &*found;
}

std::vector<SessionBreakpoint> DebugSession::DeleteFrameWatchpoints() {
  std::vector<SessionBreakpoint> deleted;
  std::erase_if(breakpoints_, [&](const SessionBreakpoint& one) {
    const bool is_of_frame =
        one.kind == SessionBreakpoint::Kind::kWatchpoint && one.watch.item.has_value();
    if (is_of_frame) deleted.push_back(one);
    return is_of_frame;
  });
  return deleted;
}

bool DebugSession::DeleteBreakpoint(int number) {
  return std::erase_if(breakpoints_,
                       [&](const SessionBreakpoint& one) { return one.number == number; }) != 0;
}

}  // namespace assay::tools
