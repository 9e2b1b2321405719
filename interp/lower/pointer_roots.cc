#include "interp/lower/pointer_roots.h"

#include <algorithm>

#include "interp/lower/watch.h"

namespace assay::interp {

PointerRoots::PointerRoots(const ImportedKernel& kernel)
    : kernel_(kernel), graph_(kernel.graph), phi_(graph_.values.size()) {
  for (const IrBlock& block : graph_.blocks) {
    for (const Phi& phi : block.phis) phi_[phi.result] = &phi;
  }
}

std::vector<PointerRoot> PointerRoots::Of(Value address, const std::unordered_set<Value>& stops,
                                          const std::vector<bool>& doubtful) const {
  constexpr std::size_t kMost = 64;
  std::vector<PointerRoot> roots;
  std::vector<Value> work = {address};
  std::vector<Value> seen = {address};
  while (!work.empty()) {
    const Value value = work.back();
    work.pop_back();
    if (stops.contains(value)) {
      roots.push_back({PointerRoot::Kind::kStop, value});
      continue;
    }
    const auto push = [&](Value next) {
      if (std::find(seen.begin(), seen.end(), next) != seen.end()) return;
      seen.push_back(next);
      work.push_back(next);
    };
    if (seen.size() > kMost || !Step(value, doubtful, push, &roots)) return {};
  }
  return roots;
}

template <typename Push>
bool PointerRoots::Step(Value value, const std::vector<bool>& doubtful, const Push& push,
                        std::vector<PointerRoot>* roots) const {
  const ValueInfo& info = graph_.values[value];
  switch (info.value_kind) {
    case ValueKind::kConstant:
      roots->push_back({PointerRoot::Kind::kConstant, info.bits});
      return true;
    case ValueKind::kInput: {
      const Input& input = kernel_.inputs[info.bits];
      if (input.input_kind != InputKind::kParameter || input.offset != 0) return false;
      roots->push_back({PointerRoot::Kind::kParameter, input.index});
      return true;
    }
    case ValueKind::kPhi:
      if (phi_[value] == nullptr) return false;
      for (const Value operand : phi_[value]->operands) push(operand);
      return true;
    case ValueKind::kUndefined:
      return false;
    case ValueKind::kInstruction:
      break;
  }
  const IrInstruction& instruction = graph_.instructions[info.bits];
  if (instruction.opcode == Opcode::kVariable) {
    roots->push_back({PointerRoot::Kind::kVariable, instruction.immediate});
    return true;
  }
  const std::span<const Value> sources = AddressSources(graph_, instruction);
  for (const Value source : sources) push(source);
  if (!doubtful.empty()) {
    for (const Value operand : graph_.Operands(instruction)) {
      const bool is_source = std::find(sources.begin(), sources.end(), operand) != sources.end();
      if (!is_source && doubtful[operand]) return false;
    }
  }
  return !sources.empty();
}

}  // namespace assay::interp
