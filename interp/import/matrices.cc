// Cooperative matrices (SPV_KHR_cooperative_matrix, SPV_INTEL_joint_matrix).  A work-item has an
// array of components, so that what works on components is a scalar instruction for each, and what
// loads and stores is an access of each work-item.  interp/import/matrix_places.h says which ones.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::TypeKind;

namespace {

enum class MemoryLayout : std::uint8_t { kRowMajor, kColumnMajor, kPacked };

// Those that may have a matrix as their result (SPV_KHR_cooperative_matrix, 3.42.11 to 3.42.13),
// beside this file's.
bool MayMakeMatrix(frontend::Op opcode) {
  using frontend::Op;
  switch (opcode) {
    case Op::kLoad:
    case Op::kCopyObject:
    case Op::kCopyLogical:
    case Op::kCompositeConstruct:
    case Op::kCompositeConstructReplicateEXT:
    case Op::kCompositeExtract:
    case Op::kCompositeInsert:
    case Op::kSelect:
    case Op::kFreezeKHR:
    case Op::kConvertFToU:
    case Op::kConvertFToS:
    case Op::kConvertSToF:
    case Op::kConvertUToF:
    case Op::kUConvert:
    case Op::kSConvert:
    case Op::kFConvert:
    case Op::kBitcast:
    case Op::kConvertFToBF16INTEL:
    case Op::kConvertBF16ToFINTEL:
    case Op::kRoundFToTF32INTEL:
    case Op::kSNegate:
    case Op::kFNegate:
    case Op::kIAdd:
    case Op::kFAdd:
    case Op::kISub:
    case Op::kFSub:
    case Op::kIMul:
    case Op::kFMul:
    case Op::kFDiv:
    case Op::kSDiv:
    case Op::kUDiv:
    case Op::kMatrixTimesScalar:
    case Op::kCooperativeMatrixLoadKHR:
    case Op::kCooperativeMatrixMulAddKHR:
    case Op::kCooperativeMatrixLoadCheckedINTEL:
    case Op::kCooperativeMatrixConstructCheckedINTEL:
      return true;
    default:
      return false;
  }
}

}  // namespace

// Whether an instruction with a matrix as its result takes matrices, and those that it has.
bool Importer::IsForMatrix(const Instruction& instruction) {
  const Type* result = module_.types.Find(instruction.type);
  if (result == nullptr || !result->IsMatrix()) return true;
  if (!MayMakeMatrix(instruction.opcode)) return false;
  const auto operands = module_.Operands(instruction);
  std::size_t values = 0;  // the first operands, of the result's shape
  switch (instruction.opcode) {
    case Op::kLoad:
    case Op::kCompositeConstruct:
    case Op::kCompositeConstructReplicateEXT:
    case Op::kCompositeExtract:
    case Op::kCompositeInsert:
    case Op::kSelect:
    case Op::kCooperativeMatrixLoadKHR:
    case Op::kCooperativeMatrixMulAddKHR:
    case Op::kCooperativeMatrixLoadCheckedINTEL:
    case Op::kCooperativeMatrixConstructCheckedINTEL:
      break;
    case Op::kMatrixTimesScalar:
      values = 1;
      break;
    default:
      values = operands.size();
  }
  return std::ranges::all_of(operands.first(std::min(values, operands.size())), [&](Word operand) {
    const Type& type = TypeOfValue(operand);
    return type.IsMatrix() && type.rows == result->rows && type.columns == result->columns &&
           type.use == result->use;
  });
}

// The work-item's number, as the elements of the matrix are dealt.
Value Importer::LaneOf(const Type& matrix) {
  if (lane_ == kNoValue) lane_ = SubgroupInput(InputKind::kSubgroupLocalId);
  if (!IsRotated(matrix)) return lane_;
  const Value next = Emit(Opcode::kIAdd, Kind::kI64, {lane_, Constant(Kind::kI64, 1)});
  return Emit(Opcode::kUMod, Kind::kI64, {next, Constant(Kind::kI64, context_.own_subgroup_size)});
}

// Operands that have to be the same in the sub-group, which all of it has to come to.
void Importer::CheckUniform(std::span<const Value> values) {
  if (error_ || !context_.detectors.Has(Detector::kGroups)) return;
  std::vector<Value> wide;
  for (const Value value : values) {
    const Kind kind = graph_.values[value].kind;
    const Kind integer = kind == Kind::kBool ? Kind::kBool : IntegerKind(BitsOf(kind));
    wide.push_back(kind == Kind::kF64 ? Emit(Opcode::kCopy, Kind::kI64, {value})
                                      : Convert(Opcode::kUConvert, Kind::kI64, integer, value));
  }
  SubgroupCall call;
  call.function = SubgroupFunction::kMatrixUniform;
  call.is_uniform = true;
  call.extras = static_cast<std::uint32_t>(wide.size());
  result_.subgroup_calls.push_back(call);
  std::vector<Value> results;
  Sync(Opcode::kSubgroup, Kind::kI64, wide, result_.subgroup_calls.size() - 1, {}, &results);
}

// --- where elements are ------------------------------------------------------------------------

// The number of the element that the work-item has as this component.
Value Importer::ElementOf(const Type& matrix, std::uint32_t part) {
  const std::uint64_t size = context_.own_subgroup_size;
  const std::uint64_t elements = std::uint64_t{matrix.rows} * matrix.columns;
  const Value element =
      Emit(Opcode::kIAdd, Kind::kI64, {LaneOf(matrix), Constant(Kind::kI64, part * size)});
  return (part + 1) * size <= elements ? element : OrOwnElement(matrix, element);
}

// The number, or, beyond the last element, that of the work-item's first component.
Value Importer::OrOwnElement(const Type& matrix, Value element) {
  const std::uint64_t elements = std::uint64_t{matrix.rows} * matrix.columns;
  const Value count = Constant(Kind::kI64, elements);
  const Value own = elements >= context_.own_subgroup_size
                        ? LaneOf(matrix)
                        : Emit(Opcode::kUMod, Kind::kI64, {LaneOf(matrix), count});
  return Emit(Opcode::kSelect, Kind::kI64,
              {Emit(Opcode::kULessThan, Kind::kI64, {element, count}), element, own});
}

MatrixPosition Importer::PositionOf(const Type& matrix, std::uint32_t part) {
  const std::uint64_t size = context_.own_subgroup_size;
  const std::uint64_t length = LineLength(matrix);
  const std::uint64_t elements = std::uint64_t{matrix.rows} * matrix.columns;
  const auto divide = [&](Opcode opcode, Value element) {
    if (length == 1) return opcode == Opcode::kUDiv ? element : Constant(Kind::kI64, 0);
    return Emit(opcode, Kind::kI64, {element, Constant(Kind::kI64, length)});
  };
  MatrixPosition position;
  if (elements % size == 0 && length % size == 0) {  // lines of whole sub-groups
    position.column = LaneOf(matrix);
    position.row = Constant(Kind::kI64, 0);
    position.row_offset = part * size / length;
    position.column_offset = part * size % length;
  } else {
    const bool is_regular = elements % size == 0 && size % length == 0;  // sub-groups of lines
    const Value element = is_regular ? LaneOf(matrix) : ElementOf(matrix, part);
    position.row = divide(Opcode::kUDiv, element);
    position.column = divide(Opcode::kUMod, element);
    if (is_regular) position.row_offset = part * (size / length);
  }
  if (IsByColumns(matrix)) {
    std::swap(position.row, position.column);
    std::swap(position.row_offset, position.column_offset);
  }
  return position;
}

// What the operands of a load or store say; false after an error.
bool Importer::PlaceMatrix(const Instruction& instruction, const Type& matrix, bool is_store,
                           MatrixPlaces* places) {
  const auto operands = module_.Operands(instruction);
  const bool is_checked = instruction.opcode == Op::kCooperativeMatrixLoadCheckedINTEL ||
                          instruction.opcode == Op::kCooperativeMatrixStoreCheckedINTEL;
  const std::size_t layout_at = (is_checked ? 3 : 1) + (is_store ? 1 : 0);
  const std::size_t stride_at = layout_at + (is_checked ? 3 : 1);
  const Type& pointer = TypeOfValue(operands[0]);
  const Type* pointee = module_.types.Find(pointer.element);
  const auto layout = Literal(operands[layout_at]);
  if (pointer.kind != TypeKind::kPointer || !layout) {
    return FailUsage("a matrix without a pointer or without a constant layout"), false;
  }
  if (*layout > static_cast<std::uint64_t>(MemoryLayout::kPacked)) {
    return FailUnsupported(fmt::format("a matrix with the memory layout {}", *layout)), false;
  }
  if (operands.size() <= stride_at || TypeOfValue(operands[stride_at]).kind != TypeKind::kInteger) {
    return FailUsage("a matrix whose rows or columns have no stride"), false;
  }
  const Type& component = *module_.types.Find(matrix.element);
  places->matrix = &matrix;
  places->bytes = component.size;
  places->kind = ScalarKindOf(matrix.element);
  places->is_column_major = *layout == static_cast<std::uint64_t>(MemoryLayout::kColumnMajor);
  if (*layout == static_cast<std::uint64_t>(MemoryLayout::kPacked) && component.size < 4) {
    places->packed = static_cast<std::uint32_t>(4 / component.size);
  }
  places->base = ValueOf(operands[0]);
  const auto wide = [&](std::size_t at) {
    return Convert(Opcode::kSConvert, Kind::kI64, ScalarKindOf(TypeIdOf(operands[at])),
                   ValueOf(operands[at]));
  };
  const Value stride = wide(stride_at);
  std::vector<Value> uniform = {places->base, stride};
  if (is_checked) {
    places->first_row = wide(1);
    places->first_column = wide(2);
    places->height = wide(layout_at + 1);
    places->width = wide(layout_at + 2);
    uniform.insert(uniform.end(),
                   {places->first_row, places->first_column, places->height, places->width});
  }
  if (error_) return false;
  CheckUniform(uniform);
  CheckNow(is_store ? Check::kMatrixStoreStride : Check::kMatrixLoadStride, Kind::kI64, {stride});
  // The alignment is the pointer's, not that of each element.
  const std::size_t memory_at = stride_at + 1;
  if (operands.size() > memory_at + 1 && (operands[memory_at] & 2) != 0) {
    CheckNow(Check::kMatrixPointer, Kind::kI64,
             {places->base, Constant(Kind::kI64, operands[memory_at + 1])});
  }
  // It counts elements of the pointee; with an untyped pointer bytes (SPV_KHR_untyped_pointers,
  // "Modifications to the extension SPV_KHR_cooperative_matrix").
  const std::uint64_t unit = pointee == nullptr ? 1 : pointee->size;
  places->stride = Emit(Opcode::kIMul, Kind::kI64, {stride, Constant(Kind::kI64, unit)});
  return !error_;
}

// Where a component is in memory.
MatrixAccess Importer::AccessOf(const MatrixPlaces& places, std::uint32_t part) {
  const Type& matrix = *places.matrix;
  MatrixPosition at = PositionOf(matrix, part);
  const auto plus = [&](Value value, std::uint64_t offset) {
    return offset == 0 ? value
                       : Emit(Opcode::kIAdd, Kind::kI64, {value, Constant(Kind::kI64, offset)});
  };
  Value base = places.base;
  if (places.first_row != kNoValue) {
    at.row = Emit(Opcode::kIAdd, Kind::kI64, {plus(at.row, at.row_offset), places.first_row});
    at.column =
        Emit(Opcode::kIAdd, Kind::kI64, {plus(at.column, at.column_offset), places.first_column});
    at.row_offset = at.column_offset = 0;
  }
  if (places.packed > 1) {
    const Value factor = Constant(Kind::kI64, places.packed);
    const Value row = plus(at.row, at.row_offset);
    const Value column = plus(at.column, at.column_offset);
    at.row = Emit(Opcode::kUDiv, Kind::kI64, {row, factor});
    at.column = Emit(Opcode::kIAdd, Kind::kI64,
                     {Emit(Opcode::kIMul, Kind::kI64, {column, factor}),
                      Emit(Opcode::kUMod, Kind::kI64, {row, factor})});
    at.row_offset = at.column_offset = 0;
  }
  const Value major = places.is_column_major ? at.column : at.row;
  const Value minor = places.is_column_major ? at.row : at.column;
  const std::uint64_t major_offset = places.is_column_major ? at.column_offset : at.row_offset;
  const std::uint64_t minor_offset = places.is_column_major ? at.row_offset : at.column_offset;
  Value first = places.first;
  if (first == kNoValue) {
    const Value line = Emit(Opcode::kIMul, Kind::kI64, {major, places.stride});
    first = IndexAddress(IndexAddress(base, line, Kind::kI64, 1), minor, Kind::kI64, places.bytes);
  }
  MatrixAccess access{first, minor_offset * places.bytes};
  if (major_offset != 0) {
    access.address = IndexAddress(first, places.stride, Kind::kI64, major_offset);
  }
  return access;
}

// Whether the work-item's component is an element, and, of a checked access, one in the region.
// kNoValue: it certainly is.
Value Importer::IsInRegion(const MatrixPlaces& places, std::uint32_t part) {
  const Type& matrix = *places.matrix;
  const std::uint64_t size = context_.own_subgroup_size;
  const std::uint64_t elements = std::uint64_t{matrix.rows} * matrix.columns;
  Value result = kNoValue;
  const auto require = [&](Value condition) {
    result = result == kNoValue ? condition
                                : Emit(Opcode::kLogicalAnd, Kind::kBool, {result, condition});
  };
  if ((part + 1) * size > elements) {
    const std::uint64_t left = part * size >= elements ? 0 : elements - part * size;
    require(Emit(Opcode::kULessThan, Kind::kI64, {LaneOf(matrix), Constant(Kind::kI64, left)}));
  }
  if (places.first_row == kNoValue) return result;
  const MatrixPosition at = PositionOf(matrix, part);
  const auto compare = [&](Value value, std::uint64_t offset, Value first, Value end) {
    const Value sum =
        Emit(Opcode::kIAdd, Kind::kI64,
             {Emit(Opcode::kIAdd, Kind::kI64, {value, Constant(Kind::kI64, offset)}), first});
    require(Emit(Opcode::kULessThan, Kind::kI64, {sum, end}));  // also false of a negative one
  };
  compare(at.row, at.row_offset, places.first_row, places.height);
  compare(at.column, at.column_offset, places.first_column, places.width);
  return result;
}

// --- instructions ------------------------------------------------------------------------------

namespace {

// Whether all components of a work-item lie at constant distances from its first one.
bool IsRegular(const MatrixPlaces& places, std::uint64_t size) {
  const std::uint64_t length = LineLength(*places.matrix);
  const std::uint64_t elements = std::uint64_t{places.matrix->rows} * places.matrix->columns;
  return places.packed == 1 && places.first_row == kNoValue && elements % size == 0 &&
         (length % size == 0 || size % length == 0);
}

}  // namespace

// The number 1 in registers.
Value Importer::One(const Type& component) {
  const Kind kind = KindOf(component);
  std::uint64_t bits = 1;
  if (kind == Kind::kF16) bits = 0x3c00;
  if (kind == Kind::kF32) bits = 0x3f800000;
  if (kind == Kind::kF64) bits = 0x3ff0000000000000;
  return Constant(kind, bits);
}

void Importer::ImportMatrixLoad(const Instruction& instruction) {
  const Type& matrix = *module_.types.Find(instruction.type);
  const std::vector<Leaf> leaves = LeavesOf(instruction.type);
  MatrixPlaces places;
  if (error_ || !matrix.IsMatrix()) return FailUsage("a load of what is no matrix");
  if (!PlaceMatrix(instruction, matrix, false, &places)) return;
  if (IsRegular(places, context_.own_subgroup_size)) places.first = AccessOf(places, 0).address;
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < leaves.size() && !error_; ++i) {
    const auto load = [&] {
      const MatrixAccess access = AccessOf(places, i);
      Leaf leaf = leaves[i];
      leaf.offset = access.offset;
      return LoadLeaves(access.address, std::span(&leaf, 1));
    };
    // Beyond the region there are zeros; beyond the last element a copy, or 1 where a work-item has
    // no element at all.
    const Value inside = IsInRegion(places, i);
    const Value otherwise = places.first_row != kNoValue ? Constant(leaves[i].kind, 0)
                            : i != 0                     ? results[0]
                                                         : One(*module_.types.Find(matrix.element));
    const std::vector<Value> loaded =
        inside == kNoValue ? load() : IfTrue(inside, std::span(&otherwise, 1), load);
    results.insert(results.end(), loaded.begin(), loaded.end());
  }
  if (!error_) Bind(instruction.result, results);
}

void Importer::ImportMatrixStore(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const bool is_checked = instruction.opcode == Op::kCooperativeMatrixStoreCheckedINTEL;
  const Id object = operands[is_checked ? 3 : 1];
  const Type& matrix = TypeOfValue(object);
  if (!matrix.IsMatrix()) return FailUsage("a store of what is no matrix");
  const std::vector<Leaf> leaves = LeavesOf(TypeIdOf(object));
  const std::vector<Value> values = ValuesOf(object);
  MatrixPlaces places;
  if (error_ || !PlaceMatrix(instruction, matrix, true, &places)) return;
  if (IsRegular(places, context_.own_subgroup_size)) places.first = AccessOf(places, 0).address;
  for (std::uint32_t i = 0; i < leaves.size() && !error_; ++i) {
    const auto store = [&] {
      const MatrixAccess access = AccessOf(places, i);
      Leaf leaf = leaves[i];
      leaf.offset = access.offset;
      StoreLeaves(access.address, std::span(&leaf, 1), std::span(values).subspan(i, 1));
      return std::vector<Value>();
    };
    const Value inside = IsInRegion(places, i);
    if (inside == kNoValue) {
      store();
    } else {
      IfTrue(inside, {}, store);
    }
  }
}

// One value for all components; of OpCooperativeMatrixConstructCheckedINTEL for those in a region,
// and zero for the rest.
void Importer::ImportMatrixConstruct(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Type& matrix = *module_.types.Find(instruction.type);
  const bool is_checked = instruction.opcode == Op::kCooperativeMatrixConstructCheckedINTEL;
  const Id constituent = operands[is_checked ? 4 : 0];
  if (!matrix.IsMatrix() || operands.size() != (is_checked ? 5 : 1) ||
      TypeIdOf(constituent) != matrix.element) {
    return FailUsage("a matrix is made of one value of its component type");
  }
  const Value value = ValueOf(constituent);
  const std::uint32_t parts = MatrixParts(matrix);
  const std::vector<Leaf> leaves = LeavesOf(instruction.type);
  if (error_) return;
  std::vector<Value> uniform = {value};
  MatrixPlaces places;
  places.matrix = &matrix;
  if (is_checked) {
    Value* const wide[] = {&places.first_row, &places.first_column, &places.height, &places.width};
    for (std::size_t i = 0; i < 4; ++i) {
      *wide[i] = Convert(Opcode::kSConvert, Kind::kI64, ScalarKindOf(TypeIdOf(operands[i])),
                         ValueOf(operands[i]));
      uniform.push_back(*wide[i]);
    }
  }
  if (error_) return;
  CheckUniform(uniform);
  std::vector<Value> results(parts, value);
  for (std::uint32_t i = 0; is_checked && i < parts; ++i) {
    const Value inside = IsInRegion(places, i);
    results[i] =
        Emit(Opcode::kSelect, leaves[i].kind, {inside, value, Constant(leaves[i].kind, 0)});
  }
  Bind(instruction.result, results);
}

// Row and column of a component (OpCooperativeMatrixGetElementCoordINTEL).
void Importer::ImportElementCoordinates(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Type& matrix = TypeOfValue(operands[0]);
  if (!matrix.IsMatrix() || LeavesOf(instruction.type).size() != 2 ||
      ScalarKindOf(instruction.type) != Kind::kI32) {
    return FailUsage("coordinates of what is no matrix, or of another type than two integers");
  }
  const Value index = Convert(Opcode::kUConvert, Kind::kI64, ScalarKindOf(TypeIdOf(operands[1])),
                              ValueOf(operands[1]));
  if (error_) return;
  const Value step =
      Emit(Opcode::kIMul, Kind::kI64, {index, Constant(Kind::kI64, context_.own_subgroup_size)});
  const Value element =
      OrOwnElement(matrix, Emit(Opcode::kIAdd, Kind::kI64, {step, LaneOf(matrix)}));
  const Value length = Constant(Kind::kI64, LineLength(matrix));
  Value results[] = {Convert(Opcode::kUConvert, Kind::kI32, Kind::kI64,
                             Emit(Opcode::kUDiv, Kind::kI64, {element, length})),
                     Convert(Opcode::kUConvert, Kind::kI32, Kind::kI64,
                             Emit(Opcode::kUMod, Kind::kI64, {element, length}))};
  if (IsByColumns(matrix)) std::swap(results[0], results[1]);
  Bind(instruction.result, results);
}

bool Importer::ImportMatrix(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Type* result = module_.types.Find(instruction.type);
  switch (instruction.opcode) {
    case Op::kCooperativeMatrixLoadKHR:
    case Op::kCooperativeMatrixLoadCheckedINTEL:
      return ImportMatrixLoad(instruction), true;
    case Op::kCooperativeMatrixStoreKHR:
    case Op::kCooperativeMatrixStoreCheckedINTEL:
      return ImportMatrixStore(instruction), true;
    case Op::kCooperativeMatrixPrefetchINTEL:
      return true;
    case Op::kCooperativeMatrixMulAddKHR:
      return ImportMatrixMultiply(instruction), true;
    case Op::kSubgroupMatrixMultiplyAccumulateINTEL:
      ImportSubgroupMultiply(instruction, Literal(operands[0]), operands.subspan(1, 3),
                             operands.size() > 4 ? operands[4] : 0);
      return true;
    case Op::kCooperativeMatrixLengthKHR: {
      const Type* type = module_.types.Find(operands[0]);
      if (type == nullptr || !type->IsMatrix()) return FailUsage("the length of no matrix"), true;
      (void)LeavesOf(operands[0]);  // an error of another scope
      BindOne(instruction.result, Constant(ScalarKindOf(instruction.type), MatrixParts(*type)));
      return true;
    }
    case Op::kCompositeConstruct:
    case Op::kCompositeConstructReplicateEXT:
    case Op::kCooperativeMatrixConstructCheckedINTEL:
      if (result == nullptr || !result->IsMatrix()) return false;
      return ImportMatrixConstruct(instruction), true;
    case Op::kCooperativeMatrixGetElementCoordINTEL:
      return ImportElementCoordinates(instruction), true;
    case Op::kMatrixTimesScalar:
      if (result == nullptr || !result->IsMatrix()) return false;
      if (TypeIdOf(operands[1]) != result->element) {
        return FailUsage("a matrix times a scalar of another type"), true;
      }
      CheckUniform(ValuesOf(operands[1]));
      if (IsFloat(ScalarKindOf(instruction.type)) || error_) {
        return ImportVectorTimesScalar(instruction), true;
      }
      return FailUsage("a matrix of integers times a scalar"), true;
    default:
      return false;
  }
}

}  // namespace assay::interp
