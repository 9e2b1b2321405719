// Barriers, fences, asynchronous copies and work-group functions.
#include "interp/import/import.h"
#include "interp/import/verify.h"

namespace assay::interp {

using frontend::Scope;
using frontend::StorageClass;
using frontend::TypeKind;

namespace {

// What passes take semantics for that are computed: sequentially consistent, of all memory.
constexpr std::uint64_t kAnySemantics = 0xb10;

}  // namespace

// Ends the block with an instruction that work-items wait at.
void Importer::Sync(Opcode opcode, Kind kind, std::span<const Value> operands,
                    std::uint64_t immediate, std::span<const Kind> results,
                    std::vector<Value>* values) {
  const std::uint32_t place = EmitMany(opcode, kind, operands, immediate, results);
  graph_.blocks[block_].instructions.pop_back();
  for (std::uint32_t i = 0; i < results.size(); ++i) {
    values->push_back(graph_.instructions[place].first_result + i);
  }
  const std::uint32_t next = NewBlock();
  IrBlock& block = graph_.blocks[block_];
  block.end = End::kSync;
  block.sync = place;
  block.targets = {next};
  block.origin = origin_;
  block.site = instance_->site;
  Connect(block_, next);
  block_ = next;
}

// Whether it is the work-group's; otherwise an error.
bool Importer::IsWorkGroupScope(Id scope) {
  const auto value = Literal(scope);
  if (value == static_cast<std::uint64_t>(Scope::kWorkgroup)) return true;
  if (value == static_cast<std::uint64_t>(Scope::kSubgroup)) {
    FailUnsupported("an asynchronous copy of a sub-group");
  } else {
    FailUsage("an execution scope that is not the work-group or the sub-group");
  }
  return false;
}

void Importer::ImportBarrier(const Instruction& instruction) {
  if (IsOfSubgroup(instruction)) return ImportSubgroupBarrier(instruction);
  const auto operands = module_.Operands(instruction);
  if (!IsWorkGroupScope(operands[0])) return;
  const auto memory = Literal(operands[1]);
  const auto semantics = Literal(operands[2]);
  // They may be computed: then work-items may differ in them.
  std::vector<Value> values;
  if (!memory || !semantics) {
    for (const Id id : {operands[1], operands[2]}) {
      values.push_back(
          Convert(Opcode::kUConvert, Kind::kI32, ScalarKindOf(TypeIdOf(id)), ValueOf(id)));
    }
  }
  if (error_) return;
  std::vector<Value> results;
  Sync(Opcode::kBarrier, Kind::kI32, values,
       semantics.value_or(kAnySemantics) | memory.value_or(2) << 32, 0, &results);
}

void Importer::ImportFence(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const auto scope = Literal(operands[0]);
  const auto order = Literal(operands[1]);
  AtomicCall call;
  call.opcode = instruction.opcode;
  call.is_computed = !scope || !order;
  call.scope = static_cast<std::uint32_t>(scope.value_or(1));
  call.order = static_cast<std::uint32_t>(order.value_or(kAnySemantics));
  result_.atomic_calls.push_back(call);
  std::vector<Value> values;
  if (call.is_computed) {
    for (const Id id : {operands[0], operands[1]}) {
      values.push_back(
          Convert(Opcode::kUConvert, Kind::kI32, ScalarKindOf(TypeIdOf(id)), ValueOf(id)));
    }
  }
  Emit(Opcode::kFence, Kind::kI32, values, result_.atomic_calls.size() - 1);
}

void Importer::ImportAsyncCopy(const Instruction& instruction) {
  auto operands = module_.Operands(instruction);
  if (!IsWorkGroupScope(operands[0])) return;
  // Of untyped pointers an operand says how large an element is.
  const bool is_untyped = instruction.opcode == Op::kUntypedGroupAsyncCopyKHR;
  const Type* element = module_.types.Find(TypeOfValue(operands[1]).element);
  const std::uint64_t bytes = is_untyped           ? Literal(operands[3]).value_or(0)
                              : element == nullptr ? 0
                                                   : element->size;
  if (is_untyped) operands = operands.subspan(1);
  if (is_untyped && (bytes == 0 || bytes > 1 << 30)) {
    return FailUsage("a copy of elements of no constant size");
  }
  if (bytes == 0) return FailUsage("a copy between no pointers");
  const std::size_t pointers = is_untyped ? 0 : 1;
  std::vector<Value> values = {ValueOf(operands[pointers]), ValueOf(operands[pointers + 1])};
  for (const std::size_t i : {3, 4}) {
    values.push_back(Convert(Opcode::kUConvert, Kind::kI64, ScalarKindOf(TypeIdOf(operands[i])),
                             ValueOf(operands[i])));
  }
  values.push_back(ValueOf(operands[5]));
  // The stride is the global side's.
  const bool to_global =
      TypeOfValue(operands[pointers]).storage_class == StorageClass::kCrossWorkgroup;
  if (error_) return;
  std::vector<Value> results;
  Sync(Opcode::kAsyncCopy, Kind::kI64, values, bytes << 1 | std::uint64_t{to_global}, 1, &results);
  Bind(instruction.result, results);
}

void Importer::ImportWaitEvents(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  if (!IsWorkGroupScope(operands[0])) return;
  Value values[] = {Convert(Opcode::kUConvert, Kind::kI64, ScalarKindOf(TypeIdOf(operands[1])),
                            ValueOf(operands[1])),
                    ValueOf(operands[2])};
  if (error_) return;
  // Only detectors and a debugger read the list: where there are none, its variable need not be in
  // memory.
  if (context_.detectors.IsEmpty() && !context_.debug && !context_.may_differ &&
      graph_.values[values[1]].kind == Kind::kI64) {  // VerifyOperands refuses another one
    values[1] = Constant(Kind::kI64, 0);
  }
  std::vector<Value> results;
  Sync(Opcode::kWaitEvents, Kind::kI64, values, 0, 0, &results);
}

void Importer::ImportGroupFunction(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  if (!IsWorkGroupScope(operands[0])) return;
  const Type& type = *module_.types.Find(instruction.type);
  if (!type.IsScalar() && type.kind != TypeKind::kVector) {
    return FailUsage("a work-group function of what is no scalar and no vector");
  }
  if (!TakesInGroup(module_, instruction)) {
    return FailUsage("operands of types that the instruction does not take");
  }
  GroupCall call;
  call.opcode = instruction.opcode;
  const bool has_operation = instruction.opcode != Op::kGroupAll &&
                             instruction.opcode != Op::kGroupAny &&
                             instruction.opcode != Op::kGroupBroadcast;
  if (has_operation) call.operation = operands[1];
  if (call.operation > static_cast<std::uint32_t>(frontend::GroupOperation::kExclusiveScan)) {
    return FailUnsupported("a group operation that is no reduction and no scan");
  }
  std::vector<Value> values = ValuesOf(operands[has_operation ? 2 : 1]);
  call.parts = static_cast<std::uint32_t>(values.size());
  if (instruction.opcode == Op::kGroupBroadcast) {
    const std::vector<Value> indices = ValuesOf(operands[2]);
    if (indices.size() > 3) return FailUsage("a local id of more than 3 dimensions");
    for (const Value index : indices) {
      values.push_back(
          Convert(Opcode::kUConvert, Kind::kI64, ScalarKindOf(TypeIdOf(operands[2])), index));
    }
  }
  if (error_) return;
  result_.group_calls.push_back(call);
  std::vector<Value> results;
  Sync(Opcode::kGroup, ScalarKindOf(instruction.type), values, result_.group_calls.size() - 1,
       call.parts, &results);
  Bind(instruction.result, results);
}

bool Importer::ImportGroup(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Op::kControlBarrier:
      return ImportBarrier(instruction), true;
    case Op::kMemoryBarrier:
      return ImportFence(instruction), true;
    case Op::kGroupAsyncCopy:
    case Op::kUntypedGroupAsyncCopyKHR:
      return ImportAsyncCopy(instruction), true;
    case Op::kGroupWaitEvents:
      return ImportWaitEvents(instruction), true;
    case Op::kGroupAll:
    case Op::kGroupAny:
    case Op::kGroupBroadcast:
    case Op::kGroupIAdd:
    case Op::kGroupFAdd:
    case Op::kGroupFMin:
    case Op::kGroupUMin:
    case Op::kGroupSMin:
    case Op::kGroupFMax:
    case Op::kGroupUMax:
    case Op::kGroupSMax:
    case Op::kGroupIMulKHR:
    case Op::kGroupFMulKHR:
    case Op::kGroupBitwiseAndKHR:
    case Op::kGroupBitwiseOrKHR:
    case Op::kGroupBitwiseXorKHR:
    case Op::kGroupLogicalAndKHR:
    case Op::kGroupLogicalOrKHR:
    case Op::kGroupLogicalXorKHR:
      if (IsOfSubgroup(instruction)) return ImportSubgroup(instruction);
      return ImportGroupFunction(instruction), true;
    default:
      return ImportSubgroup(instruction);
  }
}

}  // namespace assay::interp
