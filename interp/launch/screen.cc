// A first run of a launch under detectors, by a program that is optimised as one without them.
#include <algorithm>
#include <optional>
#include <utility>

#include "interp/launch/session_state.h"
#include "interp/launch/snapshot.h"

namespace assay::interp {
namespace {

// Of a kernel that has more, a second program takes too long to make.
constexpr std::size_t kMostCode = std::size_t{1} << 15;

bool HasUndefined(const Program& program) {
  return std::ranges::any_of(program.constants, &ConstantRegister::undefined);
}

// Said of an access, which may be left out.
bool IsOfAccess(const CheckCall& call) {
  return call.check == Check::kWriteThroughConst || call.check == Check::kPureFunctionWrites ||
         call.check == Check::kConstFunctionReads;
}

// Not where something hangs on the order of work-items, which may be another one in another
// program; nor where accesses that may be left out are looked at for more than their bytes:
// pointers in memory, accesses beside restrict pointers; nor where stores may reach more than can
// be put back: anything, pipes. A program with undefined values among the operands of its
// instructions computes with undefined bits at once.
bool MayScreen(const Program& program) {
  const bool is_short =
      !program.has_sync && std::ranges::none_of(program.blocks, &FlatBlock::is_loop);
  if (is_short) return false;  // the copy of the buffers would cost more
  return !program.needs_order && !program.has_spins && !program.has_acquire_release &&
         program.queue_calls.empty() && program.pipe_calls.empty() && !program.stores_addresses &&
         !program.written.anywhere && program.restrict_pointers.empty() &&
         std::ranges::none_of(program.checks, IsOfAccess) && program.code.size() <= kMostCode &&
         !HasUndefined(program);
}

}  // namespace

// The program, or null; or an error, which the launch comes to as well.
Expected<const Program*> Session::State::FindScreen(const LaunchRequest& request, int width) {
  const frontend::EntryPoint* entry = module->FindKernel(request.kernel);
  if (entry == nullptr || options.detectors.IsEmpty() || !options.screens ||
      options.envelope != nullptr || options.imprecision != nullptr || options.records_math ||
      request.options.debug != nullptr || request.options.has_host_atomics ||
      request.options.is_shared || TakesTurns(request.options)) {
    return nullptr;
  }
  {
    const std::lock_guard lock(mutex);
    if (unscreened.contains(request.kernel)) return nullptr;
  }
  const auto precise = Lower(*entry, width);
  if (!precise || !MayScreen(**precise) || MayShareBatches(**precise, *entry, request)) {
    return nullptr;
  }
  const auto program = Lower(*entry, width, true);
  return program && HasUndefined(**program) ? nullptr : program;
}

std::optional<LaunchResult> Session::State::Screen(const TimedRequest& request,
                                                   LaunchResult* given_up) {
  const int width = std::clamp(options.batch_width, 1, 64);
  const auto program = FindScreen(request, width);
  if (!program || *program == nullptr) return std::nullopt;
  Kept kept{.screens = true, .copy = {}};
  TimedRequest quiet = request;
  quiet.options.output = nullptr;  // until it is sure
  auto result = LaunchOnce(quiet, width, true, &kept);
  if (result && !kept.copy) return std::nullopt;  // nothing was executed
  // Who asked for an end waits for no second run, and a limit on time leaves nothing for one.
  const auto has_ended = [](LaunchEnd end) {
    return end == LaunchEnd::kCompleted || end == LaunchEnd::kStopped ||
           end == LaunchEnd::kTimeLimit;
  };
  if (result && has_ended(result->end) && result->findings.empty() && !result->has_conflicts) {
    if (request.options.output && !result->output.empty()) {
      request.options.output(result->output);
      result->output.clear();
    }
    return std::move(*result);
  }
  if (result) *given_up = std::move(*result);
  if (kept.copy) kept.copy->Restore();
  const std::lock_guard lock(mutex);
  unscreened.insert(request.kernel);
  return std::nullopt;
}

TimedRequest::TimedRequest(const LaunchRequest& request)
    : LaunchRequest(request),
      deadline(std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                   std::chrono::duration<double>(std::min(options.timeout_seconds, 1e9)))) {}

Expected<LaunchResult> Session::State::Launch(const LaunchRequest& given) {
  const TimedRequest request(given);
  LaunchResult first;
  if (auto screened = Screen(request, &first)) return std::move(*screened);
  auto result = LaunchFully(request);
  if (!result) return result;
  result->cpu_seconds += first.cpu_seconds;
  // An end on request, or at a limit on time, may come before what was found is found again.
  const bool is_early = result->end == LaunchEnd::kStopped || result->end == LaunchEnd::kTimeLimit;
  if (is_early && result->findings.empty()) {
    result->findings = std::move(first.findings);
  }
  return result;
}

}  // namespace assay::interp
