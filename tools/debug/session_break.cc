// What stops a session's runs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "interp/rules/detector.h"
#include "interp/rules/rule.h"
#include "tools/debug/session.h"
#include "tools/shared/near_names.h"

namespace assay::tools {

Expected<SessionBreakpoint*> DebugSession::AddBreakpoint(DebugMessage request, bool temporary) {
  DebugMessage question = request;
  question["do"] = "resolve";
  if (translate && question.contains("condition")) {
    question["condition"] = translate(question.at("condition"));
  }
  const auto resolved = Ask(question);
  if (!resolved) {
    // Another launch may have the place.
    question.erase("condition");
    if (job_.launches.size() < 2 || Ask(question)) return tl::unexpected(resolved.error());
    const std::string location = TextOf(request, "location");
    request["waits"] = true;
    breakpoints_.push_back({.number = next_number_++,
                            .temporary = temporary,
                            .request = std::move(request),
                            .what = location});
    return &breakpoints_.back();
  }
  request["file_number"] = resolved->at("file_number");
  breakpoints_.push_back({.number = next_number_++,
                          .temporary = temporary,
                          .request = std::move(request),
                          .what = TextOf(*resolved, "text")});
  breakpoints_.back().request["places"] = resolved->at("places");
  return &breakpoints_.back();
}

Expected<DebugMessage> DebugSession::WatchRequest(const std::string& kind,
                                                  const std::string& expression,
                                                  const DebugMessage& where) {
  DebugMessage question = where;
  question["do"] = "evaluate";
  question["expression"] = expression;
  const auto value = Ask(question);
  if (!value) return tl::unexpected(value.error());
  if (!value->contains("address")) {
    if (kind != "change") {
      return Fail(ErrorKind::kUsage,
                  fmt::format("'{}' is not in memory, so nothing can be seen to access it; `watch` "
                              "sees its changes",
                              expression));
    }
    if (value->at("is_constant").get<bool>()) {
      return Fail(ErrorKind::kUsage, fmt::format("'{}' is a constant", expression));
    }
    return DebugMessage{{"kind", kind},
                        {"text", expression},
                        {"item", value->at("item")},
                        {"frame", value->at("frame")}};
  }
  DebugMessage request{{"kind", kind},
                       {"text", expression},
                       {"address", value->at("address")},
                       {"bytes", value->at("size")},
                       {"type", value->at("type")}};
  const std::string space = TextOf(*value, "space");
  if (space == "private" || space == "input") {
    request["item"] = {value->at("group"), value->at("local")};
    if (value->contains("site")) request["site"] = value->at("site");
  } else if (space == "local") {
    request["group"] = value->at("group");
  }
  return request;
}

Expected<SessionBreakpoint*> DebugSession::AddWatchpoint(const std::string& kind,
                                                         const std::string& expression,
                                                         const DebugMessage& where) {
  if (state_ != State::kStopped) return AddEarlyWatchpoint(kind, expression);
  auto request = WatchRequest(kind, expression, where);
  if (!request) return tl::unexpected(request.error());
  breakpoints_.push_back({.number = next_number_++,
                          .kind = SessionBreakpoint::Kind::kWatchpoint,
                          .request = std::move(*request),
                          .what = expression});
  return &breakpoints_.back();
}

// Buffers, program-scope variables and local memory are there before a kernel has begun.
Expected<SessionBreakpoint*> DebugSession::AddEarlyWatchpoint(const std::string& kind,
                                                              const std::string& expression) {
  auto request = WatchRequest(kind, expression, {{"frame", 0}});
  const bool is_there = request && !request->contains("item");
  // Another launch's kernel may have it.
  const bool may_come = !request && job_.launches.size() > 1;
  if (!is_there && !may_come) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{}; before a run there are buffers and program-scope variables: for a "
                    "variable of a function let `start`, or `break` and `run`, stop where it is",
                    request ? fmt::format("'{}' is each work-item's own", expression)
                            : request.error().message));
  }
  breakpoints_.push_back({.number = next_number_++,
                          .kind = SessionBreakpoint::Kind::kWatchpoint,
                          .request = is_there ? std::move(*request)
                                              : DebugMessage{{"kind", kind}, {"text", expression}},
                          .what = expression,
                          .pending = !is_there});
  return &breakpoints_.back();
}

// Where kernels of the job begin.
DebugMessage DebugSession::Beginnings() const {
  DebugMessage all = DebugMessage::array();
  for (const interp::JobLaunch& launch : job_.launches) {
    DebugMessage one{{"number", kBegins}, {"location", launch.kernel}};
    // It need not be named where there is one only.
    if (launch.kernel.empty()) one["location"] = TextOf(stop_, "kernel");
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  }
  return all;
}

Expected<void> DebugSession::CheckCondition(const std::string& condition) {
  const std::string meant = translate ? translate(condition) : condition;
  const auto good = Ask({{"do", "check"}, {"condition", meant}});
  if (!good) return tl::unexpected(good.error());
  return {};
}

// What this kernel does not have waits for another launch.
void DebugSession::ResolvePending() {
  for (SessionBreakpoint& one : breakpoints_) {
    if (!one.pending) continue;
    const auto request = WatchRequest(TextOf(one.request, "kind"), one.what, {{"frame", 0}});
    if (!request || request->contains("item")) continue;
    one.pending = false;
    one.request.update(*request);
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
        one.kind == SessionBreakpoint::Kind::kWatchpoint && one.request.contains("item");
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
