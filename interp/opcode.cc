#include "interp/opcode.h"

#include <array>

namespace assay::interp {
namespace {

enum class Shape : std::uint8_t { kNone, kUnary, kBinary, kTernary, kQuaternary, kTest, kCompare };
enum class Source : std::uint8_t { kOwn, kCore, kStd };
enum class Kinds : std::uint8_t { INTEGERS, FLOATS, BOOLEANS };

struct Row {
  Opcode opcode = Opcode::kNop;
  Shape shape = Shape::kNone;
  Source source = Source::kOwn;
  Kinds kinds = Kinds::INTEGERS;
  std::string_view name;
  std::uint32_t number = 0;
};

// Names that only one of the sources has: the enumerator is looked up in the right one.
#define NUMBER_Core(name) static_cast<std::uint32_t>(frontend::Op::k##name)
#define NUMBER_Std(name) static_cast<std::uint32_t>(frontend::OpenClStd::k##name)
#define NUMBER_Own(name) 0

constexpr Row kRows[] = {
#define OPERATION(source, shape, name, kinds, ...) \
  {Opcode::k##name, Shape::k##shape, Source::k##source, Kinds::kinds, #name, NUMBER_##source(name)},
#include "interp/operations.def"
#undef OPERATION
};

// The rows stand in the enumeration's order, after kNop.
constexpr const Row* RowOf(Opcode opcode) {
  const auto place = static_cast<std::size_t>(opcode);
  return place >= 1 && place <= std::size(kRows) ? &kRows[place - 1] : nullptr;
}

Opcode Find(Source source, std::uint32_t number) {
  for (const Row& row : kRows) {
    if (row.source == source && row.number == number) return row.opcode;
  }
  return Opcode::kNop;
}

}  // namespace

std::string_view OpcodeName(Opcode opcode) {
  if (const Row* row = RowOf(opcode)) return row->name;
  switch (opcode) {
#define NAME(name)      \
  case Opcode::k##name: \
    return #name;
    NAME(Nop)
    NAME(UConvert)
    NAME(SConvert)
    NAME(ConvertFToU)
    NAME(ConvertFToS)
    NAME(ConvertSToF)
    NAME(ConvertUToF)
    NAME(FConvert)
    NAME(ConvertExactly)
    NAME(Copy)
    NAME(Select)
    NAME(ExtractDynamic)
    NAME(InsertDynamic)
    NAME(Offset)
    NAME(Index)
    NAME(Index32)
    NAME(TruncateAddress)
    NAME(RsqrtFloat)
    NAME(Math)
    NAME(Variable)
    NAME(EnterVariable)
    NAME(LeaveVariable)
    NAME(Load)
    NAME(LoadMany)
    NAME(Store)
    NAME(StoreMany)
    NAME(CopyMemory)
    NAME(Fence)
    NAME(Check)
    NAME(CheckValue)
    NAME(CastToSpace)
    NAME(MemorySemantics)
    NAME(DebugStep)
    NAME(DebugAccess)
    NAME(DebugOperation)
    NAME(Atomic)
    NAME(Printf)
    NAME(Barrier)
    NAME(Group)
    NAME(AsyncCopy)
    NAME(WaitEvents)
#undef NAME
    default:
      return "?";
  }
}

Opcode OpcodeOf(frontend::Op core) { return Find(Source::kCore, static_cast<std::uint32_t>(core)); }
Opcode OpcodeOf(frontend::OpenClStd number) {
  return Find(Source::kStd, static_cast<std::uint32_t>(number));
}

int OperandCount(Opcode opcode) {
  const Row* row = RowOf(opcode);
  if (row == nullptr) return 0;
  switch (row->shape) {
    case Shape::kUnary:
    case Shape::kTest:
      return 1;
    case Shape::kBinary:
    case Shape::kCompare:
      return 2;
    case Shape::kTernary:
      return 3;
    default:
      return 4;
  }
}

bool Takes(Opcode opcode, Kind kind) {
  const Row* row = RowOf(opcode);
  if (row == nullptr) return false;
  switch (row->kinds) {
    case Kinds::INTEGERS:
      return IsInteger(kind);
    case Kinds::FLOATS:
      return IsFloat(kind);
    default:
      return kind == Kind::kBool;
  }
}

Kind ResultKind(Opcode opcode, Kind kind) {
  const Row* row = RowOf(opcode);
  if (row == nullptr) return kind;
  return row->shape == Shape::kTest || row->shape == Shape::kCompare ? Kind::kBool : kind;
}

bool HasResult(Opcode opcode) {
  switch (opcode) {
    case Opcode::kEnterVariable:
    case Opcode::kLeaveVariable:
    case Opcode::kStore:
    case Opcode::kStoreMany:
    case Opcode::kCopyMemory:
    case Opcode::kFence:
    case Opcode::kCheck:
    case Opcode::kCheckValue:
    case Opcode::kDebugStep:
    case Opcode::kDebugAccess:
    case Opcode::kDebugOperation:
    case Opcode::kNop:
      return false;
    default:
      return true;
  }
}

bool IsAddressStep(Opcode opcode) {
  return opcode == Opcode::kOffset || opcode == Opcode::kIndex || opcode == Opcode::kIndex32 ||
         opcode == Opcode::kTruncateAddress || opcode == Opcode::kCopy;
}

bool IsPure(Opcode opcode) {
  if (RowOf(opcode) != nullptr) return true;
  switch (opcode) {
    case Opcode::kUConvert:
    case Opcode::kSConvert:
    case Opcode::kConvertFToU:
    case Opcode::kConvertFToS:
    case Opcode::kConvertSToF:
    case Opcode::kConvertUToF:
    case Opcode::kFConvert:
    case Opcode::kConvertExactly:
    case Opcode::kCopy:
    case Opcode::kSelect:
    case Opcode::kExtractDynamic:
    case Opcode::kInsertDynamic:
    case Opcode::kOffset:
    case Opcode::kIndex:
    case Opcode::kIndex32:
    case Opcode::kTruncateAddress:
    case Opcode::kRsqrtFloat:
    case Opcode::kMath:
    case Opcode::kVariable:
    case Opcode::kCastToSpace:
    case Opcode::kMemorySemantics:
    case Opcode::kNop:
      return true;
    default:
      return false;
  }
}

}  // namespace assay::interp
