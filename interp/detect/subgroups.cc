// Sub-group functions: who has to execute them, and with what.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "interp/detect/groups.h"
#include "interp/execute/execute.h"

namespace assay::interp {

// OpenCL C 6.15.20: "These built-in functions must be encountered by all work-items in a
// sub-group executing the kernel".
void Groups::MeetInSubgroup(std::span<const SubgroupPart> parts, std::uint32_t block) {
  if (!is_watched_) return;
  const Program& program = *worker_->launch().program;
  const FlatSync& sync = program.syncs[program.blocks[block].sync];
  const SubgroupCall& call = program.subgroup_calls[sync.instruction.immediate];
  std::vector<Item> items;
  for (const SubgroupPart& part : parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      items.push_back({part.running, std::countr_zero(rest), block});
    }
  }
  CompareInSubgroup(items, sync, call);
  CheckCluster(items[0], sync, call);
  if (!call.is_uniform) return;
  const std::uint64_t size = program.subgroup_size;
  const Item& first = items[0];
  const std::uint64_t number =
      (first.running->first + static_cast<std::uint64_t>(first.lane)) / size;
  // A matrix lies in as many work-items as a whole sub-group has.
  const std::uint64_t expected =
      call.IsOfMatrix() ? size : std::min(size, worker_->group_items() - number * size);
  if (items.size() == expected) return;
  const bool is_barrier = call.function == SubgroupFunction::kBarrier;
  worker_->Report(
      first.running->batch, sync.instruction.place, first.lane,
      call.function == SubgroupFunction::kPipe ? Rule::kPipeGroupDivergence
      : call.IsOfMatrix()                      ? Rule::kMatrixDivergence
      : is_barrier                             ? Rule::kSubgroupBarrierDivergence
                                               : Rule::kSubgroupDivergence,
      fmt::format("{} is reached by {} of the {} work-items of sub-group {} together; "
                  "{} is one of them",
                  is_barrier                                 ? "a sub-group barrier"
                  : call.function == SubgroupFunction::kPipe ? "a sub-group pipe function"
                  : call.IsOfMatrix()                        ? "a matrix instruction"
                                                             : "a sub-group function",
                  items.size(), expected, number, Name(first)));
}

// OpenCL C 6.15.20.2 and 6.15.20.5: undefined if it "is not a power-of-two, or is greater than the
// maximum size of a sub-group within the dispatch".
void Groups::CheckCluster(const Item& item, const FlatSync& sync, const SubgroupCall& call) {
  const bool is_rotated = call.function == SubgroupFunction::kRotate && call.extras == 2;
  const bool is_reduced = call.function == SubgroupFunction::kCombine && call.extras == 1;
  if (!is_rotated && !is_reduced) return;
  const std::size_t operand = std::size_t{call.values} * call.parts + call.extras - 1;
  const std::uint64_t size = ReadLane(*item.running, sync.operands[operand], Kind::kI64, item.lane);
  if (std::has_single_bit(size) && size <= SubgroupMaxSize(worker_->launch())) return;
  worker_->Report(item.running->batch, sync.instruction.place, item.lane, Rule::kSubgroupCluster,
                  fmt::format("clusters of {} work-items are asked for, in sub-groups of {}", size,
                              SubgroupMaxSize(worker_->launch())));
}

void Groups::CompareInSubgroup(std::span<const Item> items, const FlatSync& sync,
                               const SubgroupCall& call) {
  std::size_t first = std::size_t{call.values} * call.parts;  // the operands to compare
  std::string_view name;
  switch (call.function) {
    case SubgroupFunction::kBarrier:
      name = "memory scopes or flags";
      break;
    case SubgroupFunction::kBroadcast:
    case SubgroupFunction::kQuadBroadcast:
      name = "indices";
      break;
    case SubgroupFunction::kRotate:
      name = "deltas";
      break;
    case SubgroupFunction::kInverseBallot:
      name = "ballots";
      first = 0;
      break;
    case SubgroupFunction::kPipe:
      name = "pipes, reservations or numbers of packets";
      break;
    case SubgroupFunction::kMatrixUniform:
      name = "operands";
      break;
    case SubgroupFunction::kMatrixMultiply:
    case SubgroupFunction::kElect:
    case SubgroupFunction::kAll:
    case SubgroupFunction::kAny:
    case SubgroupFunction::kAllEqual:
    case SubgroupFunction::kBallot:
    case SubgroupFunction::kBallotBitExtract:
    case SubgroupFunction::kBallotBitCount:
    case SubgroupFunction::kBallotFindLsb:
    case SubgroupFunction::kBallotFindMsb:
    case SubgroupFunction::kCombine:
    case SubgroupFunction::kBroadcastFirst:
    case SubgroupFunction::kShuffle:
    case SubgroupFunction::kShuffleXor:
    case SubgroupFunction::kShuffleUp:
    case SubgroupFunction::kShuffleDown:
    case SubgroupFunction::kShuffleUpOfTwo:
    case SubgroupFunction::kShuffleDownOfTwo:
    case SubgroupFunction::kQuadSwap:
      return;
  }
  const std::size_t end = std::size_t{call.values} * call.parts + call.extras;
  for (std::size_t i = first; i < end; ++i) {
    const auto read = [&](const Item& item) {
      return ReadLane(*item.running, sync.operands[i], sync.operand_kinds[i], item.lane);
    };
    const std::uint64_t given = read(items[0]);
    const auto other =
        std::ranges::find_if(items, [&](const Item& item) { return read(item) != given; });
    if (other == items.end()) continue;
    const bool is_barrier = call.function == SubgroupFunction::kBarrier;
    worker_->Report(
        items[0].running->batch, sync.instruction.place, items[0].lane,
        call.function == SubgroupFunction::kPipe ? Rule::kPipeGroupDivergence
        : call.IsOfMatrix()                      ? Rule::kMatrixOperands
        : is_barrier                             ? Rule::kBarrierOperands
                                                 : Rule::kSubgroupOperands,
        fmt::format("work-items of the sub-group give a {} different {}: {} gives {:#x}, {} gives "
                    "{:#x}",
                    is_barrier          ? "barrier"
                    : call.IsOfMatrix() ? "matrix instruction"
                                        : "function",
                    name, Name(items[0]), given, Name(*other), read(*other)));
    return;
  }
}

}  // namespace assay::interp
