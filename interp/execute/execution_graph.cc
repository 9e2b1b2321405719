#include "interp/execute/execution_graph.h"

#include <algorithm>

namespace assay::interp {
namespace {

constexpr std::uint64_t kNobody = ~std::uint64_t{0};

}  // namespace

GraphLocation LocationAt(const Batch& batch, Address address) {
  const Region* const region = batch.FindRegion(address);
  const bool is_local = region != nullptr && region->space == AddressSpace::kLocal;
  return {is_local ? batch.race->group + 1 : 0, address};
}

// The last event on which the next one of the work-item depends by its place in the program.
std::uint32_t ExecutionGraph::BaseOf(Item item, const PlacedOperation& operation) const {
  std::uint32_t base = free_until_;
  const auto group = met_.find(static_cast<std::uint32_t>(item >> 32));
  if (group != met_.end()) base = std::max(base, group->second);
  const auto found = items_.find(item);
  if (found == items_.end()) return base;
  base = std::max(base, found->second.closed);
  for (const Open& load : found->second.open) {
    if (load.closes || !overtaking_.MayPass(load.operation, operation)) {
      base = std::max(base, load.position);
    }
  }
  return base;
}

// The work-item comes to its next event; returns BaseOf.
std::uint32_t ExecutionGraph::Come(Item item, const PlacedOperation& operation) {
  const std::uint32_t base = BaseOf(item, operation);
  ItemState& state = items_[item];
  std::erase_if(state.open, [&](const Open& load) {
    return load.closes || !overtaking_.MayPass(load.operation, operation);
  });
  state.closed = std::max(state.closed, base);
  const std::uint32_t after = overtaking_.After(operation.block);
  for (Open& load : state.open) load.closes = overtaking_.IsNeeded(load.operation.block, after);
  ++state.count;
  return base;
}

ExecutionGraph::Load ExecutionGraph::Defer(Item item, const PlacedOperation& operation) {
  const std::uint32_t base = Come(item, operation);
  ItemState& state = items_[item];
  state.open.push_back({.index = state.count, .operation = operation, .base = base});
  return {item, state.count};
}

void ExecutionGraph::Begin(Item item, const PlacedOperation& operation, bool reads) {
  const std::uint32_t base = Come(item, operation);
  ItemState& state = items_[item];
  sequential_before_ = std::max(last_sequential_, last_fence_);
  now_ = {.key = {item, state.count}, .block = operation.block, .depends = base, .may_read = reads};
  now_.event.key = now_.key;
  if (!overtaking_.Has(operation.block)) return;
  // It could have been deferred, had no load before it been in the way.
  now_.open = state.open.size();
  state.open.push_back({.index = state.count, .operation = operation, .base = base});
}

void ExecutionGraph::Begin(const Load& load) {
  ItemState& state = items_[load.item];
  const auto open = std::ranges::find(state.open, load.index, &Open::index);
  sequential_before_ = std::max(last_sequential_, last_fence_);
  now_ = {.key = {load.item, load.index},
          .block = open->operation.block,
          .depends = std::max(open->base, free_until_),
          .open = static_cast<std::size_t>(open - state.open.begin())};
  now_.event.key = now_.key;
}

ExecutionGraph::Object& ExecutionGraph::ObjectOf(const Access& access) {
  Object& object = objects_[access.location];
  // As Modifications::LocationOf: what plain stores did is one more version.
  if (object.versions.empty() || object.versions.back().value != access.latest) {
    object.versions.clear();
    const Key writer = {kNobody, object.plain++};
    object.versions.push_back({.value = access.latest, .writer = writer, .origin = writer});
  }
  return object;
}

void ExecutionGraph::Add(const Access& access) {
  Object& object = ObjectOf(access);
  std::vector<Version>& versions = object.versions;
  const std::uint32_t position = Now() + 1;
  Version made = {
      .value = access.after, .position = position, .writer = now_.key, .origin = now_.key};
  now_.event.block = now_.block;
  if (access.reads) {
    const Version& read = versions[versions.size() - 1 - access.place];
    now_.depends = std::max(now_.depends, read.position);
    now_.event.reads = true;
    now_.event.from = read.writer;
    now_.is_read = !access.writes || !access.changes;
    now_.read = {now_.block, access.location, read.origin};
    if (access.writes && !access.changes) made.origin = read.origin;
  }
  if (access.is_sequential) {
    const std::uint32_t last =
        access.writes ? object.last_sequential : object.last_sequential_store;
    now_.depends = std::max({now_.depends, last, last_fence_});
    object.last_sequential = last_sequential_ = position;
    if (access.writes) object.last_sequential_store = position;
  }
  now_.changes = access.writes && !now_.is_read;
  if (!access.writes) return;
  versions.insert(versions.end() - static_cast<std::ptrdiff_t>(access.place), made);
}

void ExecutionGraph::AddPrint() {
  now_.depends = std::max(now_.depends, last_print_);
  now_.event.from = {kNobody, last_print_};
  last_print_ = Now() + 1;
}

// It is executed at once after the last event, before anybody else has a turn: its place in the
// order S is the event's.
void ExecutionGraph::AddFence() {
  if (order_.empty()) return;
  last_depends_ = std::max(last_depends_, sequential_before_);
  last_fence_ = last_sequential_ = Now();
}

void ExecutionGraph::End(bool may_wait) {
  ItemState& state = items_[now_.key.item];
  order_.push_back(now_.key);
  events_.push_back(now_.event);
  const std::uint32_t position = Now();
  last_depends_ = is_free_ ? position : now_.depends;
  if (now_.open == kNone) {
    state.closed = std::max(state.closed, position);
  } else {
    state.open[now_.open].position = position;
  }
  if (is_free_) {
    free_until_ = position;
    if (now_.changes) is_free_ = false;
    return;
  }
  if (!may_wait || !now_.is_read) {
    state.reads.clear();
    return;
  }
  state.reads.push_back(now_.read);
  Wait(now_.key.item);
}

// Blocks the work-item if its last reads repeat the ones before.
void ExecutionGraph::Wait(Item item) {
  const std::vector<Read>& reads = items_[item].reads;
  const auto end = reads.end();
  for (std::ptrdiff_t count = 1; 2 * count <= end - reads.begin(); ++count) {
    if (!std::equal(end - count, end, end - 2 * count)) continue;
    blocked_[item].assign(end - count, end);
    return;
  }
}

// Whether an event with a larger key was executed after `depends`, up to `end`.
bool ExecutionGraph::IsPassed(const Key& key, std::uint32_t depends, std::uint32_t end) const {
  return std::any_of(order_.begin() + depends, order_.begin() + end,
                     [&](const Key& other) { return other > key; });
}

bool ExecutionGraph::IsCanonical() {
  if (order_.empty()) return true;
  const std::uint32_t last = Now() - 1;
  return last_depends_ >= last || !IsPassed(order_.back(), last_depends_, last);
}

bool ExecutionGraph::IsLate(Item item, const PlacedOperation& operation,
                            const std::optional<Location>& location) const {
  const auto found = items_.find(item);
  const std::uint32_t index = found == items_.end() ? 1 : found->second.count + 1;
  return IsLate(Key{item, index}, BaseOf(item, operation), location);
}

bool ExecutionGraph::IsLate(const Load& load, const Location& location) const {
  const ItemState& state = items_.at(load.item);
  const auto open = std::ranges::find(state.open, load.index, &Open::index);
  return IsLate(Key{load.item, load.index}, std::max(open->base, free_until_), location);
}

// It depends on nothing later than the last event of its object, or on one that may be before it in
// the order S.
bool ExecutionGraph::IsLate(const Key& key, std::uint32_t base,
                            const std::optional<Location>& location) const {
  std::uint32_t last = std::max({base, last_sequential_, last_fence_});
  const auto found = location ? objects_.find(*location) : objects_.end();
  if (found != objects_.end()) {
    for (const Version& version : found->second.versions) last = std::max(last, version.position);
  }
  return IsPassed(key, last, Now());
}

bool ExecutionGraph::IsLate(const Location& location, std::uint64_t latest,
                            std::uint32_t place) const {
  if (!now_.may_read) return false;
  std::uint32_t last = std::max({now_.depends, last_sequential_, last_fence_});
  if (const auto found = objects_.find(location); found != objects_.end()) {
    const std::vector<Version>& versions = found->second.versions;
    // ObjectOf begins anew, or so it is.
    if (versions.back().value != latest || place >= versions.size()) return false;
    last = std::max(last, versions[versions.size() - 1 - place].position);
  }
  return IsPassed(now_.key, last, Now());
}

bool ExecutionGraph::WaitsInVain() const {
  return std::ranges::any_of(blocked_, [&](const auto& blocked) {
    return std::ranges::any_of(blocked.second, [&](const Read& read) {
      return objects_.at(read.location).versions.back().origin != read.origin;
    });
  });
}

void ExecutionGraph::LetGo() {
  blocked_.clear();
  for (auto& [item, state] : items_) state.reads.clear();
  is_free_ = was_free_ = true;
}

std::vector<std::uint64_t> ExecutionGraph::Signature() const {
  std::vector<const Event*> events;
  for (const Event& event : events_) events.push_back(&event);
  std::ranges::sort(events, {}, [](const Event* event) { return event->key; });
  std::vector<std::uint64_t> words;
  for (const Event* event : events) {
    words.insert(words.end(), {event->key.item, event->key.index, event->block, event->from.item,
                               event->from.index});
  }
  for (const auto& [location, object] : objects_) {
    words.insert(words.end(), {kNobody, location.first, location.second});
    for (const Version& version : object.versions) {
      words.insert(words.end(), {version.writer.item, version.writer.index});
    }
  }
  return words;
}

}  // namespace assay::interp
