// Checks of pointers, for detectors: arithmetic, comparisons, casts, and what parameters promise.
#include <algorithm>
#include <bit>

#include "interp/import/import.h"
#include "interp/program/argument_alignment.h"
#include "interp/program/restrict.h"

namespace assay::interp {

using frontend::Decoration;
using frontend::FunctionParameterAttribute;
using frontend::StorageClass;
using frontend::TypeKind;

// A value that is poisoned must not be another's too.
Value Importer::OwnAddress(Value address, Value same_as) {
  if (address != same_as) return address;
  return Emit(Opcode::kCopy, Kind::kI64, {address});
}

void Importer::CheckAddress(Check check, CheckNeed need, std::initializer_list<Value> operands,
                            Value address) {
  const std::size_t count = graph_.instructions.size();
  CheckValue(check, Kind::kI64, operands, std::span(&address, 1));
  if (graph_.instructions.size() != count) graph_.instructions.back().need = need;
}

// OpInBoundsAccessChain, OpInBoundsPtrAccessChain: the result points into the base's object, or, of
// the latter, one past it (SPIR-V 3.52.8).
void Importer::CheckInBounds(const Instruction& instruction, Value base, Value address) {
  const bool element = instruction.opcode == Op::kInBoundsPtrAccessChain;
  if (!element && instruction.opcode != Op::kInBoundsAccessChain) return;
  // An address that is a constant is the same for every user of the constant.
  if (address == base || graph_.values[address].value_kind != ValueKind::kInstruction) return;
  CheckAddress(element ? Check::kInBoundsElement : Check::kInBounds, CheckNeed::kBeyondAccess,
               {base}, address);
}

// C99 6.5.6: pointers into the same array object, a whole number of elements apart.
void Importer::CheckDifference(Value left, Value right, std::uint64_t size, Value result) {
  if (graph_.values[left].kind != Kind::kI64 || graph_.values[right].kind != Kind::kI64 ||
      graph_.values[result].kind != Kind::kI64) {
    return;  // 32-bit addresses that were converted
  }
  CheckAddress(Check::kDifference, CheckNeed::kAlways, {left, right, Constant(Kind::kI64, size)},
               result);
}

namespace {

bool IsComparison(frontend::Op opcode) {
  using frontend::Op;
  switch (opcode) {
    case Op::kPtrEqual:
    case Op::kPtrNotEqual:
    case Op::kIEqual:
    case Op::kINotEqual:
    case Op::kUGreaterThan:
    case Op::kSGreaterThan:
    case Op::kUGreaterThanEqual:
    case Op::kSGreaterThanEqual:
    case Op::kULessThan:
    case Op::kSLessThan:
    case Op::kULessThanEqual:
    case Op::kSLessThanEqual:
      return true;
    default:
      return false;
  }
}

}  // namespace

// The pointer that an integer was converted from, or the pointer itself; 0: neither.
frontend::Id Importer::PointerBehind(Id id) const {
  if (TypeOfValue(id).kind == TypeKind::kPointer) return id;
  const Instruction* definition = module_.Definition(id);
  if (definition == nullptr || definition->opcode != Op::kConvertPtrToU) return 0;
  return module_.Operands(*definition)[0];
}

// What was imported last was a comparison or a difference, of pointers or of integers that clang
// and llvm-spirv make of them.
void Importer::CheckPointerOperands(const Instruction& instruction) {
  if (!context_.detectors.Has(Detector::kPointers) || error_ || instruction.result == 0) return;
  const auto operands = module_.Operands(instruction);
  if (operands.size() < 2) return;
  if (IsComparison(instruction.opcode)) {
    const Id left = PointerBehind(operands[0]);
    const Id right = PointerBehind(operands[1]);
    if (left == 0 || right == 0 || TypeOfValue(left).storage_class != StorageClass::kGeneric ||
        TypeOfValue(right).storage_class != StorageClass::kGeneric) {
      return;
    }
    const Value p = ValueOf(left);
    const Value q = ValueOf(right);
    const Value result = ValueOf(instruction.result);
    if (!error_) CheckAddress(Check::kDifferentSpaces, CheckNeed::kAlways, {p, q}, result);
    return;
  }
  // The difference in bytes, divided by the size of an element.
  const bool shifts = instruction.opcode == Op::kShiftRightArithmetic;
  if (instruction.opcode != Op::kSDiv && !shifts) return;
  const Instruction* bytes = module_.Definition(operands[0]);
  const auto amount = Literal(operands[1]);
  if (bytes == nullptr || bytes->opcode != Op::kISub || !amount || *amount == 0) return;
  const auto parts = module_.Operands(*bytes);
  const Id left = PointerBehind(parts[0]);
  const Id right = PointerBehind(parts[1]);
  if (left == 0 || right == 0 || (shifts && *amount > 40)) return;
  const Value p = ValueOf(left);
  const Value q = ValueOf(right);
  const Value result = ValueOf(instruction.result);
  if (!error_) CheckDifference(p, q, shifts ? std::uint64_t{1} << *amount : *amount, result);
}

// OpConvertUToPtr, OpBitcast of an integer: a pointer of its storage class, or null.
Value Importer::CheckForged(const Instruction& instruction, Value integer, Value address) {
  const Type& type = *module_.types.Find(instruction.type);
  if (!IsWatched(Check::kForged) || type.kind != TypeKind::kPointer || error_) return address;
  address = OwnAddress(address, integer);
  CheckAddress(Check::kForged, CheckNeed::kSaysAccess,
               {address, Constant(Kind::kI64, static_cast<std::uint64_t>(type.storage_class))},
               address);
  return address;
}

// OpGenericCastToPtr: undefined where the pointer does not point into the storage class.
Value Importer::CheckCast(const Instruction& instruction, Value generic) {
  const Type& type = *module_.types.Find(instruction.type);
  if (!IsWatched(Check::kCastToWrongSpace) || type.kind != TypeKind::kPointer || error_) {
    return generic;
  }
  if (graph_.values[generic].kind != Kind::kI64) return generic;  // refused where it is bound
  const Value address = OwnAddress(generic, generic);
  CheckAddress(Check::kCastToWrongSpace, CheckNeed::kAlways,
               {address, Constant(Kind::kI64, static_cast<std::uint64_t>(type.storage_class))},
               address);
  return address;
}

namespace {

// What decorations say of a pointer parameter.
struct Promises {
  std::uint64_t alignment = 1;
  bool not_written = false;
  bool is_restrict = false;
};

Promises PromisesOf(const frontend::Module& module, frontend::Id parameter) {
  Promises promises;
  promises.is_restrict = IsRestrict(module, parameter);
  for (const frontend::DecorationUse& use : module.DecorationsOf(parameter)) {
    const auto words = module.Slice(use.operands);
    if (use.member != frontend::kNone) continue;
    promises.not_written |= use.decoration == Decoration::kNonWritable;
    if (words.empty()) continue;
    if (use.decoration == Decoration::kAlignment) promises.alignment = words[0];
    if (use.decoration == Decoration::kAlignmentId) {
      promises.alignment = module.constants.Integer(words[0]).value_or(1);
    }
    if (use.decoration != Decoration::kFuncParamAttr) continue;
    const auto attribute = static_cast<FunctionParameterAttribute>(words[0]);
    promises.not_written |= attribute == FunctionParameterAttribute::kNoWrite ||
                            attribute == FunctionParameterAttribute::kNoReadWrite;
  }
  return promises;
}

}  // namespace

std::uint64_t Importer::AlignmentOfInput(std::uint64_t place) const {
  const Input& input = result_.inputs[place];
  const auto parameters = kernel_->parameters.Of(module_.parameters);
  if (input.input_kind != InputKind::kParameter || input.index >= parameters.size()) return 1;
  return ArgumentAlignment(module_, parameters[input.index]);
}

// Looks after what the attributes of a pointer parameter promise, where the function begins;
// returns the value that the parameter has inside.
Value Importer::WatchParameter(Id parameter, Value value) {
  const Type* type = module_.types.Find(TypeIdOf(parameter));
  if (type == nullptr || type->kind != TypeKind::kPointer || IsByVal(parameter) || error_) {
    return value;
  }
  const std::uint32_t here = origin_;
  if (const Instruction* definition = module_.Definition(parameter)) {
    origin_ = static_cast<std::uint32_t>(definition - module_.instructions.data());
  }
  const Promises promises = PromisesOf(module_, parameter);
  const ValueInfo info = graph_.values[Uncopied(value)];
  // A kernel's argument that misses even its type's alignment is the launch's mistake.
  const std::uint64_t own = info.value_kind == ValueKind::kInput ? AlignmentOfInput(info.bits) : 1;
  const bool is_variable = info.value_kind == ValueKind::kInstruction &&
                           graph_.instructions[info.bits].opcode == Opcode::kVariable;
  if (promises.alignment > own && std::has_single_bit(promises.alignment) && !is_variable) {
    CheckNow(Check::kAlignmentAttribute, Kind::kI64,
             {value, Constant(Kind::kI64, promises.alignment), Constant(Kind::kI64, own)});
  }
  if (context_.detectors.Has(Detector::kPointers)) {
    value = WatchPromises(promises.not_written, promises.is_restrict, value);
  }
  origin_ = here;
  return value;
}

// Others may use the same pointer otherwise: the parameter is a value of its own.
Value Importer::WatchPromises(bool not_written, bool is_restrict, Value value) {
  const bool is_watched =
      is_restrict && instance_->site != 0 && instance_->function != kernels_own_;
  if (!not_written && !is_watched) return value;
  if (instance_->site != 0) value = Emit(Opcode::kCopy, Kind::kI64, {value});
  if (not_written) graph_.const_pointers.push_back({value, origin_});
  if (!is_watched) return value;
  Emit(Opcode::kEnterRestrict, Kind::kI64, {}, graph_.restrict_parameters.size());
  graph_.restrict_parameters.push_back({value, origin_, instance_->site});
  return value;
}

Value Importer::Uncopied(Value value) const {
  for (;;) {
    const ValueInfo& info = graph_.values[value];
    if (info.value_kind != ValueKind::kInstruction) return value;
    const IrInstruction& instruction = graph_.instructions[info.bits];
    if (instruction.opcode != Opcode::kCopy) return value;
    value = graph_.Operands(instruction)[0];
  }
}

// Compilers make an entry point of its own that hands its parameters on to the kernel.  Those that
// are restrict are looked after as the entry point's.
bool Importer::IsKernelsOwn(const Instruction& call, const frontend::Function& callee) const {
  const frontend::Function& kernel = *instance_->function;
  const auto operands = module_.Operands(call);
  const auto outer = kernel.parameters.Of(module_.parameters);
  const auto inner = callee.parameters.Of(module_.parameters);
  if (outer.size() != inner.size() || operands.size() != inner.size() + 1) return false;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (ParameterBehind(operands[i + 1], kernel) != outer[i].id) return false;
    if (IsRestrict(module_, inner[i].id) && !IsRestrict(module_, outer[i].id)) return false;
  }
  return true;
}

// The parameter that a value is, maybe by way of a variable that nothing else is stored to; or 0.
frontend::Id Importer::ParameterBehind(Id value, const frontend::Function& function) const {
  const auto uncast = [this](Id id) {
    const Instruction* definition = module_.Definition(id);
    while (definition != nullptr && definition->opcode == Op::kBitcast) {
      id = module_.Operands(*definition)[0];
      definition = module_.Definition(id);
    }
    return id;
  };
  value = uncast(value);
  const Instruction* definition = module_.Definition(value);
  if (definition != nullptr && definition->opcode == Op::kFunctionParameter) return value;
  if (definition == nullptr || definition->opcode != Op::kLoad) return 0;
  const Id variable = uncast(module_.Operands(*definition)[0]);
  Id stored = 0;
  for (const frontend::Block& block : function.blocks.Of(module_.blocks)) {
    for (const Instruction& store : block.instructions.Of(module_.instructions)) {
      if (store.opcode != Op::kStore || uncast(module_.Operands(store)[0]) != variable) continue;
      if (stored != 0) return 0;
      stored = uncast(module_.Operands(store)[1]);
    }
  }
  definition = module_.Definition(stored);
  return definition != nullptr && definition->opcode == Op::kFunctionParameter ? stored : 0;
}

}  // namespace assay::interp
