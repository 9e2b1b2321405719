#include <algorithm>

#include "interp/lower/emit.h"

namespace assay::interp {

void ListTargets(FlatSwitch* table) {
  if (table->cases.empty()) return;
  const auto [lowest, highest] = std::ranges::minmax_element(table->cases, {}, &SwitchCase::value);
  const std::uint64_t last = highest->value - lowest->value;
  if (last >= FlatSwitch::kMostTargets) return;
  table->lowest = lowest->value;
  table->targets.assign(last + 1, table->otherwise);
  for (const SwitchCase& one : table->cases) table->targets[one.value - table->lowest] = one.target;
  table->blocks = table->targets;
  std::ranges::sort(table->blocks);
  const auto repeated = std::ranges::unique(table->blocks);
  table->blocks.erase(repeated.begin(), repeated.end());
  if (table->blocks.size() > FlatSwitch::kMostBlocks) return;
  for (const std::uint32_t target : table->targets) {
    const auto place = std::ranges::lower_bound(table->blocks, target) - table->blocks.begin();
    table->block_of.push_back(static_cast<std::uint8_t>(place));
  }
}

}  // namespace assay::interp
