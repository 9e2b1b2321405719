// Constants, composites, arithmetic and conversions.
#include <fmt/format.h>

#include <algorithm>

#include "interp/import.h"

namespace assay::interp {

using frontend::ConstantKind;
using frontend::Decoration;
using frontend::TypeKind;
using numerics::Operation;
using numerics::Rounding;
using numerics::ScalarType;

namespace {

ScalarType IntegerType(Kind kind, bool is_signed) {
  switch (kind) {
    case Kind::kI8:
      return is_signed ? ScalarType::kChar : ScalarType::kUchar;
    case Kind::kI16:
      return is_signed ? ScalarType::kShort : ScalarType::kUshort;
    case Kind::kI32:
      return is_signed ? ScalarType::kInt : ScalarType::kUint;
    default:
      return is_signed ? ScalarType::kLong : ScalarType::kUlong;
  }
}
ScalarType FloatType(Kind kind) { return numerics::ScalarTypeOf(FormatOf(kind)); }

}  // namespace

// --- constants --------------------------------------------------------------------------------

Importer::Parts Importer::PartsOf(Id id) {
  if (const auto found = instance_->values.find(id); found != instance_->values.end()) {
    return found->second;
  }
  if (const auto found = globals_.find(id); found != globals_.end()) return found->second;
  std::vector<Value> values;
  if (const frontend::GlobalVariable* global = module_.FindGlobal(id)) {
    if (global->storage_class == frontend::StorageClass::kInput) {
      values.push_back(InputVariable(*global));
    } else if (const auto address = context_.addresses->find(id);
               address != context_.addresses->end()) {
      values.push_back(Constant(Kind::kI64, address->second));
    } else {
      FailUsage(fmt::format("variable {} is declared here and defined nowhere",
                            module_.Describe(id)));
    }
  } else if (const frontend::Constant* constant = module_.constants.Find(id)) {
    AppendConstant(*constant, &values);
  } else {
    FailUsage(fmt::format("{} has no value here", module_.Describe(id)));
  }
  const Parts parts{static_cast<std::uint32_t>(pool_.size()),
                    static_cast<std::uint32_t>(values.size())};
  pool_.insert(pool_.end(), values.begin(), values.end());
  if (!error_ && !FitsType(values, TypeIdOf(id))) {
    FailUsage(fmt::format("{} has a value of another type", module_.Describe(id)));
  }
  if (!error_) globals_[id] = parts;
  return parts;
}

void Importer::AppendConstant(const frontend::Constant& constant, std::vector<Value>* values) {
  switch (constant.kind) {
    case ConstantKind::kScalar:
      values->push_back(Constant(ScalarKindOf(constant.type), constant.bits));
      return;
    case ConstantKind::kComposite:
      (void)LeavesOf(constant.type);  // an error if there are too many
      for (std::uint32_t i = 0; i < constant.part_count && !error_; ++i) {
        AppendConstant(module_.constants.Part(constant, i), values);
      }
      return;
    case ConstantKind::kNull:
      for (const Leaf& leaf : LeavesOf(constant.type)) values->push_back(Constant(leaf.kind, 0));
      return;
    case ConstantKind::kUndefined:
      for (const Leaf& leaf : LeavesOf(constant.type)) values->push_back(Undefined(leaf.kind));
      return;
    case ConstantKind::kAddress:
    case ConstantKind::kExpression: {
      const auto address =
          EvaluateAddress(module_, *context_.addresses, constant);
      if (!address) return AppendExpression(constant, values);
      values->push_back(Constant(ScalarKindOf(constant.type), *address));
      return;
    }
    case ConstantKind::kSampler:
      return FailUnsupported("samplers are not executed yet");
    case ConstantKind::kPipe:
      return FailUnsupported("pipes are not executed yet");
  }
}

// An OpSpecConstantOp over floating-point numbers: the instruction itself, where the kernel begins.
void Importer::AppendExpression(const frontend::Constant& constant, std::vector<Value>* values) {
  const Instruction* definition = module_.Definition(constant.id);
  if (definition == nullptr || definition->opcode != Op::kSpecConstantOp) {
    return FailUnsupported(
        fmt::format("{} is a constant expression that is not evaluated here",
                    module_.Describe(constant.id != 0 ? constant.id : constant.variable)));
  }
  Instruction inner = *definition;
  inner.opcode = static_cast<Op>(module_.Operands(*definition)[0]);
  ++inner.operands;
  const std::uint32_t block = std::exchange(block_, 0);
  Instance entry;
  Instance* instance = std::exchange(instance_, &entry);
  const bool known = ImportArithmetic(inner) || ImportConversion(inner) || ImportComposite(inner);
  instance_ = instance;
  block_ = block;
  const auto found = entry.values.find(inner.result);
  if (!known || (found == entry.values.end() && !error_)) {
    return FailUnsupported(fmt::format("{} is a constant expression that is not evaluated here",
                                       module_.Describe(constant.id)));
  }
  if (error_) return;
  const auto first = pool_.begin() + found->second.first;
  values->insert(values->end(), first, first + found->second.count);
}

// --- composites -------------------------------------------------------------------------------

// How many scalars a type has.
std::uint64_t Importer::CountLeaves(Id type) { return LeavesOf(type).size(); }

bool Importer::ImportComposite(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  // The place of a part's first scalar, and the part's type.
  const auto locate = [&](Id type_id, std::span<const Word> indices) {
    std::uint64_t first = 0;
    for (const Word index : indices) {
      const Type* found = module_.types.Find(type_id);
      if (found == nullptr) FailUsage("a part of a value without a type");
      if (error_) return std::pair<std::uint64_t, Id>{0, type_id};
      const Type& type = *found;
      if (type.kind == TypeKind::kStruct) {
        const auto members = module_.types.Members(type);
        if (index >= members.size()) FailUsage("a member that is not there");
        for (Word i = 0; !error_ && i < index; ++i) first += CountLeaves(members[i]);
        if (error_) return std::pair<std::uint64_t, Id>{0, type_id};
        type_id = members[index];
      } else {
        const bool indexed = type.kind == TypeKind::kVector || type.kind == TypeKind::kArray;
        if (!indexed || index >= type.count) FailUsage("an element that is not there");
        if (error_) return std::pair<std::uint64_t, Id>{0, type_id};
        first += index * CountLeaves(type.element);
        type_id = type.element;
      }
    }
    return std::pair<std::uint64_t, Id>{first, type_id};
  };
  switch (instruction.opcode) {
    case Op::kCompositeConstruct: {
      std::vector<Value> values;
      for (const Word operand : operands) {
        const std::vector<Value> part = ValuesOf(operand);
        values.insert(values.end(), part.begin(), part.end());
        if (values.size() > kMaxLeaves) return FailUsage("more parts than the type has"), true;
      }
      Bind(instruction.result, values);
      return true;
    }
    case Op::kCompositeExtract: {
      const std::vector<Value> whole = ValuesOf(operands[0]);
      const auto [first, type] = locate(TypeIdOf(operands[0]), operands.subspan(1));
      const std::uint64_t count = CountLeaves(type);
      if (error_) return true;
      if (first + count > whole.size()) return FailUsage("a part that is not there"), true;
      Bind(instruction.result, std::span(whole).subspan(first, count));
      return true;
    }
    case Op::kCompositeInsert: {
      const std::vector<Value> part = ValuesOf(operands[0]);
      std::vector<Value> whole = ValuesOf(operands[1]);
      const auto [first, type] = locate(TypeIdOf(operands[1]), operands.subspan(2));
      if (error_) return true;
      if (first + part.size() > whole.size()) return FailUsage("a part that is not there"), true;
      std::copy(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first));
      Bind(instruction.result, whole);
      return true;
    }
    case Op::kCopyObject:
    case Op::kCopyLogical:
    case Op::kExpectKHR:
      Bind(instruction.result, ValuesOf(operands[0]));
      return true;
    case Op::kAssumeTrueKHR:
      return true;
    case Op::kVectorShuffle: {
      std::vector<Value> both = ValuesOf(operands[0]);
      const std::vector<Value> second = ValuesOf(operands[1]);
      both.insert(both.end(), second.begin(), second.end());
      std::vector<Value> result;
      for (const Word index : operands.subspan(2)) {
        if (index != 0xffffffff && index >= both.size()) FailUsage("a component that is not there");
        if (error_) return true;
        result.push_back(index == 0xffffffff ? Undefined(ScalarKindOf(instruction.type))
                                             : both[index]);
      }
      Bind(instruction.result, result);
      return true;
    }
    case Op::kVectorExtractDynamic: {
      const Kind kind = ScalarKindOf(instruction.type);
      const Kind index_kind = ScalarKindOf(TypeIdOf(operands[1]));
      std::vector<Value> values = {
          Convert(Opcode::kUConvert, Kind::kI64, index_kind, ValueOf(operands[1]))};
      for (const Value value : ValuesOf(operands[0])) values.push_back(value);
      BindOne(instruction.result, Emit(Opcode::kExtractDynamic, kind, values));
      return true;
    }
    case Op::kVectorInsertDynamic: {
      const Kind kind = ScalarKindOf(instruction.type);
      const Kind index_kind = ScalarKindOf(TypeIdOf(operands[2]));
      std::vector<Value> values = {
          Convert(Opcode::kUConvert, Kind::kI64, index_kind, ValueOf(operands[2])),
          ValueOf(operands[1])};
      const std::vector<Value> vector = ValuesOf(operands[0]);
      values.insert(values.end(), vector.begin(), vector.end());
      const std::vector<Kind> kinds(vector.size(), kind);
      const std::uint32_t place =
          EmitMany(Opcode::kInsertDynamic, kind, values, 0, kinds);
      std::vector<Value> results;
      for (std::uint32_t i = 0; i < kinds.size(); ++i) {
        results.push_back(graph_.instructions[place].first_result + i);
      }
      Bind(instruction.result, results);
      return true;
    }
    default:
      return false;
  }
}

// --- arithmetic -------------------------------------------------------------------------------

void Importer::Elementwise(const Instruction& instruction, Opcode opcode,
                           std::span<const Word> operands) {
  std::vector<std::vector<Value>> columns;
  for (const Word operand : operands) columns.push_back(ValuesOf(operand));
  if (error_) return;
  const Kind kind = ScalarKindOf(TypeIdOf(operands[0]));
  if (!Takes(opcode, kind)) return FailUsage("operands of a type that the instruction does not take");
  std::vector<Value> results;
  for (std::size_t part = 0; part < columns[0].size(); ++part) {
    std::vector<Value> row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].size() != columns[0].size()) return FailUsage("operands of different sizes");
      Value value = columns[i][part];
      // Shifts and bit fields may have amounts of another width.
      const Kind of_operand = ScalarKindOf(TypeIdOf(operands[i]));
      if (of_operand != kind) {
        if (!IsInteger(of_operand) || !IsInteger(kind)) return FailUsage("operands of mixed types");
        value = Convert(Opcode::kUConvert, kind, of_operand, value);
      }
      row.push_back(value);
    }
    results.push_back(Emit(opcode, kind, row));
  }
  Bind(instruction.result, results);
}

Value Importer::Math(const Operation& operation, Kind kind, std::span<const Value> operands,
                     std::uint32_t results) {
  MathCall call{.operation = operation, .control = context_.controls->Of(kind)};
  for (const ScalarType type : operation.ArgumentTypes()) {
    call.argument_bytes.push_back(static_cast<std::uint32_t>(numerics::SizeOf(type)));
  }
  std::vector<Kind> kinds;
  for (const ScalarType type : operation.ResultTypes()) {
    call.result_bytes.push_back(static_cast<std::uint32_t>(numerics::SizeOf(type)));
    kinds.push_back(numerics::IsFloating(type) ? FloatKind(numerics::WidthOf(type))
                                               : IntegerKind(numerics::WidthOf(type)));
  }
  kinds.resize(results);
  result_.math_calls.push_back(std::move(call));
  const std::vector<Value> copy(operands.begin(), operands.end());
  const std::uint32_t place =
      EmitMany(Opcode::kMath, kind, copy, result_.math_calls.size() - 1, kinds);
  return graph_.instructions[place].first_result;
}

// The processor's operation where it is set as the kind wants it, and the exact one otherwise.
Value Importer::FloatOperation(Opcode fast, numerics::Function exact, Kind kind,
                               std::span<const Value> operands) {
  if (context_.controls->IsHost(kind)) return Emit(fast, kind, operands);
  return Math(Operation::Builtin(exact, FormatOf(kind)), kind, operands);
}

bool Importer::ImportArithmetic(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  using numerics::Function;
  const auto each_float = [&](Opcode fast, Function exact) {
    const Kind kind = ScalarKindOf(instruction.type);
    if (context_.controls->IsHost(kind)) return Elementwise(instruction, fast, operands);
    const std::vector<Value> left = ValuesOf(operands[0]);
    const std::vector<Value> right = ValuesOf(operands[1]);
    std::vector<Value> results;
    for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
      const Value row[] = {left[i], right[i]};
      results.push_back(FloatOperation(fast, exact, kind, row));
    }
    Bind(instruction.result, results);
  };
  switch (instruction.opcode) {
    case Op::kFAdd:
      return each_float(Opcode::kFAdd, Function::add), true;
    case Op::kFSub:
      return each_float(Opcode::kFSub, Function::sub), true;
    case Op::kFMul:
      return each_float(Opcode::kFMul, Function::mul), true;
    case Op::kFDiv:
      return each_float(Opcode::kFDiv, Function::div), true;
    case Op::kVectorTimesScalar: {
      const Kind kind = ScalarKindOf(instruction.type);
      const Value scalar = ValueOf(operands[1]);
      std::vector<Value> results;
      for (const Value value : ValuesOf(operands[0])) {
        const Value row[] = {value, scalar};
        results.push_back(FloatOperation(Opcode::kFMul, Function::mul, kind, row));
      }
      Bind(instruction.result, results);
      return true;
    }
    case Op::kFRem:
    case Op::kFMod: {
      const Kind kind = ScalarKindOf(instruction.type);
      const std::vector<Value> left = ValuesOf(operands[0]);
      const std::vector<Value> right = ValuesOf(operands[1]);
      std::vector<Value> results;
      for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
        const Value row[] = {left[i], right[i]};
        Value value = Math(Operation::Builtin(Function::fmod, FormatOf(kind)), kind, row);
        if (instruction.opcode == Op::kFMod) {
          // The sign of the second operand: one more of it where the remainder has the other.
          const Value zero = Constant(kind, 0);
          const Value nonzero = Emit(Opcode::kFOrdNotEqual, kind, {value, zero});
          const Value differ =
              Emit(Opcode::kLogicalNotEqual, Kind::kBool,
                   {Emit(Opcode::kSignBitSet, kind, {value}),
                    Emit(Opcode::kSignBitSet, kind, {right[i]})});
          const Value sum[] = {value, right[i]};
          value = Emit(Opcode::kSelect, kind,
                       {Emit(Opcode::kLogicalAnd, Kind::kBool, {nonzero, differ}),
                        FloatOperation(Opcode::kFAdd, Function::add, kind, sum), value});
        }
        results.push_back(value);
      }
      Bind(instruction.result, results);
      return true;
    }
    case Op::kDot: {
      const Kind kind = ScalarKindOf(instruction.type);
      std::vector<Value> values = ValuesOf(operands[0]);
      const auto components = static_cast<int>(values.size());
      const std::vector<Value> right = ValuesOf(operands[1]);
      values.insert(values.end(), right.begin(), right.end());
      if (components > 4) {  // OpenCL C has none; no order is prescribed
        Value sum = kNoValue;
        for (std::size_t i = 0; i < right.size(); ++i) {
          const Value row[] = {values[i], right[i], sum};
          sum = i == 0 ? FloatOperation(Opcode::kFMul, Function::mul, kind, std::span(row).first(2))
                       : FloatOperation(Opcode::kFusedMultiplyAdd, Function::fma, kind, row);
        }
        return BindOne(instruction.result, sum), true;
      }
      BindOne(instruction.result,
              Math(Operation::Builtin(Function::dot, FormatOf(kind), components), kind, values));
      return true;
    }
    case Op::kSelect: {
      const std::vector<Value> condition = ValuesOf(operands[0]);
      const std::vector<Value> yes = ValuesOf(operands[1]);
      const std::vector<Value> no = ValuesOf(operands[2]);
      if (error_) return true;
      if (yes.size() != no.size() || (condition.size() != 1 && condition.size() != yes.size())) {
        return FailUsage("operands of different sizes"), true;
      }
      std::vector<Value> results;
      for (std::size_t i = 0; i < yes.size(); ++i) {
        results.push_back(Emit(Opcode::kSelect, graph_.values[yes[i]].kind,
                               {condition[condition.size() == 1 ? 0 : i], yes[i], no[i]}));
      }
      Bind(instruction.result, results);
      return true;
    }
    case Op::kAny:
    case Op::kAll: {
      // Over integers too: what llvm-spirv writes for any(int4) before it was made of booleans.
      const Kind kind = ScalarKindOf(TypeIdOf(operands[0]));
      const Opcode join =
          instruction.opcode == Op::kAny ? Opcode::kLogicalOr : Opcode::kLogicalAnd;
      Value result = kNoValue;
      for (Value value : ValuesOf(operands[0])) {
        if (kind != Kind::kBool) value = Emit(Opcode::kIsNonZero, kind, {value});
        result = result == kNoValue ? value : Emit(join, Kind::kBool, {result, value});
      }
      BindOne(instruction.result, result);
      return true;
    }
    case Op::kBitCount: {
      const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
      const Kind to = ScalarKindOf(instruction.type);
      std::vector<Value> results;
      for (const Value value : ValuesOf(operands[0])) {
        results.push_back(
            Convert(Opcode::kUConvert, to, from, Emit(Opcode::kPopcount, from, {value})));
      }
      Bind(instruction.result, results);
      return true;
    }
    case Op::kIAddCarry:
    case Op::kISubBorrow:
    case Op::kUMulExtended:
    case Op::kSMulExtended: {
      const std::vector<Value> left = ValuesOf(operands[0]);
      const std::vector<Value> right = ValuesOf(operands[1]);
      if (error_) return true;
      const Kind kind = ScalarKindOf(TypeIdOf(operands[0]));
      std::vector<Value> low;
      std::vector<Value> high;
      for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
        const Value a = left[i];
        const Value b = right[i];
        if (instruction.opcode == Op::kIAddCarry) {
          low.push_back(Emit(Opcode::kIAdd, kind, {a, b}));
          high.push_back(Convert(Opcode::kUConvert, kind, Kind::kBool,
                                 Emit(Opcode::kULessThan, kind, {low.back(), a})));
        } else if (instruction.opcode == Op::kISubBorrow) {
          low.push_back(Emit(Opcode::kISub, kind, {a, b}));
          high.push_back(Convert(Opcode::kUConvert, kind, Kind::kBool,
                                 Emit(Opcode::kULessThan, kind, {a, b})));
        } else {
          const bool is_signed = instruction.opcode == Op::kSMulExtended;
          low.push_back(Emit(Opcode::kIMul, kind, {a, b}));
          high.push_back(Emit(is_signed ? Opcode::kSMulHi : Opcode::kUMulHi, kind, {a, b}));
        }
      }
      low.insert(low.end(), high.begin(), high.end());
      Bind(instruction.result, low);
      return true;
    }
    case Op::kPtrEqual:
    case Op::kPtrNotEqual:
      BindOne(instruction.result,
              Emit(instruction.opcode == Op::kPtrEqual ? Opcode::kIEqual : Opcode::kINotEqual,
                   Kind::kI64, {ValueOf(operands[0]), ValueOf(operands[1])}));
      return true;
    case Op::kPtrDiff: {
      const Type& pointer = TypeOfValue(operands[0]);
      const Type* pointee = module_.types.Find(pointer.element);
      if (pointee == nullptr || pointee->size == 0) {
        return FailUsage("a difference of pointers to nothing"), true;
      }
      const Value bytes =
          Emit(Opcode::kISub, Kind::kI64, {ValueOf(operands[0]), ValueOf(operands[1])});
      const Value elements =
          Emit(Opcode::kSDiv, Kind::kI64, {bytes, Constant(Kind::kI64, pointee->size)});
      BindOne(instruction.result,
              Convert(Opcode::kUConvert, ScalarKindOf(instruction.type), Kind::kI64, elements));
      return true;
    }
    default:
      break;
  }
  const Opcode opcode = OpcodeOf(instruction.opcode);
  if (opcode == Opcode::kNop) return false;
  const Kind kind = operands.empty() ? Kind::kI32 : ScalarKindOf(TypeIdOf(operands[0]));
  // Comparisons of pointers, which some generators write.
  if (TypeOfValue(operands[0]).kind == TypeKind::kPointer && kind != Kind::kI64) {
    return FailUsage("pointers where there should be numbers"), true;
  }
  Elementwise(instruction, opcode, operands);
  return true;
}

// Integer dot products (SPV_KHR_integer_dot_product).
bool Importer::ImportDot(const Instruction& instruction) {
  bool left_signed = false;
  bool right_signed = false;
  bool accumulate = false;
  switch (instruction.opcode) {
    case Op::kSDot:
    case Op::kSDotAccSat:
      left_signed = right_signed = true;
      accumulate = instruction.opcode == Op::kSDotAccSat;
      break;
    case Op::kUDot:
    case Op::kUDotAccSat:
      accumulate = instruction.opcode == Op::kUDotAccSat;
      break;
    case Op::kSUDot:
    case Op::kSUDotAccSat:
      left_signed = true;
      accumulate = instruction.opcode == Op::kSUDotAccSat;
      break;
    default:
      return false;
  }
  const auto operands = module_.Operands(instruction);
  const Kind kind = ScalarKindOf(instruction.type);
  // SPIRV-Tools does not look at the types.
  if (CountLeaves(TypeIdOf(operands[0])) != CountLeaves(TypeIdOf(operands[1])) ||
      (accumulate && TypeIdOf(operands[2]) != instruction.type)) {
    return FailUsage("operands of types that the instruction does not take"), true;
  }
  const auto components = [&](Id id, bool is_signed) {
    std::vector<Value> values = ValuesOf(id);
    Kind from = ScalarKindOf(TypeIdOf(id));
    if (TypeOfValue(id).IsScalar()) {  // four packed 8-bit components, the first in the low bits
      const Value packed = ValueOf(id);
      values.clear();
      if (error_) return values;
      for (std::uint64_t shift = 0; shift < 32; shift += 8) {
        const Value part =
            Emit(Opcode::kShiftRightLogical, from, {packed, Constant(from, shift)});
        values.push_back(Convert(Opcode::kUConvert, Kind::kI8, from, part));
      }
      from = Kind::kI8;
    }
    for (Value& value : values) {
      value = Convert(is_signed ? Opcode::kSConvert : Opcode::kUConvert, Kind::kI64, from, value);
    }
    return values;
  };
  const std::vector<Value> left = components(operands[0], left_signed);
  const std::vector<Value> right = components(operands[1], right_signed);
  if (error_) return true;
  // 16 products of 32 by 32 bits would not fit; those that do not wrap as the result would.
  Value sum = Constant(Kind::kI64, 0);
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    sum = Emit(Opcode::kIAdd, Kind::kI64,
               {sum, Emit(Opcode::kIMul, Kind::kI64, {left[i], right[i]})});
  }
  Value result = Convert(Opcode::kUConvert, kind, Kind::kI64, sum);
  if (accumulate) {
    result = Emit(left_signed ? Opcode::kSAddSat : Opcode::kUAddSat, kind,
                  {result, ValueOf(operands[2])});
  }
  BindOne(instruction.result, result);
  return true;
}

// --- conversions ------------------------------------------------------------------------------

Value Importer::Convert(Opcode opcode, Kind to, Kind from, Value value) {
  if (to == from && (opcode == Opcode::kUConvert || opcode == Opcode::kSConvert)) return value;
  return Emit(opcode, to, {value}, 0, from);
}

Value Importer::ConvertExactly(Value value, ScalarType from, ScalarType to,
                               std::optional<Rounding> rounding, bool saturate) {
  const auto kind_of = [](ScalarType type) {
    return numerics::IsFloating(type) ? FloatKind(numerics::WidthOf(type))
                                      : IntegerKind(numerics::WidthOf(type));
  };
  return Emit(Opcode::kConvertExactly, kind_of(to), {value},
              EncodeConversion({from, to, rounding.value_or(Rounding::kRte), saturate}),
              kind_of(from));
}

void Importer::ConvertEach(const Instruction& instruction, Id operand, Opcode opcode) {
  const Kind from = ScalarKindOf(TypeIdOf(operand));
  const Kind to = ScalarKindOf(instruction.type);
  std::vector<Value> results;
  for (const Value value : ValuesOf(operand)) results.push_back(Convert(opcode, to, from, value));
  Bind(instruction.result, results);
}

bool Importer::ImportConversion(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Kind to = ScalarKindOf(instruction.type);
  const auto rounding_decoration = [&]() -> std::optional<Rounding> {
    const auto* use = module_.FindDecoration(instruction.result, Decoration::kFPRoundingMode);
    if (use == nullptr) return std::nullopt;
    const auto words = module_.Slice(use->operands);
    return words.empty() || words[0] > 3 ? std::nullopt
                                         : std::optional(static_cast<Rounding>(words[0]));
  };
  const auto exactly = [&](ScalarType from_type, ScalarType to_type, Rounding rounding,
                           bool saturate) {
    std::vector<Value> results;
    for (const Value value : ValuesOf(operands[0])) {
      results.push_back(ConvertExactly(value, from_type, to_type, rounding, saturate));
    }
    Bind(instruction.result, results);
  };
  switch (instruction.opcode) {
    case Op::kConvertFToU:
    case Op::kConvertFToS: {
      const bool is_signed = instruction.opcode == Op::kConvertFToS;
      const bool saturate =
          module_.FindDecoration(instruction.result, Decoration::kSaturatedConversion) != nullptr;
      const Rounding rounding = rounding_decoration().value_or(Rounding::kRtz);
      const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
      if (saturate || rounding != Rounding::kRtz) {
        return exactly(FloatType(from), IntegerType(to, is_signed), rounding, saturate), true;
      }
      return ConvertEach(instruction, operands[0],
                         is_signed ? Opcode::kConvertFToS : Opcode::kConvertFToU),
             true;
    }
    case Op::kConvertSToF:
    case Op::kConvertUToF:
    case Op::kFConvert: {
      const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
      const Rounding rounding = rounding_decoration().value_or(context_.controls->Of(to).rounding);
      const bool widens = instruction.opcode == Op::kFConvert && BytesOf(to) > BytesOf(from);
      const bool is_signed = instruction.opcode == Op::kConvertSToF;
      if (!widens &&
          (rounding != Rounding::kRte || context_.controls->host.rounding != Rounding::kRte)) {
        return exactly(IsFloat(from) ? FloatType(from) : IntegerType(from, is_signed),
                       FloatType(to), rounding, false),
               true;
      }
      const Opcode opcode = instruction.opcode == Op::kFConvert      ? Opcode::kFConvert
                            : instruction.opcode == Op::kConvertSToF ? Opcode::kConvertSToF
                                                                     : Opcode::kConvertUToF;
      return ConvertEach(instruction, operands[0], opcode), true;
    }
    case Op::kUConvert:
    case Op::kSConvert: {
      const bool is_signed = instruction.opcode == Op::kSConvert;
      if (module_.FindDecoration(instruction.result, Decoration::kSaturatedConversion) != nullptr) {
        const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
        return exactly(IntegerType(from, is_signed), IntegerType(to, is_signed), Rounding::kRtz,
                       true),
               true;
      }
      return ConvertEach(instruction, operands[0],
                         is_signed ? Opcode::kSConvert : Opcode::kUConvert),
             true;
    }
    case Op::kSatConvertSToU:
    case Op::kSatConvertUToS: {
      const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
      const bool from_signed = instruction.opcode == Op::kSatConvertSToU;
      return exactly(IntegerType(from, from_signed), IntegerType(to, !from_signed), Rounding::kRtz,
                     true),
             true;
    }
    case Op::kConvertPtrToU:
    case Op::kConvertUToPtr:
      return ConvertEach(instruction, operands[0], Opcode::kUConvert), true;
    case Op::kPtrCastToGeneric:
    case Op::kGenericCastToPtr:
      Bind(instruction.result, ValuesOf(operands[0]));
      return true;
    case Op::kGenericCastToPtrExplicit:
      BindOne(instruction.result,
              Emit(Opcode::kCastToSpace, Kind::kI64, {ValueOf(operands[0])},
                   operands.size() > 1 ? operands[1] : 0));
      return true;
    case Op::kGenericPtrMemSemantics:
      BindOne(instruction.result,
              Emit(Opcode::kMemorySemantics, Kind::kI32, {ValueOf(operands[0])}));
      return true;
    case Op::kBitcast:
      break;
    default:
      return false;
  }
  // OpBitcast: the same bits, in as many scalars as the result has.
  const std::vector<Value> values = ValuesOf(operands[0]);
  if (error_) return true;
  const Type& from_type = TypeOfValue(operands[0]);
  const Type& to_type = *module_.types.Find(instruction.type);
  Kind from = ScalarKindOf(TypeIdOf(operands[0]));
  // An address is as wide as the module says.
  if (from_type.kind == TypeKind::kPointer || to_type.kind == TypeKind::kPointer) {
    if (values.size() != 1 || LeavesOf(instruction.type).size() != 1) {
      return FailUnsupported("a cast between pointers and vectors"), true;
    }
    BindOne(instruction.result, Convert(Opcode::kUConvert, to, from, values[0]));
    return true;
  }
  const int from_bits = BitsOf(from);
  const int to_bits = BitsOf(to);
  if (from == Kind::kBool || to == Kind::kBool) return FailUsage("a cast of booleans"), true;
  const Kind from_integer = IntegerKind(from_bits);
  const Kind to_integer = IntegerKind(to_bits);
  std::vector<Value> results;
  if (from_bits == to_bits) {
    results = values;
  } else if (from_bits > to_bits) {
    for (const Value value : values) {
      for (int shift = 0; shift < from_bits; shift += to_bits) {
        const Value part = shift == 0 ? value
                                      : Emit(Opcode::kShiftRightLogical, from_integer,
                                             {value, Constant(from_integer, std::uint64_t(shift))});
        results.push_back(Convert(Opcode::kUConvert, to_integer, from_integer, part));
      }
    }
  } else {
    const auto ratio = static_cast<std::size_t>(to_bits / from_bits);
    for (std::size_t i = 0; i + ratio <= values.size(); i += ratio) {
      Value joined = Convert(Opcode::kUConvert, to_integer, from_integer, values[i]);
      for (std::size_t k = 1; k < ratio; ++k) {
        const Value part = Convert(Opcode::kUConvert, to_integer, from_integer, values[i + k]);
        const Value amount = Constant(to_integer, k * std::uint64_t(from_bits));
        joined = Emit(Opcode::kBitwiseOr, to_integer,
                      {joined, Emit(Opcode::kShiftLeftLogical, to_integer, {part, amount})});
      }
      results.push_back(joined);
    }
  }
  if (results.size() != LeavesOf(instruction.type).size()) {
    return FailUsage("a cast between types of different sizes"), true;
  }
  Bind(instruction.result, results);
  return true;
}

void Importer::ImportExtended(const Instruction& instruction) {
  // Every other set is debug information or NonSemantic; the loader refuses what is neither.
  if (module_.SetOf(module_.Operands(instruction)[0]) != frontend::ExtendedSet::kOpenClStd) return;
  graph_.blocks[block_].origins.push_back(origin_);
  ImportOpenClStd(instruction);
}

}  // namespace assay::interp
