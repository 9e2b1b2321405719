#include "interp/execute/worker_memory.h"

#include <algorithm>
#include <cstdint>

#include "interp/program/program.h"

namespace assay::interp {
namespace {

std::byte* AlignedBytes(std::vector<std::byte>* bytes) {
  return bytes->data() + (-reinterpret_cast<std::uintptr_t>(bytes->data()) & 63);
}

}  // namespace

WorkerMemory::WorkerMemory(const LaunchState& launch)
    : launch_(launch),
      regions_(launch.memory->regions().begin(), launch.memory->regions().end()),
      local_(launch.local_bytes * launch.groups_in_batch + 64) {
  const Program& program = *launch.program;
  // Local objects lie in this thread's copy; private variables in each batch's frame.
  std::byte* const local = AlignedBytes(&local_);
  const int bits = launch.memory->layout().place_bits;
  // A launch has few objects of its own, and a program may have thousands: only those are visited.
  const auto for_each_place = [this, bits](Address address, auto&& visit) {
    for (std::uint64_t place = address >> bits;
         place < regions_.size() && regions_[place].address == address; ++place) {
      visit(regions_[place]);
    }
  };
  const auto make_constant = [](Region& region) {
    region.is_constant_buffer = true;
    region.writable = false;
  };
  if (launch.keeps_written_places) {
    // What is not kept to be put back. A pointer that comes there is another object's, and who
    // stores by it is found; then the launch is made again, without this.
    const std::vector<bool>& places = launch.written_places;
    for (Region& region : regions_) {
      const std::uint64_t place = region.address >> bits;
      const bool is_others = region.host != nullptr && (region.writable || region.is_buffer);
      if (is_others && place < places.size() && !places[place]) make_constant(region);
    }
  }
  // Nobody may write to it, however the pointer was made.
  for (const Address buffer : launch.constant_buffers) for_each_place(buffer, make_constant);
  for (const LaunchState::Image& image : launch.images) {
    if (image.address >> bits >= regions_.size()) continue;
    const Region& at = regions_[image.address >> bits];
    if (at.address == 0 || image.address - at.address >= at.bytes) continue;
    for_each_place(at.address, [&image](Region& region) {
      region.is_image = true;
      region.is_image_and_buffer = region.is_image_and_buffer || image.is_buffer;
    });
  }
  for (const LaunchState::LocalObject& object : launch.local_objects) {
    for_each_place(object.address, [&](Region& region) {
      region.bytes = object.bytes;
      const std::uint64_t offset = object.offset * launch.groups_in_batch;
      (launch.groups_in_batch > 1 ? region.groups : region.host) = local + offset;
      if (!program.detectors.Has(Detector::kDefinedness)) return;
      undefined_.resize(launch.local_bytes * launch.groups_in_batch + 64);
      shadows_.push_back(std::make_unique<RegionShadow>());
      shadows_.back()->undefined = undefined_.data() + offset;
      region.shadow = shadows_.back().get();
      watched_.push_back(static_cast<std::size_t>(&region - regions_.data()));
    });
  }
  for (std::uint32_t i = 0; i < program.variables.size(); ++i) {
    for_each_place(program.variables[i].address, [i](Region& region) { region.variable = i; });
  }
}

void WorkerMemory::BeginGroups(std::uint64_t groups) {
  if (launch_.local_objects.empty()) return;
  if (groups < launch_.groups_in_batch) {
    std::byte* const local = AlignedBytes(&local_);
    for (const LaunchState::LocalObject& object : launch_.local_objects) {
      const std::uint64_t offset = object.offset * launch_.groups_in_batch;
      std::fill_n(local + offset, object.bytes * groups, launch_.undefined_byte);
      if (undefined_.empty()) continue;
      std::fill_n(undefined_.data() + offset, object.bytes * groups, std::byte{0xff});
    }
    return;
  }
  std::fill(local_.begin(), local_.end(), launch_.undefined_byte);
  std::fill(undefined_.begin(), undefined_.end(), std::byte{0xff});
  for (const std::size_t place : watched_) regions_[place].is_defined = false;
}

void WorkerMemory::FindDefined() {
  for (const std::size_t place : watched_) {
    Region& region = regions_[place];
    if (region.is_defined) continue;
    const std::byte* const undefined = region.shadow->undefined;
    region.is_defined =
        undefined == nullptr || std::all_of(undefined, undefined + region.bytes,
                                            [](std::byte bits) { return bits == std::byte{0}; });
  }
}

}  // namespace assay::interp
