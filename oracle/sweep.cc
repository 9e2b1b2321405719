#include "oracle/sweep.h"

#include <fmt/format.h>

#include <cmath>
#include <future>
#include <thread>

#include "oracle/judging.h"
#include "oracle/search.h"

namespace assay::oracle {
namespace {

using numerics::Operation;

// Items in flight: large enough that a device is busy, small enough that a checkpoint is recent.
constexpr std::size_t kFastBatch = std::size_t{1} << 20;
constexpr std::size_t kSlowBatch = std::size_t{1} << 15;
// Repetitions of the inputs asked for, so that they fill whole vectors of every width (the least
// common multiple of 3 and 16) and, where they are the lanes of one vector, stand in its lanes.
constexpr std::size_t kAllLanes = 48;

int ThreadsOf(const SweepOptions& options) {
  if (options.threads > 0) return options.threads;
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : static_cast<int>(cores);
}

// Geometric functions have their n in the operation; everything else is asked in every width.
std::vector<int> WidthsOf(const Operation& operation, const SweepOptions& options) {
  const bool geometric = operation.kind == numerics::OperationKind::kBuiltin &&
                         numerics::Info(operation.function).IsGeometric();
  return geometric ? std::vector<int>{1} : options.widths;
}

InputOptions InputsFor(const Operation& operation, const SweepOptions& options) {
  InputOptions inputs = options.inputs;
  const auto known = options.known_worst.find({operation.Name(), operation.FormatName()});
  if (known != options.known_worst.end()) inputs.known_worst = known->second;
  return inputs;
}

// Feeds batches to the device on a thread of its own while the last batch is judged.
class Feeder {
 public:
  Feeder(Device& device, const Operation& operation, std::vector<int> widths, std::size_t capacity)
      : device_(device), widths_(std::move(widths)) {
    for (Batch& batch : batches_) {
      batch.inputs = ColumnSet(operation.Inputs(), capacity);
      for (std::size_t w = 0; w < widths_.size(); ++w) {
        batch.outputs.emplace_back(operation.Outputs(), capacity);
      }
    }
  }

  template <typename Fill>
  std::future<Expected<void>> Start(std::uint64_t first, std::size_t count, Fill fill) {
    Batch& batch = batches_[next_];
    next_ = 1 - next_;
    batch.first_item = first;
    batch.count = count;
    return std::async(std::launch::async, [this, &batch, fill]() -> Expected<void> {
      if (Expected<void> filled = fill(batch); !filled) return filled;
      for (std::size_t w = 0; w < widths_.size(); ++w) {
        Expected<void> ran = device_.Run(widths_[w], batch.inputs.Readable(),
                                         batch.outputs[w].Writable(), batch.count);
        if (!ran) return ran;
      }
      return {};
    });
  }

  // The batch started last but one; complete once its future is.
  const Batch& Previous() const { return batches_[next_]; }
  const Batch& Last() const { return batches_[1 - next_]; }

 private:
  Device& device_;
  std::vector<int> widths_;
  Batch batches_[2];
  int next_ = 0;
};

// The worst case comes from the fast path, whose fraction is true to 2^-22: the report shows what
// MPFR says.
void Sharpen(const Judge& judge, Sighting* sighting) {
  std::array<numerics::Exact, numerics::kMaxResults> exact;
  const Operation& operation = judge.operation();
  EvaluateExact(operation, sighting->args,
                std::span(exact).first(static_cast<std::size_t>(operation.ResultCount())));
  const numerics::Exact& truth = exact[static_cast<std::size_t>(sighting->result)];
  int column = 0, left = sighting->result;
  const std::vector<numerics::Slot> outputs = operation.Outputs();
  while (left >= outputs[static_cast<std::size_t>(column)].components) {
    left -= outputs[static_cast<std::size_t>(column++)].components;
  }
  const numerics::ScalarType type = outputs[static_cast<std::size_t>(column)].type;
  if (!numerics::IsFloating(type) || truth.kind != numerics::ResultKind::kFinite ||
      !std::isfinite(sighting->ulp)) {
    return;
  }
  sighting->ulp = UlpError(truth, numerics::FormatOf(type), sighting->observed);
  sighting->expected = judge.Expected(truth, sighting->result);
}

FunctionResult NotRun(const Operation& operation, const Error& error) {
  FunctionResult result;
  result.operation = operation;
  result.verdict =
      error.kind == ErrorKind::kUnsupported ? Verdict::kUnsupported : Verdict::kNotMeasured;
  result.message = error.message;
  return result;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  constexpr std::string_view kNames[] = {"pass", "fail", "unsupported", "not_measured"};
  return kNames[static_cast<int>(verdict)];
}

FunctionResult SweepOperation(Device& device, const Operation& operation,
                              const SweepOptions& options, const SweepHooks& hooks,
                              SweepProgress resume) {
  const Limit* limit = FindLimit(operation, options.profile, options.math);
  if (limit == nullptr) {
    return NotRun(operation,
                  {ErrorKind::kUnsupported, fmt::format("the chapter has no limit for {} {}",
                                                        operation.Name(), operation.FormatName())});
  }
  const std::vector<int> widths = WidthsOf(operation, options);
  const TaskSpec task{operation, widths, options.math, options.build_options};
  if (Expected<void> ready = device.Prepare(task); !ready) return NotRun(operation, ready.error());

  JudgeOptions judge_options =
      OptionsFor(device.Description(), operation, options.profile, options.math);
  if (options.rounding) judge_options.rounding = *options.rounding;
  judge_options.correctly_rounded_divide_sqrt =
      options.build_options.find("-cl-fp32-correctly-rounded-divide-sqrt") != std::string::npos;
  const Judge judge(operation, *limit, judge_options);
  const Judging judging(judge, widths, options.max_failures, ThreadsOf(options));
  const InputPlan plan(operation, InputsFor(operation, options));
  const std::optional<std::size_t> recorded = device.RecordedCount();

  const std::vector<std::vector<numerics::Bits>>& only = options.only_inputs;

  SweepProgress progress = std::move(resume);
  progress.count = recorded ? *recorded : !only.empty() ? only.size() * kAllLanes : plan.Count();
  const bool fast = numerics::BatchEvaluator(operation).IsFast();
  const std::size_t capacity = static_cast<std::size_t>(std::min<std::uint64_t>(
      recorded ? std::max<std::size_t>(*recorded, 1) : (fast ? kFastBatch : kSlowBatch),
      std::max<std::uint64_t>(progress.count, 1)));
  Feeder feeder(device, operation, widths, capacity);
  const auto fill = [&](Batch& batch) -> Expected<void> {
    if (recorded) return device.RecordedInputs(batch.inputs.Writable());
    for (std::size_t i = 0; !only.empty() && i < batch.count; ++i) {
      batch.inputs.Scatter(i, only[(batch.first_item + i) % only.size()]);
    }
    if (!only.empty()) return {};
    plan.Fill(batch.first_item, batch.count, batch.inputs.Writable());
    return {};
  };
  const auto start = [&](std::uint64_t first) {
    return feeder.Start(
        first, static_cast<std::size_t>(std::min<std::uint64_t>(capacity, progress.count - first)),
        fill);
  };

  FunctionResult result;
  result.operation = operation;
  result.limit = Describe(*limit, operation);
  result.citation = CitationOf(*limit);
  const auto stopped = [&] { return hooks.stop != nullptr && hooks.stop->load(); };
  std::future<Expected<void>> pending;
  if (progress.next_item < progress.count) pending = start(progress.next_item);
  while (pending.valid()) {
    const Expected<void> ran = pending.get();
    if (!ran) {
      result.message = ran.error().message;
      break;
    }
    const std::uint64_t following = feeder.Last().first_item + feeder.Last().count;
    const bool more = following < progress.count && !stopped();
    const Batch* finished = &feeder.Last();
    if (more) {
      pending = start(following);
      finished = &feeder.Previous();
    }
    progress.statistics.Merge(judging.JudgeBatch(*finished), options.max_failures);
    progress.next_item = following;
    if (hooks.progress) hooks.progress(progress);
  }
  const bool complete = progress.next_item >= progress.count;
  if (complete && options.search_seconds > 0 && !recorded && only.empty() && !plan.IsExhaustive()) {
    Expected<void> searched = SearchForErrors(device, plan, judging, operation, widths, options,
                                              hooks, &progress.statistics);
    if (!searched) result.message = searched.error().message;
  }
  result.statistics = std::move(progress.statistics);
  result.exhaustive = complete && !recorded && only.empty() && plan.IsExhaustive();
  if (result.statistics.has_worst) {
    Sharpen(judge, &result.statistics.worst);
    result.statistics.max_ulp = result.statistics.worst.ulp;
  }
  for (Sighting& failure : result.statistics.recorded) Sharpen(judge, &failure);
  // A failure stands however far the sweep came; a pass needs all of it.
  result.verdict = result.statistics.failures > 0 ? Verdict::kFail
                   : complete                     ? Verdict::kPass
                                                  : Verdict::kNotMeasured;
  if (!complete && result.message.empty()) {
    result.message =
        fmt::format("interrupted after {} of {} inputs", progress.next_item, progress.count);
  }
  return result;
}

}  // namespace assay::oracle
