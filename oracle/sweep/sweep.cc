#include "oracle/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

#include "oracle/sweep/batch_runner.h"
#include "oracle/sweep/finish.h"
#include "oracle/sweep/judging.h"
#include "oracle/sweep/search.h"

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
// Repetitions of the inputs asked for, so that they fill whole vectors of every width (the least
// common multiple of 3 and 16) and, where they are the lanes of one vector, stand in its lanes.
constexpr std::size_t kAllLanes = 48;

int ThreadsOf(const SweepOptions& options) {
  if (options.threads > 0) return options.threads;
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : static_cast<int>(cores);
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

InputOptions InputsFor(const Operation& operation, const SweepOptions& options) {
  InputOptions inputs = options.inputs;
  const auto known = options.known_worst.find({operation.Name(), operation.FormatName()});
  if (known != options.known_worst.end()) inputs.known_worst = known->second;
  return inputs;
}

// A stretch of the items of a sweep: where they come from and in which widths they are asked.
struct Part {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::vector<bool> asked;  // per width
  // Inputs that an earlier part has asked in another width, and that count no more.
  bool repeats = false;
  std::size_t period = 0;  // not 0: the inputs come again after so many
  std::function<Expected<void>(std::uint64_t begin, std::size_t count, std::span<const Column>)>
      fill;
};

Part PlanPart(std::uint64_t first, std::shared_ptr<const InputPlan> plan, std::vector<bool> asked) {
  return {.first = first,
          .count = plan->Count(),
          .asked = std::move(asked),
          .fill = [plan](std::uint64_t begin, std::size_t count,
                         std::span<const Column> columns) -> Expected<void> {
            plan->Fill(begin, count, columns);
            return {};
          }};
}

// The parts of a sweep, in order.
std::vector<Part> PartsOf(const Device& device, const Operation& operation,
                          const SweepOptions& options, std::size_t widths,
                          const std::shared_ptr<const InputPlan>& plan) {
  const std::vector<bool> all(widths, true);
  if (const std::optional<std::size_t> recorded = device.RecordedCount()) {
    return {{.first = 0,
             .count = *recorded,
             .asked = all,
             .fill = [&device](std::uint64_t, std::size_t, std::span<const Column> columns) {
               return device.RecordedInputs(columns);
             }}};
  }
  if (!options.only_inputs.empty()) {
    const auto& only = options.only_inputs;
    return {{.first = 0,
             .count = only.size() * kAllLanes,
             .asked = all,
             .period = only.size(),
             .fill = [&only](std::uint64_t begin, std::size_t count,
                             std::span<const Column> columns) -> Expected<void> {
               for (std::size_t i = 0; i < count; ++i) {
                 Scatter(columns, i, only[(begin + i) % only.size()]);
               }
               return {};
             }}};
  }
  const bool long_way = plan->IsExhaustive() && plan->Count() > options.all_widths_limit;
  if (!long_way || widths < 2) return {PlanPart(0, plan, all)};
  std::vector<bool> first(widths, false);
  first[0] = true;
  std::vector<bool> others = all;
  others[0] = false;
  InputOptions standard = InputsFor(operation, options);
  standard.level = Level::kStandard;
  std::vector<Part> parts = {PlanPart(0, plan, first)};
  parts.push_back(
      PlanPart(plan->Count(), std::make_shared<const InputPlan>(operation, standard), others));
  parts.back().repeats = true;
  return parts;
}

// Feeds batches to the device on a thread of its own while the last batch is judged.
class Feeder {
 public:
  Feeder(BatchRunner& runner, const Operation& operation, std::size_t capacity) : runner_(runner) {
    for (Batch& batch : batches_) {
      batch.inputs = ColumnSet(operation.Inputs(), capacity);
      for (std::size_t w = 0; w < runner.widths().size(); ++w) {
        batch.outputs.emplace_back(operation.Outputs(), capacity);
      }
    }
  }

  // Items first .. first + count - 1, all of `part`.
  std::future<Expected<void>> Start(const Part& part, std::uint64_t first, std::size_t count) {
    Batch& batch = batches_[next_];
    next_ = 1 - next_;
    batch.first_item = first;
    batch.count = count;
    batch.asked = part.asked;
    batch.repeats = part.repeats;
    // Counted from the batch's first item.
    batch.period = part.period;
    const auto run = [this, &part, &batch]() -> Expected<void> {
      Expected<void> filled =
          part.fill(batch.first_item - part.first, batch.count, batch.inputs.Writable());
      return filled ? runner_.Run(batch) : filled;
    };
    try {
      return std::async(std::launch::async, run);
    } catch (const std::system_error&) {  // no more threads: one after the other
      return std::async(std::launch::deferred, run);
    }
  }

  // The batch started last but one; complete once its future is.
  const Batch& Previous() const { return batches_[next_]; }
  const Batch& Last() const { return batches_[1 - next_]; }

 private:
  BatchRunner& runner_;
  Batch batches_[2];
  int next_ = 0;
};

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
        judging_(panel_, runner.widths(), options.max_failures, ThreadsOf(options)),
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
    const std::uint64_t usual = fast ? kFastBatch : kSlowBatch;
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
  bool Searches() const {
    return options_.search_evaluations > 0 && planned_ && !plan_->IsExhaustive();
  }
  void AskAll(std::string* message);
  void Judge(const Batch& batch);
  void Search(Measured* measured);
  std::future<Expected<void>> Start(Feeder& feeder, std::uint64_t first) const;
  void ChooseStep(double seconds);
  std::uint64_t From(std::uint64_t item) const;
  void TakeNotes();

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
};

// The first item from `item` on that is asked; the count, where there is none.
std::uint64_t Sweep::From(std::uint64_t item) const {
  for (const ItemRange& range : ranges_) {
    if (item < range.end) return std::max(item, range.first);
  }
  return progress_.count;
}

std::future<Expected<void>> Sweep::Start(Feeder& feeder, std::uint64_t first) const {
  const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& candidate) {
    return first < candidate.first + candidate.count;
  });
  // A range lies in one part.
  const auto range = std::find_if(ranges_.begin(), ranges_.end(), [&](const ItemRange& candidate) {
    return first < candidate.end;
  });
  const std::uint64_t left = range->end - first;
  return feeder.Start(*part, first, static_cast<std::size_t>(std::min(step_, left)));
}

// For the next batch, when one took so long.
void Sweep::ChooseStep(double seconds) {
  if (options_.batch_items > 0 || !planned_) return;
  const bool is_long = seconds > kLongBatchSeconds;
  step_ = is_long ? std::max<std::uint64_t>(step_ / 2 / kAllLanes, 1) * kAllLanes : step_ * 2;
  step_ = std::min(step_, capacity_);
}

// To be called while the device is not being asked.
void Sweep::TakeNotes() {
  for (std::string& note : device_.TakeNotes()) {
    std::vector<std::string>& notes = progress_.notes;
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  }
}

void Sweep::AskAll(std::string* message) {
  Feeder feeder(runner_, operation_, static_cast<std::size_t>(capacity_));
  std::future<Expected<void>> pending;
  using Clock = std::chrono::steady_clock;
  Clock::time_point started = Clock::now();
  if (progress_.next_item < progress_.count) pending = Start(feeder, progress_.next_item);
  while (pending.valid()) {
    const Expected<void> ran = pending.get();
    ChooseStep(std::chrono::duration<double>(Clock::now() - started).count());
    started = Clock::now();
    if (!ran) {
      // An error after an interrupt is not the device's.
      if (!Stopped()) *message = ran.error().message;
      return;
    }
    progress_.lost = runner_.lost();
    TakeNotes();
    const std::uint64_t following = From(feeder.Last().first_item + feeder.Last().count);
    const Batch* finished = &feeder.Last();
    if (following < progress_.count && !Stopped()) {
      pending = Start(feeder, following);
      finished = &feeder.Previous();
    }
    Judge(*finished);
    progress_.next_item = following;
    if (hooks_.progress) hooks_.progress(progress_);
  }
}

void Sweep::Judge(const Batch& batch) {
  std::vector<double> errors;
  progress_.statistics.Merge(judging_.JudgeBatch(batch, Searches() ? &errors : nullptr),
                             options_.max_failures);
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
                        .max_failures = options_.max_failures,
                        .threads = ThreadsOf(options_),
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
  if (options_.shard) return PartOf(operation_, limit_, std::move(measured));
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
