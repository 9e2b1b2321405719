#include "interp/lower/index_bounds.h"

#include <algorithm>
#include <iterator>

#include "interp/lower/offsets.h"

namespace assay::interp {

IndexBounds::IndexBounds(const Graph& graph)
    : graph_(graph), flow_(graph), phi_(graph.values.size(), nullptr) {
  for (const IrBlock& block : graph_.blocks) {
    for (const Phi& phi : block.phis) phi_[phi.result] = &phi;
  }
}

const IrInstruction* IndexBounds::Definition(Value value) const {
  const ValueInfo& info = graph_.values[value];
  return info.value_kind == ValueKind::kInstruction ? &graph_.instructions[info.bits] : nullptr;
}

std::optional<std::uint64_t> IndexBounds::Constant(Value value) const {
  const ValueInfo& info = graph_.values[value];
  if (info.value_kind != ValueKind::kConstant) return std::nullopt;
  return info.bits;
}

// The first number with a sign.
std::uint64_t IndexBounds::Half(Value value) const {
  return std::uint64_t{1} << (BitsOf(graph_.values[value].kind) - 1);
}

// Calls use(relation) with those that hold in the block, because it is reached by one side of a
// branch only, until one is enough: use gives true.  Of the nearest ones: a graph may be deep.
template <typename Use>
void IndexBounds::EachRelation(std::uint32_t block, const Use& use) const {
  constexpr int kMostBlocks = 1024;
  int blocks = 0;
  for (std::uint32_t at = block; at != 0 && blocks < kMostBlocks; at = flow_.ImmediateOf(at)) {
    ++blocks;
    const IrBlock& here = graph_.blocks[at];
    if (here.predecessors.size() != 1) continue;
    const IrBlock& from = graph_.blocks[here.predecessors[0]];
    if (from.end != End::kBranch || from.targets[0] == from.targets[1]) continue;
    const auto relation = RelationOf(from.condition, from.targets[0] == at);
    if (relation && use(*relation)) return;
  }
}

std::optional<IndexBounds::Relation> IndexBounds::RelationOf(Value condition, bool holds) const {
  const IrInstruction* compare = Definition(condition);
  if (compare == nullptr) return std::nullopt;
  struct Comparison {
    Opcode opcode;
    bool is_signed;
    bool or_equal;
    bool swaps;
  };
  static constexpr Comparison kComparisons[] = {
      {Opcode::kSLessThan, true, false, false},    {Opcode::kSLessThanEqual, true, true, false},
      {Opcode::kSGreaterThan, true, false, true},  {Opcode::kSGreaterThanEqual, true, true, true},
      {Opcode::kULessThan, false, false, false},   {Opcode::kULessThanEqual, false, true, false},
      {Opcode::kUGreaterThan, false, false, true}, {Opcode::kUGreaterThanEqual, false, true, true},
  };
  const auto* const row = std::ranges::find(kComparisons, compare->opcode, &Comparison::opcode);
  if (row == std::end(kComparisons)) return std::nullopt;
  const bool is_signed = row->is_signed;
  bool or_equal = row->or_equal;
  bool swaps = row->swaps;
  // Not a < b: b <= a.
  if (!holds) {
    swaps = !swaps;
    or_equal = !or_equal;
  }
  const auto operands = graph_.Operands(*compare);
  return Relation{operands[swaps ? 1 : 0], operands[swaps ? 0 : 1], is_signed, or_equal};
}

std::optional<std::uint64_t> IndexBounds::LargestByBranch(Value value, std::uint32_t block) const {
  const std::uint64_t half = Half(value);
  std::optional<std::uint64_t> most, most_signed;
  EachRelation(block, [&](const Relation& relation) {
    const auto bound = Constant(relation.b);
    if (relation.a != value || !bound || *bound >= half) return false;
    if (*bound == 0 && !relation.or_equal) return false;  // nobody comes there
    const std::uint64_t largest = *bound - (relation.or_equal ? 0 : 1);
    std::optional<std::uint64_t>& known = relation.is_signed ? most_signed : most;
    known = std::min(known.value_or(largest), largest);
    return false;
  });
  if (most_signed && (!most || *most_signed < *most) && IsNotNegative(value, block)) {
    most = most_signed;
  }
  return most;
}

std::optional<std::uint64_t> IndexBounds::LargestIn(Value value, std::uint32_t block) const {
  std::optional<std::uint64_t> most = LargestOf(graph_, value);
  constexpr int kMostSteps = 4;
  for (int step = 0; step < kMostSteps; ++step) {
    if (const auto here = LargestByBranch(value, block))
      most = std::min(most.value_or(*here), *here);
    // Of what is below half, a wider one is the same with and without a sign.
    const IrInstruction* const made = Definition(value);
    if (made == nullptr ||
        (made->opcode != Opcode::kSConvert && made->opcode != Opcode::kUConvert) ||
        BitsOf(made->from) > BitsOf(made->kind)) {
      break;
    }
    value = graph_.Operands(*made)[0];
  }
  return most;
}

bool IndexBounds::IsNotNegative(Value value, std::uint32_t block) const {
  const auto starts_at = [this](Value start) {
    const auto bits = Constant(start);
    return bits && *bits < Half(start);
  };
  if (starts_at(value)) return true;
  // "c <= value".
  bool is_above = false;
  EachRelation(block, [&](const Relation& relation) {
    is_above = relation.is_signed && relation.b == value && starts_at(relation.a);
    return is_above;
  });
  if (is_above) return true;
  const Phi* phi = phi_[value];
  return phi != nullptr &&
         std::all_of(phi->operands.begin(), phi->operands.end(), [&](Value operand) {
           return starts_at(operand) || operand == value || IsStep(value, operand);
         });
}

// Whether one value is another one and a bit more, where a branch has kept that small.
bool IndexBounds::IsStep(Value counter, Value next) const {
  const IrInstruction* add = Definition(next);
  if (add == nullptr || add->opcode != Opcode::kIAdd) return false;
  const auto operands = graph_.Operands(*add);
  if (operands[0] != counter) return false;
  const auto step = Constant(operands[1]);
  const std::uint64_t most = Half(counter) / 2;
  if (!step || *step >= most) return false;
  bool is_kept = false;
  EachRelation(graph_.values[next].block, [&](const Relation& relation) {
    const auto bound = Constant(relation.b);
    is_kept = relation.a == counter && relation.is_signed && bound && *bound < most;
    return is_kept;
  });
  return is_kept;
}

}  // namespace assay::interp
