#include "interp/execute/ordered.h"

#include <bit>
#include <vector>

#include "interp/execute/choice.h"
#include "interp/execute/execute.h"
#include "interp/execute/execution_graph.h"
#include "interp/execute/lane_bits.h"
#include "interp/execute/plain_atomics.h"
#include "interp/program/memory_order.h"

namespace assay::interp {

namespace {

// No spins, envelopes or threads of the host have to do with an atomic operation.
bool IsAlone(Worker& worker) {
  return !worker.launch().program->has_spins && worker.watchers().envelope() == nullptr &&
         !worker.launch().options.has_host_atomics;
}

// Whether detectors have nothing to say of an operation of the lanes, from the first one on, is
// known before it is made, and then recorded; returns those lanes.
std::uint64_t RecordPlain(RunningBatch& running, const FlatSync& sync, const AtomicCall& call,
                          std::uint64_t lanes) {
  Batch& batch = running.batch;
  const std::uint32_t size = BytesOf(sync.kind);
  const auto* addresses = batch.Register<Address>(sync.operands[0]);
  const bool compares = IsCompareExchange(call.opcode);
  if (batch.tainted) return 0;
  std::uint64_t there = 0;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::byte* const bytes = PlainBytes(batch, lane, addresses[lane], size);
    if (bytes == nullptr) break;
    // One that fails is a load.
    if (compares &&
        ReadBits(bytes, size) != ReadLane(running, sync.operands[2], sync.operand_kinds[2], lane)) {
      break;
    }
    there |= rest & -rest;
    if (compares) break;
  }
  if (there == 0) return 0;
  return there & ~RecordPlainAtomics(batch, sync.instruction, call, addresses, size, there);
}

// Tells a complete exploration what has been executed.
void AddToGraph(const Worker& worker, const Batch& batch, Address address,
                const ExecutionGraph::Access& access) {
  const ChoiceSource* const choices = worker.launch().choices;
  if (choices == nullptr || choices->graph() == nullptr) return;
  ExecutionGraph::Access located = access;
  located.location = LocationAt(batch, address);
  choices->graph()->Add(located);
}

}  // namespace

OrderedInstructions::OrderedInstructions(Worker* worker, PrintfOutput* output)
    : worker_(*worker), output_(*output), program_(*worker->launch().program) {}

TurnResult OrderedInstructions::Execute(RunningBatch& running, int lane, std::uint32_t block) {
  const FlatSync& sync = program_.syncs[program_.blocks[block].sync];
  // Waiting in turns is work too: a lock that is never released ends at a limit.
  worker_.Spend(16);
  worker_.SpendMeeting();
  Activate(running, std::uint64_t{1} << lane);
  worker_.watchers().UseOperands(running, std::uint64_t{1} << lane, sync);
  if (EnvelopeWatch* const envelope = worker_.watchers().envelope()) {
    const SubgroupPart part = {&running, std::uint64_t{1} << lane};
    envelope->Meet(std::span(&part, 1), sync);
  }
  // Each row that work-items execute alone has its function; another one is never here.
#define EXECUTE_Pure(name)
#define EXECUTE_Lanes(name)
#define EXECUTE_InSubgroup(name)
#define EXECUTE_AtNamed(name)
#define EXECUTE_Together(name)
#define EXECUTE_Alone(name) \
  if (sync.opcode == Opcode::k##name) Execute##name(running, lane, sync);
#define OPCODE(name, results, operands, executed, ...) EXECUTE_##executed(name)
#include "interp/program/opcodes.def"
#undef OPCODE
#undef EXECUTE_Pure
#undef EXECUTE_Lanes
#undef EXECUTE_InSubgroup
#undef EXECUTE_AtNamed
#undef EXECUTE_Together
#undef EXECUTE_Alone
  return last_;
}

bool OrderedInstructions::ExecuteInTurn(RunningBatch& running, std::uint64_t lanes,
                                        std::uint32_t block) {
  const FlatSync& sync = program_.syncs[program_.blocks[block].sync];
  if (sync.opcode == Opcode::kAtomic && NothingWatches()) {
    return ExecuteUnwatched(running, lanes, sync);
  }
  bool changed = false;
  bool may_be_plain = sync.opcode == Opcode::kAtomic && IsAlone(worker_);
  while (lanes != 0) {
    const std::uint64_t plain =
        may_be_plain
            ? RecordPlain(running, sync, program_.atomic_calls[sync.instruction.immediate], lanes)
            : 0;
    if (plain != 0) {
      changed = ExecuteUnwatched(running, plain, sync) || changed;
      lanes &= ~plain;
      continue;
    }
    // What is not simple once is mostly not simple again.
    may_be_plain = false;
    changed = Execute(running, std::countr_zero(lanes), block).changed || changed;
    lanes &= lanes - 1;
  }
  return changed;
}

// Whether an atomic operation is no more than its effect on memory.
bool OrderedInstructions::NothingWatches() const {
  return program_.detectors.IsEmpty() && worker_.races() == nullptr &&
         worker_.definedness() == nullptr && IsAlone(worker_);
}

// What ExecuteAtomic does if NothingWatches, or nothing is to be found, without asking for each
// lane.
bool OrderedInstructions::ExecuteUnwatched(RunningBatch& running, std::uint64_t lanes,
                                           const FlatSync& sync) {
  worker_.Spend(16 * static_cast<std::uint64_t>(std::popcount(lanes)));
  Activate(running, lanes);
  const frontend::Op opcode = program_.atomic_calls[sync.instruction.immediate].opcode;
  const Kind kind = sync.kind;
  const std::uint32_t size = BytesOf(kind);
  const std::uint64_t mask = MaskOf(kind);
  const std::size_t operands = sync.operands.size();
  const std::uint32_t* const offsets = sync.operands.data();
  const Kind* const kinds = sync.operand_kinds.data();
  const bool returns = !sync.results.empty();
  const std::uint32_t result = returns ? sync.results[0] : 0;
  const Kind result_kind = returns ? sync.result_kinds[0] : kind;
  bool changed = false;
  // Work-items often meet at one place; its value then need not come from memory again.
  std::byte* known = nullptr;
  std::uint64_t value = 0;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Address address = ReadLane(running, offsets[0], Kind::kI64, lane);
    std::byte* bytes = PlainBytes(running.batch, lane, address, size);
    if (bytes == nullptr) {
      bytes =
          ResolveAccess(running.batch, sync.instruction, lane, address, size, AccessKind::kAtomic);
    }
    std::uint64_t before = 0;
    if (bytes != nullptr) {
      before = bytes == known ? value : ReadBits(bytes, size);
      const std::uint64_t operand =
          operands > 1 ? ReadLane(running, offsets[1], kinds[1], lane) : 0;
      const std::uint64_t other = operands > 2 ? ReadLane(running, offsets[2], kinds[2], lane) : 0;
      const std::uint64_t after = AfterAtomic(opcode, kind, before, operand, other) & mask;
      if (after != before) {
        WriteBits(bytes, size, after);
        changed = true;
      }
      known = bytes;
      value = after;
    }
    if (returns) WriteLane(running, result, result_kind, lane, before);
  }
  return changed;
}

void OrderedInstructions::ExecutePrintf(RunningBatch& running, int lane, const FlatSync& sync) {
  last_ = {0, true};
  output_.Print(running, lane, sync);
}

void OrderedInstructions::ExecutePipe(RunningBatch& running, int lane, const FlatSync& sync) {
  const PipeCall& call = program_.pipe_calls[sync.instruction.immediate];
  const Pipes::Outcome outcome = worker_.pipes().Execute(running, lane, sync, call);
  last_ = {outcome.value, outcome.changed};
  if (!sync.results.empty()) {
    WriteLane(running, sync.results[0], sync.result_kinds[0], lane, outcome.value);
  }
}

void OrderedInstructions::ExecuteArriveBarrier(RunningBatch& running, int lane,
                                               const FlatSync& sync) {
  last_ = {0, true};
  worker_.partial_barriers().Arrive(running, lane, sync);
}

// Where in the modification order of its object the operation is, from the last value on.
std::uint32_t OrderedInstructions::ChoosePlace(const Batch& batch, int lane,
                                               const AtomicAttempt& attempt) {
  const std::span<const std::uint32_t> places = worker_.races()->Places(batch, lane, attempt);
  ChoiceSource* const choices = worker_.launch().choices;
  if (choices == nullptr) return 0;
  const ExecutionGraph* const graph = choices->graph();
  if (graph == nullptr) return places[choices->Choose(static_cast<std::uint32_t>(places.size()))];
  if (graph->is_free()) return 0;
  // Without those for which the run would be given up.
  const ExecutionGraph::Location location = LocationAt(batch, attempt.address);
  std::vector<std::uint32_t> canonical;
  for (const std::uint32_t place : places) {
    if (!graph->IsLate(location, attempt.value, place)) canonical.push_back(place);
  }
  if (canonical.empty()) return 0;
  return canonical[choices->Choose(static_cast<std::uint32_t>(canonical.size()))];
}

void OrderedInstructions::ExecuteAtomic(RunningBatch& running, int lane, const FlatSync& sync) {
  RaceWatch* const races = worker_.races();
  const AtomicCall& call = program_.atomic_calls[sync.instruction.immediate];
  const Address address = ReadLane(running, sync.operands[0], Kind::kI64, lane);
  const std::uint32_t size = BytesOf(sync.kind);
  std::byte* bytes =
      ResolveAccess(running.batch, sync.instruction, lane, address, size, AccessKind::kAtomic);
  last_ = {};
  std::uint64_t undefined = 0;
  if (bytes != nullptr) {
    const auto operand = [&](std::size_t i) {
      return sync.operands.size() > i
                 ? ReadLane(running, sync.operands[i], sync.operand_kinds[i], lane)
                 : 0;
    };
    const bool with_host = worker_.launch().options.has_host_atomics && !call.local;
    std::uint64_t before =
        with_host ? ApplySharedAtomic(call.opcode, sync.kind, bytes, operand(1), operand(2))
                  : ReadBits(bytes, size);
    const std::uint64_t latest = before;
    std::uint32_t place = 0;
    if (races != nullptr) {
      AtomicAttempt attempt = {.address = address,
                               .value = before,
                               .writes = call.opcode != frontend::Op::kAtomicLoad,
                               .is_sequential = (call.order & kSequential) != 0};
      if (IsCompareExchange(call.opcode)) attempt.expected = operand(2);
      place = with_host ? 0 : ChoosePlace(running.batch, lane, attempt);
      if (place != 0) before = races->ValueAt(running.batch, address, place);
    }
    const std::uint64_t after =
        AfterAtomic(call.opcode, sync.kind, before, operand(1), operand(2)) & MaskOf(sync.kind);
    // A compare-exchange that fails is a load with an order of its own (OpenCL C 6.15.12.7.4).
    AtomicCall made = call;
    if (IsCompareExchange(call.opcode) && before != operand(2)) {
      made.opcode = frontend::Op::kAtomicLoad;
      made.order = call.order_unequal;
    }
    undefined = WatchAtomic(running.batch, sync.instruction, lane, address, size, made);
    // Memory has the last value of the modification order.
    const bool changes = !with_host && place == 0 && after != before;
    if (changes) WriteBits(bytes, size, after);
    last_ = {before, after != before && place == 0};
    if (races != nullptr) {
      WatchOrder(running.batch, lane, made, address, after, place);
      AddToGraph(worker_, running.batch, address,
                 {.latest = latest,
                  .after = after,
                  .reads = !IsStoreOnly(call.opcode),
                  .writes = made.opcode != frontend::Op::kAtomicLoad,
                  .is_sequential = ((call.order | made.order) & kSequential) != 0,
                  .changes = after != before,
                  .place = place});
    }
    if (program_.has_spins) {
      WatchSpin(running, lane, sync,
                {.group = worker_.group(),
                 .item = running.first + static_cast<std::uint64_t>(lane),
                 .address = address,
                 .before = before,
                 .expected = IsCompareExchange(call.opcode) ? operand(2) : 0,
                 .changed = last_.changed});
    }
  }
  if (!sync.results.empty()) {
    WriteLane(running, sync.results[0], sync.result_kinds[0], lane, last_.value);
    if (undefined != 0) {
      worker_.definedness()->ReturnedByAtomic(running.batch, sync.instruction, sync.results[0],
                                              BytesOf(sync.result_kinds[0]), lane, undefined);
    }
  }
}

void OrderedInstructions::WatchSpin(RunningBatch& running, int lane, const FlatSync& sync,
                                    const SpinWatch::Turn& turn) {
  // Where it is stated who makes progress, a hang is told, and no doubt (LockStep).
  if (worker_.launch().options.forward_progress != ForwardProgress::kUnstated) return;
  if (!spins_.EndsWait(sync, turn)) return;
  worker_.Report(
      running.batch, sync.instruction.place, lane, Rule::kItemProgress,
      "the work-item waits in a loop for another one of its work-group; this ends only where "
      "both make progress at the same time, which OpenCL does not promise");
}

}  // namespace assay::interp
