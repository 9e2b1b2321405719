// A batch with its control flow.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/vector_instructions.h"
#include "interp/execute/batch.h"
#include "interp/execute/lane_bits.h"
#include "interp/program/envelope_batch.h"

namespace assay::interp {

// Work-items that stand before a block.
struct Standing {
  std::uint32_t block = 0;
  std::uint64_t lanes = 0;
};
// Those of a batch, in the order of the blocks. The first ones come and go most.
class StandingList {
 public:
  bool empty() const { return first_ == all_.size(); }
  std::size_t size() const { return all_.size() - first_; }
  const Standing* begin() const { return all_.data() + first_; }
  const Standing* end() const { return all_.data() + all_.size(); }
  Standing& front() { return all_[first_]; }
  const Standing& front() const { return all_[first_]; }
  void clear() {
    all_.clear();
    first_ = 0;
  }
  void assign(const Standing& only) {
    clear();
    all_.push_back(only);
  }
  Standing TakeFirst() {
    const Standing taken = all_[first_++];
    if (empty()) clear();
    return taken;
  }
  Standing TakeLast() {
    const Standing taken = all_.back();
    all_.pop_back();
    if (empty()) clear();
    return taken;
  }
  // Adds lanes to those before the block.
  void Insert(std::uint32_t block, std::uint64_t lanes) {
    if (empty() || all_.back().block < block) {
      all_.push_back({block, lanes});
    } else if (all_.back().block == block) {
      all_.back().lanes |= lanes;
    } else {
      InsertBefore(block, lanes);
    }
  }

 private:
  void InsertBefore(std::uint32_t block, std::uint64_t lanes) {
    std::size_t place = first_;
    while (all_[place].block < block) ++place;
    if (all_[place].block == block) {
      all_[place].lanes |= lanes;
    } else if (first_ == 0) {
      all_.insert(all_.begin() + static_cast<std::ptrdiff_t>(place), {block, lanes});
    } else {
      for (std::size_t i = first_--; i < place; ++i) all_[i - 1] = all_[i];
      all_[place - 1] = {block, lanes};
    }
  }

  std::vector<Standing> all_;
  std::size_t first_ = 0;  // those before it are gone
};
inline void Insert(StandingList* standing, std::uint32_t block, std::uint64_t lanes) {
  standing->Insert(block, lanes);
}
inline void Insert(std::vector<Standing>* standing, std::uint32_t block, std::uint64_t lanes) {
  auto place = standing->begin();
  while (place != standing->end() && place->block < block) ++place;
  if (place != standing->end() && place->block == block) {
    place->lanes |= lanes;
  } else {
    standing->insert(place, {block, lanes});
  }
}

// A batch with its control flow: `ready` lanes can go on, the first block first; `parked` ones wait
// at the instruction that ends their block.
struct RunningBatch {
  Batch batch;
  StandingList ready;
  std::vector<Standing> parked;
  std::uint64_t alive = 0;  // lanes that have not returned
  std::uint64_t first = 0;  // linear local id of lane 0
  // Some of the lanes that had not returned executed a block without the others. Until then all of
  // them are in the same iterations of every loop.
  bool has_parted = false;
  bool last_first = false;  // the last of `ready` have the next turn
  // Of Stragglers: blocks that it executed, and those in a row that few lanes did; the lanes'
  // work-items; whether they have gone on since they were put aside.
  std::uint64_t blocks = 0;
  std::uint64_t lonely_blocks = 0;
  std::vector<WorkItem> items;
  bool has_begun = false;
  std::vector<std::uint32_t> events;
  // Records of what is undefined: of the registers, by register, of private variables.
  std::unique_ptr<std::byte[], void (*)(void*)> undefined{nullptr, nullptr};
  std::unique_ptr<std::byte[], void (*)(std::byte*)> memory{nullptr, nullptr};
  std::unique_ptr<EnvelopeBatch> envelope;  // of an envelope run
  // Its registers of built-in variables were filled, last for this lane 0 in a group of this size.
  bool is_filled = false;
  std::uint64_t filled_first = 0;
  std::array<std::uint64_t, 3> filled_size = {};
};

// Of registers and private variables together.
std::uint64_t BatchBytes(const Program& program);

// Takes the lanes that wait at the block; they go on after it.
inline std::uint64_t TakeParked(RunningBatch* running, std::uint32_t block) {
  for (auto standing = running->parked.begin(); standing != running->parked.end(); ++standing) {
    if (standing->block != block) continue;
    const std::uint64_t lanes = standing->lanes;
    running->parked.erase(standing);
    return lanes;
  }
  return 0;
}

// Takes lanes from those that wait at the block.
inline void Unpark(RunningBatch* running, std::uint32_t block, std::uint64_t lanes) {
  const auto standing = std::ranges::find(running->parked, block, &Standing::block);
  standing->lanes &= ~lanes;
  if (standing->lanes == 0) running->parked.erase(standing);
}

// The first `count` lanes.
constexpr std::uint64_t FullMask(std::uint64_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// std::popcount is a call where the processor need not have the instruction.
constexpr std::uint64_t CountLanes(std::uint64_t lanes) {
  if (lanes == ~std::uint64_t{0}) return 64;
  lanes -= lanes >> 1 & 0x5555555555555555;
  lanes = (lanes & 0x3333333333333333) + (lanes >> 2 & 0x3333333333333333);
  return ((lanes + (lanes >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56;
}

// A boolean register as a mask: bytes of 0 and 1.
inline std::uint64_t BitsOfSixteen(const std::byte* booleans) {
  const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(booleans));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_slli_epi16(bytes, 7)));
}
inline std::uint64_t BitsOfBooleans(const std::byte* booleans, std::uint32_t lanes) {
  if (lanes == 64) {
    return BitsOfSixteen(booleans) | BitsOfSixteen(booleans + 16) << 16 |
           BitsOfSixteen(booleans + 32) << 32 | BitsOfSixteen(booleans + 48) << 48;
  }
  std::uint64_t bits = 0;
  for (std::uint32_t i = 0; i < lanes; i += 16) bits |= BitsOfSixteen(booleans + i) << i;
  return bits;
}

// These lanes execute what follows.
inline void Activate(RunningBatch& running, std::uint64_t lanes) {
  Batch& batch = running.batch;
  batch.active = lanes;
  batch.whole = lanes == FullMask(batch.lanes);
  // Bit i: one of the sixteen lanes from i.
  std::uint64_t near = lanes | lanes >> 1;
  near |= near >> 2;
  near |= near >> 4;
  near |= near >> 8;
  constexpr std::uint64_t kEverySixteenth = 0x0001000100010001;
  batch.sixteens = near & kEverySixteenth;
  batch.is_full = lanes == running.alive && batch.sixteens == kEverySixteenth;
  if (batch.is_full) {
    batch.free_begin = 0;
    batch.free_bytes = ~std::uintptr_t{0};
  } else {
    // One sixteen by itself costs less.
    const bool has_several = (batch.sixteens & (batch.sixteens - 1)) != 0;
    const Program& program = *batch.program;
    batch.free_begin =
        reinterpret_cast<std::uintptr_t>(batch.registers) + program.temporaries_begin;
    batch.free_bytes = has_several ? program.temporary_bytes : 0;
  }
  batch.is_expanded = false;
}

// One lane of a register.
inline std::uint64_t ReadLane(const RunningBatch& running, std::uint32_t offset, Kind kind,
                              int lane) {
  const std::uint32_t bytes = BytesOf(kind);
  return ReadBits(running.batch.registers + offset + static_cast<std::uint64_t>(lane) * bytes,
                  bytes);
}
inline void WriteLane(RunningBatch& running, std::uint32_t offset, Kind kind, int lane,
                      std::uint64_t bits) {
  const std::uint32_t bytes = BytesOf(kind);
  WriteBits(running.batch.registers + offset + static_cast<std::uint64_t>(lane) * bytes, bytes,
            bits);
}

}  // namespace assay::interp
