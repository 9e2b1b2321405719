// The long way through all operands of 32 bits: several requests for ranges
// (oracle/devices/range.h) are under way while the answers before them are judged.  Internal to the
// sweep.
//
// This is for devices that answer rightly.  A batch of which all answers were written and none is
// refused counts.  Everything else ends the stream, and the sweep asks the batch again as it asks
// any other, with operands that were sent; the answers of the stream then stand as those of an
// earlier request for the same items, so that one that was wrong, or not written, is reported even
// if it comes only once.  Only where the device is shown to make other operands than it should do
// they not count: then the stream is off, with a note that says so.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "oracle/devices/batch.h"
#include "oracle/sweep/batch_runner.h"
#include "oracle/sweep/judging.h"

namespace assay::oracle {

// What a stream asks: items [begin, end), in batches.
struct StreamTask {
  std::size_t w = 0;             // number of the width
  std::uint64_t first_item = 0;  // that with the operand 0
  std::uint64_t begin = 0, end = 0;
  std::size_t batch = 1;  // items
  const std::atomic<bool>* stop = nullptr;
};

// Asks on a thread of its own, a few batches ahead.
class RangeFeeder {
 public:
  RangeFeeder(BatchRunner& runner, const StreamTask& task);
  ~RangeFeeder();  // after the request in hand
  RangeFeeder(const RangeFeeder&) = delete;
  RangeFeeder& operator=(const RangeFeeder&) = delete;

  struct Fed {
    BatchRunner::Range range;
    Expected<BatchRunner::RangeAsked> asked;
    double seconds = 0;
  };
  // In order; nothing after the last, after an error and after a stop.
  std::optional<Fed> Next();
  // Asks no more; an error of the device that nobody has seen yet.
  std::optional<Fed> StopAtError();

 private:
  void Stop();
  void Work();
  Fed Ask(std::uint64_t first);
  bool Stopped() const { return task_.stop != nullptr && task_.stop->load(); }

  BatchRunner& runner_;
  const StreamTask task_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Fed> fed_;
  bool ended_ = false;     // no more will come
  bool unwanted_ = false;  // no more is wanted
  std::uint64_t next_ = 0;
  std::thread thread_;
};

enum class StreamEnd : std::uint8_t {
  kFinished,  // or stopped
  kDoubtful,  // the batch has to be asked again
  kSlow,      // large batches take too long
  kOff,       // the device makes other operands than it should, or a width is lost
  kLost,      // no width is left: `error`
};

class Stream {
 public:
  Stream(BatchRunner& runner, const numerics::Operation& operation, const Judging& judging,
         std::size_t batch);

  struct Accepted {
    Statistics statistics;
    std::uint64_t next_item = 0;
    std::vector<std::string> notes;  // of the device
  };
  // Whether the device makes the operands of a range; `message` where it makes others.
  bool Makes(const BatchRunner::Range& range);
  StreamEnd Run(const StreamTask& task, const std::function<void(Accepted)>& accept);

  // Of kDoubtful: the batch, with the answers of the stream.
  const Batch& doubtful() const { return batch_; }
  // Adds what these answers say to the batch that asks for the items again.
  void Compare(Batch* batch) const;
  std::string message;  // of kLost; of kOff, if not empty, a note for the report

 private:
  StreamEnd Take(const RangeFeeder::Fed& fed, Statistics* statistics);
  StreamEnd Lose(const BatchRunner::Range& range, const Error& error, double seconds);

  BatchRunner& runner_;
  const Judging& judging_;
  Batch batch_;
  std::size_t w_ = 0;  // of kDoubtful
  // An error that came after the batch of kDoubtful.
  std::optional<RangeFeeder::Fed> lost_;
  std::optional<BatchRunner::RangeAsked> asked_;  // the same
};

}  // namespace assay::oracle
