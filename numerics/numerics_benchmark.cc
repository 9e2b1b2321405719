// The reference's own speed: inputs per second on one core through BatchEvaluator, with the
// certified fast path and with MPFR alone, and the ratio of the two.
//
// BM_Reference/FN/sweep goes through float bit patterns in order, every exponent and sign in equal
// parts, as an exhaustive sweep does; BM_Reference/FN/random takes them in random order.
// BM_Double/FN takes doubles of ordinary size (ordinary_operands.h); its counters are `ns` and
// `ratio`. All times are processor time of the one thread.

#include <benchmark/benchmark.h>

#include <ctime>
#include <string>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/fast_path.h"
#include "numerics/function.h"
#include "numerics/ordinary_operands.h"

namespace assay::numerics {
namespace {

constexpr std::size_t kItems = 1 << 16;
constexpr std::size_t kMpfrItems = 1 << 12;

double SecondsPerItem(const BatchEvaluator& evaluator, const OrdinaryOperands& inputs,
                      std::size_t items) {
  std::vector<Exact> results(kItems * 2);
  // Pieces from all over keep the mix of operands whatever the number of items.
  const std::clock_t begin = std::clock();
  const std::size_t pieces = 16, length = items / pieces;
  for (std::size_t p = 0; p < pieces; ++p) {
    const std::size_t first = p * (kItems / pieces);
    evaluator.Evaluate(inputs.columns(), first, first + length, results.data());
  }
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(items);
}

void Reference(benchmark::State& state, Function function, Format format, bool shuffled) {
  const Operation operation = Operation::Builtin(function, format);
  const BatchEvaluator evaluator(operation);
  const BatchEvaluator mpfr(operation, Path::kMpfrOnly);
  const OrdinaryOperands inputs(operation, kItems, shuffled);
  std::vector<Exact> results(kItems * static_cast<std::size_t>(operation.ResultCount()));
  evaluator.Evaluate(inputs.columns(), 0, kItems, results.data());  // tables are made at first use
  for (auto _ : state) {
    evaluator.Evaluate(inputs.columns(), 0, kItems, results.data());
    benchmark::DoNotOptimize(results.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kItems));
  state.counters["fast"] = evaluator.IsFast() ? 1 : 0;
  state.counters["ns"] = 1e9 * SecondsPerItem(evaluator, inputs, kItems);
  const double slow = SecondsPerItem(mpfr, inputs, kMpfrItems);
  state.counters["mpfr_per_second"] = 1 / slow;
  state.counters["ratio"] = slow / SecondsPerItem(evaluator, inputs, kItems);
}

int RegisterAll() {
  for (const FunctionInfo& info : AllFunctions()) {
    if (info.IsGeometric()) continue;
    if (info.cls == FunctionClass::kHalf || info.cls == FunctionClass::kNative) continue;
    for (bool shuffled : {false, true}) {
      const std::string name =
          "BM_Reference/" + std::string(info.name) + (shuffled ? "/random" : "/sweep");
      benchmark::RegisterBenchmark(name.c_str(), Reference, info.function, Format::kFloat, shuffled)
          ->MinTime(0.05);
    }
  }
  for (const FunctionInfo& info : AllFunctions()) {
    if (FindFastPathOfResult(info.function, Format::kDouble, 0) == nullptr) continue;
    benchmark::RegisterBenchmark(("BM_Double/" + std::string(info.name)).c_str(), Reference,
                                 info.function, Format::kDouble, true)
        ->MinTime(0.02);
  }
  for (Function function :
       {Function::exp, Function::sin, Function::erfc, Function::lgamma, Function::tgamma}) {
    benchmark::RegisterBenchmark(
        ("BM_Reference/" + std::string(Info(function).name) + "_half").c_str(), Reference, function,
        Format::kHalf, false)
        ->MinTime(0.05);
  }
  return 0;
}

[[maybe_unused]] const int kRegistered = RegisterAll();

}  // namespace
}  // namespace assay::numerics
