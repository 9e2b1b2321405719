// The steps of a run of a complete exploration: see interp/execute/execution_graph.h.
#include <algorithm>

#include "interp/launch/schedule.h"
#include "interp/program/memory_order.h"

namespace assay::interp {

// How many work-items have come from barriers and other instructions of a group.
std::uint64_t Scheduler::CountMeetings(const Worker& worker) const {
  std::uint64_t count = 0;
  for (const std::uint32_t block : after_meetings_) count += worker.block_counts()[block];
  return count;
}

// A load that later operations may overtake is one of several events that its work-item can have
// next. Returns whether one was found: the work-items have to go on to their next operations.
bool Scheduler::DeferAll() {
  bool any = false;
  for (const Task& task : tasks_) {
    if (task.load || !deferred_.MayDefer(task.item, task.waiting)) continue;
    const PlacedOperation operation = OperationAt(*launch_.program, task.waiting);
    deferred_.Defer(task.worker, task.item, task.waiting);
    events_[deferred_.loads().back().number] = graph_->Defer(task.item, operation);
    any = true;
  }
  return any;
}

bool Scheduler::IsLate(const Task& task) const {
  const Batch& batch = task.waiting.running->batch;
  if (task.load) {
    const DeferredLoads::Load& load = deferred_.loads()[*task.load];
    return graph_->IsLate(events_.at(load.number), LocationAt(batch, load.operation.address));
  }
  const PlacedOperation operation = OperationAt(*launch_.program, task.waiting);
  if (operation.bytes == 0) return false;  // no atomic operation
  std::optional<ExecutionGraph::Location> location;
  if (Reads(task.waiting.block)) location = LocationAt(batch, operation.address);
  return graph_->IsLate(task.item, operation, location);
}

// Whether the atomic operation that ends the block is no mere store.
bool Scheduler::Reads(std::uint32_t block) const {
  const Program& program = *launch_.program;
  const FlatSync& sync = program.syncs[program.blocks[block].sync];
  return sync.opcode == Opcode::kAtomic &&
         !IsStoreOnly(program.atomic_calls[sync.instruction.immediate].opcode);
}

std::size_t Scheduler::PickOldest() {
  std::size_t oldest = 0;
  for (std::size_t i = 1; i < tasks_.size(); ++i) {
    if (tasks_[i].turn->time < tasks_[oldest].turn->time) oldest = i;
  }
  return oldest;
}

std::optional<std::size_t> Scheduler::PickEvent() {
  if (!graph_->IsCanonical() || graph_->WaitsInVain()) return std::nullopt;
  if (graph_->is_free()) return PickOldest();
  std::vector<std::size_t> places;
  bool are_all_blocked = true;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (graph_->IsBlocked(tasks_[i].item)) continue;
    are_all_blocked = false;
    if (!IsLate(tasks_[i])) places.push_back(i);
  }
  if (are_all_blocked) {
    graph_->LetGo();
    return PickOldest();
  }
  if (places.empty()) return std::nullopt;
  return places[choices_.Choose(static_cast<std::uint32_t>(places.size()))];
}

void Scheduler::BeginEvent(const Task& task) {
  if (task.load) {
    const std::uint64_t number = deferred_.loads()[*task.load].number;
    graph_->Begin(events_.at(number));
    events_.erase(number);
    return;
  }
  graph_->Begin(task.item, OperationAt(*launch_.program, task.waiting), Reads(task.waiting.block));
  const Program& program = *launch_.program;
  const FlatSync& sync = program.syncs[program.blocks[task.waiting.block].sync];
  if (sync.opcode == Opcode::kPrintf) graph_->AddPrint();
  if (sync.opcode != Opcode::kPrintf && sync.opcode != Opcode::kAtomic) graph_->AddOther();
}

LaunchExecution Scheduler::Execution() {
  LaunchExecution execution;
  execution.is_given_up = is_given_up_ || !graph_->IsCanonical() ||
                          (launch_.end == LaunchEnd::kCompleted && graph_->WaitsInVain());
  execution.signature = graph_->Signature();
  execution.went_on_waiting = graph_->was_free();
  return execution;
}

}  // namespace assay::interp
