// Which loop a launch was in that a limit ended.
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "frontend/debug_info.h"
#include "interp/execute/execute.h"
#include "interp/program/debug_hook.h"

namespace assay::interp {

namespace {

using Blocks = std::vector<std::uint32_t>;

// The blocks that may come after it, in the same function.
void AddNext(const Program& program, std::uint32_t block, Blocks* next) {
  const FlatBlock& from = program.blocks[block];
  switch (from.end) {
    case End::kJump:
    case End::kSync:
      next->push_back(from.targets[0]);
      break;
    case End::kBranch:
      next->insert(next->end(), std::begin(from.targets), std::end(from.targets));
      break;
    case End::kCall:
      next->push_back(from.targets[1]);
      break;
    case End::kSwitch:
      for (const SwitchCase& one : program.switches[from.cases].cases) next->push_back(one.target);
      next->push_back(program.switches[from.cases].otherwise);
      break;
    case End::kLeave:
    case End::kNone:
    case End::kUnreachable:
    case End::kReturn:
      break;
  }
}

// Whether the block leads back to `head` by blocks behind that.
bool IsInLoopOf(const Program& program, std::uint32_t head, std::uint32_t block) {
  std::vector<bool> seen(program.blocks.size());
  Blocks open = {block}, next;
  while (!open.empty()) {
    next.clear();
    AddNext(program, open.back(), &next);
    open.pop_back();
    for (const std::uint32_t one : next) {
      if (one == head) return true;
      if (one < head || seen[one]) continue;
      seen[one] = true;
      open.push_back(one);
    }
  }
  return false;
}

// The first block of the innermost loop around a block: blocks stand before those that come after
// them, so a loop begins where a later block leads back to.
std::optional<std::uint32_t> HeadOf(const Program& program, std::uint32_t block) {
  std::vector<bool> is_head(program.blocks.size());
  Blocks next;
  for (std::uint32_t from = 0; from < program.blocks.size(); ++from) {
    next.clear();
    AddNext(program, from, &next);
    for (const std::uint32_t one : next) is_head[one] = is_head[one] || one <= from;
  }
  for (std::uint32_t head = block + 1; head-- > 0;) {
    if (is_head[head] && IsInLoopOf(program, head, block)) return head;
  }
  return std::nullopt;
}

}  // namespace

void Worker::TellLoop(std::uint32_t block) {
  // A debugger shows by itself where it stands.
  if (launch_.options.debug != nullptr || program_.blocks.size() > 4096) return;
  const auto head = HeadOf(program_, block);
  if (!head) return;
  const frontend::Module& module = *launch_.module;
  for (std::uint32_t one = *head; one <= block; ++one) {
    const std::uint32_t origin = program_.places[program_.blocks[one].place].origin;
    if (origin >= module.debug_info.locations.size()) continue;
    const std::string at = DescribeLocation(module.debug_info, module.debug_info.locations[origin]);
    if (!at.empty()) return launch_.TellAtLimit("in the loop at " + at);
  }
}

}  // namespace assay::interp
