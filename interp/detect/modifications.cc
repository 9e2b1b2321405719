#include "interp/detect/modifications.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace assay::interp {
namespace {

constexpr std::size_t kKept = 8;          // values of an object
constexpr std::size_t kKeptReaders = 64;  // of a value; then older values are forgotten

}  // namespace

Modifications::Modifications(const LaunchState& launch, HappensBefore* order)
    : order_(*order), is_weak_(launch.choices != nullptr) {
  for (const AtomicCall& call : launch.program->atomic_calls) {
    has_sequential_fences_ =
        has_sequential_fences_ ||
        (call.opcode == frontend::Op::kMemoryBarrier && (call.order & kSequential) != 0);
  }
}

// What plain stores did to the object is one more value.
Modifications::Location& Modifications::LocationOf(const Key& key, std::uint64_t value) {
  Location& location = locations_[key];
  if (location.versions.empty() || location.versions.back().value != value) {
    location.versions.clear();
    location.continued.clear();
    Version& first = location.versions.emplace_back();
    first.value = value;
    first.number = ++location.count;
  }
  return location;
}

// The oldest value that the operation may read, or behind which it may be: nothing happens before
// it that stored or read a later one (write-write, write-read, read-write and read-read
// coherence), and none is known to seq_cst operations by the number `sequential` of S.
std::size_t Modifications::Oldest(const Location& location, const Operation& operation,
                                  std::uint32_t sequential) const {
  const auto is_before = [&](Item item, std::uint32_t event) {
    return order_.IsOrdered(operation.item, item, event, operation.relation);
  };
  for (std::size_t i = location.versions.size(); --i > 0;) {
    const Version& version = location.versions[i];
    if (version.event == 0 || (version.published != 0 && version.published <= sequential) ||
        is_before(version.writer, version.event) ||
        std::ranges::any_of(version.readers, [&](const Reader& reader) {
          return is_before(reader.item, reader.event);
        })) {
      return i;
    }
  }
  return 0;
}

std::span<const std::uint32_t> Modifications::Places(const Operation& operation,
                                                     const AtomicAttempt& attempt,
                                                     std::uint64_t value) {
  places_.assign(1, 0);
  const Location& location = LocationOf(operation.key, value);
  if (!is_weak_) return places_;
  const std::uint32_t sequential =
      attempt.is_sequential ? order_.last_sequential() : order_.SequentialFence(operation.item);
  const std::size_t last = location.versions.size() - 1;
  const std::size_t oldest = Oldest(location, operation, sequential);
  for (std::size_t i = last; i-- > oldest;) {
    // Nothing comes between a read-modify-write and what it read.
    const bool is_open = !location.versions[i + 1].is_exchange;
    const bool writes =
        attempt.writes && (!attempt.expected || *attempt.expected == location.versions[i].value);
    if (is_open || !writes) places_.push_back(static_cast<std::uint32_t>(last - i));
  }
  return places_;
}

std::uint64_t Modifications::ValueAt(const Key& key, std::uint32_t place) const {
  const std::vector<Version>& versions = locations_.at(key).versions;
  return versions[versions.size() - 1 - place].value;
}

std::uint64_t Modifications::NumberAt(const Key& key, std::uint32_t place) const {
  const std::vector<Version>& versions = locations_.at(key).versions;
  return versions[versions.size() - 1 - place].number;
}

// The release sequences that a store of the writer at this place continues.  OpenCL's end with the
// store of another work-item, and not with the same one's (OpenCL API 3.3.6).
const ReleaseSet& Modifications::ContinuedBy(const Location& location, std::size_t index,
                                             Item writer) const {
  static const ReleaseSet kNone;
  while (index-- > 0) {
    const Version& version = location.versions[index];
    if (version.event != 0 && version.writer == writer) return version.own;
    if (!version.is_exchange) return kNone;
  }
  const auto found = location.continued.find(writer);
  return found == location.continued.end() ? kNone : found->second;
}

void Modifications::Connect(Location* location, std::size_t index) const {
  for (; index < location->versions.size(); ++index) {
    Version& version = location->versions[index];
    version.own = ContinuedBy(*location, index, version.writer);
    version.released =
        version.is_exchange && index > 0 ? location->versions[index - 1].released : version.own;
    order_.Add(version.head, &version.own);
    order_.Add(version.head, &version.released);
  }
}

void Modifications::Forget(Location* location, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Version& version = location->versions[i];
    if (!version.is_exchange) {
      std::erase_if(location->continued,
                    [&](const auto& of) { return of.first != version.writer; });
    }
    if (!version.own.empty()) location->continued[version.writer] = std::move(version.own);
  }
  location->versions.erase(location->versions.begin(),
                           location->versions.begin() + static_cast<std::ptrdiff_t>(count));
}

void Modifications::Execute(const Operation& operation, const AtomicCall& call, std::uint32_t place,
                            std::uint64_t value, bool reads, bool writes) {
  Location& location = locations_[operation.key];
  std::vector<Version>& versions = location.versions;
  std::size_t index = versions.size() - std::min<std::size_t>(place + 1, versions.size());
  if (reads && !versions.empty()) {
    Version& version = versions[index];
    order_.Read(operation.item, call, operation.relation, version.released);
    if (is_weak_ && !writes) {
      const auto same = std::ranges::find(version.readers, operation.item, &Reader::item);
      if (same == version.readers.end()) {
        version.readers.push_back({operation.item, operation.last});
      }
      if (version.readers.size() > kKeptReaders) Forget(&location, index);
    }
  }
  if (!writes) return;
  index = versions.empty() ? 0 : index + 1;
  Version& version =
      *versions.insert(versions.begin() + static_cast<std::ptrdiff_t>(index), Version{});
  version.value = value;
  version.number = ++location.count;
  version.writer = operation.item;
  version.event = operation.last;
  version.is_exchange = !IsStoreOnly(call.opcode);
  version.head = order_.ReleasedBy(operation.item, call, operation.relation, operation.last);
  if (is_weak_ && (call.order & kSequential) != 0) {
    version.published = order_.NextSequential();
  } else if (is_weak_ && has_sequential_fences_) {
    unpublished_[operation.item].emplace_back(operation.key, version.number);
  }
  Connect(&location, index);
  const std::size_t kept = is_weak_ ? kKept : 1;
  if (versions.size() > kept) Forget(&location, versions.size() - kept);
}

void Modifications::PublishAtFence(Item item) {
  const auto stored = unpublished_.find(item);
  if (stored == unpublished_.end()) return;
  for (const auto& [key, number] : stored->second) {
    const auto location = locations_.find(key);
    if (location == locations_.end()) continue;
    for (Version& version : location->second.versions) {
      if (version.number == number && version.published == 0) {
        version.published = order_.last_sequential();
      }
    }
  }
  unpublished_.erase(stored);
}

void Modifications::EndGroup(std::uint32_t group) {
  // Its local objects.
  locations_.erase(locations_.lower_bound(Key{group + 1, 0}),
                   locations_.lower_bound(Key{group + 2, 0}));
  std::erase_if(unpublished_, [&](const auto& of) { return of.first >> 32 == group; });
}

}  // namespace assay::interp
