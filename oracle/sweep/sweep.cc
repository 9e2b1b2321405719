#include "oracle/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/threads.h"
#include "oracle/sweep/batch_runner.h"
#include "oracle/sweep/feeder.h"
#include "oracle/sweep/finish.h"
#include "oracle/sweep/judging.h"
#include "oracle/sweep/parts.h"
#include "oracle/sweep/search.h"
#include "oracle/sweep/stream.h"

namespace assay::oracle {
namespace {

using numerics::Operation;

// Items in flight: large enough that a device is busy, small enough that a checkpoint is recent.  A
// sweep begins with few, doubles them, and halves them again where a batch takes long: what a kill
// loses is some seconds of a device however slow.  All are multiples of kAllLanes, so that an input
// stands in the same lane whatever the sizes of the batches before it.
constexpr std::uint64_t kFirstBatch = 48 * 85;
constexpr std::uint64_t kFastBatch = kFirstBatch << 8;
constexpr std::uint64_t kSlowBatch = kFirstBatch << 3;
constexpr double kLongBatchSeconds = 2;
// Where nothing will be a stream: what a thread judges of it stays in the processor's caches, and
// memory that is met for the first time costs more than most functions.
constexpr std::uint64_t kCachedBatch = kFirstBatch << 6;
// A stream asks more at a time, once the usual size has shown that this takes little time.
constexpr std::uint64_t kStreamBatch = kFastBatch << 2;
constexpr double kQuickBatchSeconds = 0.15;
// Where so many batches of a stream had to be asked again, all are asked as usual.
constexpr int kMostDoubts = 16;
// Those that judge a stream leave a few cores to the device's process and to the thread that asks:
// on 16 cores 14 threads are faster than 16.
int JudgesOf(const SweepOptions& options, const std::vector<Part>& parts) {
  const int threads = base::ThreadCount(options.threads);
  const bool streams =
      std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.counts; });
  return options.threads > 0 || !streams ? threads : threads - threads / 8;
}

// Geometric functions have their n in the operation; everything else is asked in every width.
std::vector<int> WidthsOf(const Device& device, const Operation& operation,
                          const SweepOptions& options) {
  const bool geometric = operation.kind == numerics::OperationKind::kBuiltin &&
                         numerics::Info(operation.function).IsGeometric();
  if (geometric) return {1};
  const std::vector<int> available = device.WidthsFor(operation);
  std::vector<int> widths;
  std::copy_if(options.widths.begin(), options.widths.end(), std::back_inserter(widths),
               [&](int width) {
                 return std::find(available.begin(), available.end(), width) != available.end();
               });
  // If they have no width in common, the device's error lists its widths.
  return widths.empty() ? options.widths : widths;
}

FunctionResult NotRun(const Operation& operation, const SweepOptions& options, const Error& error) {
  FunctionResult result;
  result.operation = operation;
  if (options.shard) result.part = PartState{.asked = true};
  result.verdict =
      error.kind == ErrorKind::kUnsupported ? Verdict::kUnsupported : Verdict::kNotMeasured;
  result.message = error.message;
  return result;
}

// What is asked of `parts`: all, or the share of a shard; none is empty.
std::vector<ItemRange> RangesOf(const std::vector<Part>& parts, const Operation& operation,
                                const SweepOptions& options) {
  std::vector<ItemRange> ranges;
  for (const Part& part : parts) {
    ItemRange range{.first = 0, .end = part.count};
    if (options.shard) range = ShareOf(*options.shard, operation, part.count);
    if (!range.IsEmpty()) ranges.push_back({part.first + range.first, part.first + range.end});
  }
  return ranges;
}

// What a sweep asks.
struct Agenda {
  std::shared_ptr<const InputPlan> plan;
  std::vector<Part> parts;
  std::vector<ItemRange> ranges;
};

Agenda AgendaOf(const Device& device, const Operation& operation, const SweepOptions& options,
                std::size_t widths) {
  Agenda agenda{.plan = std::make_shared<const InputPlan>(operation, InputsFor(operation, options)),
                .parts = {},
                .ranges = {}};
  agenda.parts = PartsOf(device, operation, options, widths, agenda.plan);
  agenda.ranges = RangesOf(agenda.parts, operation, options);
  return agenda;
}

// One operation on a device that is ready for it.
class Sweep {
 public:
  Sweep(Device& device, BatchRunner& runner, const Operation& operation, const Limit& limit,
        const SweepOptions& options, const SweepHooks& hooks, SweepProgress resume, Agenda agenda)
      : device_(device),
        runner_(runner),
        operation_(operation),
        limit_(limit),
        options_(options),
        hooks_(hooks),
        panel_(operation, JudgeOptionsFor(device.Description(), operation, options)),
        judging_(panel_, runner.widths(), options.max_failures, JudgesOf(options, agenda.parts)),
        plan_(std::move(agenda.plan)),
        parts_(std::move(agenda.parts)),
        ranges_(std::move(agenda.ranges)),
        progress_(std::move(resume)),
        leads_(operation) {
    for (const Lead& lead : progress_.leads) leads_.Learn(lead);
    progress_.count = ranges_.empty() ? 0 : ranges_.back().end;
    progress_.next_item = From(progress_.next_item);
    const bool fast = numerics::BatchEvaluator(operation).IsFast();
    // A recording is one batch.
    const bool streams =
        std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.counts; });
    const auto threads = static_cast<std::uint64_t>(base::ThreadCount(options.threads));
    const std::uint64_t quick = streams ? kFastBatch : std::min(kFastBatch, kCachedBatch * threads);
    const std::uint64_t usual = fast ? quick : kSlowBatch;
    capacity_ =
        device.RecordedCount()
            ? progress_.count
            : std::min(progress_.count, options.batch_items > 0 ? options.batch_items : usual);
    capacity_ = std::max<std::uint64_t>(capacity_, 1);
    planned_ = !device.RecordedCount() && options.only_inputs.empty();
    step_ = planned_ && options.batch_items == 0 ? std::min(capacity_, kFirstBatch) : capacity_;
  }

  FunctionResult Run();

 private:
  bool Stopped() const { return hooks_.stop != nullptr && hooks_.stop->load(); }
  bool HasFailedEnough() const {
    return options_.stop_after_failures > 0 &&
           progress_.statistics.failures >= options_.stop_after_failures;
  }
  bool Searches() const {
    return options_.search_evaluations > 0 && planned_ && !plan_->IsExhaustive();
  }
  void AskAll(std::string* message);
  bool AskBatches(Feeder& feeder, std::string* message);
  bool Streams(std::uint64_t first) const;
  bool AskStream(std::string* message);
  bool LosePending(std::string* message);
  void Judge(const Batch& batch);
  void Search(Measured* measured);
  std::vector<Part>::const_iterator PartOf(std::uint64_t item) const;
  std::vector<ItemRange>::const_iterator RangeOf(std::uint64_t item) const;
  static std::size_t FirstWidthOf(const Part& part) {
    return static_cast<std::size_t>(std::find(part.asked.begin(), part.asked.end(), true) -
                                    part.asked.begin());
  }
  std::size_t StreamBatch() const {
    return static_cast<std::size_t>(options_.batch_items > 0 ? options_.batch_items : kStreamBatch);
  }
  std::future<Expected<void>> Start(Feeder& feeder, std::uint64_t first, std::uint64_t until) const;
  void ChooseStep(double seconds);
  std::uint64_t From(std::uint64_t item) const;
  void TakeNotes();
  void AddNote(std::string note);

  Device& device_;
  BatchRunner& runner_;
  const Operation& operation_;
  const Limit& limit_;
  const SweepOptions& options_;
  const SweepHooks& hooks_;
  JudgePanel panel_;
  Judging judging_;
  std::shared_ptr<const InputPlan> plan_;
  std::vector<Part> parts_;
  std::vector<ItemRange> ranges_;  // of the parts' items, those that are asked
  SweepProgress progress_;
  Leads leads_;                 // where a search will begin
  std::uint64_t capacity_ = 1;  // items of a batch at most
  std::uint64_t step_ = 1;      // of the next
  bool planned_ = true;         // the inputs are the plan's
  bool streams_ = true;         // where it can be
  bool quick_ = false;          // the last batch of the usual size took little time
  int doubts_ = 0;              // batches of streams that were asked again
  std::unique_ptr<Stream> stream_;
  const Batch* doubtful_ = nullptr;  // a batch of the stream that is asked again
};

// The first item from `item` on that is asked; the count, where there is none.
std::uint64_t Sweep::From(std::uint64_t item) const {
  for (const ItemRange& range : ranges_) {
    if (item < range.end) return std::max(item, range.first);
  }
  return progress_.count;
}

std::vector<Part>::const_iterator Sweep::PartOf(std::uint64_t item) const {
  return std::find_if(parts_.begin(), parts_.end(),
                      [&](const Part& part) { return item < part.first + part.count; });
}

// A range lies in one part.
std::vector<ItemRange>::const_iterator Sweep::RangeOf(std::uint64_t item) const {
  return std::find_if(ranges_.begin(), ranges_.end(),
                      [&](const ItemRange& range) { return item < range.end; });
}

std::future<Expected<void>> Sweep::Start(Feeder& feeder, std::uint64_t first,
                                         std::uint64_t until) const {
  const std::uint64_t left = std::min(RangeOf(first)->end, until) - first;
  return feeder.Start(*PartOf(first), first, static_cast<std::size_t>(std::min(step_, left)));
}

// For the next batch, when one took so long.
void Sweep::ChooseStep(double seconds) {
  if (options_.batch_items > 0 || !planned_) return;
  quick_ = step_ == kFastBatch && seconds < kQuickBatchSeconds;
  const bool is_long = seconds > kLongBatchSeconds;
  step_ = is_long ? std::max<std::uint64_t>(step_ / 2 / kAllLanes, 1) * kAllLanes : step_ * 2;
  step_ = std::min(step_, capacity_);
}

// To be called while the device is not being asked.
void Sweep::TakeNotes() {
  for (std::string& note : device_.TakeNotes()) AddNote(std::move(note));
}

void Sweep::AddNote(std::string note) {
  std::vector<std::string>& notes = progress_.notes;
  if (note.empty() || std::find(notes.begin(), notes.end(), note) != notes.end()) return;
  notes.push_back(std::move(note));
}

// Whether the items from `first` on are asked in a stream: there are many, and batches of the usual
// size go fast.
bool Sweep::Streams(std::uint64_t first) const {
  if (!streams_ || !planned_ || first >= progress_.count) return false;
  if (options_.batch_items == 0 && !quick_) return false;
  const Part& part = *PartOf(first);
  const auto asked = std::count(part.asked.begin(), part.asked.end(), true);
  return part.counts && asked == 1 && runner_.AnswersRangesIn(FirstWidthOf(part)) &&
         RangeOf(first)->end - first >= 2 * StreamBatch();
}

// False: the sweep ends here.
bool Sweep::AskStream(std::string* message) {
  const Part& part = *PartOf(progress_.next_item);
  const StreamTask task{.w = FirstWidthOf(part),
                        .first_item = part.first,
                        .begin = progress_.next_item,
                        .end = RangeOf(progress_.next_item)->end,
                        .batch = StreamBatch(),
                        .stop = hooks_.stop};
  if (stream_ == nullptr) {
    stream_ = std::make_unique<Stream>(runner_, operation_, judging_, task.batch);
    const auto bits = static_cast<std::uint32_t>(task.begin - task.first_item);
    const BatchRunner::Range range{.w = task.w, .first = bits, .count = task.batch};
    streams_ = stream_->Check(range) == Stream::Made::kRight;
    if (Stopped()) return false;
    AddNote(stream_->message);
    if (!streams_) return true;
  }
  const StreamEnd end = stream_->Run(task, [this](Stream::Accepted accepted) {
    for (std::string& note : accepted.notes) AddNote(std::move(note));
    progress_.statistics.Merge(accepted.statistics, options_.max_failures);
    progress_.next_item = From(accepted.next_item);
    if (hooks_.progress) hooks_.progress(progress_);
    return !HasFailedEnough();
  });
  TakeNotes();
  for (std::string& note : stream_->notes) AddNote(std::move(note));
  progress_.lost = runner_.lost();
  switch (end) {
    case StreamEnd::kFinished:
      return !Stopped() && !HasFailedEnough();
    case StreamEnd::kDoubtful:
      doubtful_ = &stream_->doubtful();
      streams_ = ++doubts_ < kMostDoubts;
      return true;
    case StreamEnd::kLost:
      if (!Stopped()) *message = stream_->message;
      return false;
    case StreamEnd::kOff:
      AddNote(stream_->message);
      [[fallthrough]];
    case StreamEnd::kSlow:
      streams_ = false;
      return LosePending(message);
  }
  return true;
}

bool Sweep::LosePending(std::string* message) {
  const Expected<void> went_on = stream_->LosePending();
  progress_.lost = runner_.lost();
  if (went_on) return true;
  if (!Stopped()) *message = went_on.error().message;
  return false;
}

// Batch by batch, until a stream can go on; while the device works on one, the one before it is
// judged. False: the sweep ends here.
bool Sweep::AskBatches(Feeder& feeder, std::string* message) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point started = Clock::now();
  const std::uint64_t until =
      doubtful_ == nullptr ? progress_.count : doubtful_->first_item + doubtful_->count;
  std::future<Expected<void>> pending = Start(feeder, progress_.next_item, until);
  while (pending.valid()) {
    const Expected<void> ran = pending.get();
    ChooseStep(base::SecondsSince(started));
    started = Clock::now();
    if (!ran) {
      // An error after an interrupt is not the device's.
      if (Stopped()) return false;
      *message = ran.error().message;
      if (doubtful_ == nullptr) return false;
      stream_->Compare(&feeder.Last());
      Judge(feeder.Last());
      return false;
    }
    progress_.lost = runner_.lost();
    TakeNotes();
    const std::uint64_t following = From(feeder.Last().first_item + feeder.Last().count);
    Batch* finished = &feeder.Last();
    if (following < until && !Stopped() && (doubtful_ != nullptr || !Streams(following))) {
      pending = Start(feeder, following, until);
      finished = &feeder.Previous();
    }
    if (doubtful_ != nullptr) stream_->Compare(finished);
    Judge(*finished);
    progress_.next_item = following;
    if (hooks_.progress) hooks_.progress(progress_);
    if (HasFailedEnough()) {
      if (pending.valid()) pending.wait();
      return false;
    }
  }
  if (std::exchange(doubtful_, nullptr) != nullptr && !LosePending(message)) return false;
  return !Stopped();
}

void Sweep::AskAll(std::string* message) {
  Feeder feeder(runner_, operation_, static_cast<std::size_t>(capacity_));
  bool goes_on = true;
  while (goes_on && progress_.next_item < progress_.count) {
    goes_on = Streams(progress_.next_item) && doubtful_ == nullptr ? AskStream(message)
                                                                   : AskBatches(feeder, message);
  }
}

void Sweep::Judge(const Batch& batch) {
  std::vector<double> errors;
  const Statistics judged =
      judging_.JudgeBatch(batch, Searches() ? &errors : nullptr, nullptr, &progress_.statistics);
  progress_.statistics.Merge(judged, options_.max_failures);
  if (!Searches()) return;
  leads_.Learn(batch, errors);
  progress_.leads = leads_.List();
}

// A search that is interrupted begins again when the run is resumed: checkpoints have the state
// before it.
void Sweep::Search(Measured* measured) {
  const SearchTask task{.operation = operation_,
                        .leads = progress_.leads,
                        .first_item = plan_->Count(),
                        .evaluations = options_.search_evaluations,
                        .seed = options_.inputs.seed,
                        .range = NumberRangeOf(operation_, options_.inputs),
                        .max_failures = options_.max_failures,
                        .threads = base::ThreadCount(options_.threads),
                        .stop = hooks_.stop,
                        .progress = [this](std::uint64_t asked) {
                          TakeNotes();
                          if (hooks_.searched) hooks_.searched(asked, options_.search_evaluations);
                        }};
  Expected<SearchResult> found = SearchForErrors(runner_, judging_, task, &progress_.statistics);
  if (!found) {
    measured->message = found.error().message;
    return;
  }
  measured->complete = found->complete;
  if (!found->complete) {
    measured->message = fmt::format("interrupted after {} of {} evaluations of the search",
                                    found->evaluations, options_.search_evaluations);
  }
  measured->search = std::move(*found);
}

FunctionResult Sweep::Run() {
  Measured measured;
  AskAll(&measured.message);
  measured.complete = progress_.next_item >= progress_.count;
  if (!measured.complete && measured.message.empty() && HasFailedEnough()) {
    measured.message =
        fmt::format("ended after {} failures, with {} of {} inputs asked",
                    progress_.statistics.failures, progress_.next_item, progress_.count);
  }
  measured.enumerates = planned_ && plan_->IsExhaustive();
  if (measured.complete && Searches()) Search(&measured);
  // If answers cannot be distinguished from other data, there are no answers.
  if (Expected<void> finished = device_.EndTask(); !finished && !Stopped()) {
    measured.message = finished.error().message;
    measured.refuted = true;
  }
  TakeNotes();
  progress_.lost = runner_.lost();
  measured.progress = std::move(progress_);
  if (options_.shard) return oracle::PartOf(operation_, limit_, std::move(measured));
  return FinishSweep(panel_, limit_, std::move(measured));
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  constexpr std::string_view kNames[] = {"pass", "fail", "unsupported", "not_measured"};
  return kNames[static_cast<int>(verdict)];
}

const Limit* LimitOf(const Operation& operation, const SweepOptions& options, Profile profile) {
  return FindLimit(operation, profile, MathOptionsOf(options.math, options.build_options),
                   options.reading.value_or(Reading::kEnvironment));
}

const Limit* LimitOf(const Operation& operation, const SweepOptions& options) {
  return LimitOf(operation, options, options.profile);
}

FunctionResult SweepOperation(Device& device, const Operation& operation,
                              const SweepOptions& options, const SweepHooks& hooks,
                              SweepProgress resume) {
  const Limit* limit = LimitOf(operation, options);
  if (limit == nullptr) {
    return NotRun(operation, options,
                  {ErrorKind::kUnsupported, fmt::format("the chapter has no limit for {} {}",
                                                        operation.Name(), operation.FormatName())});
  }
  if (options.reading == Reading::kSuite &&
      !IsTestedBySuite(operation, MathOptionsOf(options.math, options.build_options))) {
    return NotRun(
        operation, options,
        {ErrorKind::kUnsupported,
         fmt::format("the conformance suite does not look at answers of {} {} in programs "
                     "built like this; judge by --spec opencl-c",
                     operation.Name(), operation.FormatName())});
  }
  BatchRunner runner(
      device,
      {operation, WidthsOf(device, operation, options), options.math, options.build_options},
      resume.lost, hooks.stop, options.inputs.seed);
  std::optional<Agenda> agenda;
  if (options.shard) {
    agenda = AgendaOf(device, operation, options, runner.widths().size());
    if (agenda->ranges.empty()) {
      FunctionResult nothing;
      nothing.operation = operation;
      nothing.part = PartState{};
      return nothing;
    }
  }
  if (Expected<void> ready = runner.Prepare(); !ready) {
    return NotRun(operation, options, ready.error());
  }
  if (!agenda) agenda = AgendaOf(device, operation, options, runner.widths().size());
  return Sweep(device, runner, operation, *limit, options, hooks, std::move(resume),
               std::move(*agenda))
      .Run();
}

}  // namespace assay::oracle
