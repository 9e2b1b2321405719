#include "frontend/source_callers.h"

#include "frontend/debug_types.h"

namespace assay::frontend {

std::vector<std::string> SourceCallers(const Module& module, std::uint32_t instruction,
                                       std::span<const std::uint32_t> calls) {
  std::vector<std::string> callers;
  const auto& locations = module.debug_info.locations;
  const auto add = [&](std::uint32_t place, bool with_itself) {
    if (place >= locations.size()) return;
    const auto frames = SourceFramesAt(module, locations[place]);
    if (with_itself && frames.empty()) {
      callers.push_back(DescribeLocation(module.debug_info, locations[place]));
    }
    for (std::size_t i = with_itself ? 0 : 1; i < frames.size(); ++i) {
      callers.push_back(DescribeLocation(module.debug_info, frames[i].location));
    }
  };
  add(instruction, false);
  for (const std::uint32_t call : calls) add(call, true);
  std::erase(callers, "");
  return callers;
}

}  // namespace assay::frontend
