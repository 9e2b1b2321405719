#include "oracle/sweep/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace assay::oracle {
namespace {

// Batches that wait to be judged, beside the one in hand on either side.
constexpr std::size_t kAhead = 2;
constexpr double kLongSeconds = 2;

}  // namespace

RangeFeeder::RangeFeeder(BatchRunner& runner, const StreamTask& task)
    : runner_(runner), task_(task), next_(task.begin) {
  try {
    thread_ = std::thread([this] { Work(); });
  } catch (const std::system_error&) {  // no more threads: Next asks
  }
}

RangeFeeder::~RangeFeeder() {
  Stop();
  for (const Fed& fed : fed_) {
    if (fed.asked) runner_.GiveBack(fed.asked->answers, false);
  }
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
  Fed fed{.range = range, .asked = runner_.AskRange(range)};
  fed.seconds = std::chrono::duration<double>(Clock::now() - start).count();
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

std::optional<RangeFeeder::Fed> RangeFeeder::StopAtError() {
  Stop();
  if (fed_.empty() || fed_.back().asked || fed_.back().asked.error().kind != ErrorKind::kDevice) {
    return std::nullopt;
  }
  Fed fed = std::move(fed_.back());
  fed_.pop_back();
  return fed;
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

bool Stream::Makes(const BatchRunner::Range& range) {
  // A request after this one may have ended it.
  if (!runner_.IsReady() && (!runner_.Prepare() || !runner_.IsReady())) return true;
  const Expected<void> checked = runner_.CheckRange(range);
  if (checked) return true;
  if (checked.error().kind == ErrorKind::kUnsupported) return false;
  message = fmt::format("does not make operands as it is asked to, and is sent all of them: {}",
                        checked.error().message);
  // It may be gone; what the next request says of that counts.
  (void)runner_.Prepare();
  return false;
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

StreamEnd Stream::Run(const StreamTask& task, const std::function<void(Accepted)>& accept) {
  message.clear();
  if (const auto lost = std::exchange(lost_, std::nullopt)) {
    return Lose(lost->range, lost->asked.error(), lost->seconds);
  }
  auto feeder = std::make_unique<RangeFeeder>(runner_, task);
  while (std::optional<RangeFeeder::Fed> fed = feeder->Next()) {
    if (!fed->asked) {
      feeder.reset();
      const Error& error = fed->asked.error();
      // An error after an interrupt is not the device's.
      if (task.stop != nullptr && task.stop->load()) return StreamEnd::kFinished;
      if (error.kind != ErrorKind::kDevice) {
        message = "is sent all operands: " + error.message;
        return StreamEnd::kOff;
      }
      if (runner_.IsReady() && !Makes(fed->range)) return StreamEnd::kOff;
      return Lose(fed->range, error, fed->seconds);
    }
    Accepted accepted;
    const bool doubtful = Take(*fed, &accepted.statistics) == StreamEnd::kDoubtful;
    const std::optional<Error> again_error = fed->asked->again_error;
    // From a device that is gone there is no other answer.
    if (doubtful && again_error) accepted.statistics = judging_.JudgeBatch(batch_);
    if (doubtful && !again_error) {
      lost_ = feeder->StopAtError();
      if (task.stop != nullptr && task.stop->load()) lost_.reset();
      feeder.reset();
      w_ = fed->range.w;
      asked_ = std::move(*fed->asked);
      return Makes(fed->range) ? StreamEnd::kDoubtful : StreamEnd::kOff;
    }
    accepted.next_item = fed->range.first_item + fed->range.count;
    accepted.notes = std::move(fed->asked->notes);
    accept(std::move(accepted));
    if (again_error) {
      feeder.reset();
      if (task.stop != nullptr && task.stop->load()) return StreamEnd::kFinished;
      return Lose(fed->range, *again_error, fed->seconds);
    }
    if (fed->seconds > kLongSeconds) return StreamEnd::kSlow;
  }
  return StreamEnd::kFinished;
}

}  // namespace assay::oracle
