// Instructions of a sub-group: votes, ballots, arithmetic, shuffles, barriers and block accesses.
#include <algorithm>
#include <array>

#include "interp/import/import.h"

namespace assay::interp {
namespace {

using frontend::GroupOperation;
using frontend::Op;
using frontend::Scope;
using frontend::StorageClass;
using frontend::TypeKind;
using Function = SubgroupFunction;

enum Traits : std::uint8_t {
  kPlain = 0,
  kScope = 1,      // the first operand is an execution scope
  kOperation = 2,  // a GroupOperation follows
  kUniform = 4,    // all work-items of the sub-group must execute it (OpenCL C 6.15.20)
};

struct Row {
  Op opcode;
  Function function;
  std::uint8_t traits;
  std::uint8_t values;
  std::uint8_t extras;            // that it always has
  Op combine = Op::kNop;          // of a kCombine
  TypeKind of = TypeKind::kVoid;  // what values are made of; kVoid: any scalar
};

constexpr std::uint8_t kGroup = kScope | kOperation | kUniform;
constexpr std::uint8_t kNonUniform = kScope | kOperation;

#define COMBINES(group, non_uniform, kind)                                                       \
  {Op::kGroup##group, Function::kCombine, kGroup, 1, 0, Op::kGroup##group, kind}, {              \
    Op::kGroupNonUniform##non_uniform, Function::kCombine, kNonUniform, 1, 0, Op::kGroup##group, \
        kind                                                                                     \
  }
#define COMBINES_AMD(name, kind) \
  { Op::kGroup##name##NonUniformAMD, Function::kCombine, kNonUniform, 1, 0, Op::kGroup##name, kind }

constexpr Row kRows[] = {
    {Op::kGroupAll, Function::kAll, kScope | kUniform, 1, 0, Op::kNop, TypeKind::kBool},
    {Op::kGroupAny, Function::kAny, kScope | kUniform, 1, 0, Op::kNop, TypeKind::kBool},
    {Op::kGroupBroadcast, Function::kBroadcast, kScope | kUniform, 1, 1},
    COMBINES(IAdd, IAdd, TypeKind::kInteger),
    COMBINES(FAdd, FAdd, TypeKind::kFloat),
    COMBINES(IMulKHR, IMul, TypeKind::kInteger),
    COMBINES(FMulKHR, FMul, TypeKind::kFloat),
    COMBINES(SMin, SMin, TypeKind::kInteger),
    COMBINES(UMin, UMin, TypeKind::kInteger),
    COMBINES(FMin, FMin, TypeKind::kFloat),
    COMBINES(SMax, SMax, TypeKind::kInteger),
    COMBINES(UMax, UMax, TypeKind::kInteger),
    COMBINES(FMax, FMax, TypeKind::kFloat),
    COMBINES(BitwiseAndKHR, BitwiseAnd, TypeKind::kInteger),
    COMBINES(BitwiseOrKHR, BitwiseOr, TypeKind::kInteger),
    COMBINES(BitwiseXorKHR, BitwiseXor, TypeKind::kInteger),
    COMBINES(LogicalAndKHR, LogicalAnd, TypeKind::kBool),
    COMBINES(LogicalOrKHR, LogicalOr, TypeKind::kBool),
    COMBINES(LogicalXorKHR, LogicalXor, TypeKind::kBool),
    COMBINES_AMD(IAdd, TypeKind::kInteger),
    COMBINES_AMD(FAdd, TypeKind::kFloat),
    COMBINES_AMD(FMin, TypeKind::kFloat),
    COMBINES_AMD(UMin, TypeKind::kInteger),
    COMBINES_AMD(SMin, TypeKind::kInteger),
    COMBINES_AMD(FMax, TypeKind::kFloat),
    COMBINES_AMD(UMax, TypeKind::kInteger),
    COMBINES_AMD(SMax, TypeKind::kInteger),
    {Op::kGroupNonUniformElect, Function::kElect, kScope, 0, 0},
    {Op::kGroupNonUniformAll, Function::kAll, kScope, 1, 0, Op::kNop, TypeKind::kBool},
    {Op::kGroupNonUniformAny, Function::kAny, kScope, 1, 0, Op::kNop, TypeKind::kBool},
    {Op::kGroupNonUniformAllEqual, Function::kAllEqual, kScope, 1, 0},
    {Op::kGroupNonUniformBroadcast, Function::kBroadcast, kScope, 1, 1},
    {Op::kGroupNonUniformBroadcastFirst, Function::kBroadcastFirst, kScope, 1, 0},
    {Op::kGroupNonUniformBallot, Function::kBallot, kScope, 1, 0, Op::kNop, TypeKind::kBool},
    {Op::kGroupNonUniformInverseBallot, Function::kInverseBallot, kScope, 1, 0, Op::kNop,
     TypeKind::kInteger},
    {Op::kGroupNonUniformBallotBitExtract, Function::kBallotBitExtract, kScope, 1, 1, Op::kNop,
     TypeKind::kInteger},
    {Op::kGroupNonUniformBallotBitCount, Function::kBallotBitCount, kNonUniform, 1, 0, Op::kNop,
     TypeKind::kInteger},
    {Op::kGroupNonUniformBallotFindLSB, Function::kBallotFindLsb, kScope, 1, 0, Op::kNop,
     TypeKind::kInteger},
    {Op::kGroupNonUniformBallotFindMSB, Function::kBallotFindMsb, kScope, 1, 0, Op::kNop,
     TypeKind::kInteger},
    {Op::kGroupNonUniformShuffle, Function::kShuffle, kScope, 1, 1},
    {Op::kGroupNonUniformShuffleXor, Function::kShuffleXor, kScope, 1, 1},
    {Op::kGroupNonUniformShuffleUp, Function::kShuffleUp, kScope, 1, 1},
    {Op::kGroupNonUniformShuffleDown, Function::kShuffleDown, kScope, 1, 1},
    {Op::kGroupNonUniformRotateKHR, Function::kRotate, kScope, 1, 1},
    {Op::kGroupNonUniformQuadBroadcast, Function::kQuadBroadcast, kScope, 1, 1},
    {Op::kGroupNonUniformQuadSwap, Function::kQuadSwap, kScope, 1, 1},
    {Op::kSubgroupBallotKHR, Function::kBallot, kPlain, 1, 0, Op::kNop, TypeKind::kBool},
    {Op::kSubgroupFirstInvocationKHR, Function::kBroadcastFirst, kPlain, 1, 0},
    {Op::kSubgroupAllKHR, Function::kAll, kPlain, 1, 0, Op::kNop, TypeKind::kBool},
    {Op::kSubgroupAnyKHR, Function::kAny, kPlain, 1, 0, Op::kNop, TypeKind::kBool},
    {Op::kSubgroupAllEqualKHR, Function::kAllEqual, kPlain, 1, 0, Op::kNop, TypeKind::kBool},
    {Op::kSubgroupReadInvocationKHR, Function::kBroadcast, kPlain, 1, 1},
    {Op::kSubgroupShuffleINTEL, Function::kShuffle, kPlain, 1, 1},
    {Op::kSubgroupShuffleDownINTEL, Function::kShuffleDownOfTwo, kPlain, 2, 1},
    {Op::kSubgroupShuffleUpINTEL, Function::kShuffleUpOfTwo, kPlain, 2, 1},
    {Op::kSubgroupShuffleXorINTEL, Function::kShuffleXor, kPlain, 1, 1},
};

// How many scalars it gives, of which kind: what it is made from has `parts` of `kind`.
struct Shape {
  std::uint32_t count;
  Kind kind;
};
Shape ResultsOf(Function function, std::uint32_t parts, Kind kind) {
  switch (function) {
    case Function::kBarrier:
    case Function::kPipe:            // as its PipeCall says
    case Function::kMatrixMultiply:  // as its MatrixCall says
    case Function::kMatrixUniform:
      return {0, Kind::kI32};
    case Function::kElect:
    case Function::kAll:
    case Function::kAny:
    case Function::kAllEqual:
    case Function::kInverseBallot:
    case Function::kBallotBitExtract:
      return {1, Kind::kBool};
    case Function::kBallot:
      return {4, Kind::kI32};
    case Function::kBallotBitCount:
    case Function::kBallotFindLsb:
    case Function::kBallotFindMsb:
      return {1, Kind::kI32};
    case Function::kCombine:
    case Function::kBroadcast:
    case Function::kBroadcastFirst:
    case Function::kShuffle:
    case Function::kShuffleXor:
    case Function::kShuffleUp:
    case Function::kShuffleDown:
    case Function::kShuffleUpOfTwo:
    case Function::kShuffleDownOfTwo:
    case Function::kRotate:
    case Function::kQuadBroadcast:
    case Function::kQuadSwap:
      break;
  }
  return {parts, kind};
}

// A ballot is a vector of four 32-bit words.
bool TakesBallot(Function function) {
  return function >= Function::kInverseBallot && function <= Function::kBallotFindMsb;
}

}  // namespace

// The execution scope is the sub-group; work-groups have instructions of the same names.
bool Importer::IsOfSubgroup(const Instruction& instruction) const {
  const auto operands = module_.Operands(instruction);
  return !operands.empty() && Literal(operands[0]) == static_cast<std::uint64_t>(Scope::kSubgroup);
}

bool Importer::ImportSubgroup(const Instruction& instruction) {
  if (ImportBlockAccess(instruction)) return true;
  const auto row = std::ranges::find(kRows, instruction.opcode, &Row::opcode);
  if (row == std::end(kRows)) return false;
  if ((row->traits & kScope) != 0 && !IsOfSubgroup(instruction)) {
    if ((row->traits & kUniform) != 0) return false;  // a work-group's
    return FailUsage("an execution scope that is not the sub-group"), true;
  }
  auto operands = module_.Operands(instruction);
  if ((row->traits & kScope) != 0) operands = operands.subspan(1);
  SubgroupCall call;
  call.function = row->function;
  call.is_uniform = (row->traits & kUniform) != 0;
  call.combine = row->combine;
  call.values = row->values;
  call.extras = row->extras;
  if ((row->traits & kOperation) != 0) {
    call.operation = operands[0];
    operands = operands.subspan(1);
    // The size of the cluster.
    if (call.operation == static_cast<std::uint32_t>(GroupOperation::kClusteredReduce)) {
      call.extras = 1;
    } else if (call.operation > static_cast<std::uint32_t>(GroupOperation::kExclusiveScan)) {
      return FailUnsupported("a group operation that is no reduction and no scan"), true;
    }
  }
  if (row->function == Function::kRotate && operands.size() > 2) call.extras = 2;
  if (operands.size() < std::size_t{call.values} + call.extras) {
    return FailUsage("an instruction of a sub-group with too few operands"), true;
  }
  const Id of = call.values == 0 ? instruction.type : TypeIdOf(operands[0]);
  if (!TakesInSubgroup(of, row->of, TakesBallot(row->function))) {
    return FailUsage("operands of types that the instruction does not take"), true;
  }
  std::vector<Value> values;
  for (std::uint32_t i = 0; i < call.values; ++i) {
    if (TypeIdOf(operands[i]) != of) {
      return FailUsage("operands of different types"), true;
    }
    const std::vector<Value> parts = ValuesOf(operands[i]);
    call.parts = static_cast<std::uint32_t>(parts.size());
    values.insert(values.end(), parts.begin(), parts.end());
  }
  for (std::uint32_t i = 0; i < call.extras; ++i) {
    const Id id = operands[call.values + i];
    if (TypeOfValue(id).kind != TypeKind::kInteger) {
      return FailUsage("an index that is no integer"), true;
    }
    values.push_back(
        Convert(Opcode::kUConvert, Kind::kI64, ScalarKindOf(TypeIdOf(id)), ValueOf(id)));
  }
  if (error_) return true;
  const Kind kind = call.values == 0 ? Kind::kBool : ScalarKindOf(of);
  const Shape shape = ResultsOf(call.function, call.parts, kind);
  call.results = shape.count;
  result_.subgroup_calls.push_back(call);
  std::vector<Value> results;
  Sync(Opcode::kSubgroup, kind, values, result_.subgroup_calls.size() - 1,
       std::vector<Kind>(shape.count, shape.kind), &results);
  Bind(instruction.result, results);
  return true;
}

// Whether values of the type, of components of the kind, are what the instruction works on.
bool Importer::TakesInSubgroup(Id of, TypeKind kind, bool is_ballot) const {
  const Type* type = module_.types.Find(of);
  if (type == nullptr || (!type->IsScalar() && type->kind != TypeKind::kVector)) return false;
  const Type* component =
      type->kind == TypeKind::kVector ? module_.types.Find(type->element) : type;
  if (is_ballot &&
      (type->kind != TypeKind::kVector || type->count != 4 || component->width != 32)) {
    return false;
  }
  return kind == TypeKind::kVoid || component->kind == kind;
}

// A barrier of the sub-group.
void Importer::ImportSubgroupBarrier(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const auto semantics = Literal(operands[2]);
  SubgroupCall call;
  call.is_uniform = true;
  // A pass takes those that are computed for sequentially consistent.
  call.semantics = static_cast<std::uint32_t>(semantics.value_or(0xb10));
  // They may be computed: then work-items may differ in them.
  std::vector<Value> values;
  if (!semantics || !Literal(operands[1])) {
    for (const Id id : {operands[1], operands[2]}) {
      values.push_back(
          Convert(Opcode::kUConvert, Kind::kI64, ScalarKindOf(TypeIdOf(id)), ValueOf(id)));
    }
  }
  if (error_) return;
  call.extras = static_cast<std::uint32_t>(values.size());
  result_.subgroup_calls.push_back(call);
  std::vector<Value> results;
  Sync(Opcode::kSubgroup, Kind::kI32, values, result_.subgroup_calls.size() - 1, {}, &results);
}

Value Importer::SubgroupInput(InputKind kind) {
  return NewInput({.input_kind = kind, .kind = Kind::kI64}, Kind::kI64);
}

// OpSubgroupBlockReadINTEL and its counterpart: component c of work-item i is element
// c * (maximum size of a sub-group) + i behind the pointer (SPV_INTEL_subgroups).
bool Importer::ImportBlockAccess(const Instruction& instruction) {
  const bool reads = instruction.opcode == Op::kSubgroupBlockReadINTEL;
  if (!reads && instruction.opcode != Op::kSubgroupBlockWriteINTEL) return false;
  const auto operands = module_.Operands(instruction);
  const Id type = reads ? instruction.type : TypeIdOf(operands[1]);
  const Type& pointer = TypeOfValue(operands[0]);
  const std::vector<Leaf> leaves = LeavesOf(type);
  if (pointer.kind != TypeKind::kPointer || leaves.empty()) {
    return FailUsage("a block access without a pointer or without a value"), true;
  }
  const std::uint64_t bytes = leaves[0].bytes;
  CheckNow(reads ? Check::kBlockRead : Check::kBlockWrite, Kind::kI64, {ValueOf(operands[0])});
  const Value local = SubgroupInput(InputKind::kSubgroupLocalId);
  const Value size = SubgroupInput(InputKind::kSubgroupMaxSize);
  Value address = IndexAddress(ValueOf(operands[0]), local, Kind::kI64, bytes);
  const std::vector<Value> stored = reads ? std::vector<Value>{} : ValuesOf(operands[1]);
  std::vector<Value> loaded;
  for (std::size_t i = 0; i < leaves.size() && !error_; ++i) {
    if (i != 0) address = IndexAddress(address, size, Kind::kI64, bytes);
    Leaf leaf = leaves[i];
    leaf.offset = 0;
    if (reads) {
      const std::vector<Value> one = LoadLeaves(address, std::span(&leaf, 1));
      loaded.insert(loaded.end(), one.begin(), one.end());
    } else {
      StoreLeaves(address, std::span(&leaf, 1), std::span(stored).subspan(i, 1));
    }
  }
  if (reads && !error_) Bind(instruction.result, loaded);
  return true;
}

}  // namespace assay::interp
