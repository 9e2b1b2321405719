// What it costs to judge answers to all floats, on one core, without the device.
//
// BM_Judge/FN judges the C library's answers to floats from all over the format, as a sweep over
// all of them does: sixteen pieces of 1024 neighbours of each binade and sign. BM_Judge/FN/random
// takes floats in random order; BM_Judge/native_FN/coarse has answers that are off by up to 2^-21,
// as those of GPUs' instructions are. The counter `ns` is the processor's time for one answer.
//
// BM_Bare/exp is the least that a comparison of exp costs over the same floats: a vectorised loop
// over answers in float, a reference in double, their distance in ulp, and the largest.
// BM_Bare/exp/library has the C library's expf in that loop, one by one, as a device of a library
// computes its answers.

#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <ctime>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "numerics/fast_path.h"
#include "numerics/function.h"
#include "oracle/sweep/judging.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::FunctionInfo;
using numerics::Operation;

constexpr std::size_t kPiece = 1024, kPieces = 16, kBinades = 512;
constexpr std::size_t kItems = kPiece * kPieces * kBinades;

std::vector<std::uint32_t> Operands(bool shuffled) {
  std::vector<std::uint32_t> operands;
  operands.reserve(kItems);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < kItems; ++i) {
    const auto piece = static_cast<std::uint32_t>(i / kPiece);
    const auto start = piece << 19 | (piece * 37 % 64) << 13;
    operands.push_back(shuffled ? static_cast<std::uint32_t>(random())
                                : start + static_cast<std::uint32_t>(i % kPiece));
  }
  return operands;
}

// How the device answers, and to what.
enum class Kind { kSweep, kRandom, kCoarse };

// The C library's function: its results for an operand. Nothing: it has none.
using Results = std::array<Bits, 2>;
std::function<Results(float)> InLibrary(const FunctionInfo& info) {
  static void* const kLibrary = dlopen("libm.so.6", RTLD_NOW);
  if (kLibrary == nullptr) return nullptr;
  const auto bits = [](float number) { return Bits{std::bit_cast<std::uint32_t>(number)}; };
  const bool is_lgamma_r = info.function == Function::lgamma_r;
  const std::string name = is_lgamma_r ? "lgammaf_r" : std::string(info.name) + "f";
  void* const found = dlsym(kLibrary, name.c_str());
  if (found == nullptr) return nullptr;
  if (info.function == Function::sincos) {
    return [bits, f = reinterpret_cast<void (*)(float, float*, float*)>(found)](float x) {
      float sine = 0, cosine = 0;
      f(x, &sine, &cosine);
      return Results{bits(sine), bits(cosine)};
    };
  }
  if (info.results == "FF") {
    return [bits, f = reinterpret_cast<float (*)(float, float*)>(found)](float x) {
      float second = 0;
      const float first = f(x, &second);
      return Results{bits(first), bits(second)};
    };
  }
  if (info.results == "FI") {
    return [bits, f = reinterpret_cast<float (*)(float, int*)>(found)](float x) {
      int second = 0;
      const float first = f(x, &second);
      return Results{bits(first), static_cast<std::uint32_t>(second)};
    };
  }
  if (info.results != "F") return nullptr;
  return [bits, f = reinterpret_cast<float (*)(float)>(found)](float x) {
    return Results{bits(f(x)), 0};
  };
}

Bits Coarse(Bits answer) {
  const float number = std::bit_cast<float>(static_cast<std::uint32_t>(answer));
  if (!(std::fabs(number) < 1)) return answer;
  return std::bit_cast<std::uint32_t>(std::nearbyint(number * 0x1p20f) * 0x1p-20f);
}

Batch BatchOf(const JudgePanel& panel, Kind kind) {
  const Operation& operation = panel.judge().operation();
  Batch batch;
  batch.count = kItems;
  batch.inputs = ColumnSet(operation.Inputs(), kItems);
  batch.outputs.emplace_back(operation.Outputs(), kItems);
  batch.asked = batch.answered = {true};
  batch.unwritten.resize(1);
  const std::vector<std::uint32_t> operands = Operands(kind == Kind::kRandom);
  for (std::size_t i = 0; i < kItems; ++i) {
    batch.inputs.Scatter(i, std::array{Bits{operands[i]}});
  }
  const FunctionInfo& info = numerics::Info(operation.function);
  const auto answer = info.operands == "F" ? InLibrary(info) : nullptr;
  const numerics::BatchEvaluator evaluator(operation);
  const auto results = static_cast<std::size_t>(operation.ResultCount());
  std::vector<numerics::Exact> exact(kPiece * results);
  for (std::size_t i = 0; i < kItems; ++i) {
    if (answer == nullptr && i % kPiece == 0) {
      evaluator.Evaluate(batch.inputs.Readable(), i, i + kPiece, exact.data());
    }
    Results bits{};
    if (answer != nullptr) bits = answer(std::bit_cast<float>(operands[i]));
    for (std::size_t r = 0; answer == nullptr && r < results; ++r) {
      bits[r] = panel.judge().Expected(exact[i % kPiece * results + r], static_cast<int>(r));
    }
    if (kind == Kind::kCoarse) bits[0] = Coarse(bits[0]);
    batch.outputs[0].Scatter(i, std::span<const Bits>(bits).first(results));
  }
  return batch;
}

void JudgeAnswers(benchmark::State& state, Function function, Kind kind) {
  const Operation operation = Operation::Builtin(function, Format::kFloat);
  const JudgePanel panel(operation, {.reading = Reading::kOpenClC});
  const Judging judging(panel, {1}, 10, 1);
  const Batch batch = BatchOf(panel, kind);
  benchmark::DoNotOptimize(judging.JudgeBatch(batch));  // tables are made at first use
  std::clock_t used = 0;
  for (auto _ : state) {
    const std::clock_t begin = std::clock();
    benchmark::DoNotOptimize(judging.JudgeBatch(batch));
    used += std::clock() - begin;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kItems));
  state.counters["ns"] = 1e9 * static_cast<double>(used) / CLOCKS_PER_SEC /
                         static_cast<double>(state.iterations()) / static_cast<double>(kItems);
}

typedef double Eight __attribute__((vector_size(64)));
typedef std::int64_t EightLong __attribute__((vector_size(64)));
typedef float EightFloat __attribute__((vector_size(32)));

constexpr auto kInverseFactorials = [] {
  std::array<double, 13> inverses{1};
  for (std::size_t n = 1; n < inverses.size(); ++n) {
    inverses[n] = inverses[n - 1] / static_cast<double>(n);
  }
  return inverses;
}();

// e^x for x in [-110, 90], within 2^-48; with kDegree 6, within an ulp of a float.
template <int kDegree>
__attribute__((always_inline)) inline void ExpOf(const Eight& x, Eight* result) {
  constexpr double kToInteger = 0x1.8p52;
  const Eight shifted = x * 0x1.71547652b82fep0 + kToInteger, k = shifted - kToInteger;
  const Eight r = (x - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
  Eight sum = Eight{} + kInverseFactorials[kDegree];
  for (int n = kDegree; n-- > 0;) sum = sum * r + kInverseFactorials[n];
  const EightLong power = (reinterpret_cast<EightLong>(shifted) + 1023) << 52;
  *result = sum * reinterpret_cast<Eight>(power);
}

// The largest error, in ulp, over these operands; `answers` null: they are computed here.
__attribute__((target_clones("avx512f", "avx2", "default"))) double BareLoop(const float* operands,
                                                                             const float* answers,
                                                                             std::size_t count) {
  Eight most = {};
  for (std::size_t i = 0; i < count; i += 8) {
    EightFloat single, answer;
    __builtin_memcpy(&single, operands + i, sizeof single);
    Eight x = __builtin_convertvector(single, Eight);
    x = x < 90 ? x : Eight{} + 90;
    x = x > -110 ? x : Eight{} - 110;
    Eight exact, approximation;
    ExpOf<12>(x, &exact);
    if (answers == nullptr) {
      ExpOf<6>(x, &approximation);
      answer = __builtin_convertvector(approximation, EightFloat);
    } else {
      __builtin_memcpy(&answer, answers + i, sizeof answer);
    }
    const EightLong exponent = reinterpret_cast<EightLong>(exact) >> 52;
    const EightLong per_ulp = (2 * 1023 + 23 - exponent) << 52;
    const Eight distance = __builtin_convertvector(answer, Eight) - exact;
    const Eight error = (distance < 0 ? -distance : distance) * reinterpret_cast<Eight>(per_ulp);
    const Eight counted = (exact >= 0x1p-126) & (exact < 0x1p127) ? error : Eight{};
    most = counted > most ? counted : most;
  }
  double largest = 0;
  for (int lane = 0; lane < 8; ++lane) largest = std::max(largest, most[lane]);
  return largest;
}

void Bare(benchmark::State& state, bool from_library) {
  const std::vector<std::uint32_t> bits = Operands(false);
  std::vector<float> operands(kItems), answers(kPiece);
  for (std::size_t i = 0; i < kItems; ++i) operands[i] = std::bit_cast<float>(bits[i]);
  double most = 0;
  std::clock_t used = 0;
  for (auto _ : state) {
    const std::clock_t begin = std::clock();
    for (std::size_t i = 0; i < kItems; i += kPiece) {
      const float* const piece = operands.data() + i;
      for (std::size_t k = 0; from_library && k < kPiece; ++k) answers[k] = expf(piece[k]);
      most = std::max(most, BareLoop(piece, from_library ? answers.data() : nullptr, kPiece));
    }
    used += std::clock() - begin;
  }
  state.counters["max_ulp"] = most;
  state.counters["ns"] = 1e9 * static_cast<double>(used) / CLOCKS_PER_SEC /
                         static_cast<double>(state.iterations()) / static_cast<double>(kItems);
}

int RegisterAll() {
  for (const bool from_library : {false, true}) {
    benchmark::RegisterBenchmark(from_library ? "BM_Bare/exp/library" : "BM_Bare/exp", Bare,
                                 from_library)
        ->Unit(benchmark::kMillisecond)
        ->MinTime(0.1);
  }
  for (const FunctionInfo& info : numerics::AllFunctions()) {
    if (info.operands.size() != 1 || info.operands == "V" || !info.Supports(Format::kFloat))
      continue;
    const std::string name = "BM_Judge/" + std::string(info.name);
    const auto add = [&](const std::string& answers, Kind kind) {
      benchmark::RegisterBenchmark((name + answers).c_str(), JudgeAnswers, info.function, kind)
          ->Unit(benchmark::kMillisecond)
          ->MinTime(0.1);
    };
    add("/sweep", Kind::kSweep);
    add("/random", Kind::kRandom);
    if (info.cls == numerics::FunctionClass::kNative) add("/coarse", Kind::kCoarse);
  }
  return 0;
}

[[maybe_unused]] const int kRegistered = RegisterAll();

}  // namespace
}  // namespace assay::oracle
