// What is kept beside registers and memory in an envelope run: the values that other conforming
// devices may have there (interp/envelope).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "interp/program/opcode.h"
#include "interp/program/scalar.h"

namespace assay::interp {

// What is known of a value beside the one that the run computes.
enum class EnvelopeTag : std::uint8_t {
  kPoint,     // every device has this value
  kNumbers,   // a floating-point number from `low` to `high`; where both are NaN: any NaN
  kIntegers,  // low, low + 1, ... to high, modulo 2^width
  kAnything,
};

// One for each instruction of a program that is run with envelopes; registers in
// Program::shadow_operands, operands first.
struct EnvelopeStep {
  Opcode opcode = Opcode::kNop;
  Kind kind = Kind::kI32;
  Kind from = Kind::kI32;
  std::uint8_t result_count = 0;
  std::uint16_t operand_count = 0;
  std::uint32_t first = 0;
};

// Beside the bytes of an object: a tag for each byte, and the ends of its range.
//
// A byte's tag says the EnvelopeTag, the width of the scalar and the byte's place in it, so a load
// of other bytes than those of one store is told from the load of that value.
struct EnvelopeRecord {
  explicit EnvelopeRecord(std::uint64_t bytes) : tags(bytes), low(bytes), high(bytes) {}
  std::vector<std::uint8_t> tags;
  std::vector<std::byte> low, high;

  static constexpr std::uint8_t TagOf(EnvelopeTag tag, std::uint32_t bytes, std::uint32_t index) {
    if (tag == EnvelopeTag::kPoint) return 0;
    const std::uint32_t width = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    return static_cast<std::uint8_t>((static_cast<std::uint32_t>(tag) * 4 + width) * 8 + index);
  }
  static constexpr EnvelopeTag KindOf(std::uint8_t tag) {
    return static_cast<EnvelopeTag>(tag >> 5);
  }

  // The tags of all bytes of a scalar.
  static constexpr std::uint64_t PatternOf(EnvelopeTag tag, std::uint32_t bytes) {
    if (tag == EnvelopeTag::kPoint) return 0;
    const std::uint64_t all = TagOf(tag, bytes, 0) * std::uint64_t{0x0101010101010101};
    return (all + 0x0706050403020100) & (~std::uint64_t{0} >> (64 - 8 * bytes));
  }

  void Store(std::uint64_t at, std::uint32_t bytes, EnvelopeTag tag, std::uint64_t low_bits,
             std::uint64_t high_bits) {
    const std::uint64_t pattern = PatternOf(tag, bytes);
    Put(&tags[at], pattern, bytes);
    if (tag == EnvelopeTag::kPoint) return;
    Put(&low[at], low_bits, bytes);
    Put(&high[at], high_bits, bytes);
  }
  // The tag of a scalar; bytes that were not stored together are anything.
  EnvelopeTag Load(std::uint64_t at, std::uint32_t bytes, std::uint64_t* low_bits,
                   std::uint64_t* high_bits) const {
    const std::uint64_t found = Take(&tags[at], bytes);
    if (found == 0) return EnvelopeTag::kPoint;
    const EnvelopeTag tag = KindOf(tags[at]);
    if (found != PatternOf(tag, bytes)) return EnvelopeTag::kAnything;
    *low_bits = Take(&low[at], bytes);
    *high_bits = Take(&high[at], bytes);
    return tag;
  }

 private:
  // A switch: copies of a known size are a move.
  template <typename T>
  static void Put(T* to, std::uint64_t bits, std::uint32_t bytes) {
    switch (bytes) {
      case 4:
        std::memcpy(to, &bits, 4);
        return;
      case 8:
        std::memcpy(to, &bits, 8);
        return;
      default:
        std::memcpy(to, &bits, bytes);
    }
  }
  template <typename T>
  static std::uint64_t Take(const T* from, std::uint32_t bytes) {
    std::uint64_t bits = 0;
    switch (bytes) {
      case 4:
        std::memcpy(&bits, from, 4);
        break;
      case 8:
        std::memcpy(&bits, from, 8);
        break;
      default:
        std::memcpy(&bits, from, bytes);
    }
    return bits;
  }
};

// The records of the objects of a memory, by their first place there.  Several threads may use it;
// bytes that two of them access at the same time are a race of the kernel.
class EnvelopeRecords {
 public:
  // Null where every device has what the run has.
  EnvelopeRecord* Find(std::uint64_t place) const {
    return place < count_ ? records_[place].load(std::memory_order_acquire) : nullptr;
  }
  EnvelopeRecord& Ensure(std::uint64_t place, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (EnvelopeRecord* record = Find(place)) return *record;
    owned_.push_back(std::make_unique<EnvelopeRecord>(bytes));
    records_[place].store(owned_.back().get(), std::memory_order_release);
    return *owned_.back();
  }
  // Before a launch: the table's size.
  void Reserve(std::uint64_t places) {
    if (places <= count_) return;
    auto grown = std::make_unique<std::atomic<EnvelopeRecord*>[]>(places);
    for (std::uint64_t i = 0; i < count_; ++i) grown[i].store(records_[i].load());
    records_ = std::move(grown);
    count_ = places;
  }
  // The path of a work-item, or the place of an access, is open: other devices may have stored
  // elsewhere, or what nobody knows.
  std::atomic<bool> is_undecided{false};
  // Whether some byte of an object, also of local or private memory, may be no point.
  std::atomic<bool> has_some{false};

 private:
  std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::unique_ptr<std::atomic<EnvelopeRecord*>[]> records_;
  std::vector<std::unique_ptr<EnvelopeRecord>> owned_;
};

}  // namespace assay::interp
