// Calls through pointers (SPV_INTEL_function_pointers): a choice between the functions of the
// called type whose address the module takes.
#include <algorithm>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::TypeKind;

// In the order of the module.  A function that is being expanded is none of them: OpenCL has no
// recursion.
std::vector<const frontend::Function*> Importer::TargetsOf(Id pointer) const {
  std::vector<const frontend::Function*> targets;
  const Type& type = TypeOfValue(pointer);
  if (type.kind != TypeKind::kPointer) return targets;
  for (const Instruction& instruction : module_.instructions) {
    if (instruction.opcode != Op::kConstantFunctionPointerINTEL) continue;
    const frontend::Function* function = module_.FindFunction(module_.Operands(instruction)[0]);
    if (function == nullptr || function->IsDeclaration() || function->type != type.element)
      continue;
    if (std::ranges::find(active_, function->id) != active_.end()) continue;
    if (std::ranges::find(targets, function) == targets.end()) targets.push_back(function);
  }
  return targets;
}

void Importer::ImportPointerCall(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  if (operands.empty()) return FailUsage("a call of nothing");
  const Value pointer = ValueOf(operands[0]);
  const std::vector<Leaf> leaves = LeavesOf(instruction.type);
  if (error_) return;
  if (graph_.values[pointer].kind != Kind::kI64) return FailUsage("a call of what is no pointer");
  const std::uint32_t after = NewBlock();
  std::vector<std::vector<Value>> results;  // beside the predecessors of `after`
  for (const frontend::Function* target : TargetsOf(operands[0])) {
    const Value id =
        Constant(Kind::kI64, std::uint64_t{target->id} << frontend::kFunctionPointerShift);
    const std::uint32_t yes = NewBlock();
    const std::uint32_t no = NewBlock();
    const Value is_target = Emit(Opcode::kIEqual, Kind::kI64, {pointer, id});
    Finish(End::kBranch, {yes, no}, is_target);
    block_ = yes;
    ImportCallOf(instruction, *target, operands.subspan(1));
    if (error_) return;
    results.push_back(leaves.empty() ? std::vector<Value>() : ValuesOf(instruction.result));
    Jump(after);
    block_ = no;
  }
  CheckNow(Check::kCallTarget, Kind::kI64, {pointer});
  results.emplace_back();
  for (const Leaf& leaf : leaves) results.back().push_back(Constant(leaf.kind, 0));
  Jump(after);
  block_ = after;
  if (leaves.empty()) return;
  std::vector<Value> values;
  for (std::size_t part = 0; part < leaves.size(); ++part) {
    Phi phi;
    phi.result = NewValue(leaves[part].kind, ValueKind::kPhi, 0);
    for (const std::vector<Value>& one : results) phi.operands.push_back(one[part]);
    values.push_back(phi.result);
    graph_.blocks[after].phis.push_back(std::move(phi));
  }
  Bind(instruction.result, values);
}

}  // namespace assay::interp
