#include "oracle/sweep/search.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <random>

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::ScalarType;

constexpr std::size_t kRound = std::size_t{1} << 14;  // candidates a round

struct Candidate {
  std::vector<Bits> args;
  double ulp = -1;
};

// Binade of the operands: exponent fields side by side, so that pow(x, y) has a cell for each pair.
std::uint64_t CellOf(const std::vector<ScalarType>& types, const std::vector<Bits>& args) {
  std::uint64_t cell = 0;
  for (std::size_t i = 0; i < args.size() && i < 2; ++i) {
    const int keep = numerics::IsFloating(types[i])
                         ? numerics::Traits(numerics::FormatOf(types[i])).mantissa_bits()
                         : 4;
    cell = cell << 32 | (args[i] >> keep);
  }
  return cell;
}

class Hunter {
 public:
  Hunter(std::vector<ScalarType> types, std::uint64_t seed)
      : types_(std::move(types)), random_(seed) {}

  void Learn(const std::vector<Bits>& args, double ulp) {
    if (!std::isfinite(ulp)) return;
    Candidate& best = cells_[CellOf(types_, args)];
    if (ulp > best.ulp) best = {args, ulp};
    if (cells_.size() > kMaxCells) Forget();
  }

  // The cells with the largest errors get the most attempts.
  void Propose(std::span<std::vector<Bits>> proposals) {
    std::vector<const Candidate*> ranked;
    for (const auto& [cell, candidate] : cells_) ranked.push_back(&candidate);
    std::sort(ranked.begin(), ranked.end(),
              [](const Candidate* a, const Candidate* b) { return a->ulp > b->ulp; });
    for (std::vector<Bits>& proposal : proposals) {
      if (ranked.empty() || random_() % 8 == 0) continue;  // the plan's random input stays
      // Squaring a uniform number prefers the front of the ranking.
      const double u = std::ldexp(static_cast<double>(random_() >> 11), -53);
      const auto rank = static_cast<std::size_t>(u * u * static_cast<double>(ranked.size()));
      proposal = Mutate(ranked[rank]->args);
    }
  }

 private:
  static constexpr std::size_t kMaxCells = 65536;

  void Forget() {
    std::vector<double> errors;
    for (const auto& [cell, candidate] : cells_) errors.push_back(candidate.ulp);
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    std::erase_if(cells_, [&](const auto& entry) { return entry.second.ulp < *middle; });
  }

  // Moves one operand: by a few steps of any size within its binade, or to any significand there.
  std::vector<Bits> Mutate(std::vector<Bits> args) {
    const std::size_t i = random_() % args.size();
    const ScalarType type = types_[i];
    const Bits all = ~Bits{0} >> (64 - numerics::WidthOf(type));
    const int free_bits = numerics::IsFloating(type)
                              ? numerics::Traits(numerics::FormatOf(type)).mantissa_bits()
                              : numerics::WidthOf(type) / 4;
    const Bits mask = (Bits{1} << free_bits) - 1;
    if (random_() % 4 == 0) {
      args[i] = (args[i] & ~mask) | (random_() & mask);
    } else {
      const Bits step = (random_() & mask) >> (random_() % static_cast<unsigned>(free_bits));
      args[i] = (random_() % 2 == 0 ? args[i] + step : args[i] - step) & all;
    }
    return args;
  }

  std::vector<ScalarType> types_;
  std::mt19937_64 random_;
  std::map<std::uint64_t, Candidate> cells_;
};

}  // namespace

Expected<void> SearchForErrors(BatchRunner& runner, const InputPlan& plan, const Judging& judging,
                               const numerics::Operation& operation, const SweepOptions& options,
                               const SweepHooks& hooks, Statistics* statistics) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(options.search_seconds);
  Batch batch;
  batch.inputs = ColumnSet(operation.Inputs(), kRound);
  for (std::size_t w = 0; w < runner.widths().size(); ++w) {
    batch.outputs.emplace_back(operation.Outputs(), kRound);
  }
  Hunter hunter(operation.ArgumentTypes(), options.inputs.seed);
  const auto argument_count = static_cast<std::size_t>(operation.ArgumentCount());
  std::vector<std::vector<Bits>> proposals(kRound, std::vector<Bits>(argument_count));
  std::mt19937_64 random(options.inputs.seed);
  std::vector<double> errors;
  if (statistics->has_worst) hunter.Learn(statistics->worst.args, statistics->worst.ulp);
  // Items of the hunt are numbered after those of the plan.
  std::uint64_t item = plan.Count();
  while (Clock::now() < deadline && !(hooks.stop != nullptr && hooks.stop->load())) {
    const std::uint64_t span = plan.Count() > kRound ? plan.Count() - kRound : 1;
    batch.count = static_cast<std::size_t>(std::min<std::uint64_t>(kRound, plan.Count()));
    plan.Fill(random() % span, batch.count, batch.inputs.Writable());
    for (std::size_t i = 0; i < batch.count; ++i) batch.inputs.Gather(i, proposals[i]);
    hunter.Propose(std::span(proposals).first(batch.count));
    for (std::size_t i = 0; i < batch.count; ++i) batch.inputs.Scatter(i, proposals[i]);
    batch.first_item = item;
    item += batch.count;
    batch.asked.assign(runner.widths().size(), true);
    if (Expected<void> ran = runner.Run(batch); !ran) return ran;
    statistics->Merge(judging.JudgeBatch(batch, &errors), options.max_failures);
    for (std::size_t i = 0; i < batch.count; ++i) hunter.Learn(proposals[i], errors[i]);
  }
  return {};
}

}  // namespace assay::oracle
