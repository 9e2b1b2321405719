#include "interp/program/opcode.h"

#include <iterator>

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
  std::uint32_t number = 0;
};

// Names that only one of the sources has: the enumerator is looked up in the right one.
#define NUMBER_Core(name) static_cast<std::uint32_t>(frontend::Op::k##name)
#define NUMBER_Std(name) static_cast<std::uint32_t>(frontend::OpenClStd::k##name)
#define NUMBER_Own(name) 0

constexpr Row kRows[] = {
#define OPERATION(source, shape, name, kinds, ...) \
  {Opcode::k##name, Shape::k##shape, Source::k##source, Kinds::kinds, NUMBER_##source(name)},
#include "interp/program/operations.def"
#undef OPERATION
};

enum Traits : std::uint8_t { kNoTraits = 0, kMovesAddress = 1 };

constexpr OpcodeTraits kTraits[] = {
#define OPCODE(row_name, results_, operands_, executed_, access_, layout_, traits, shadow_, text_) \
  {.name = #row_name,                                                                              \
   .results = Results::k##results_,                                                                \
   .operands = Operands::k##operands_,                                                             \
   .executed = Executed::k##executed_,                                                             \
   .access = Access::k##access_,                                                                   \
   .layout = Layout::k##layout_,                                                                   \
   .moves_address = ((traits)&kMovesAddress) != 0,                                                 \
   .shadow = ShadowRule::k##shadow_,                                                               \
   .text = text_},
#include "interp/program/opcodes.def"
#undef OPCODE
#define OPERATION(source, shape, row_name, kinds, shadow_rule, checked_, ...) \
  {.name = #row_name, .shadow = ShadowRule::k##shadow_rule, .checked = Checked::k##checked_},
#include "interp/program/operations.def"
#undef OPERATION
};
static_assert(std::size(kTraits) == static_cast<std::size_t>(Opcode::kCount));
constexpr std::size_t kFirstRow = std::size(kTraits) - std::size(kRows);

constexpr const Row* RowOf(Opcode opcode) {
  const auto place = static_cast<std::size_t>(opcode);
  return place >= kFirstRow && place < std::size(kTraits) ? &kRows[place - kFirstRow] : nullptr;
}

Opcode Find(Source source, std::uint32_t number) {
  for (const Row& row : kRows) {
    if (row.source == source && row.number == number) return row.opcode;
  }
  return Opcode::kNop;
}

}  // namespace

const OpcodeTraits& TraitsOf(Opcode opcode) { return kTraits[static_cast<std::size_t>(opcode)]; }

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
    case Shape::kNone:
    case Shape::kQuaternary:
      break;
  }
  return 4;
}

bool Takes(Opcode opcode, Kind kind) {
  const Row* row = RowOf(opcode);
  if (row == nullptr) return false;
  if (row->kinds == Kinds::INTEGERS) return IsInteger(kind);
  return row->kinds == Kinds::FLOATS ? IsFloat(kind) : kind == Kind::kBool;
}

Kind ResultKind(Opcode opcode, Kind kind) {
  const Row* row = RowOf(opcode);
  if (row == nullptr) return kind;
  return row->shape == Shape::kTest || row->shape == Shape::kCompare ? Kind::kBool : kind;
}

}  // namespace assay::interp
