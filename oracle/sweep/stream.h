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
  bool Stopped() const { return stop != nullptr && stop->load(); }
};

// Asks on a thread of its own, a few batches ahead.
class RangeFeeder {
 public:
  // `notes`: gets what the device noted at requests that nobody takes.
  RangeFeeder(BatchRunner& runner, const StreamTask& task, std::vector<std::string>* notes);
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
  // Asks no more; the request that ended with an error of the device which nobody has seen yet, be
  // it that for the range or that for its sample.
  struct Failed {
    BatchRunner::Range range;
    Error error;
    double seconds = 0;
  };
  std::optional<Failed> StopAtError();

 private:
  void Stop();
  void Work();
  Expected<BatchRunner::RangeAsked> AskOrFail(const BatchRunner::Range& range);
  Fed Ask(std::uint64_t first);
  bool Stopped() const { return task_.Stopped(); }

  BatchRunner& runner_;
  const StreamTask task_;
  std::vector<std::string>* const notes_;
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
  enum class Made : std::uint8_t {
    kRight,
    kOthers,   // by what was read back, and by nothing else; `message`
    kUnknown,  // the device did not answer this, or makes none; `message`
  };
  Made Check(const BatchRunner::Range& range);
  // Ends (kFinished) where `accept` returns false.
  StreamEnd Run(const StreamTask& task, const std::function<bool(Accepted)>& accept);
  // Gives up the width of which a request after those that Run has judged met an error of the
  // device.  To be called after Run, and where that was kDoubtful after the batch was asked again.
  // An error: no width is left.
  Expected<void> LosePending();

  // Of kDoubtful: the batch, with the answers of the stream.
  const Batch& doubtful() const { return batch_; }
  // Adds what these answers say to the batch that asks for the items again.
  void Compare(Batch* batch) const;
  std::string message;             // of kLost; of kOff, if not empty, a note for the report
  std::vector<std::string> notes;  // of the device, at requests that were not accepted

 private:
  // What follows from a request that was not answered, and from answers that do not count as they
  // are; nothing is asked meanwhile.
  StreamEnd RunOut(const RangeFeeder::Fed& fed, const StreamTask& task);
  StreamEnd Doubt(RangeFeeder::Fed fed, const StreamTask& task);
  StreamEnd Take(const RangeFeeder::Fed& fed, Statistics* statistics);
  StreamEnd Lose(const BatchRunner::Range& range, const Error& error, double seconds);

  BatchRunner& runner_;
  const Judging& judging_;
  Batch batch_;
  std::size_t w_ = 0;                             // of kDoubtful
  std::optional<BatchRunner::RangeAsked> asked_;  // the same
  std::optional<RangeFeeder::Failed> pending_;    // of LosePending
};

}  // namespace assay::oracle
