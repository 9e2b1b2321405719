#include "interp/debug/server.h"

#include <algorithm>

#include "interp/debug/element.h"

namespace assay::interp {
namespace {

// After a launch its program is gone, and the hits have texts.
std::vector<debug::WatchHit> DescribeHits(const DebugProgram* program,
                                          std::span<const DebugWatchHit> hits) {
  std::vector<debug::WatchHit> all;
  for (const DebugWatchHit& hit : hits) {
    const bool is_over = program == nullptr || !hit.text.empty();
    debug::WatchHit one{.number = hit.number,
                        .value = is_over ? hit.text : FormatValue(*program, hit.value)};
    if (hit.old_value) {
      one.old_value = hit.old_value->bytes.empty() ? "<no value>"
                      : is_over                    ? hit.old_text
                                                   : FormatValue(*program, *hit.old_value);
    }
    all.push_back(std::move(one));
  }
  return all;
}

debug::StopFinding DescribeFinding(const Finding& finding) {
  return {.rule = std::string(NameOf(finding.rule)),
          .message = finding.message,
          .history = finding.history};
}

}  // namespace

debug::Message DebugServer::Answer(const debug::Request& request) {
  return std::visit(
      [&]<typename Request>(const Request& one) -> debug::Message {
        if constexpr (requires { typename Request::Answer; }) {
          auto answer = Ask(one);
          if (answer) return std::move(*answer);
          return debug::Failure{answer.error().message};
        } else {
          return debug::Failure{"this request has no answer"};
        }
      },
      request);
}

Expected<void> DebugServer::Prepare(const debug::RunRequest& request) {
  core_.goal = request.goal;
  core_.goal.count = std::max<std::uint64_t>(core_.goal.count, 1);
  core_.RemoveAll();
  for (const debug::Breakpoint& one : request.breakpoints) {
    core_.AddOrWait({.number = one.number,
                     .location = one.location,
                     .file = one.file,
                     .condition = one.condition,
                     .global_id = one.global_id,
                     .ignore = one.ignore});
  }
  for (const debug::Watchpoint& one : request.watchpoints) {
    DebugWatchpoint watchpoint{.number = one.number, .kind = one.kind, .text = one.text};
    watchpoint.type = one.type;
    watchpoint.address = one.address;
    watchpoint.bytes = one.bytes;
    watchpoint.item = one.item;
    watchpoint.group = one.group;
    watchpoint.site = one.site;
    if (one.frame) {
      watchpoint.frame = {one.frame->function, one.frame->inlined_at};
      watchpoint.site = one.frame->site;
    }
    watchpoint.condition = one.condition;
    watchpoint.ignore = one.ignore;
    if (auto added = core_.Add(watchpoint); !added) return added;
  }
  core_.caught_rules = request.catches;
  core_.Resume();
  return {};
}

debug::Progress DebugServer::Progress() const {
  debug::Progress progress{.time = core_.time};
  const DebugProgram* program = core_.program();
  if (program == nullptr) return progress;
  const LaunchState& launch = program->launch;
  const std::uint64_t begun = launch.GroupsBegun();
  std::uint64_t running = 0;
  for (const auto& worker : program->workers) {
    const bool runs = worker.get() == core_.current().worker || !worker->current().empty();
    if (runs && worker->group() < begun) ++running;
  }
  progress.groups_done = begun - std::min(begun, running);
  progress.groups = launch.GroupCount();
  const DebugItem& item = core_.current();
  if (item.worker != nullptr) {
    progress.global_id = item.worker->GlobalIdOf(item.group, item.local);
  }
  return progress;
}

debug::SearchResult DebugServer::DescribeSearch(const DebugStop& stop) const {
  debug::SearchResult result{.count_left = stop.count_left, .first_time = stop.first_time};
  if (!stop.found_time) return result;
  result.found = {.time = *stop.found_time,
                  .reason = stop.found_reason,
                  .breakpoints = stop.found_breakpoints,
                  .watch = DescribeHits(core_.program(), stop.watch_hits)};
  if (stop.finding) result.found->finding = DescribeFinding(*stop.finding);
  return result;
}

debug::Stopped DebugServer::Describe(const DebugStop& stop) {
  debug::Stopped told{.reason = stop.reason,
                      .time = stop.time,
                      .breakpoints = stop.breakpoints,
                      .meets_goal = stop.meets_goal,
                      .notes = stop.notes,
                      .ended_watchpoints = stop.ended_watchpoints,
                      .watch = DescribeHits(core_.program(), stop.watch_hits)};
  for (const DebugBreakpoint& one : core_.breakpoints())
    told.hits.push_back({one.number, one.hits});
  for (const DebugWatchpoint& one : core_.watchpoints())
    told.hits.push_back({one.number, one.hits});
  if (stop.reason == DebugStop::Reason::kSearched) {
    told.search = DescribeSearch(stop);
  } else if (stop.finding) {
    told.finding = DescribeFinding(*stop.finding);
    if (core_.program() != nullptr) {
      told.element = DescribeAccessed(core_.program(), core_.current());
    }
  }
  told.count = core_.goal.count;
  told.start = core_.goal.start_marker;
  if (core_.program() != nullptr) {
    told.launch = core_.launches();
    told.kernel = core_.program()->program.kernel;
    told.has_lines = core_.program()->places.has_lines();
    told.where = Where(core_.current());
  }
  return told;
}

}  // namespace assay::interp
