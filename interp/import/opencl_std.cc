// The instructions of OpenCL.std (OpenCL Extended Instruction Set Specification).
#include <fmt/format.h>

#include <algorithm>

#include "interp/import/import.h"
#include "numerics/function.h"

namespace assay::interp {

using frontend::OpenClStd;
using frontend::StorageClass;
using frontend::TypeKind;
using numerics::Function;
using numerics::Operation;
using numerics::Rounding;
using numerics::ScalarType;

void Importer::ImportOpenClStd(const Instruction& instruction) {
  const auto all = module_.Operands(instruction);
  const auto number = static_cast<OpenClStd>(all[1]);
  const auto operands = all.subspan(2);
  switch (number) {
    case OpenClStd::kPrintf:
      return ImportPrintf(instruction, operands);
    case OpenClStd::kPrefetch:
      return;  // a hint
    case OpenClStd::kShuffle:
    case OpenClStd::kShuffle2:
      return ImportShuffle(instruction, operands);
    default:
      break;
  }
  if (ImportVectorMemory(instruction, number, operands) ||
      ImportInteger(instruction, number, operands) || ImportMath(instruction, number, operands)) {
    if (!error_) CheckFastMath(instruction);
    if (!error_) CheckNanOrigin(instruction);
    return;
  }
  const auto rule = frontend::FindInstruction(frontend::ExtendedSet::kOpenClStd, all[1]);
  FailUnsupported(fmt::format("OpenCL.std {} is not executed",
                              rule ? rule->name : std::string_view("instruction")));
}

void Importer::ImportUpsample(const Instruction& instruction, std::span<const Word> operands) {
  const Kind kind = ScalarKindOf(instruction.type);
  const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
  const std::vector<Value> high = ValuesOf(operands[0]);
  const std::vector<Value> low = ValuesOf(operands[1]);
  std::vector<Value> results;
  for (std::size_t i = 0; i < high.size() && i < low.size(); ++i) {
    const Value wide = Convert(Opcode::kUConvert, kind, from, high[i]);
    const Value shifted = Emit(Opcode::kShiftLeftLogical, kind,
                               {wide, Constant(kind, static_cast<std::uint64_t>(BitsOf(from)))});
    results.push_back(
        Emit(Opcode::kBitwiseOr, kind, {shifted, Convert(Opcode::kUConvert, kind, from, low[i])}));
  }
  Bind(instruction.result, results);
}

// select, bitselect, mad: one operation of three operands for each component.
template <typename EmitRow>
void Importer::ImportTernary(const Instruction& instruction, std::span<const Word> operands,
                             const EmitRow& emit) {
  const std::vector<Value> a = ValuesOf(operands[0]);
  const std::vector<Value> b = ValuesOf(operands[1]);
  const std::vector<Value> c = ValuesOf(operands[2]);
  std::vector<Value> results;
  for (std::size_t i = 0; i < a.size() && i < b.size() && i < c.size(); ++i) {
    const Value row[] = {a[i], b[i], c[i]};
    results.push_back(emit(std::span<const Value, 3>(row), c.size() > 1));
  }
  Bind(instruction.result, results);
}

// Rows of interp/program/operations.def, and what is made of them.
bool Importer::ImportInteger(const Instruction& instruction, OpenClStd number,
                             std::span<const Word> operands) {
  const Kind kind = ScalarKindOf(instruction.type);
  using Row = std::span<const Value, 3>;
  switch (number) {
    case OpenClStd::kUUpsample:
    case OpenClStd::kSUpsample:
      return ImportUpsample(instruction, operands), true;
    case OpenClStd::kBitselect:
      ImportTernary(instruction, operands, [&](Row row, bool) {
        return Emit(Opcode::kBitselect, IntegerKind(BitsOf(kind)), row);
      });
      return true;
    case OpenClStd::kSelect: {
      // OpenCL C 6.15.6: the most significant bit of a vector's component, a scalar's value.
      const Kind condition_kind = ScalarKindOf(TypeIdOf(operands[2]));
      ImportTernary(instruction, operands, [&](Row row, bool is_vector) {
        const Value condition =
            Emit(is_vector ? Opcode::kIsNegative : Opcode::kIsNonZero, condition_kind, {row[2]});
        return Emit(Opcode::kSelect, kind, {condition, row[1], row[0]});
      });
      return true;
    }
    case OpenClStd::kMad:
      // A multiplication and an addition with or without a rounding between them (table 66): the
      // more accurate one.
      ImportTernary(instruction, operands, [&](Row row, bool) {
        if (context_.may_differ && context_.controls->IsHost(kind)) {
          return Emit(Opcode::kMad, kind, row);
        }
        return context_.records_math
                   ? Math(numerics::Operation::Builtin(Function::mad, FormatOf(kind)), kind, row)
                   : FloatOperation(Opcode::kFusedMultiplyAdd, Function::fma, kind, row);
      });
      return true;
    case OpenClStd::kRsqrt:
    case OpenClStd::kHalfRsqrt:
    case OpenClStd::kNativeRsqrt: {
      if (kind != Kind::kF32 || !(context_.controls->Of(kind) == FloatControl()) ||
          !UsesHost(kind)) {
        return false;
      }
      std::vector<Value> results;
      for (const Value value : ValuesOf(operands[0])) {
        results.push_back(Emit(Opcode::kRsqrtFloat, kind, {value}));
      }
      Bind(instruction.result, results);
      return true;
    }
    case OpenClStd::kFma:
      if (!context_.controls->IsHost(kind)) return false;
      return Elementwise(instruction, Opcode::kFusedMultiplyAdd, operands), true;
    case OpenClStd::kSqrt:
      if (!UsesHost(kind)) return false;
      break;
    default:
      break;
  }
  const Opcode opcode = OpcodeOf(number);
  if (opcode == Opcode::kNop) return false;
  Elementwise(instruction, opcode, operands);
  return true;
}

namespace {

std::vector<Leaf> LeavesInRow(Kind kind, std::size_t count) {
  const std::uint32_t bytes = BytesOf(kind);
  std::vector<Leaf> leaves;
  for (std::size_t i = 0; i < count; ++i) {
    leaves.push_back({i * bytes, kind, static_cast<std::uint8_t>(bytes)});
  }
  return leaves;
}

bool IsUntyped(const Type& pointer) {
  return pointer.opcode == frontend::Op::kTypeUntypedPointerKHR;
}

}  // namespace

// An untyped pointer points to what is stored (SPV_KHR_untyped_pointers, OpenCL.std).
void Importer::StoreBehind(Id pointer, std::span<const Value> values) {
  const Type& type = TypeOfValue(pointer);
  const std::vector<Leaf> leaves = IsUntyped(type) && !values.empty()
                                       ? LeavesInRow(graph_.values[values[0]].kind, values.size())
                                       : LeavesOf(type.element);
  if (!error_) StoreLeaves(ValueOf(pointer), leaves, values);
}

// Functions of numerics; a second result goes where the last operand points.
bool Importer::ImportMath(const Instruction& instruction, OpenClStd number,
                          std::span<const Word> operands) {
  const auto rule = frontend::FindInstruction(frontend::ExtendedSet::kOpenClStd,
                                              static_cast<std::uint32_t>(number));
  const auto function = rule ? numerics::FunctionFromName(rule->name) : std::nullopt;
  if (!function) return false;
  const numerics::FunctionInfo& info = numerics::Info(*function);
  const Kind kind = ScalarKindOf(TypeIdOf(operands[0]));
  if (!IsFloat(kind)) return FailUsage("an operand that is not floating-point"), true;
  const numerics::Format format = FormatOf(kind);
  std::vector<std::vector<Value>> columns;
  for (const Word operand : operands) columns.push_back(ValuesOf(operand));
  if (error_) return true;
  if (info.IsGeometric()) {
    std::vector<Value> values;
    for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
    const auto components = static_cast<int>(columns[0].size());
    if (components > 4) return FailUsage("a vector of more than 4 components"), true;
    const Operation operation = Operation::Builtin(*function, format, components);
    const auto count = static_cast<std::uint32_t>(operation.ResultCount());
    const Value first = Math(operation, kind, values, count);
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < count; ++i) results.push_back(first + i);
    Bind(instruction.result, results);
    CheckDomain(number, kind, columns, results);
    return true;
  }
  const Operation operation = Operation::Builtin(*function, format);
  // Each result is the other function's, correctly rounded.
  const bool is_apart =
      *function == Function::sincos && !context_.records_math && !context_.may_differ;
  const auto results = static_cast<std::uint32_t>(operation.ResultCount());
  const auto arity = static_cast<std::size_t>(info.Arity());
  if (columns.size() != arity + (results - 1)) return FailUsage("another number of operands"), true;
  std::vector<Value> first;
  std::vector<Value> second;
  for (std::size_t part = 0; part < columns[0].size(); ++part) {
    std::vector<Value> row;
    for (std::size_t i = 0; i < arity; ++i) {
      // One exponent may stand for all components (clang-22's ldexp).
      const bool shared = columns[i].size() == 1;
      if (!shared && columns[i].size() != columns[0].size()) {
        return FailUsage("operands of mixed sizes"), true;
      }
      row.push_back(columns[i][shared ? 0 : part]);
    }
    if (is_apart) {
      first.push_back(Math(Operation::Builtin(Function::sin, format), kind, row));
      second.push_back(Math(Operation::Builtin(Function::cos, format), kind, row));
      continue;
    }
    const Value value = Math(operation, kind, row, results);
    first.push_back(value);
    if (results > 1) second.push_back(value + 1);
  }
  if (results > 1) StoreBehind(operands[arity], second);
  Bind(instruction.result, first);
  CheckDomain(number, kind, columns, first);
  return true;
}

namespace {

// vload, vstore and their half variants (OpenCL C 6.15.7): aligned to an element only, but for
// vloada and vstorea, which treat three components as four.
struct VectorAccess {
  bool is_store = false;
  bool is_half = true;
  bool is_aligned = false;
  bool has_mode = false;  // of rounding, in its last operand
};

std::optional<VectorAccess> VectorAccessOf(OpenClStd number) {
  switch (number) {
    case OpenClStd::kVloadn:
      return VectorAccess{.is_half = false};
    case OpenClStd::kVstoren:
      return VectorAccess{.is_store = true, .is_half = false};
    case OpenClStd::kVloadHalf:
    case OpenClStd::kVloadHalfn:
      return VectorAccess{};
    case OpenClStd::kVloadaHalfn:
      return VectorAccess{.is_aligned = true};
    case OpenClStd::kVstoreHalfR:
    case OpenClStd::kVstoreHalfnR:
      return VectorAccess{.is_store = true, .has_mode = true};
    case OpenClStd::kVstoreHalf:
    case OpenClStd::kVstoreHalfn:
      return VectorAccess{.is_store = true};
    case OpenClStd::kVstoreaHalfnR:
      return VectorAccess{.is_store = true, .is_aligned = true, .has_mode = true};
    case OpenClStd::kVstoreaHalfn:
      return VectorAccess{.is_store = true, .is_aligned = true};
    default:
      return std::nullopt;
  }
}

}  // namespace

bool Importer::ImportVectorMemory(const Instruction& instruction, OpenClStd number,
                                  std::span<const Word> operands) {
  const auto access = VectorAccessOf(number);
  if (!access) return false;
  const std::size_t offset_at = access->is_store ? 1 : 0;
  const std::size_t pointer_at = offset_at + 1;
  const Type& pointer = TypeOfValue(operands[pointer_at]);
  const Type* element = module_.types.Find(pointer.element);
  const bool is_untyped = IsUntyped(pointer);
  if (!is_untyped && (element == nullptr || !element->IsScalar())) {
    return FailUsage("a vector load or store through no pointer to a scalar"), true;
  }
  const Id value_type = access->is_store ? TypeIdOf(operands[0]) : instruction.type;
  const Kind memory_kind = !is_untyped       ? KindOf(*element)
                           : access->is_half ? Kind::kF16
                                             : ScalarKindOf(value_type);
  const std::uint64_t bytes = BytesOf(memory_kind);
  if (access->is_half && bytes != 2) {
    return FailUsage("a half load or store through no pointer to half"), true;
  }
  const std::uint64_t count = CountLeaves(value_type);
  const std::uint64_t stride = (access->is_aligned && count == 3 ? 4 : count) * bytes;
  const Value address = IndexAddress(ValueOf(operands[pointer_at]), ValueOf(operands[offset_at]),
                                     ScalarKindOf(TypeIdOf(operands[offset_at])), stride);
  const std::vector<Leaf> leaves = LeavesInRow(memory_kind, count);
  if (error_) return true;
  if (context_.detectors.Has(Detector::kAlignment)) {
    std::uint64_t alignment = bytes * (access->is_aligned ? (count == 3 ? 4 : count) : 1);
    for (access_alignment_ = 0; alignment > 1; alignment /= 2) ++access_alignment_;
  }
  if (access->is_store) {
    std::vector<Value> values = ValuesOf(operands[0]);
    if (access->is_half) {
      const bool has_mode = access->has_mode && operands[3] <= 3;
      RoundToHalf(ScalarKindOf(TypeIdOf(operands[0])),
                  has_mode ? std::optional(static_cast<Rounding>(operands[3])) : std::nullopt,
                  &values);
    }
    StoreLeaves(address, leaves, values);
    return true;
  }
  std::vector<Value> values = LoadLeaves(address, leaves);
  if (access->is_half) {
    const Kind to = ScalarKindOf(instruction.type);
    for (Value& value : values) value = Convert(Opcode::kFConvert, to, Kind::kF16, value);
  }
  Bind(instruction.result, values);
  return true;
}

// Nothing: in the mode that is set for the kind.
void Importer::RoundToHalf(Kind from, std::optional<Rounding> mode, std::vector<Value>* values) {
  const Rounding host = context_.controls->host.rounding;
  const Rounding rounding = mode.value_or(context_.controls->Of(from).rounding);
  for (Value& value : *values) {
    const Value given = value;
    value = rounding == Rounding::kRte && host == Rounding::kRte
                ? Convert(Opcode::kFConvert, Kind::kF16, from, value)
                : ConvertExactly(value, numerics::ScalarTypeOf(FormatOf(from)), ScalarType::kHalf,
                                 rounding, false);
    if (context_.detectors.Has(Detector::kNan)) CheckNanOrigin(value, {{given}});
  }
}

// shuffle and shuffle2 (6.15.14): the low bits of each mask element choose a component.
void Importer::ImportShuffle(const Instruction& instruction, std::span<const Word> operands) {
  std::vector<Value> source = ValuesOf(operands[0]);
  if (operands.size() == 3) {
    const std::vector<Value> more = ValuesOf(operands[1]);
    source.insert(source.end(), more.begin(), more.end());
  }
  const Word mask = operands.back();
  const Kind mask_kind = ScalarKindOf(TypeIdOf(mask));
  const Kind kind = ScalarKindOf(instruction.type);
  std::uint64_t bits = 1;
  while (bits < source.size()) bits *= 2;
  std::vector<Value> results;
  for (const Value element : ValuesOf(mask)) {
    const Value index = Emit(Opcode::kBitwiseAnd, Kind::kI64,
                             {Convert(Opcode::kUConvert, Kind::kI64, mask_kind, element),
                              Constant(Kind::kI64, bits - 1)});
    std::vector<Value> values = {index};
    values.insert(values.end(), source.begin(), source.end());
    results.push_back(Emit(Opcode::kExtractDynamic, kind, values));
  }
  Bind(instruction.result, results);
}

void Importer::ImportPrintf(const Instruction& instruction, std::span<const Word> operands) {
  PrintfCall call;
  std::vector<Value> values = {ValueOf(operands[0])};
  for (const Word operand : operands.subspan(1)) {
    const std::vector<Value> parts = ValuesOf(operand);
    const Type& type = TypeOfValue(operand);
    if (!error_ && !type.IsScalar() && type.kind != TypeKind::kVector &&
        type.kind != TypeKind::kPointer) {
      return FailUsage("an argument of printf that is no number and no pointer");
    }
    PrintfCall::Argument argument;
    argument.first = static_cast<std::uint32_t>(values.size());
    argument.count = static_cast<std::uint32_t>(parts.size());
    argument.kind = ScalarKindOf(TypeIdOf(operand));
    argument.pointer = TypeOfValue(operand).kind == TypeKind::kPointer;
    call.arguments.push_back(argument);
    values.insert(values.end(), parts.begin(), parts.end());
  }
  if (error_) return;
  result_.printf_calls.push_back(std::move(call));
  const Kind result[] = {Kind::kI32};
  const std::uint32_t place =
      EmitMany(Opcode::kPrintf, Kind::kI32, values, result_.printf_calls.size() - 1, result);
  BindOne(instruction.result, graph_.instructions[place].first_result);
}

}  // namespace assay::interp
