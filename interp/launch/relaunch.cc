// Launches that have to be made more than once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/threads.h"
#include "interp/execute/batch.h"
#include "interp/execute/packing.h"
#include "interp/execute/stragglers.h"
#include "interp/launch/session_state.h"
#include "interp/launch/snapshot.h"
#include "interp/program/debug_hook.h"
#include "interp/rules/rule.h"

namespace assay::interp {

namespace {

constexpr int kCanonicalWidth = 64;

// A group that waits for another one, which need not run at the same time.
Finding WaitsForGroup(Finding livelock) {
  livelock.TellAs(Rule::kGroupProgress);
  livelock.message =
      "the work-item waits for another work-group; this ends only where the groups run at the same "
      "time, which OpenCL does not promise";
  livelock.history.clear();
  return livelock;
}

// Without progress groups ran backwards (Worker::GroupAt).  Those that wait for a later one are
// seen when they run forwards.
Expected<void> SeeForwards(const std::function<Expected<LaunchResult>()>& again,
                           LaunchRequest* quiet, Expected<LaunchResult>* result) {
  quiet->options.forward_progress = ForwardProgress::kSubgroup;
  const auto forwards = again();
  if (!forwards) return tl::unexpected(forwards.error());
  if (forwards->end != LaunchEnd::kDeadlock || forwards->findings.empty()) return {};
  quiet->options.record_choices = true;
  const auto by_turns = again();
  if (!by_turns) return tl::unexpected(by_turns.error());
  if (by_turns->end == LaunchEnd::kCompleted) {
    (*result)->findings.push_back(WaitsForGroup(forwards->findings.back()));
  } else {
    *result = by_turns;
    (*result)->choices.clear();
  }
  return {};
}

std::array<std::uint64_t, 3> LocalOf(const frontend::EntryPoint& entry, const NdRange& range) {
  std::array<std::uint64_t, 3> local = range.local ? *range.local : ChooseLocalSize(range);
  if (entry.required_local_size) std::ranges::copy(*entry.required_local_size, local.begin());
  return local;
}

std::uint64_t CountGroups(const frontend::EntryPoint& entry, const NdRange& range) {
  const std::array<std::uint64_t, 3> local = LocalOf(entry, range);
  std::uint64_t groups = 1;
  for (std::size_t d = 0; d < 3 && d < static_cast<std::size_t>(range.dimensions); ++d) {
    const std::uint64_t size = std::max<std::uint64_t>(local[d], 1);
    // So many are not counted to the end.
    groups = std::min<std::uint64_t>(groups, 1U << 30) *
             std::min<std::uint64_t>((range.global[d] + size - 1) / size, 1U << 30);
  }
  return groups;
}

// Whether there is one work-group, with no more work-items than a batch has.
bool IsOneBatch(const frontend::EntryPoint& entry, const NdRange& range, std::uint64_t width) {
  const std::array<std::uint64_t, 3> local = LocalOf(entry, range);
  std::uint64_t items = 1;
  for (std::size_t d = 0; d < 3 && d < static_cast<std::size_t>(range.dimensions); ++d) {
    const std::uint64_t size = range.global[d];
    if (size == 0 || size > width || local[d] < size) return false;
    items *= size;
  }
  return items <= width;
}

// Without a limit the first look at it gives no work-item time, so that they would take turns in an
// order that nobody expects.
TimedRequest ForDebugger(TimedRequest request) {
  if (request.options.max_instructions == 0) {
    request.options.max_instructions = std::uint64_t{1} << 62;
  }
  return request;
}

// printf's output, where somebody takes it.
void HandOver(const LaunchOptions& options, std::string* output) {
  if (!options.output || output->empty()) return;
  options.output(*output);
  output->clear();
}

}  // namespace

bool MayShareBatches(const Program& program, const frontend::EntryPoint& entry,
                     const LaunchRequest& request) {
  const NdRange& range = request.range;
  const std::array<std::uint64_t, 3> local = LocalOf(entry, range);
  std::uint64_t items = 1;
  bool are_several = false;
  for (int d = 0; d < std::min(range.dimensions, 3); ++d) {
    const std::uint64_t size = local[static_cast<std::size_t>(d)];
    if (size == 0 || size > kMaxLanes) return false;
    items *= size;
    are_several = are_several || range.global[static_cast<std::size_t>(d)] > size;
  }
  return are_several && MayPack(program, request.options, items);
}

bool Session::State::IsSmall(const std::string& kernel, std::uint64_t groups) {
  // All in what an instruction of one work-item costs: some nanoseconds.
  constexpr std::uint64_t kOfGroup = 256;
  constexpr std::uint64_t kOfThreads = 16384;
  constexpr std::uint64_t kBytesPerInstruction = 32;  // that are copied at the same time
  const std::lock_guard lock(mutex);
  const auto past = pasts.find(kernel);
  if (past == pasts.end()) return false;
  const std::uint64_t cost = past->second.instructions + kOfGroup * groups;
  return cost < std::max(kOfThreads, past->second.copied / kBytesPerInstruction);
}

// A run is made again where one way of executing is not enough.  Under detectors one that found
// something: again in a way that does not depend on the number of threads or the width of batches,
// because what a kernel with undefined behaviour does, and what is found first, may depend on the
// order in which its work-items are executed.  So does how far they came at a limit on
// instructions; or among which of another group.  And one in which a group waits for another one,
// which had not begun: again with groups that take turns.
Expected<LaunchResult> Session::State::LaunchFully(const TimedRequest& request) {
  int width = std::clamp(options.batch_width, 1, kCanonicalWidth);
  if (request.options.debug != nullptr) {
    return LaunchOnce(ForDebugger(request), request.options.debug->shadows ? -1 : 0);
  }
  // Records of ranges are not taken back.
  if (options.envelope != nullptr) return LaunchOnce(request, width);
  if (TakesTurns(request.options)) return LaunchOnce(request, kCanonicalWidth);
  const frontend::EntryPoint* entry = module->FindKernel(request.kernel);
  if (entry == nullptr) return LaunchOnce(request, width);  // the error
  auto program = Lower(*entry, width);
  if (!program) return tl::unexpected(program.error());
  const bool watches = !options.detectors.IsEmpty();
  if (options.detectors.Has(Detector::kRaces) &&
      ((*program)->has_acquire_release || !(*program)->queue_calls.empty())) {
    // Of several loads that releases may order some are forgotten (Races): which ones, and so
    // whether a race is seen, depends on the order of the loads.  So does which accesses are kept
    // for launches that run at the same time.
    width = kCanonicalWidth;
    program = Lower(*entry, width);
    if (!program) return tl::unexpected(program.error());
  }
  if (watches && !(*program)->needs_order && request.options.max_instructions == 0 &&
      IsSmall(request.kernel, CountGroups(*entry, request.range))) {
    TimedRequest alone = request;
    alone.options.threads = 1;
    auto result = LaunchOnce(alone, kCanonicalWidth);
    const std::lock_guard lock(mutex);
    if (result) pasts[request.kernel].instructions = result->instructions;
    return result;
  }
  const auto room_for = [&](std::uint64_t copies) {
    return options.budget.Fits(copies * Snapshot::BytesOf(*memory),
                               "a copy of the buffers, to run again from (--detect none)");
  };
  // One batch is executed by one thread, and by itself.
  const bool is_one_batch = IsOneBatch(*entry, request.range, kCanonicalWidth);
  const bool has_canonical_threads =
      width == kCanonicalWidth && (request.options.threads == 1 || is_one_batch);
  const bool needs_copy = !has_canonical_threads || (*program)->needs_order;
  // A copy for this alone must not be what a limit is reached by.
  const bool may_regroup =
      watches && !is_one_batch &&
      (MayLeaveGroups(**program) || MayShareBatches(**program, *entry, request)) &&
      (needs_copy || room_for(4).has_value());
  const bool is_canonical = has_canonical_threads && !may_regroup;
  const bool may_differ = !is_canonical && (watches || request.options.max_instructions != 0);
  if (!(*program)->needs_order && !may_differ) return LaunchOnce(request, width);
  if (auto good = room_for(1); !good) return tl::unexpected(good.error());
  return LaunchKept(request, **program, width, may_regroup);
}

// With a copy of what the launch may change, to begin again from.
Expected<LaunchResult> Session::State::LaunchKept(const TimedRequest& request,
                                                  const Program& program, int width,
                                                  bool may_regroup) {
  Kept kept;
  // What it may change is known when its arguments are bound; but not what it enqueues, nor pipes.
  // Whoever stores elsewhere is found, and does so in the second run: so there has to be one.
  const bool is_known = !options.detectors.IsEmpty() && !program.needs_order &&
                        !program.written.anywhere && program.queue_calls.empty() &&
                        program.pipe_calls.empty();
  if (!is_known) kept.copy.emplace(*memory, base::ThreadCount(request.options.threads));
  TimedRequest quiet = request;
  quiet.options.output = nullptr;  // until it is sure
  auto result = LaunchOnce(quiet, width, may_regroup, is_known ? &kept : nullptr);
  if (!result) return result;
  if (kept.copy) {
    const std::lock_guard lock(mutex);
    pasts[request.kernel] = {.instructions = result->instructions, .copied = kept.copy->bytes()};
  }
  const auto again = [&]() -> Expected<LaunchResult> {
    if (kept.copy) kept.copy->Restore();
    const double spent = result->cpu_seconds;
    auto next = LaunchOnce(quiet, kCanonicalWidth);
    if (next) next->cpu_seconds += spent;
    return next;
  };
  // Where no finding is allowed any more none is kept, either.
  const bool found =
      !options.detectors.IsEmpty() && (!result->findings.empty() || result->has_conflicts ||
                                       result->end == LaunchEnd::kFindingLimit);
  const bool is_cut = result->end == LaunchEnd::kInstructionLimit;
  const bool is_told =
      width == kCanonicalWidth && result->threads == 1 && !may_regroup && !is_known;
  // Who asked for an end waits for no second run, and a limit leaves nothing for one.
  if ((found || is_cut) && !is_told && result->end != LaunchEnd::kStopped &&
      !options.budget.IsExceeded() && !request.IsLate()) {
    quiet.options.threads = 1;
    result = again();
    if (!result) return result;
  }
  if (result->end == LaunchEnd::kCompleted && program.has_spins && program.needs_order &&
      request.options.forward_progress == ForwardProgress::kNone) {
    if (auto seen = SeeForwards(again, &quiet, &result); !seen) return tl::unexpected(seen.error());
  }
  if (result->end == LaunchEnd::kDeadlock && program.needs_order) {
    const Finding livelock = result->findings.back();
    quiet.options.record_choices = true;  // groups take turns
    result = again();
    if (!result) return result;
    result->choices.clear();
    if (result->end == LaunchEnd::kCompleted &&
        request.options.forward_progress != ForwardProgress::kWorkGroup) {
      result->findings.push_back(WaitsForGroup(livelock));
    }
  }
  HandOver(request.options, &result->output);
  return result;
}

}  // namespace assay::interp
