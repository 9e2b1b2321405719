// What work-items ask of device queues and events.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/execute/device_queues.h"
#include "interp/execute/execute.h"
#include "interp/execute/ordered.h"
#include "interp/rules/rule.h"

namespace assay::interp {
namespace {

// One work-item at one instruction.
class QueueTurn {
 public:
  QueueTurn(Worker* worker, RunningBatch* running, int lane, const FlatSync& sync)
      : worker_(*worker),
        launch_(worker->launch()),
        queues_(*launch_.queues),
        running_(*running),
        lane_(lane),
        sync_(sync),
        call_(launch_.program->queue_calls[sync.instruction.immediate]) {}

  std::uint64_t Run() {
    switch (call_.function) {
      case QueueFunction::kDefaultQueue:
        return queues_.DefaultQueue();
      case QueueFunction::kSubgroupCount:
      case QueueFunction::kMaxSubgroupSize:
        return Subgroups();
      case QueueFunction::kEnqueue:
        return Code(Enqueue());
      case QueueFunction::kMarker:
        return Code(Mark());
      case QueueFunction::kRetain:
      case QueueFunction::kRelease:
        return Count(), 0;
      case QueueFunction::kCreateUserEvent:
        return queues_.CreateUserEvent();
      case QueueFunction::kIsValid:
        return queues_.Find(Operand(0)) != nullptr ? 1 : 0;
      case QueueFunction::kSetStatus:
        return SetStatus(), 0;
      case QueueFunction::kCapture:
        return Capture(), 0;
    }
    return 0;
  }

 private:
  static std::uint64_t Code(EnqueueError error) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(error));
  }
  std::uint64_t Operand(std::size_t i) const {
    return ReadLane(running_, sync_.operands[i], Kind::kI64, lane_);
  }
  void Report(Rule rule, const std::string& message, std::vector<std::string> history = {}) {
    worker_.Report(running_.batch, sync_.instruction.place, lane_, rule, message,
                   std::move(history));
  }
  std::byte* Resolve(Address address, std::uint64_t bytes, AccessKind kind) {
    return ResolveAccess(running_.batch, sync_.instruction, lane_, address, bytes, kind);
  }
  DeviceQueues::Event* FindOrReport(std::string_view function) {
    DeviceQueues::Event* event = queues_.Find(Operand(0));
    if (event == nullptr) {
      Report(Rule::kEnqueueInvalidEvent,
             fmt::format("{} of {}", function,
                         queues_.IsReleased(Operand(0)) ? "an event after its last release_event"
                                                        : "what is no valid event"));
    }
    return event;
  }

  NdRange RangeAt(std::size_t first) const {
    NdRange range;
    range.dimensions = static_cast<int>(std::min<std::uint64_t>(Operand(first), 4));
    std::array<std::uint64_t, 3> local = {1, 1, 1};
    bool has_local = false;
    for (int d = 0; d < std::min(range.dimensions, 3); ++d) {
      const auto at = [&](std::size_t part) {
        return Operand(first + 1 + part * 3 + static_cast<std::size_t>(d));
      };
      range.offset[d] = at(0);
      range.global[d] = at(1);
      local[d] = at(2);
      has_local = has_local || local[d] != 0;
    }
    if (has_local) range.local = local;
    return range;
  }

  static bool IsGood(const NdRange& range, std::uint64_t largest) {
    if (range.dimensions < 1 || range.dimensions > 3) return false;
    std::uint64_t items = 1, local = 1;
    for (int d = 0; d < range.dimensions; ++d) {
      const std::uint64_t global = range.global[d];
      if (global != 0 && items > (std::uint64_t{1} << 48) / global) return false;
      items *= global;
      if (global > largest || range.offset[d] > largest - global) return false;
      if (!range.local) continue;
      const std::uint64_t size = (*range.local)[d];
      if (size == 0 || size > 65536 || (local *= size) > 65536) return false;
    }
    return true;
  }

  std::uint64_t Largest() const { return call_.handle_bytes == 4 ? 0xffffffff : ~std::uint64_t{0}; }

  // Of a work-group that is not at an edge; of an index space that is none: 0.
  std::uint64_t Subgroups() const {
    const NdRange range = RangeAt(0);
    if (!IsGood(range, ~std::uint64_t{0})) return 0;
    const std::array<std::uint64_t, 3> local = range.local ? *range.local : ChooseLocalSize(range);
    const std::uint64_t items = local[0] * local[1] * local[2];
    const std::uint64_t size = launch_.program->subgroup_size;
    return call_.function == QueueFunction::kSubgroupCount ? (items + size - 1) / size
                                                           : std::min(items, size);
  }

  // Reads a list of events that a command waits for.
  EnqueueError ReadWaits(std::uint64_t count, Address list, DeviceQueues::Command* command) {
    if ((count == 0) != (list == 0)) return EnqueueError::kInvalidEventWaitList;
    count &= 0xffffffff;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::byte* bytes =
          Resolve(list + i * call_.handle_bytes, call_.handle_bytes, AccessKind::kLoad);
      if (bytes == nullptr) return EnqueueError::kInvalidEventWaitList;
      std::uint64_t handle = 0;
      std::memcpy(&handle, bytes, call_.handle_bytes);
      if (queues_.Find(handle) == nullptr) {
        // What was never an event is an error code, as far as that is asked for.  What was one is
        // another object's, or nobody's, by then.
        if (queues_.IsReleased(handle)) {
          Report(Rule::kEnqueueInvalidEvent,
                 fmt::format("{} waits for an event after its last release_event",
                             command->is_marker ? "enqueue_marker" : "enqueue_kernel"));
        }
        return EnqueueError::kInvalidEventWaitList;
      }
      command->waits.push_back(handle);
      worker_.Spend(1);
    }
    return EnqueueError::kSuccess;
  }

  void ReturnEvent(Address address, std::uint64_t handle) {
    std::byte* bytes = Resolve(address, call_.handle_bytes, AccessKind::kStore);
    if (bytes == nullptr) return;
    std::memcpy(bytes, &handle, call_.handle_bytes);
    if (std::byte* record = UndefinedAt(running_.batch, lane_, address)) {
      std::memset(record, 0, call_.handle_bytes);
    }
  }

  DeviceQueues::Command NewCommand(std::uint64_t queue) const {
    DeviceQueues::Command command;
    command.parent = launch_.instance;
    command.group = worker_.group();
    command.queue = queue;
    command.origin = launch_.program->places[sync_.instruction.place].origin;
    command.by = fmt::format(
        "enqueued by work-item {} of {}: {}",
        worker_.DescribeItem(worker_.group(), running_.first + static_cast<std::uint64_t>(lane_)),
        launch_.program->kernel, worker_.DescribePlace(sync_.instruction.place));
    return command;
  }

  // No more commands: the run ends.
  bool IsAtLimit() {
    if (!queues_.IsAtLimit()) return false;
    Report(Rule::kEnqueueLimit,
           fmt::format("more than {} kernels and markers are enqueued (--max-children)",
                       launch_.options.max_children));
    launch_.Stop(LaunchEnd::kMemoryLimit,
                 fmt::format("more than {} kernels and markers were enqueued (--max-children)",
                             launch_.options.max_children));
    return true;
  }

  EnqueueError Enqueue() {
    constexpr std::size_t kRange = 2, kWaits = 12, kSizes = 16;
    if (!queues_.IsQueue(Operand(0))) return EnqueueError::kInvalidQueue;
    DeviceQueues::Command command = NewCommand(Operand(0));
    command.flag = static_cast<EnqueueFlag>(Operand(1) & 3);
    command.range = RangeAt(kRange);
    if (!IsGood(command.range, Largest())) return EnqueueError::kInvalidNdRange;
    if (const EnqueueError error = ReadWaits(Operand(kWaits), Operand(kWaits + 1), &command);
        error != EnqueueError::kSuccess) {
      return error;
    }
    std::uint64_t local_bytes = 0;
    for (std::uint32_t i = 0; i < call_.local_sizes; ++i) {
      const std::uint64_t size = Operand(kSizes + i) & 0xffffffff;
      if (size == 0) {
        Report(Rule::kEnqueueArgSize,
               fmt::format("the size of argument {} in local memory is 0: the block is not "
                           "enqueued, and enqueue_kernel returns an error",
                           i));
        return EnqueueError::kInvalidArgSize;
      }
      local_bytes += size;
      command.local_sizes.push_back(size);
    }
    if (local_bytes > launch_.memory->max_bytes() - launch_.memory->used_bytes()) {
      return EnqueueError::kOutOfResources;
    }
    if (queues_.IsFull(command.queue)) return EnqueueError::kQueueFull;
    if (IsAtLimit()) return EnqueueError::kOutOfResources;
    command.invoke = call_.invoke;
    TakeLiteral(Operand(kWaits + 3), &command);
    const Address returned = Operand(kWaits + 2);
    const std::uint64_t event = queues_.Add(std::move(command), returned != 0);
    if (returned != 0) ReturnEvent(returned, event);
    return EnqueueError::kSuccess;
  }

  // Copies what the block captured.
  void TakeLiteral(Address address, DeviceQueues::Command* command) {
    const std::uint64_t bytes = call_.literal_bytes;
    if (bytes == 0) return;
    command->literal.resize(bytes);
    worker_.Spend(bytes / 8);
    const std::byte* source = Resolve(address, bytes, AccessKind::kLoad);
    if (source == nullptr) return;
    std::memcpy(command->literal.data(), source, bytes);
    if (const std::byte* record = UndefinedAt(running_.batch, lane_, address)) {
      command->undefined.assign(record, record + bytes);
    }
    for (const std::uint64_t offset : call_.local_captures) {
      if (offset + call_.handle_bytes > bytes) continue;
      Address captured = 0;
      std::memcpy(&captured, source + offset, call_.handle_bytes);
      const Region* region = running_.batch.FindRegion(captured);
      if (captured == 0 || region == nullptr || region->address == 0 ||
          (region->space != AddressSpace::kLocal && region->space != AddressSpace::kPrivate)) {
        continue;
      }
      Report(Rule::kEnqueueLocalCapture,
             fmt::format("the block captures a pointer to {} memory '{}', which ends before the "
                         "block begins",
                         AddressSpaceName(region->space), launch_.memory->NameOf(region->object)),
             worker_.DescribeObject(region));
    }
  }

  EnqueueError Mark() {
    if (!queues_.IsQueue(Operand(0))) return EnqueueError::kInvalidQueue;
    DeviceQueues::Command command = NewCommand(Operand(0));
    command.is_marker = true;
    if (Operand(2) == 0) return EnqueueError::kInvalidEventWaitList;
    if (const EnqueueError error = ReadWaits(Operand(1), Operand(2), &command);
        error != EnqueueError::kSuccess) {
      return error;
    }
    if (queues_.IsFull(command.queue)) return EnqueueError::kQueueFull;
    // "event_ret must not be NULL as otherwise this is a no-op."
    const Address returned = Operand(3);
    if (returned == 0) return EnqueueError::kSuccess;
    if (IsAtLimit()) return EnqueueError::kOutOfResources;
    ReturnEvent(returned, queues_.Add(std::move(command), true));
    return EnqueueError::kSuccess;
  }

  void Count() {
    const bool retains = call_.function == QueueFunction::kRetain;
    DeviceQueues::Event* event = FindOrReport(retains ? "retain_event" : "release_event");
    if (event == nullptr) return;
    retains ? queues_.Retain(event) : queues_.Release(event);
  }

  void SetStatus() {
    DeviceQueues::Event* event = FindOrReport("set_user_event_status");
    if (event == nullptr) return;
    const auto status = static_cast<std::int32_t>(Operand(1));
    if (event->command != DeviceQueues::kNone) {
      return Report(Rule::kEnqueueUserEvent,
                    "set_user_event_status of an event that create_user_event did not return");
    }
    if (status > 0) {
      return Report(Rule::kEnqueueUserEvent,
                    fmt::format("the status of a user event is set to {}; it is CL_COMPLETE or "
                                "negative",
                                status));
    }
    if (event->status <= 0) {
      return Report(Rule::kEnqueueUserEvent, "the status of a user event is set a second time");
    }
    queues_.SetStatus(Operand(0), status, launch_.instance);
  }

  void Capture() {
    DeviceQueues::Event* event = FindOrReport("capture_event_profiling_info");
    if (event == nullptr) return;
    if (event->command == DeviceQueues::kNone || queues_.command(event->command).is_marker) {
      return Report(Rule::kEnqueueInvalidEvent,
                    "capture_event_profiling_info of an event that enqueue_kernel did not return");
    }
    if (event->is_captured) {
      return Report(Rule::kEnqueueProfilingTwice,
                    "the profiling information of the event is captured a second time");
    }
    constexpr std::uint64_t kBytes = 16;  // two 64-bit values
    if (Resolve(Operand(2), kBytes, AccessKind::kStore) == nullptr) return;
    queues_.Capture(event, Operand(2));
  }

  Worker& worker_;
  LaunchState& launch_;
  DeviceQueues& queues_;
  RunningBatch& running_;
  const int lane_;
  const FlatSync& sync_;
  const QueueCall& call_;
};

}  // namespace

void OrderedInstructions::ExecuteDeviceQueue(RunningBatch& running, int lane,
                                             const FlatSync& sync) {
  const std::uint64_t value = QueueTurn(&worker_, &running, lane, sync).Run();
  last_ = {value, true};
  if (!sync.results.empty()) {
    WriteLane(running, sync.results[0], sync.result_kinds[0], lane, value);
  }
}

}  // namespace assay::interp
