#include "interp/program/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace assay::interp {

std::string_view AddressSpaceName(AddressSpace space) {
  constexpr std::string_view kNames[] = {"private", "local", "global", "constant", "input"};
  return kNames[static_cast<int>(space)];
}

Memory::Memory(AddressLayout layout, std::uint64_t max_bytes, std::uint64_t seed)
    : layout_(layout),
      max_bytes_(max_bytes),
      seed_(seed),
      regions_(1),  // place 0 is null's
      names_(1) {}

Memory::~Memory() {
  for (std::uint64_t place = 0; place < regions_.size(); ++place) {
    if (!regions_[place].is_continuation) Free(place);
  }
  for (const auto& shadow : shadows_) std::free(shadow->undefined.load());
}

void Memory::Free(std::uint64_t place) {
  if (regions_[place].is_lent) return;
  if (adopted_.erase(place) == 0) std::free(regions_[place].host);
}

// Where in its first place an object begins.  Half a place is an even multiple of all alignments
// below it.
std::uint64_t Memory::BeginOf(std::uint64_t alignment) const {
  alignment = std::max<std::uint64_t>(alignment, 1);
  if (alignment >= layout_.begin) return layout_.begin;
  // Powers of two, so that seeds in a row are multiples in a row; the object begins in its place.
  const std::uint64_t multiples =
      std::clamp<std::uint64_t>(layout_.begin / alignment / 2, 1, kPlacements);
  return layout_.begin + alignment * (1 + seed_ % multiples);
}

Expected<Address> Memory::Place(std::uint64_t bytes, AddressSpace space, std::string name,
                                bool writable, std::byte* host, std::uint64_t alignment) {
  if (bytes > max_bytes_) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{} needs {} bytes, more than the limit of {} bytes (--max-memory)",
                            name, bytes, max_bytes_));
  }
  const std::uint64_t place_bytes = std::uint64_t{1} << layout_.place_bits;
  const std::uint64_t begin = BeginOf(alignment);
  const std::uint64_t places = (begin + bytes) / place_bytes + 1;
  const std::uint64_t place = FreePlaces(places);
  if (place + places > layout_.places) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no addresses are left for {} ({} bytes)", name, bytes));
  }
  Region region;
  region.address = (place << layout_.place_bits) + begin;
  region.bytes = bytes;
  region.host = host;
  region.space = space;
  region.writable = writable;
  if (host != nullptr) {
    if (place < regions_.size()) region.shadow = regions_[place].shadow;
    if (region.shadow == nullptr) {
      shadows_.push_back(std::make_unique<RegionShadow>());
      region.shadow = shadows_.back().get();
    }
  }
  Fill(place, places, region, std::move(name));
  return region.address;
}

bool Memory::AreFree(std::uint64_t first, std::uint64_t places) const {
  for (std::uint64_t i = first; i < first + places && i < regions_.size(); ++i) {
    if (i == 0 || regions_[i].address != 0) return false;
  }
  return first + places <= layout_.places;
}

std::uint64_t Memory::FreePlaces(std::uint64_t places) {
  if (places == 1 && resting_.size() > kRestingPlaces) {
    const std::uint64_t place = resting_.front();
    resting_.pop_front();
    return place;
  }
  if (next_place_ < layout_.given_end && next_place_ + places > layout_.given_begin) {
    next_place_ = layout_.given_end;
  }
  return next_place_;
}

// Further places of the same allocation (32-bit addresses) have the same row, without owning it.
void Memory::Fill(std::uint64_t place, std::uint64_t places, Region region, std::string name) {
  if (regions_.size() < place + places) regions_.resize(place + places);
  if (!IsGiven(place)) next_place_ = std::max(next_place_, place + places);
  region.object = regions_[place].object;
  if (region.object == 0) {
    region.object = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back();
  }
  names_[region.object] = std::move(name);
  for (std::uint64_t i = 0; i < places; ++i) {
    region.is_continuation = i > 0;
    regions_[place + i] = region;
  }
}

Expected<Address> Memory::Lend(std::span<std::byte> bytes, RegionShadow* shadow, Address at,
                               std::string name) {
  const std::uint64_t place_bytes = std::uint64_t{1} << layout_.place_bits;
  const std::uint64_t offset = at == 0 ? BeginOf(kBufferAlignment) : at % place_bytes;
  const std::uint64_t places = (offset + bytes.size()) / place_bytes + 1;
  const std::uint64_t place = at == 0 ? FreePlaces(places) : at >> layout_.place_bits;
  if (at == 0 && place + places > layout_.places) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no addresses are left for {} ({} bytes)", name, bytes.size()));
  }
  if (at != 0) {
    // An object that was released there ends for good.
    for (std::uint64_t i = place; i < place + places && i < regions_.size(); ++i) {
      if (!regions_[i].ended) continue;
      std::erase(resting_, i);
      regions_[i] = Region{};
    }
    if (!AreFree(place, places)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("another object is at {:#x}, where {} is to be", at, name));
    }
  }
  Region region;
  region.address = (place << layout_.place_bits) + offset;
  region.bytes = bytes.size();
  region.host = bytes.data();
  region.shadow = shadow;
  region.is_lent = true;
  Fill(place, places, region, std::move(name));
  return region.address;
}

Expected<void> Memory::HasRoom(std::uint64_t bytes, const std::string& name) const {
  if (bytes <= max_bytes_ && used_bytes_ <= max_bytes_ - bytes) return {};
  return Fail(ErrorKind::kDevice,
              fmt::format("{} needs {} bytes; with the {} in use that is more than the limit of {} "
                          "bytes (--max-memory)",
                          name, bytes, used_bytes_, max_bytes_));
}

Expected<Address> Memory::Allocate(std::uint64_t bytes, AddressSpace space, std::string name,
                                   bool writable, std::uint64_t alignment) {
  if (auto room = HasRoom(bytes, name); !room) return tl::unexpected(room.error());
  // Zeroed pages come from the system when they are touched first.
  auto* host = static_cast<std::byte*>(std::calloc(bytes == 0 ? 1 : bytes, 1));
  if (host == nullptr) {
    return Fail(ErrorKind::kDevice,
                fmt::format("the machine has no {} bytes of memory for {}", bytes, name));
  }
  auto address = Place(bytes, space, std::move(name), writable, host, alignment);
  if (!address) {
    std::free(host);
    return address;
  }
  used_bytes_ += bytes;
  return address;
}

Expected<Address> Memory::Adopt(HostBytes bytes, AddressSpace space, std::string name) {
  const std::uint64_t size = bytes.size();
  if (auto room = HasRoom(size, name); !room) return tl::unexpected(room.error());
  auto address = Place(size, space, std::move(name), true, bytes.data(), kBufferAlignment);
  if (!address) return address;
  used_bytes_ += size;
  adopted_.emplace(*address >> layout_.place_bits, std::move(bytes));
  return address;
}

HostBytes Memory::Take(Address address) {
  const std::span<std::byte> bytes = Bytes(address);
  if (bytes.empty()) return {};
  const auto adopted = adopted_.find(address >> layout_.place_bits);
  HostBytes taken = adopted != adopted_.end() ? std::move(adopted->second)
                                              : HostBytes(bytes.begin(), bytes.end());
  (void)Release(address);
  return taken;
}

Expected<Address> Memory::Reserve(std::uint64_t bytes, AddressSpace space, std::string name,
                                  std::uint64_t alignment) {
  return Place(bytes, space, std::move(name), true, nullptr, alignment);
}

Expected<void> Memory::MakeUndefined(Address address) {
  const std::uint64_t place = address >> layout_.place_bits;
  if (Bytes(address).empty()) return {};
  std::byte* undefined = regions_[place].shadow->undefined;
  const std::uint64_t bytes = regions_[place].bytes;
  if (undefined == nullptr) undefined = static_cast<std::byte*>(std::malloc(bytes));
  if (undefined == nullptr) {
    return Fail(ErrorKind::kDevice,
                fmt::format("the machine has no {} bytes of memory to watch over {}", bytes,
                            NameOf(regions_[place].object)));
  }
  std::memset(undefined, 0xff, bytes);
  regions_[place].shadow->undefined = undefined;
  return {};
}

void Memory::Restrict(Address address, bool readable, bool writable) {
  const std::uint64_t first = address >> layout_.place_bits;
  if (first == 0) return;
  for (std::uint64_t i = first; i < regions_.size() && regions_[i].address == address; ++i) {
    regions_[i].readable = readable;
    regions_[i].writable = writable;
    regions_[i].is_buffer = true;
  }
}

Expected<void> Memory::Release(Address address) {
  const std::uint64_t place = address >> layout_.place_bits;
  if (place == 0 || place >= regions_.size() || regions_[place].address != address ||
      regions_[place].ended || regions_[place].is_continuation) {
    return Fail(ErrorKind::kUsage, fmt::format("no allocation begins at {:#x}", address));
  }
  Free(place);
  if (regions_[place].host != nullptr && !regions_[place].is_lent) {
    used_bytes_ -= regions_[place].bytes;
  }
  // The rows stay for a while, so that an access through an old pointer is reported with the name
  // of the object.
  std::uint64_t end = place;
  for (; end < regions_.size() && regions_[end].address == address; ++end) {
    regions_[end].host = nullptr;
    regions_[end].ended = true;
    if (regions_[end].is_lent) regions_[end].shadow = nullptr;
  }
  if (RegionShadow* shadow = regions_[place].shadow; shadow != nullptr) {
    std::free(shadow->undefined.exchange(nullptr));
  }
  if (end == place + 1 && !IsGiven(place)) resting_.push_back(place);
  return {};
}

std::span<std::byte> Memory::Bytes(Address address) {
  const std::uint64_t place = address >> layout_.place_bits;
  if (place >= regions_.size() || regions_[place].address != address ||
      regions_[place].host == nullptr) {
    return {};
  }
  return {regions_[place].host, regions_[place].bytes};
}

}  // namespace assay::interp
