// Running a launch: on how many threads, in which order, and what it came to.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "base/kept_threads.h"
#include "base/threads.h"
#include "interp/detect/detectors.h"
#include "interp/execute/choice.h"
#include "interp/execute/device_queues.h"
#include "interp/execute/execute.h"
#include "interp/execute/packing.h"
#include "interp/launch/schedule.h"
#include "interp/launch/session_state.h"
#include "interp/program/debug_hook.h"

namespace assay::interp {

namespace {

// "OpIAdd", "OpExtInst sin"; sets other than OpenCL.std are not executed.
std::string CountedName(const frontend::Module& module, const frontend::Instruction& instruction) {
  std::string name = frontend::NameOf(instruction.opcode);
  if (instruction.opcode != frontend::Op::kExtInst) return name;
  const std::uint32_t number = module.Operands(instruction)[1];
  const auto rule = frontend::FindInstruction(frontend::ExtendedSet::kOpenClStd, number);
  return rule ? fmt::format("{} {}", name, rule->name) : name;
}

// In an order that does not depend on the threads.
std::vector<MathRecord> MergeMathRecords(const std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<MathRecord> merged;
  for (const auto& worker : workers) {
    std::ranges::move(worker->math_records(), std::back_inserter(merged));
  }
  std::ranges::stable_sort(
      merged, {}, [](const MathRecord& record) { return std::pair(record.group, record.item); });
  return merged;
}

// The findings of all threads in the order of work-groups, each place once.
std::vector<Finding> MergeFindings(std::span<const std::unique_ptr<Worker>> workers) {
  Worker::Findings merged;
  for (const auto& worker : workers) {
    for (const auto& [key, found] : worker->findings()) {
      const auto [place, added] = merged.try_emplace(key, found);
      if (added) continue;
      const std::uint64_t count = place->second.finding.count + found.finding.count;
      if (found.group < place->second.group) place->second = found;
      place->second.finding.count = count;
    }
  }
  std::vector<const Worker::Found*> order;
  for (const auto& [key, found] : merged) order.push_back(&found);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->group, a->number) < std::pair(b->group, b->number);
  });
  std::vector<Finding> findings;
  for (const auto* found : order) findings.push_back(found->finding);
  if (workers.size() == 1 && workers[0]->launch().groups_in_batch == 1) return findings;
  // They were found in another order.
  bool after = false;
  for (Finding& finding : findings) {
    finding.after_undefined_behavior = after;
    after = after || finding.finding_class == FindingClass::kUndefinedBehavior;
  }
  return findings;
}

// Marks the regions of the launch's memory that accesses may reach, at their first places.
class Places {
 public:
  explicit Places(const LaunchState& launch, bool all = false)
      : launch_(launch), marked_(launch.memory->regions().size(), all) {}

  void Mark(Address address) {
    const auto regions = launch_.memory->regions();
    const int shift = launch_.memory->layout().place_bits;
    if (address == 0 || (address >> shift) >= regions.size()) return;
    marked_[regions[address >> shift].address >> shift] = true;
  }
  // Each eight bytes of a parameter may be an address.
  void MarkParameter(const std::vector<std::byte>& bytes) {
    Address address = 0;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof address) {
      std::memcpy(&address, bytes.data() + at, std::min(sizeof address, bytes.size() - at));
      Mark(address);
    }
  }
  void MarkAll(const Reached& reached) {
    for (const std::uint64_t address : reached.addresses) Mark(address);
    for (const std::uint32_t i : reached.parameters) MarkParameter(launch_.parameters[i]);
  }
  std::vector<bool> Take() { return std::move(marked_); }

 private:
  const LaunchState& launch_;
  std::vector<bool> marked_;
};

// Which regions stores and atomics of the program may reach.
void FindWrittenPlaces(LaunchState* launch, const LaunchRequest& request) {
  const Program& program = *launch->program;
  // Launches that run at the same time may write what this one only reads.
  const bool by_others = launch->queues != nullptr && launch->queues->keeps_accesses;
  Places places(*launch, program.written.anywhere || by_others);
  places.MarkAll(program.written);
  for (const LaunchState::Image& image : launch->images) {
    if (program.writes_images && image.access != ImageAccess::kReadOnly) places.Mark(image.address);
  }
  if (request.keep_accesses) {
    // Other commands may write what this launch only reads.
    for (const auto& bytes : launch->parameters) places.MarkParameter(bytes);
    for (const LaunchState::Image& image : launch->images) places.Mark(image.address);
    for (const Address address : request.also_reached) places.Mark(address);
  }
  launch->written_places = places.Take();
}

// Small objects that are only added to, where nobody else can look at them meanwhile.
void FindAddedObjects(LaunchState* launch, const LaunchRequest& request) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 16;  // beyond, threads seldom meet
  const Program& program = *launch->program;
  launch->added_objects.clear();
  if (!launch->is_parallel || program.needs_order || program.has_acquire_release ||
      program.added.anywhere || program.accessed_otherwise.anywhere || request.keep_accesses ||
      launch->options.has_host_atomics || !launch->images.empty() || launch->queues != nullptr ||
      launch->envelope != nullptr || TakesTurns(launch->options)) {
    return;
  }
  Places added(*launch), others(*launch);
  added.MarkAll(program.added);
  others.MarkAll(program.accessed_otherwise);
  const std::vector<bool> is_added = added.Take(), is_other = others.Take();
  const auto regions = launch->memory->regions();
  for (std::size_t place = 0; place < regions.size(); ++place) {
    const Region& region = regions[place];
    if (is_added[place] && !is_other[place] && region.host != nullptr &&
        region.bytes <= kMostBytes) {
      launch->added_objects.push_back({region.host, region.bytes});
    }
  }
}

// Every thread for itself; or by turns, where groups are dealt.
void RunThreads(LaunchState* launch, std::span<const std::unique_ptr<Worker>> workers) {
  const auto count = static_cast<std::uint32_t>(workers.size());
  if (launch->options.deal != 0 && count > 1) {
    ChoiceSource dealer(launch->options.deal, {}, false);
    launch->hands.resize(launch->GroupCount());
    std::uint32_t next = 0;
    for (std::uint32_t& hand : launch->hands) hand = (next++ + dealer.Choose(count)) % count;
    const std::uint32_t first = dealer.Choose(count);
    for (std::uint32_t i = 0; i < count; ++i) workers[(first + i) % count]->Run();
    return;
  }
  base::RunOnKeptThreads(static_cast<int>(count),
                         [&workers](int i) { workers[static_cast<std::size_t>(i)]->Run(); });
}

// What a launch needs on each thread, and on how many it runs.
struct Plan {
  std::uint64_t items = 1;    // of a group
  std::uint64_t batches = 1;  // that are there at once
  std::uint64_t batch_bytes = 0;
  std::uint64_t room = 0;  // bytes that are left for all threads
  bool fits = false;
  std::uint64_t each = 1;  // bytes of one thread
  std::uint64_t threads = 1;
};

Plan PlanFor(const LaunchState& launch) {
  const Program& program = *launch.program;
  const Memory& memory = *launch.memory;
  Plan plan;
  auto threads = static_cast<std::uint64_t>(base::ThreadCount(launch.options.threads));
  // Accesses beside restrict pointers are recorded in one place.
  if (program.needs_order || !launch.pointers.accessed.empty()) threads = 1;
  if (program.debug != nullptr) threads = 1;
  if (launch.queues != nullptr && launch.queues->keeps_accesses) threads = 1;
  threads = std::max<std::uint64_t>(1, std::min(threads, launch.GroupCount()));
  // What a thread needs: local memory, and all of a group's work-items where they wait for others.
  plan.items = launch.local[0] * launch.local[1] * launch.local[2];
  const auto width = static_cast<std::uint64_t>(program.width);
  plan.batches = program.has_sync ? (plan.items + width - 1) / width : 1;
  plan.room = memory.max_bytes() - memory.used_bytes();
  plan.batch_bytes = BatchBytes(program);
  plan.fits = launch.local_bytes <= plan.room &&
              plan.batch_bytes <= (plan.room - launch.local_bytes) / plan.batches;
  if (!plan.fits) return plan;
  plan.each = std::max<std::uint64_t>(plan.batches * plan.batch_bytes + launch.local_bytes, 1);
  plan.threads = std::max<std::uint64_t>(1, std::min(threads, plan.room / plan.each));
  return plan;
}

LaunchResult TooLarge(const LaunchState& launch, const Plan& plan) {
  LaunchResult result;
  result.end = LaunchEnd::kMemoryLimit;
  result.message = fmt::format(
      "a work-group of {} work-items needs {} bytes of local memory and {} times {} bytes of "
      "registers and private variables; the limit is {} bytes (--max-memory)",
      plan.items, launch.local_bytes, plan.batches, plan.batch_bytes, launch.memory->max_bytes());
  result.local_size = launch.local;
  return result;
}

// A copy of more bytes than this may cost more than a program that screens gains.
constexpr std::uint64_t kFewBytes = std::uint64_t{1} << 16;
constexpr std::uint64_t kBytesPerItem = 64;

// Keeps what the launch may change; false: for a program that screens it is too much.
bool KeepBefore(LaunchState* launch, const Plan& plan, Kept* kept) {
  const std::vector<bool>& places = launch->written_places;
  const std::array<std::uint64_t, 3>& global = launch->range.global;
  const double items = static_cast<double>(global[0]) * static_cast<double>(global[1]) *
                       static_cast<double>(global[2]);
  const std::uint64_t bytes = Snapshot::BytesOf(*launch->memory, &places);
  if (kept->screens && (static_cast<double>(bytes) > kFewBytes + kBytesPerItem * items ||
                        !launch->budget.Fits(4 * bytes, "a copy of the buffers"))) {
    return false;
  }
  kept->copy.emplace(*launch->memory, static_cast<int>(plan.threads), &places);
  return true;
}

// What follows from the program and the options before anything is executed.
void Prepare(LaunchState* launch) {
  // The arguments have their memory now.
  if (launch->envelope_records != nullptr) {
    launch->envelope_records->Reserve(launch->memory->regions().size());
  }
  for (LaunchState::LocalObject& object : launch->local_objects) {
    object.offset = (launch->local_bytes + 127) & ~std::uint64_t{127};
    launch->local_bytes = object.offset + object.bytes;
  }
  for (const MathCall& call : launch->program->math_calls) {
    launch->evaluators.push_back(std::make_unique<numerics::RoundedEvaluator>(
        call.operation, call.control.rounding, call.control.flush_to_zero));
  }
  // What an undefined value reads as; seed 0 has a pattern that is easy to recognise.
  launch->undefined_byte =
      static_cast<std::byte>(0xa5 ^ (launch->options.seed * 0x9e3779b97f4a7c15 >> 56));
}

using Workers = std::vector<std::unique_ptr<Worker>>;

// Older values can be read where the race detector keeps them.  What a kernel enqueues is a launch
// of its own, and in lock step turns are taken together.
bool CanExplore(const LaunchState& launch) {
  return launch.races != nullptr && launch.program->detectors.Has(Detector::kRaces) &&
         launch.program->queue_calls.empty() && launch.program->debug == nullptr &&
         launch.options.forward_progress == ForwardProgress::kUnstated;
}

// As many groups at once as make up some hundred work-items, by turns on one thread.
void RunByTurns(LaunchState* launch, const Plan& plan, bool explores, Workers* workers,
                LaunchResult* result) {
  ChoiceSource own(launch->options.seed, launch->options.choices, launch->options.record_choices);
  // Those that a launch and its children share.
  ChoiceSource& choices = launch->choices != nullptr ? *launch->choices : own;
  const std::uint64_t resident =
      std::clamp<std::uint64_t>(512 / std::max<std::uint64_t>(plan.items, 1), 1, 16);
  const std::uint64_t count = std::min({resident, launch->GroupCount(), plan.room / plan.each});
  launch->choices = &choices;
  launch->definedness = launch->watches->WatchDefinedness();
  launch->races = launch->watches->WatchRaces(*launch, true);
  for (std::uint64_t i = 0; i < std::max<std::uint64_t>(count, 1); ++i) {
    workers->push_back(std::make_unique<Worker>(launch));
  }
  if (launch->program->debug != nullptr) launch->options.debug->Begin(launch, *workers);
  Scheduler scheduler(launch, *workers, &choices, explores && CanExplore(*launch));
  scheduler.Run();
  if (explores && CanExplore(*launch)) result->execution = scheduler.Execution();
  launch->choices = nullptr;
  result->choices = choices.made();
}

void RunOnWorkers(LaunchState* launch, const Plan& plan, Workers* workers) {
  launch->shares.Deal(launch->GroupCount(), plan.threads, launch->groups_in_batch);
  for (std::uint32_t i = 0; i < plan.threads; ++i) {
    workers->push_back(std::make_unique<Worker>(launch, i));
  }
  if (launch->program->debug != nullptr) launch->options.debug->Begin(launch, *workers);
  RunThreads(launch, *workers);
}

void TakeFindings(const LaunchState& launch, const Workers& workers, LaunchResult* result) {
  result->findings = MergeFindings(workers);
  // Between two looks at the limit there may be more.
  if (result->findings.size() > launch.options.max_findings) {
    result->findings.erase(
        result->findings.begin() + static_cast<std::ptrdiff_t>(launch.options.max_findings),
        result->findings.end());
  }
  result->has_conflicts = launch.races == nullptr && HaveConflicts(workers);
}

void TakeMathRecords(const LaunchState& launch, const Workers& workers, LaunchResult* result) {
  result->math_records = MergeMathRecords(workers);
  if (result->math_records.size() <= launch.options.max_math_records) return;
  result->end = LaunchEnd::kMemoryLimit;
  result->message = fmt::format(
      "more than {} results of built-ins were to be recorded; use a smaller index space",
      launch.options.max_math_records);
  result->math_records.clear();
}

void CountInstructions(const LaunchState& launch, const Workers& workers, LaunchResult* result) {
  if (!launch.options.count_instructions) return;
  const frontend::Module& module = *launch.module;
  for (std::size_t block = 0; block < launch.program->blocks.size(); ++block) {
    std::uint64_t count = 0;
    for (const auto& worker : workers) count += worker->block_counts()[block];
    if (count == 0) continue;
    for (const std::uint32_t origin : launch.program->block_origins[block]) {
      result->instruction_counts[CountedName(module, module.instructions[origin])] += count;
    }
  }
}

}  // namespace

LaunchResult ExecuteLaunch(LaunchState* launch, const LaunchRequest& request, Kept* kept) {
  Prepare(launch);
  const Plan plan = PlanFor(*launch);
  if (!plan.fits) return TooLarge(*launch, plan);
  launch->is_parallel = plan.threads > 1;
  if (!TakesTurns(launch->options)) {
    const std::uint64_t groups = GroupsInBatch(*launch, plan.threads);
    const std::uint64_t more = (groups - 1) * launch->local_bytes;
    if (more <= plan.room / plan.threads - plan.each) launch->groups_in_batch = groups;
  }
  FindWrittenPlaces(launch, request);
  FindAddedObjects(launch, request);
  Workers workers;
  LaunchResult result;
  const double begin = base::ThreadSeconds();
  launch->keeps_written_places = kept != nullptr;
  if (kept != nullptr && !KeepBefore(launch, plan, kept)) {
    result.end = LaunchEnd::kMemoryLimit;
    return result;
  }
  result.cpu_seconds = base::ThreadSeconds() - begin;
  if (TakesTurns(launch->options)) {
    RunByTurns(launch, plan, request.explores, &workers, &result);
    result.threads = 1;
  } else {
    RunOnWorkers(launch, plan, &workers);
    result.threads = static_cast<int>(plan.threads);
  }
  if (launch->queues != nullptr && launch->queues->keeps_accesses) {
    const RaceWatch* races = launch->races != nullptr ? launch->races.get() : workers[0]->races();
    if (races != nullptr) launch->kept_accesses = races->KeptAccesses();
  }
  if (request.keep_accesses) result.accesses = AccessedBy(*launch, workers);
  if (launch->program->debug != nullptr) launch->options.debug->End();
  // Each worker has the whole of what was left at its last look.
  if (launch->end == LaunchEnd::kCompleted && launch->IsOverLimit()) launch->StopAtLimit();
  result.end = launch->end;
  result.message = launch->message;
  TakeFindings(*launch, workers, &result);
  if (result.end == LaunchEnd::kCompleted) {
    std::ranges::move(FindUncommitted(*launch), std::back_inserter(result.findings));
  }
  result.output = std::move(launch->output);
  result.instructions = launch->instructions;
  result.local_size = launch->local;
  for (const auto& worker : workers) result.cpu_seconds += worker->cpu_seconds();
  TakeMathRecords(*launch, workers, &result);
  CountInstructions(*launch, workers, &result);
  return result;
}

}  // namespace assay::interp
