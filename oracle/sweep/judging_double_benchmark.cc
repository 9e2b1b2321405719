// What an input of a whole validation of double costs on one core, without the device: drawing the
// operands, judging the answers, and merging the statistics, in ns of processor time for one input.
//
// BM_JudgeDouble/FN takes a million random operands of the plan in batches of 65536, as a sweep
// does. The answers are the nearest numbers, and of every 64 two the numbers beside those where
// the function has a limit of an ulp or more and these are normal: beside infinity and zero are
// answers that are refused, or NaN. The last pass is measured, in which the errors of the
// places are known; the counter `first` is the judging in the first one.

#include <benchmark/benchmark.h>

#include <ctime>
#include <vector>

#include "numerics/double_path.h"
#include "oracle/inputs/inputs.h"
#include "oracle/sweep/judging.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;

constexpr std::size_t kBatch = 65536, kBatches = 16;

// In ns for one input.
class Stopwatch {
 public:
  void Start() { start_ = std::clock(); }
  void Stop() { used_ += std::clock() - start_; }
  double Each(double inputs) const {
    return 1e9 * static_cast<double>(used_) / CLOCKS_PER_SEC / inputs;
  }

 private:
  std::clock_t start_ = 0, used_ = 0;
};

void Answer(const JudgePanel& panel, Batch* batch) {
  const Operation& operation = panel.judge().operation();
  const auto results = static_cast<std::size_t>(operation.ResultCount());
  const bool has_errors = panel.LimitOfAll().value_or(0) >= 1;
  std::vector<numerics::Exact> exact(batch->count * results);
  numerics::BatchEvaluator(operation).Evaluate(batch->inputs.Readable(), 0, batch->count,
                                               exact.data());
  std::vector<Bits> answers(results);
  for (std::size_t i = 0; i < batch->count; ++i) {
    for (std::size_t r = 0; r < results; ++r) {
      answers[r] = panel.judge().Expected(exact[i * results + r], static_cast<int>(r));
    }
    const int exponent = static_cast<int>(answers[0] >> 52 & 0x7ff);
    const bool may_err = exact[i * results].fraction != 0 && exponent > 1 && exponent < 0x7fe;
    if (has_errors && i % 64 < 2 && may_err) answers[0] += i % 64 * 2 - 1;
    batch->outputs[0].Scatter(i, answers);
  }
}

void JudgeDoubles(benchmark::State& state, Function function) {
  const Operation operation = Operation::Builtin(function, Format::kDouble);
  const JudgePanel panel(operation, {.reading = Reading::kOpenClC});
  const Judging judging(panel, {1}, 10, 1);
  const InputPlan plan(operation, {.level = Level::kStandard, .samples = kBatch * kBatches});
  const std::uint64_t first_item = plan.Count() - kBatch * kBatches;
  const auto inputs = static_cast<double>(kBatch * kBatches);
  std::vector<Batch> batches(kBatches);
  Stopwatch operands, first;
  for (std::size_t b = 0; b < kBatches; ++b) {
    Batch& batch = batches[b];
    batch.first_item = first_item + b * kBatch;
    batch.count = kBatch;
    batch.inputs = ColumnSet(operation.Inputs(), kBatch);
    batch.outputs.emplace_back(operation.Outputs(), kBatch);
    batch.asked = batch.answered = {true};
    batch.unwritten.resize(1);
    operands.Start();
    plan.Fill(batch.first_item, kBatch, batch.inputs.Writable());
    operands.Stop();
    Answer(panel, &batch);
  }
  Statistics statistics;
  const auto judge_all = [&](Stopwatch* judge, Stopwatch* merge) {
    for (const Batch& batch : batches) {
      judge->Start();
      const Statistics judged = judging.JudgeBatch(batch, nullptr, nullptr, &statistics);
      judge->Stop();
      merge->Start();
      statistics.Merge(judged, 10);
      merge->Stop();
    }
  };
  Stopwatch unused;
  judge_all(&first, &unused);
  Stopwatch judge, merge;
  for (auto _ : state) judge_all(&judge, &merge);
  const double asked = inputs * static_cast<double>(state.iterations());
  state.counters["operands"] = operands.Each(inputs);
  state.counters["first"] = first.Each(inputs);
  state.counters["judging"] = judge.Each(asked);
  state.counters["statistics"] = merge.Each(asked);
  state.counters["M/s"] = 1e3 / (operands.Each(inputs) + judge.Each(asked) + merge.Each(asked));
}

int RegisterAll() {
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    if (numerics::FindDoubleBatch(info.function) == nullptr || !info.Supports(Format::kDouble)) {
      continue;
    }
    benchmark::RegisterBenchmark(("BM_JudgeDouble/" + std::string(info.name)).c_str(), JudgeDoubles,
                                 info.function)
        ->Unit(benchmark::kMillisecond);
  }
  return 0;
}

[[maybe_unused]] const int kRegistered = RegisterAll();

}  // namespace
}  // namespace assay::oracle
