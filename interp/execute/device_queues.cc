#include "interp/execute/device_queues.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "interp/execute/choice.h"

namespace assay::interp {

void EndedBefore::Add(std::uint32_t instance) {
  if (instances_.size() <= instance / 64) instances_.resize(instance / 64 + 1);
  instances_[instance / 64] |= std::uint64_t{1} << instance % 64;
}

void EndedBefore::Join(const EndedBefore& other) {
  instances_.resize(std::max(instances_.size(), other.instances_.size()));
  for (std::size_t i = 0; i < other.instances_.size(); ++i) instances_[i] |= other.instances_[i];
  for (const auto& group : other.groups_) {
    if (std::ranges::find(groups_, group) == groups_.end()) groups_.push_back(group);
  }
}

bool EndedBefore::Has(std::uint32_t instance, std::uint64_t group) const {
  if (instance / 64 < instances_.size() && (instances_[instance / 64] >> instance % 64 & 1) != 0) {
    return true;
  }
  return std::ranges::find(groups_, std::pair(instance, group)) != groups_.end();
}

DeviceQueues::DeviceQueues(Memory* memory, const LaunchOptions& options)
    : memory_(*memory),
      capacity_(options.device_queue_size),
      sizes_(options.queue_sizes),
      max_children_(options.max_children),
      commands_(1),
      held_(kMaxQueues) {}

bool DeviceQueues::IsQueue(std::uint64_t handle) const {
  const std::uint64_t queue = handle - kFirstQueue;
  return queue < kMaxQueues && (queue != 0 || capacity_ != 0);
}

bool DeviceQueues::IsFull(std::uint64_t handle) const {
  const std::uint64_t queue = handle - kFirstQueue;
  const bool has_size = queue != 0 && queue <= sizes_.size();
  return held_[queue] >= std::max(has_size ? sizes_[queue - 1] : capacity_, 1u);
}

DeviceQueues::Event* DeviceQueues::Find(std::uint64_t handle) {
  const std::uint64_t place = handle - kFirstEvent;
  if (handle < kFirstEvent || place >= events_.size()) return nullptr;
  return events_[place].references == 0 ? nullptr : &events_[place];
}

bool DeviceQueues::IsReleased(std::uint64_t handle) const {
  const std::uint64_t place = handle - kFirstEvent;
  return handle >= kFirstEvent && place < events_.size() && events_[place].references == 0 &&
         events_[place].was_returned;
}

std::uint64_t DeviceQueues::CreateUserEvent() {
  events_.push_back({.references = 1, .was_returned = true});
  return kFirstEvent + events_.size() - 1;
}

void DeviceQueues::SetStatus(std::uint64_t handle, std::int32_t status, std::uint32_t setter) {
  // What the instance did before, of which this is the last, at least.
  if (keeps_accesses) {
    EndedBefore& set = events_[handle - kFirstEvent].set;
    set.Join(commands_[setter].before);
    set.Add(setter);
  }
  Signal(handle, status, time_);
}

void DeviceQueues::Capture(Event* event, Address address) {
  event->is_captured = true;
  event->profile = address;
  if (event->status <= 0) WriteProfile(*event, time_);
}

std::uint64_t DeviceQueues::Add(Command command, bool returns_event) {
  const auto number = static_cast<std::uint32_t>(commands_.size());
  events_.push_back(
      {.command = number, .references = returns_event ? 1u : 0u, .was_returned = returns_event});
  command.event = kFirstEvent + events_.size() - 1;
  if (keeps_accesses) {
    // A marker is ordered after what it waits for only.
    if (!command.is_marker) command.before.Join(commands_[command.parent].before);
    if (command.flag == EnqueueFlag::kWaitKernel) command.before.Add(command.parent);
    if (command.flag == EnqueueFlag::kWaitWorkGroup) {
      command.before.Add(command.parent, command.group);
    }
  }
  for (const std::uint64_t wait : command.waits) {
    Event& event = events_[wait - kFirstEvent];
    if (event.status < 0) command.status = event.status;
    if (event.status <= 0) {
      if (keeps_accesses) command.before.Join(BeforeEvent(event));
      continue;
    }
    event.waiting.push_back(number);
    ++command.open_waits;
  }
  ++held_[command.queue - kFirstQueue];
  ++commands_[command.parent].children;
  const std::uint64_t handle = command.event;
  const bool is_open = command.open_waits != 0;
  commands_.push_back(std::move(command));
  if (!is_open) Ready(number);
  return handle;
}

// A marker is complete when what it waits for is, and so is what waits for something that failed.
void DeviceQueues::Ready(std::uint32_t number) {
  Command& command = commands_[number];
  if (!command.is_marker && command.status >= 0) {
    ready_.push_back(number);
    return;
  }
  --held_[command.queue - kFirstQueue];
  command.has_ended = true;
  command.start = command.end = time_;
  Complete(number, time_);
}

void DeviceQueues::End(std::uint32_t instance, std::uint64_t time) {
  time_ = time;
  Command& command = commands_[instance];
  command.has_ended = true;
  command.end = time;
  if (command.children == 0) Complete(instance, time);
}

// Parents that waited for nothing else are complete, too.
void DeviceQueues::Complete(std::uint32_t number, std::uint64_t time) {
  for (;;) {
    commands_[number].is_complete = true;
    const std::int32_t status = commands_[number].status;
    if (number == 0) return;
    const std::uint32_t parent = commands_[number].parent;
    if (keeps_accesses) {
      Command& command = commands_[number];
      command.done.Join(command.before);
      command.done.Add(number);
      command.before.Clear();
      commands_[parent].done.Join(command.done);
    }
    Signal(commands_[number].event, status, time);
    if (events_[commands_[number].event - kFirstEvent].references == 0) {
      commands_[number].done.Clear();
    }
    Command& above = commands_[parent];
    if (status < 0 && above.status == 0) above.status = status;
    if (--above.children != 0 || !above.has_ended) return;
    number = parent;
  }
}

void DeviceQueues::Signal(std::uint64_t handle, std::int32_t status, std::uint64_t time) {
  // What it lets go on may add no events, but completes others.
  const std::size_t place = handle - kFirstEvent;
  events_[place].status = status;
  if (events_[place].profile != 0) WriteProfile(events_[place], time);
  const std::vector<std::uint32_t> waiting = std::exchange(events_[place].waiting, {});
  for (const std::uint32_t number : waiting) {
    Command& command = commands_[number];
    if (status < 0) command.status = status;
    if (keeps_accesses) command.before.Join(BeforeEvent(events_[place]));
    if (--command.open_waits == 0) Ready(number);
  }
}

// CLK_PROFILING_COMMAND_EXEC_TIME: end - start, complete - start.  An instruction takes a
// nanosecond.
void DeviceQueues::WriteProfile(const Event& event, std::uint64_t time) {
  const Command& command = commands_[event.command];
  const std::uint64_t times[2] = {command.end - command.start, time - command.start};
  const std::uint64_t place = event.profile >> memory_.layout().place_bits;
  if (place >= memory_.regions().size()) return;
  const Region& region = memory_.regions()[place];
  if (region.host == nullptr || event.profile < region.address ||
      event.profile - region.address + sizeof times > region.bytes) {
    return;
  }
  const std::uint64_t offset = event.profile - region.address;
  std::memcpy(region.host + offset, times, sizeof times);
  if (region.shadow != nullptr && region.shadow->undefined != nullptr) {
    std::memset(region.shadow->undefined + offset, 0, sizeof times);
  }
}

std::optional<std::uint32_t> DeviceQueues::Next(ChoiceSource* choices, std::uint64_t time) {
  time_ = time;
  if (ready_.empty()) return std::nullopt;
  std::size_t place = 0;
  if (choices != nullptr && ready_.size() > 1) {
    place = choices->Choose(static_cast<std::uint32_t>(ready_.size()));
  }
  const std::uint32_t number = ready_[place];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(place));
  Command& command = commands_[number];
  --held_[command.queue - kFirstQueue];
  command.start = time;
  return number;
}

std::optional<std::uint32_t> DeviceQueues::FirstStuck() const {
  for (std::uint32_t i = 1; i < commands_.size(); ++i) {
    if (!commands_[i].has_ended && commands_[i].open_waits != 0) return i;
  }
  return std::nullopt;
}

}  // namespace assay::interp
