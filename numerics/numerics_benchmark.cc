// The reference's own speed: inputs per second on one core through BatchEvaluator, with the
// certified fast path and with MPFR alone, and the ratio of the two.
//
// BM_Reference/FN/sweep goes through float bit patterns in order, every exponent and sign in equal
// parts, as an exhaustive sweep does; BM_Reference/FN/random takes them in random order.
// BM_Double/FN takes doubles of ordinary size, most of which have no short cut: 2^-6 to 2^4, or to
// 1 where the function ends there.  Its counters `ns` and `ratio` are the table of doubles. All
// times are processor time of the one thread.

#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "numerics/double_path.h"
#include "numerics/evaluate.h"
#include "numerics/fast_path.h"
#include "numerics/rounded.h"

namespace assay::numerics {
namespace {

constexpr std::size_t kItems = 1 << 16;
constexpr std::size_t kMpfrItems = 1 << 12;

// Doubles of ordinary size in the function's domain.
Bits OrdinaryDouble(Function function, std::uint64_t random) {
  const bool to_one = function == Function::acos || function == Function::asin ||
                      function == Function::acospi || function == Function::asinpi ||
                      function == Function::atanh;
  const int from = function == Function::acosh ? 0 : -6, to = to_one ? 0 : 4;
  const int exponent = from + static_cast<int>(random % static_cast<unsigned>(to - from));
  return FromDouble(Format::kDouble,
                    std::ldexp(1 + std::ldexp(static_cast<double>(random >> 12), -52), exponent));
}

// Operands of every kind: patterns spread over the whole format, sorted or shuffled.
class Inputs {
 public:
  Inputs(const Operation& operation, bool shuffled) {
    std::mt19937_64 random(1);
    const std::vector<Slot> slots = operation.Inputs();
    memory_.reserve(slots.size());
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const std::size_t size = SizeOf(slots[s].type);
      auto& bytes = memory_.emplace_back(kItems * size);
      for (std::size_t i = 0; i < kItems; ++i) {
        const Bits spread = static_cast<Bits>(i) << 16 | (random() & 0xffff);
        Bits bits = shuffled || s > 0 || size == 8 ? random() : spread;
        if (!IsFloating(slots[s].type)) bits = 2 + random() % 62;
        if (slots[s].type == ScalarType::kDouble) bits = OrdinaryDouble(operation.function, bits);
        StoreElement(slots[s].type, bytes.data(), i, size == 2 ? bits >> 16 : bits);
      }
      columns_.push_back({slots[s], bytes.data()});
    }
  }
  const std::vector<ConstColumn>& columns() const { return columns_; }

 private:
  std::vector<std::vector<std::byte>> memory_;
  std::vector<ConstColumn> columns_;
};

double SecondsPerItem(const BatchEvaluator& evaluator, const Inputs& inputs, std::size_t items) {
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
  const Inputs inputs(operation, shuffled);
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

void Rounded(benchmark::State& state, Function function) {
  const Operation operation = Operation::Builtin(function, Format::kDouble);
  const RoundedEvaluator evaluator(operation, Rounding::kRte, false);
  const Inputs inputs(operation, true);
  const auto scalars = operation.ArgumentTypes().size();
  std::vector<double> results(kItems);
  std::vector<const void*> arguments;
  for (std::size_t a = 0; a < scalars; ++a) arguments.push_back(inputs.columns()[a].data);
  void* const result = results.data();
  evaluator.Evaluate(arguments.data(), &result, kItems);
  std::clock_t spent = 0;
  for (auto _ : state) {
    const std::clock_t begin = std::clock();
    evaluator.Evaluate(arguments.data(), &result, kItems);
    spent += std::clock() - begin;
  }
  const double seconds = static_cast<double>(spent) / CLOCKS_PER_SEC /
                         static_cast<double>(state.iterations()) / kItems;
  state.counters["ns"] = 1e9 * seconds;
  const BatchEvaluator mpfr(operation, Path::kMpfrOnly);
  state.counters["ratio"] = SecondsPerItem(mpfr, inputs, kMpfrItems) / seconds;
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
  for (const FunctionInfo& info : AllFunctions()) {
    if (FindDoubleFunction(info.function) == nullptr) continue;
    benchmark::RegisterBenchmark(("BM_DoubleRounded/" + std::string(info.name)).c_str(), Rounded,
                                 info.function)
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
