// The answers of ranges (oracle/devices/range_request.h), on the side of the process that judges
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/devices/batch.h"
#include "oracle/devices/poison.h"
#include "oracle/devices/range_request.h"

namespace assay::oracle {

// Bytes of address space of each region, of which it uses what it needs.
inline constexpr std::size_t kRegionSpan = std::size_t{1} << 28;

// The answers of a request, in memory that a device may still write.
class RangeAnswers {
 public:
  std::size_t count() const { return count_; }
  // Copies items [begin, end) of every column to `to`, which no device can reach, and appends those
  // that were not written.  `begin` is a multiple of 8.  Each item is taken once; pieces may be
  // taken by several threads.
  // Those that LookEarly has found unwritten stay so, whatever stands there now.
  void Take(std::size_t begin, std::size_t end, const ColumnSet& to,
            std::vector<Unwritten>* unwritten) const;
  // To be called once the request was answered: looks for what was not written at the end and in
  // some other pages.  A device that stores only after it has answered is known by them.
  void LookEarly();

 private:
  friend class RangeRegions;
  struct Zone {
    std::span<std::byte> items;  // of the capacity, and the guard zone behind them
    std::size_t item_bytes = 4;
    std::size_t element = 4;  // bytes
    Poison now, next;
    std::size_t next_shift = 0;
    std::vector<std::size_t> late;  // elements, in order
  };
  std::size_t region_ = 0;
  std::size_t count_ = 0;
  std::vector<Zone> zones_;
};

// The memory of the answers in flight.
class RangeRegions {
 public:
  // Makes or enlarges the memory of one region; what was there may be lost.
  using Reserve = std::function<Expected<std::byte*>(std::size_t region, std::size_t size)>;
  explicit RangeRegions(Reserve reserve) : reserve_(std::move(reserve)) {}

  // A region that nobody has, with poison for `count` items of at most `capacity`.
  struct Lease {
    RangeAnswers answers;
    std::size_t region = 0;
    std::size_t size = 0;              // of the region
    std::vector<std::size_t> offsets;  // of the columns in it
    std::vector<std::size_t> shifts;   // of their poison
    std::vector<std::byte*> columns;
  };
  Expected<Lease> Lend(const std::vector<numerics::Slot>& outputs, std::size_t capacity,
                       std::size_t count);
  // Bytes around the answers that have changed: a sentence's end.
  static std::optional<std::string> FindTrespass(const RangeAnswers& answers);
  // `taken`: every item was, so that the next poison stands there.
  void GiveBack(const RangeAnswers& answers, bool taken);

 private:
  struct Region {
    bool lent = false;
    bool poisoned = false;
    std::size_t capacity = 0;
    std::vector<std::size_t> item_bytes;  // of the columns
    std::vector<std::size_t> offsets, shifts;
    std::size_t size = 0;
    std::byte* data = nullptr;
  };
  std::size_t FreeRegion();
  void FillPoison(Region* region);
  std::size_t NextShift() { return ++last_shift_ % kRangeShifts; }

  const Reserve reserve_;
  std::mutex mutex_;
  std::vector<Region> regions_;
  std::size_t last_shift_ = 0;
};

// A device whose child makes operands itself.  AskRange is called by one thread; answers are taken
// and given back by others meanwhile.
class AnswersRanges {
 public:
  // kUnsupported: this device makes none.
  virtual Expected<MadeOthers> CheckRange(std::uint32_t first, std::size_t count) = 0;
  // False: it is gone, or was ended, and has to be prepared again.
  virtual bool IsReady() const = 0;
  virtual Expected<RangeAnswers> AskRange(int width, std::uint32_t first, std::size_t count,
                                          std::size_t capacity) = 0;
  virtual void GiveBack(const RangeAnswers& answers, bool taken) = 0;

 protected:
  ~AnswersRanges() = default;
};

}  // namespace assay::oracle
