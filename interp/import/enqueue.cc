// Device queues: index spaces, kernels and markers that are enqueued, events, and queries
// (SPIR-V 3.52.23, Device-Side Enqueue Instructions; OpenCL C 6.15.19).
#include <fmt/format.h>

#include <algorithm>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::StorageClass;
using frontend::TypeKind;

namespace {

constexpr std::size_t kNdRangeParts = 10;  // dimensions, offset, global size, local size
// Of the largest work-group that can be launched (SetIndexSpace).
constexpr std::uint64_t kMaxGroupItems = 65536;

// The place of the function in the operands of an instruction that names one, and of the index
// space; the captured variables, their size and alignment follow the function.
struct QueueOperands {
  std::size_t invoke = 0;
  std::size_t range = 0;
  bool has_range = false;
};

QueueOperands OperandsOf(frontend::Op opcode) {
  using frontend::Op;
  switch (opcode) {
    case Op::kEnqueueKernel:
      return {6, 2, true};
    case Op::kGetKernelNDrangeSubGroupCount:
    case Op::kGetKernelNDrangeMaxSubGroupSize:
      return {1, 0, true};
    case Op::kGetKernelLocalSizeForSubgroupCount:
      return {1, 0, false};
    default:
      return {0, 0, false};
  }
}

// Where a type has pointers to memory that ends with the work-item or its group.
void AppendShortLived(const frontend::Module& module, frontend::Id id, std::uint64_t offset,
                      std::vector<std::uint64_t>* places) {
  constexpr std::size_t kMany = 4096;
  const frontend::Type* type = module.types.Find(id);
  if (type == nullptr || places->size() > kMany) return;
  if (type->kind == TypeKind::kPointer && (type->storage_class == StorageClass::kWorkgroup ||
                                           type->storage_class == StorageClass::kFunction)) {
    places->push_back(offset);
  }
  if (type->kind == TypeKind::kStruct) {
    const auto members = module.types.Members(*type);
    const auto offsets = module.types.Offsets(*type);
    for (std::size_t i = 0; i < members.size(); ++i) {
      AppendShortLived(module, members[i], offset + offsets[i], places);
    }
  }
  if (type->kind == TypeKind::kArray) {
    const frontend::Type* element = module.types.Find(type->element);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(type->count, kMany); ++i) {
      AppendShortLived(module, type->element, offset + i * element->size, places);
    }
  }
}

// The same of what a block captures, whose structure stands behind casts.
std::vector<std::uint64_t> ShortLivedCaptures(const frontend::Module& module, frontend::Id literal,
                                              std::uint64_t bytes) {
  using frontend::Op;
  std::vector<std::uint64_t> places;
  for (int steps = 0; steps < 16; ++steps) {
    const frontend::Type* pointer = module.types.Find(module.TypeOf(literal));
    if (pointer == nullptr || pointer->kind != TypeKind::kPointer) return places;
    const frontend::Type* type = module.types.Find(pointer->element);
    if (type != nullptr && type->kind == TypeKind::kStruct && type->size >= bytes) {
      AppendShortLived(module, pointer->element, 0, &places);
      return places;
    }
    const frontend::Instruction* definition = module.Definition(literal);
    if (definition == nullptr ||
        (definition->opcode != Op::kBitcast && definition->opcode != Op::kPtrCastToGeneric)) {
      return places;
    }
    literal = module.Operands(*definition)[0];
  }
  return places;
}

constexpr const char* kNoIndexSpace =
    "an index space (ndrange_t) is a dimension and three times three sizes; this type is not";

// An untyped variable has its type as its operand; 0: it is none, or has none.
frontend::Id TypeOfUntypedVariable(const frontend::Module& module, frontend::Id pointer) {
  const frontend::Instruction* definition = module.Definition(pointer);
  if (definition == nullptr || definition->opcode != frontend::Op::kUntypedVariableKHR) return 0;
  const auto operands = module.Operands(*definition);
  return operands.size() > 1 ? operands[1] : 0;
}

}  // namespace

// As a 64-bit integer.
Value Importer::AsSize(Id id) {
  const Value value = ValueOf(id);
  if (error_) return value;
  const Kind kind = graph_.values[value].kind;
  if (!IsInteger(kind)) {
    FailUsage("an operand that is no integer");
    return value;
  }
  return Convert(Opcode::kUConvert, Kind::kI64, kind, value);
}

void Importer::EmitQueue(const Instruction& instruction, QueueCall call,
                         std::span<const Value> values) {
  if (error_) return;
  result_.queue_calls.push_back(std::move(call));
  std::vector<Kind> results;
  if (instruction.type != 0) results.push_back(ScalarKindOf(instruction.type));
  const std::uint32_t place =
      EmitMany(Opcode::kDeviceQueue, Kind::kI64, values, result_.queue_calls.size() - 1, results);
  if (!results.empty()) BindOne(instruction.result, graph_.instructions[place].first_result);
}

// OpBuildNDRange: sizes are scalars or arrays of two or three; a local size of 0 leaves it open.
void Importer::ImportNdRange(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const std::vector<Leaf>& leaves = LeavesOf(instruction.type);
  if (error_ || leaves.size() != kNdRangeParts) {
    return FailUsage(kNoIndexSpace);
  }
  const std::vector<Value> global = ValuesOf(operands[0]);
  const std::vector<Value> local = ValuesOf(operands[1]);
  const std::vector<Value> offset = ValuesOf(operands[2]);
  if (error_) return;
  const std::size_t dimensions = global.size();
  if (dimensions < 1 || dimensions > 3 || local.size() != dimensions ||
      offset.size() != dimensions) {
    return FailUsage("an index space of other than 1, 2 or 3 dimensions");
  }
  std::vector<Value> values = {Constant(Kind::kI32, dimensions)};
  for (const std::vector<Value>* part : {&offset, &global, &local}) {
    for (std::size_t d = 0; d < 3; ++d) {
      values.push_back(d < dimensions ? (*part)[d]
                                      : Constant(leaves[1].kind, part == &global ? 1 : 0));
    }
  }
  if (!FitsType(values, instruction.type)) return FailUsage("an index space of other integers");
  Bind(instruction.result, values);
}

// The parts of an index space, which is a value or, as llvm-spirv writes it, behind a pointer.
bool Importer::AppendNdRange(Id range, std::vector<Value>* values) {
  Id type = TypeIdOf(range);
  std::vector<Value> parts;
  if (TypeOfValue(range).kind == TypeKind::kPointer) {
    type = TypeOfValue(range).element;
    if (type == 0) type = TypeOfUntypedVariable(module_, range);
    if (type == 0) {
      FailUnsupported("an index space behind an untyped pointer that is no variable");
      return false;
    }
    const std::vector<Leaf> leaves = LeavesOf(type);
    if (!error_ && leaves.size() == kNdRangeParts) parts = LoadLeaves(ValueOf(range), leaves);
  } else {
    parts = ValuesOf(range);
  }
  if (error_) return false;
  if (parts.size() != kNdRangeParts) {
    FailUsage(kNoIndexSpace);
    return false;
  }
  for (const Value part : parts) {
    const Kind kind = graph_.values[part].kind;
    if (!IsInteger(kind)) {
      FailUsage(kNoIndexSpace);
      return false;
    }
    values->push_back(Convert(Opcode::kUConvert, Kind::kI64, kind, part));
  }
  return true;
}

// The function takes what is captured, and a pointer to local memory for each size.
bool Importer::CheckInvoke(Id invoke, std::size_t local_sizes) {
  const frontend::Function* function = module_.FindFunction(invoke);
  if (function == nullptr || function->IsDeclaration()) {
    FailUsage("what is enqueued is no function with a body");
    return false;
  }
  const auto parameters = function->parameters.Of(module_.parameters);
  if (parameters.size() != local_sizes + 1) {
    FailUsage(
        fmt::format("{} of {} for local memory, where the block takes {} (OpenCL C 6.15.19.2: one "
                    "for each)",
                    local_sizes, local_sizes == 1 ? "one size" : "sizes",
                    parameters.empty() ? 0 : parameters.size() - 1));
    return false;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Type* type = module_.types.Find(parameters[i].type);
    const bool is_good = type != nullptr && type->kind == TypeKind::kPointer &&
                         (i == 0 || type->storage_class == StorageClass::kWorkgroup);
    if (!is_good) {
      FailUsage("a block whose parameters are no pointers to local memory");
      return false;
    }
  }
  if (module_.types.Find(function->return_type)->kind != TypeKind::kVoid) {
    FailUsage("a block that returns a value is enqueued");
    return false;
  }
  return true;
}

void Importer::ImportEnqueue(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const auto sizes = operands.subspan(10);
  if (!CheckInvoke(operands[6], sizes.size())) return;
  std::vector<Value> values = {ValueOf(operands[0]), AsSize(operands[1])};
  if (error_ || !AppendNdRange(operands[2], &values)) return;
  values.push_back(AsSize(operands[3]));
  for (const std::size_t i : {4, 5, 7}) values.push_back(ValueOf(operands[i]));
  for (const Id size : sizes) {
    if (TypeOfValue(size).kind != TypeKind::kPointer) {
      values.push_back(AsSize(size));
      continue;
    }
    // llvm-spirv hands over where the size is.
    const std::vector<Leaf> leaves = LeavesOf(TypeOfValue(size).element);
    if (leaves.size() != 1) return FailUsage("a size of local memory that is no integer");
    const std::vector<Value> loaded = LoadLeaves(ValueOf(size), leaves);
    if (error_) return;
    values.push_back(
        Convert(Opcode::kUConvert, Kind::kI64, graph_.values[loaded[0]].kind, loaded[0]));
  }
  QueueCall call;
  call.function = QueueFunction::kEnqueue;
  call.invoke = operands[6];
  call.literal_bytes = Literal(operands[8]).value_or(0);
  call.local_sizes = static_cast<std::uint32_t>(sizes.size());
  call.handle_bytes = module_.PointerBytes();
  call.local_captures = ShortLivedCaptures(module_, operands[7], call.literal_bytes);
  if (call.literal_bytes > kMaxLeaves) {
    return FailUnsupported(fmt::format("a block that captures more than {} bytes", kMaxLeaves));
  }
  EmitQueue(instruction, std::move(call), values);
}

// What may be asked of a block: here it depends on the index space only.
void Importer::ImportQueueQuery(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const QueueOperands at = OperandsOf(instruction.opcode);
  const frontend::Function* function = module_.FindFunction(operands[at.invoke]);
  if (function == nullptr) return FailUsage("what is asked of is no function");
  const Kind kind = ScalarKindOf(instruction.type);
  const std::uint64_t size = context_.subgroup_size;
  std::vector<Value> values;
  QueueCall call;
  switch (instruction.opcode) {
    case Op::kGetKernelWorkGroupSize:
      return BindOne(instruction.result, Constant(kind, kMaxGroupItems));
    case Op::kGetKernelPreferredWorkGroupSizeMultiple:
      return BindOne(instruction.result, Constant(kind, size));
    case Op::kGetKernelMaxNumSubgroups:
      return BindOne(instruction.result, Constant(kind, kMaxGroupItems / size));
    case Op::kGetKernelLocalSizeForSubgroupCount: {
      // No work-group has so many sub-groups: 0 (SPIR-V OpGetKernelLocalSizeForSubgroupCount).
      const Value count = AsSize(operands[0]);
      if (error_) return;
      const Value product = Emit(Opcode::kIMul, Kind::kI64, {count, Constant(Kind::kI64, size)});
      const Value fits = Emit(Opcode::kULessThanEqual, Kind::kI64,
                              {count, Constant(Kind::kI64, kMaxGroupItems / size)});
      const Value result =
          Emit(Opcode::kSelect, Kind::kI64, {fits, product, Constant(Kind::kI64, 0)});
      return BindOne(instruction.result, Convert(Opcode::kUConvert, kind, Kind::kI64, result));
    }
    default:
      call.function = instruction.opcode == Op::kGetKernelNDrangeSubGroupCount
                          ? QueueFunction::kSubgroupCount
                          : QueueFunction::kMaxSubgroupSize;
      if (AppendNdRange(operands[at.range], &values)) {
        EmitQueue(instruction, std::move(call), values);
      }
  }
}

bool Importer::ImportQueue(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const auto emit = [&](QueueFunction function) {
    std::vector<Value> values;
    for (const Id operand : operands) {
      const Value value = ValueOf(operand);
      if (error_) return true;
      const Kind kind = graph_.values[value].kind;
      values.push_back(IsInteger(kind) ? Convert(Opcode::kUConvert, Kind::kI64, kind, value)
                                       : value);
    }
    QueueCall call;
    call.function = function;
    call.handle_bytes = module_.PointerBytes();
    EmitQueue(instruction, std::move(call), values);
    return true;
  };
  switch (instruction.opcode) {
    case Op::kBuildNDRange:
      return ImportNdRange(instruction), true;
    case Op::kEnqueueKernel:
      return ImportEnqueue(instruction), true;
    case Op::kGetKernelNDrangeSubGroupCount:
    case Op::kGetKernelNDrangeMaxSubGroupSize:
    case Op::kGetKernelWorkGroupSize:
    case Op::kGetKernelPreferredWorkGroupSizeMultiple:
    case Op::kGetKernelLocalSizeForSubgroupCount:
    case Op::kGetKernelMaxNumSubgroups:
      return ImportQueueQuery(instruction), true;
    case Op::kEnqueueMarker:
      return emit(QueueFunction::kMarker);
    case Op::kRetainEvent:
      return emit(QueueFunction::kRetain);
    case Op::kReleaseEvent:
      return emit(QueueFunction::kRelease);
    case Op::kCreateUserEvent:
      return emit(QueueFunction::kCreateUserEvent);
    case Op::kIsValidEvent:
      return emit(QueueFunction::kIsValid);
    case Op::kSetUserEventStatus:
      return emit(QueueFunction::kSetStatus);
    case Op::kCaptureEventProfilingInfo:
      return emit(QueueFunction::kCapture);
    case Op::kGetDefaultQueue:
      return emit(QueueFunction::kDefaultQueue);
    default:
      return false;
  }
}

}  // namespace assay::interp
