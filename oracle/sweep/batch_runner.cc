#include "oracle/sweep/batch_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "base/clock.h"
#include "oracle/inputs/random.h"

namespace assay::oracle {
namespace {

using Clock = std::chrono::steady_clock;
using numerics::Bits;

// A width that took this long to fail has hung: its wider neighbours would cost as much.
constexpr double kHungSeconds = 5;

// Which items are asked again: of each stretch of so many items one, and of the first few all. That
// depends on the place in the plan alone, so that a run that was resumed, and whose batches are
// others, asks the same again.
struct SampleDensity {
  std::uint64_t begin, end;  // items of the plan
  std::uint64_t stretch;
};
constexpr SampleDensity kSampleDensities[] = {{0, 64, 1},
                                              {64, std::uint64_t{1} << 16, 16},
                                              {std::uint64_t{1} << 16, std::uint64_t{1} << 20, 256},
                                              {std::uint64_t{1} << 20, ~std::uint64_t{0}, 4096}};

// Results of 8 and 16 bits often equal their poison by chance.  In a large batch they are requested
// again only if there are more such results than chance explains.
constexpr std::size_t kLargeBatch = std::size_t{1} << 17;

bool NeedsSecondAsk(const ColumnSet& outputs, std::size_t found, std::size_t count) {
  if (found == 0) return false;
  if (count < kLargeBatch) return true;
  double by_chance = 0;
  for (const Column& column : outputs.Writable()) {
    const int bits = numerics::WidthOf(column.slot.type);
    if (bits > 16) continue;
    by_chance += static_cast<double>(count) * column.slot.components / (1 << bits);
  }
  return by_chance == 0 || static_cast<double>(found) > 2 * by_chance + 8;
}

bool IsNan(numerics::ScalarType type, Bits bits) {
  return numerics::IsFloating(type) && numerics::IsNan(numerics::FormatOf(type), bits);
}

bool Holds(std::span<const Unwritten> unwritten, const Unwritten& entry) {
  return std::binary_search(unwritten.begin(), unwritten.end(), entry);
}

}  // namespace

BatchRunner::BatchRunner(Device& device, TaskSpec task, std::vector<LostWidth> lost,
                         const std::atomic<bool>* stop, std::uint64_t seed)
    : device_(device),
      own_memory_(dynamic_cast<FillsPoison*>(&device)),
      ranges_(dynamic_cast<AnswersRanges*>(&device)),
      task_(std::move(task)),
      lost_(std::move(lost)),
      stop_(stop),
      seed_(seed),
      result_types_(task_.operation.ResultTypes()) {}

bool BatchRunner::IsLost(int width) const {
  return std::any_of(lost_.begin(), lost_.end(),
                     [&](const LostWidth& lost) { return lost.width == width; });
}

std::vector<int> BatchRunner::Remaining() const {
  std::vector<int> widths;
  std::copy_if(task_.widths.begin(), task_.widths.end(), std::back_inserter(widths),
               [&](int width) { return !IsLost(width); });
  return widths;
}

Expected<void> BatchRunner::Prepare() {
  TaskSpec remaining = task_;
  remaining.widths = Remaining();
  if (remaining.widths.empty()) return Fail(ErrorKind::kDevice, lost_.back().message);
  return device_.Prepare(remaining);
}

Expected<void> BatchRunner::Lose(int width, const Batch& batch, const Error& error,
                                 double seconds) {
  if (stop_ != nullptr && stop_->load()) return tl::unexpected<Error>(error);
  lost_.push_back({.width = width,
                   .first_item = batch.first_item,
                   .items = batch.count,
                   .message = error.message});
  if (seconds >= kHungSeconds) {
    for (int other : Remaining()) {
      if (other > width) {
        lost_.push_back({.width = other,
                         .first_item = batch.first_item,
                         .items = 0,
                         .message = "not asked after a narrower vector hung"});
      }
    }
  }
  if (Remaining().empty()) return tl::unexpected<Error>(error);
  return Prepare();
}

Expected<void> BatchRunner::Ask(int width, const ColumnSet& inputs, std::size_t count,
                                ColumnSet* outputs, const Poison::Key& key, bool again,
                                bool complement) {
  outputs->FillPoison(key, count, complement, own_memory_ == nullptr);
  if (own_memory_ != nullptr) own_memory_->UsePoison(outputs->LastPoison());
  const auto ask = again ? &Device::RunAgain : &Device::Run;
  auto ran = (device_.*ask)(width, inputs.Readable(), outputs->Writable(), count);
  if (!ran) return ran;
  if (const auto trespass = outputs->FindTrespass(count)) {
    return Fail(ErrorKind::kDevice, fmt::format("{} wrote outside of its answers: {}",
                                                device_.Description().name, *trespass));
  }
  return {};
}

Expected<void> BatchRunner::AskBatch(Batch& batch, std::size_t w) {
  const int width = task_.widths[w];
  const Poison::Key key = KeyOf(width, batch.first_item);
  ColumnSet& outputs = batch.outputs[w];
  if (auto ran = Ask(width, batch.inputs, batch.count, &outputs, key, false); !ran) return ran;
  std::vector<Unwritten> unwritten = outputs.FindUnwritten(batch.count);
  if (!NeedsSecondAsk(outputs, unwritten.size(), batch.count)) return {};
  // A result that equals both the poison and its complement was not written.
  ColumnSet second(task_.operation.Outputs(), batch.count);
  if (auto ran = Ask(width, batch.inputs, batch.count, &second, key, true, true); !ran) return ran;
  const std::vector<Unwritten> still = second.FindUnwritten(batch.count);
  std::set_intersection(unwritten.begin(), unwritten.end(), still.begin(), still.end(),
                        std::back_inserter(batch.unwritten[w]));
  // Who wrote only the second time, or answered another way, did not say the same twice.
  for (const Unwritten& first : unwritten) {
    if (Holds(still, first)) continue;
    Compare(batch, w, first.item, batch.inputs, second, still, batch.count, first.item);
  }
  return {};
}

BatchRunner::Sample BatchRunner::SampleOf(std::uint64_t first, std::size_t count,
                                          const FillItem& fill) const {
  Sample sample;
  const std::uint64_t last = first + count;
  for (const auto& [begin, end, stretch] : kSampleDensities) {
    if (last <= begin || first >= end) continue;
    const std::uint64_t behind = (std::min(last, end) - begin + stretch - 1) / stretch;
    for (std::uint64_t k = (std::max(first, begin) - begin) / stretch; k < behind; ++k) {
      const std::uint64_t stands = begin + k * stretch;
      const std::uint64_t item = stands + ItemStream(seed_, stands).Below(stretch);
      if (item >= first && item < last) sample.items.push_back(item - first);
    }
  }
  std::mt19937_64 random(seed_ ^ first);
  for (std::size_t k = sample.items.size(); k > 1; --k) {
    std::swap(sample.items[k - 1], sample.items[random() % k]);
  }
  sample.inputs = ColumnSet(task_.operation.Inputs(), sample.items.size());
  for (std::size_t k = 0; k < sample.items.size(); ++k) {
    fill(k, sample.inputs, sample.items[k]);
  }
  return sample;
}

void BatchRunner::Compare(Batch& batch, std::size_t w, std::size_t item, const ColumnSet& inputs,
                          const ColumnSet& outputs, std::span<const Unwritten> unwritten,
                          std::size_t count, std::size_t second) const {
  Difference difference{.item = item, .width = w};
  std::array<Bits, numerics::kMaxResults> first{};
  batch.outputs[w].Gather(item, first);
  outputs.Gather(second, difference.answers);
  bool differs = false;
  for (std::size_t r = 0; r < result_types_.size(); ++r) {
    difference.written[r] = !Holds(unwritten, {.item = second, .result = r});
    if (first[r] == difference.answers[r]) continue;
    // The bits of a NaN do not matter, and a result that was not written in both runs is not a
    // repeated answer.
    if (IsNan(result_types_[r], first[r]) && IsNan(result_types_[r], difference.answers[r])) {
      continue;
    }
    if (!difference.written[r] && Holds(batch.unwritten[w], {.item = item, .result = r})) continue;
    differs = true;
  }
  if (!differs) return;
  const int width = task_.widths[w];
  difference.lane = static_cast<int>(second % static_cast<std::size_t>(width));
  if (width > 1) {
    const auto arguments = static_cast<std::size_t>(task_.operation.ArgumentCount());
    difference.lanes = VectorOf(inputs, arguments, count, second, width);
  }
  batch.differences.push_back(std::move(difference));
}

Expected<void> BatchRunner::AskAgain(Batch& batch, std::size_t w, const Sample& sample) {
  const std::size_t size = sample.items.size();
  const int width = task_.widths[w];
  ColumnSet outputs(task_.operation.Outputs(), size);
  // Items are numbered from 0 in every batch of a plan but the first: no other key is this one.
  const Poison::Key key = KeyOf(width, ~batch.first_item);
  if (auto ran = Ask(width, sample.inputs, size, &outputs, key, true); !ran) return ran;
  const std::vector<Unwritten> unwritten = outputs.FindUnwritten(size);
  batch.asked_again += size * result_types_.size();
  for (std::size_t k = 0; k < size; ++k) {
    Compare(batch, w, sample.items[k], sample.inputs, outputs, unwritten, size, k);
  }
  return {};
}

bool BatchRunner::AnswersRangesIn(std::size_t w) const {
  const std::vector<numerics::Slot> inputs = task_.operation.Inputs();
  // Results of 8 and 16 bits often equal their poison by chance.
  return ranges_ != nullptr && !IsLost(task_.widths[w]) && inputs.size() == 1 &&
         inputs[0].components == 1 && numerics::WidthOf(inputs[0].type) == 32 &&
         std::all_of(result_types_.begin(), result_types_.end(),
                     [](numerics::ScalarType type) { return numerics::WidthOf(type) >= 32; });
}

Expected<BatchRunner::RangeAsked> BatchRunner::AskRange(const Range& range) {
  const int width = task_.widths[range.w];
  RangeAsked asked;
  auto answers = ranges_->AskRange(width, range.first, range.count, range.capacity);
  if (!answers) return tl::unexpected<Error>(answers.error());
  asked.answers = std::move(*answers);
  asked.sample = SampleOf(range.first_item, range.count,
                          [&](std::size_t k, const ColumnSet& columns, std::size_t item) {
                            const Bits bits = range.first + static_cast<std::uint32_t>(item);
                            columns.Scatter(k, {&bits, 1});
                          });
  const std::size_t size = asked.sample.items.size();
  asked.again = ColumnSet(task_.operation.Outputs(), size);
  if (size > 0) {
    const Poison::Key key = KeyOf(width, ~range.first_item);
    if (auto ran = Ask(width, asked.sample.inputs, size, &asked.again, key, true); !ran) {
      asked.again_error = ran.error();
    }
    asked.again_unwritten = asked.again.FindUnwritten(size);
  }
  asked.notes = device_.TakeNotes();
  return asked;
}

Expected<void> BatchRunner::LoseRange(const Range& range, const Error& error, double seconds) {
  if (IsLost(task_.widths[range.w])) return {};
  Batch batch;
  batch.first_item = range.first_item;
  batch.count = range.count;
  return Lose(task_.widths[range.w], batch, error, seconds);
}

void BatchRunner::CompareSample(Batch& batch, const Range& range, const RangeAsked& asked) const {
  if (asked.again_error) return;
  const std::size_t size = asked.sample.items.size();
  batch.asked_again += size * result_types_.size();
  for (std::size_t k = 0; k < size; ++k) {
    Compare(batch, range.w, asked.sample.items[k], asked.sample.inputs, asked.again,
            asked.again_unwritten, size, k);
  }
}

void BatchRunner::TakeEarlier(Batch& batch, std::size_t w, const Batch& first) const {
  const std::size_t skipped = batch.first_item - first.first_item;
  batch.answered.assign(task_.widths.size(), false);
  batch.unwritten.assign(task_.widths.size(), {});
  batch.asked_again = 0;
  batch.differences.clear();
  batch.answered[w] = true;
  for (std::size_t i = 0; i < batch.count; ++i) {
    batch.inputs.CopyItem(i, first.inputs, skipped + i);
    batch.outputs[w].CopyItem(i, first.outputs[w], skipped + i);
  }
  for (const Unwritten& entry : first.unwritten[w]) {
    if (entry.item < skipped || entry.item - skipped >= batch.count) continue;
    batch.unwritten[w].push_back({.item = entry.item - skipped, .result = entry.result});
  }
}

void BatchRunner::CompareEarlier(Batch& batch, std::size_t w, const Earlier& earlier) const {
  if (!batch.answered[w]) TakeEarlier(batch, w, earlier.batch);
  const auto what = [](const Difference& d) {
    return std::tuple(d.item, d.width, d.answers, d.written);
  };
  std::set<decltype(what(batch.differences[0]))> known;
  for (const Difference& difference : batch.differences) known.insert(what(difference));
  const auto compare = [&](std::uint64_t item, const ColumnSet& inputs, const ColumnSet& outputs,
                           std::span<const Unwritten> unwritten, std::size_t count,
                           std::size_t second) {
    if (item < batch.first_item || item - batch.first_item >= batch.count) return;
    const std::size_t before = batch.differences.size();
    Compare(batch, w, item - batch.first_item, inputs, outputs, unwritten, count, second);
    if (batch.differences.size() > before && known.contains(what(batch.differences.back()))) {
      batch.differences.pop_back();
    }
  };
  const Batch& first = earlier.batch;
  const std::uint64_t begin = std::max(batch.first_item, first.first_item);
  const std::uint64_t end =
      std::min(batch.first_item + batch.count, first.first_item + first.count);
  for (std::uint64_t item = begin; item < end; ++item) {
    compare(item, first.inputs, first.outputs[w], first.unwritten[w], first.count,
            item - first.first_item);
  }
  const RangeAsked& asked = earlier.asked;
  const std::size_t size = asked.again_error ? 0 : asked.sample.items.size();
  for (std::size_t k = 0; k < size; ++k) {
    compare(first.first_item + asked.sample.items[k], asked.sample.inputs, asked.again,
            asked.again_unwritten, size, k);
  }
}

Expected<void> BatchRunner::Run(Batch& batch) {
  const std::size_t widths = task_.widths.size();
  if (Remaining().empty()) return Fail(ErrorKind::kDevice, lost_.back().message);
  batch.answered.assign(widths, false);
  batch.unwritten.assign(widths, {});
  batch.asked_again = 0;
  batch.differences.clear();
  for (std::size_t w = 0; w < widths; ++w) {
    if (!batch.asked[w] || IsLost(task_.widths[w])) continue;
    const Clock::time_point start = Clock::now();
    const Expected<void> ran = AskBatch(batch, w);
    batch.answered[w] = ran.has_value();
    if (ran) continue;
    auto went_on = Lose(task_.widths[w], batch, ran.error(), base::SecondsSince(start));
    if (!went_on) return went_on;
  }
  if (device_.RecordedCount()) return {};  // a recording says the same again
  for (std::size_t w = 0; batch.period != 0 && w < widths; ++w) {
    if (!batch.answered[w]) continue;
    for (std::size_t i = batch.period; i < batch.count; ++i) {
      batch.asked_again += result_types_.size();
      Compare(batch, w, i % batch.period, batch.inputs, batch.outputs[w], batch.unwritten[w],
              batch.count, i);
    }
  }
  const Sample sample = SampleOf(batch.first_item, batch.count,
                                 [&](std::size_t k, const ColumnSet& columns, std::size_t item) {
                                   columns.CopyItem(k, batch.inputs, item);
                                 });
  for (std::size_t w = 0; !sample.items.empty() && w < widths; ++w) {
    if (!batch.answered[w] || IsLost(task_.widths[w])) continue;
    const Clock::time_point start = Clock::now();
    const Expected<void> ran = AskAgain(batch, w, sample);
    if (ran) continue;
    // Answers up to here are kept; if no width is left, the next batch reports it.
    auto went_on = Lose(task_.widths[w], batch, ran.error(), base::SecondsSince(start));
    const bool interrupted = stop_ != nullptr && stop_->load();
    if (!went_on) return interrupted ? went_on : Expected<void>();
  }
  return {};
}

}  // namespace assay::oracle
