#include "oracle/sweep/parts.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "oracle/devices/batch.h"

namespace assay::oracle {
namespace {

Part PlanPart(std::uint64_t first, std::shared_ptr<const InputPlan> plan, std::vector<bool> asked) {
  return {.first = first,
          .count = plan->Count(),
          .asked = std::move(asked),
          .counts = plan->IsExhaustive() && plan->Count() == std::uint64_t{1} << 32,
          .fill = [plan](std::uint64_t begin, std::size_t count,
                         std::span<const Column> columns) -> Expected<void> {
            plan->Fill(begin, count, columns);
            return {};
          }};
}

}  // namespace

InputOptions InputsFor(const numerics::Operation& operation, const SweepOptions& options) {
  InputOptions inputs = options.inputs;
  const auto known = options.known_worst.find({operation.Name(), operation.FormatName()});
  if (known != options.known_worst.end()) inputs.known_worst = known->second;
  return inputs;
}

std::vector<Part> PartsOf(const Device& device, const numerics::Operation& operation,
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

}  // namespace assay::oracle
