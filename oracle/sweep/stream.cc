#include "oracle/sweep/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/clock.h"

namespace assay::oracle {
namespace {

// Batches that wait to be judged, beside the one in hand on either side.
constexpr std::size_t kAhead = 2;
constexpr double kLongSeconds = 2;

}  // namespace

RangeFeeder::RangeFeeder(BatchRunner& runner, const StreamTask& task,
                         std::vector<std::string>* notes)
    : runner_(runner), task_(task), notes_(notes), next_(task.begin) {
  try {
    thread_ = std::thread([this] { Work(); });
  } catch (const std::system_error&) {  // no more threads: Next asks
  }
}

RangeFeeder::~RangeFeeder() {
  Stop();
  for (Fed& fed : fed_) {
    if (!fed.asked) continue;
    runner_.GiveBack(fed.asked->answers, false);
    std::move(fed.asked->notes.begin(), fed.asked->notes.end(), std::back_inserter(*notes_));
  }
}

// No exception leaves the thread that asks.
Expected<BatchRunner::RangeAsked> RangeFeeder::AskOrFail(const BatchRunner::Range& range) try {
  return runner_.AskRange(range);
} catch (const std::exception& exception) {
  return Fail(ErrorKind::kInternal, fmt::format("a range cannot be asked: {}", exception.what()));
}

RangeFeeder::Fed RangeFeeder::Ask(std::uint64_t first) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const std::uint64_t count = std::min<std::uint64_t>(task_.batch, task_.end - first);
  const BatchRunner::Range range{.w = task_.w,
                                 .first_item = first,
                                 .first = static_cast<std::uint32_t>(first - task_.first_item),
                                 .count = static_cast<std::size_t>(count),
                                 .capacity = task_.batch};
  Fed fed{.range = range, .asked = AskOrFail(range)};
  fed.seconds = base::SecondsSince(start);
  return fed;
}

void RangeFeeder::Work() {
  while (next_ < task_.end && !Stopped()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return fed_.size() < kAhead || unwanted_; });
      if (unwanted_) break;
    }
    Fed fed = Ask(next_);
    const bool last = !fed.asked || fed.asked->again_error.has_value();
    next_ += fed.range.count;
    {
      const std::lock_guard lock(mutex_);
      fed_.push_back(std::move(fed));
    }
    changed_.notify_all();
    if (last) break;
  }
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

void RangeFeeder::Stop() {
  {
    const std::lock_guard lock(mutex_);
    unwanted_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::optional<RangeFeeder::Failed> RangeFeeder::StopAtError() {
  Stop();
  if (fed_.empty()) return std::nullopt;
  const Fed& last = fed_.back();
  const std::optional<Error> error = last.asked ? last.asked->again_error : last.asked.error();
  if (!error || error->kind != ErrorKind::kDevice) return std::nullopt;
  return Failed{.range = last.range, .error = *error, .seconds = last.seconds};
}

std::optional<RangeFeeder::Fed> RangeFeeder::Next() {
  if (!thread_.joinable()) {
    if (next_ >= task_.end || Stopped() || ended_) return std::nullopt;
    Fed fed = Ask(next_);
    ended_ = !fed.asked || fed.asked->again_error.has_value();
    next_ += fed.range.count;
    return fed;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !fed_.empty() || ended_; });
  if (fed_.empty()) return std::nullopt;
  Fed fed = std::move(fed_.front());
  fed_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return fed;
}

Stream::Stream(BatchRunner& runner, const numerics::Operation& operation, const Judging& judging,
               std::size_t batch)
    : runner_(runner), judging_(judging) {
  const std::size_t widths = runner.widths().size();
  batch_.inputs = ColumnSet(operation.Inputs(), batch);
  batch_.outputs.resize(widths);
  batch_.asked.assign(widths, false);
  batch_.answered.assign(widths, false);
  batch_.unwritten.resize(widths);
  for (std::size_t w = 0; w < widths; ++w) {
    if (runner.AnswersRangesIn(w)) batch_.outputs[w] = ColumnSet(operation.Outputs(), batch);
  }
}

Stream::Made Stream::Check(const BatchRunner::Range& range) {
  message.clear();
  // A request after this one may have ended it.
  if (!runner_.IsReady() && (!runner_.Prepare() || !runner_.IsReady())) return Made::kUnknown;
  const Expected<MadeOthers> others = runner_.CheckRange(range);
  if (!others) {
    if (others.error().kind != ErrorKind::kUnsupported) {
      message = "is sent all operands: " + others.error().message;
    }
    // If it is gone, what the next request says of that counts.
    if (!runner_.IsReady()) (void)runner_.Prepare();
    return Made::kUnknown;
  }
  if (!*others) return Made::kRight;
  message = fmt::format("does not make operands as it is asked to, and is sent all of them: {}",
                        **others);
  return Made::kOthers;
}

Expected<void> Stream::LosePending() {
  const auto pending = std::exchange(pending_, std::nullopt);
  if (!pending) return {};
  return runner_.LoseRange(pending->range, pending->error, pending->seconds);
}

StreamEnd Stream::Lose(const BatchRunner::Range& range, const Error& error, double seconds) {
  const Expected<void> went_on = runner_.LoseRange(range, error, seconds);
  if (went_on) return StreamEnd::kOff;
  message = went_on.error().message;
  return StreamEnd::kLost;
}

// Takes the answers out and judges them.
StreamEnd Stream::Take(const RangeFeeder::Fed& fed, Statistics* statistics) {
  const std::size_t w = fed.range.w;
  batch_.first_item = fed.range.first_item;
  batch_.count = fed.range.count;
  batch_.asked[w] = batch_.answered[w] = true;
  batch_.unwritten[w].clear();
  batch_.asked_again = 0;
  batch_.differences.clear();
  const RangeAnswers& answers = fed.asked->answers;
  auto* const operands = static_cast<std::uint32_t*>(batch_.inputs.Writable()[0].data);
  std::mutex mutex;
  std::vector<Unwritten> unwritten;
  const auto take = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      operands[i] = fed.range.first + static_cast<std::uint32_t>(i);
    }
    std::vector<Unwritten> found;
    answers.Take(begin, end, batch_.outputs[w], &found);
    if (found.empty()) return;
    const std::lock_guard lock(mutex);
    unwritten.insert(unwritten.end(), found.begin(), found.end());
  };
  *statistics = judging_.JudgeBatch(batch_, nullptr, take);
  runner_.GiveBack(answers, true);
  std::sort(unwritten.begin(), unwritten.end());
  batch_.unwritten[w] = std::move(unwritten);
  runner_.CompareSample(batch_, fed.range, *fed.asked);
  statistics->asked_again += batch_.asked_again;
  // With what the threads could not know.
  if (!batch_.differences.empty()) *statistics = judging_.JudgeBatch(batch_);
  const bool counts = batch_.unwritten[w].empty() && statistics->failures == 0;
  return counts ? StreamEnd::kFinished : StreamEnd::kDoubtful;
}

void Stream::Compare(Batch* batch) const {
  runner_.CompareEarlier(*batch, w_, {.batch = batch_, .asked = *asked_});
}

StreamEnd Stream::RunOut(const RangeFeeder::Fed& fed, const StreamTask& task) {
  const Error& error = fed.asked.error();
  // An error after an interrupt is not the device's.
  if (task.Stopped()) return StreamEnd::kFinished;
  if (error.kind != ErrorKind::kDevice) {
    message = "is sent all operands: " + error.message;
    return StreamEnd::kOff;
  }
  const bool others = runner_.IsReady() && Check(fed.range) == Made::kOthers;
  if (task.Stopped()) return StreamEnd::kFinished;
  message = others ? fmt::format("{}; and before that: {}", message, error.message) : "";
  return others ? StreamEnd::kOff : Lose(fed.range, error, fed.seconds);
}

StreamEnd Stream::Doubt(RangeFeeder::Fed fed, const StreamTask& task) {
  w_ = fed.range.w;
  asked_ = std::move(*fed.asked);
  std::move(asked_->notes.begin(), asked_->notes.end(), std::back_inserter(notes));
  if (task.Stopped()) return StreamEnd::kDoubtful;
  const bool others = Check(fed.range) == Made::kOthers;
  return others && !task.Stopped() ? StreamEnd::kOff : StreamEnd::kDoubtful;
}

StreamEnd Stream::Run(const StreamTask& task, const std::function<bool(Accepted)>& accept) {
  message.clear();
  notes.clear();
  pending_.reset();
  auto feeder = std::make_unique<RangeFeeder>(runner_, task, &notes);
  // The device may be asked otherwise after this.
  const auto stop = [&] {
    pending_ = feeder->StopAtError();
    if (task.Stopped()) pending_.reset();
    feeder.reset();
  };
  while (std::optional<RangeFeeder::Fed> fed = feeder->Next()) {
    if (!fed->asked) {
      feeder.reset();
      return RunOut(*fed, task);
    }
    Accepted accepted;
    const bool doubtful = Take(*fed, &accepted.statistics) == StreamEnd::kDoubtful;
    const std::optional<Error> again_error = fed->asked->again_error;
    // From a device that is gone there is no other answer.
    if (doubtful && again_error) accepted.statistics = judging_.JudgeBatch(batch_);
    if (doubtful && !again_error) {
      stop();
      return Doubt(std::move(*fed), task);
    }
    accepted.next_item = fed->range.first_item + fed->range.count;
    accepted.notes = std::move(fed->asked->notes);
    if (!accept(std::move(accepted))) {
      stop();
      pending_.reset();
      return StreamEnd::kFinished;
    }
    if (again_error) {
      feeder.reset();
      if (task.Stopped()) return StreamEnd::kFinished;
      return Lose(fed->range, *again_error, fed->seconds);
    }
    if (fed->seconds > kLongSeconds) {
      stop();
      return StreamEnd::kSlow;
    }
  }
  return StreamEnd::kFinished;
}

}  // namespace assay::oracle
