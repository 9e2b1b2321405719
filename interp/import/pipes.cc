// Pipe functions and reservations (SPIR-V 3.42.23).
#include <algorithm>

#include "interp/import/import.h"

namespace assay::interp {
namespace {

using frontend::AccessQualifier;
using frontend::Op;
using frontend::Scope;
using frontend::TypeKind;

struct PipeRow {
  Op opcode;
  PipeFunction function;
  bool has_scope;
};

constexpr PipeRow kPipeRows[] = {
    {Op::kReadPipe, PipeFunction::kRead, false},
    {Op::kWritePipe, PipeFunction::kWrite, false},
    {Op::kReservedReadPipe, PipeFunction::kReadReserved, false},
    {Op::kReservedWritePipe, PipeFunction::kWriteReserved, false},
    {Op::kReserveReadPipePackets, PipeFunction::kReserveRead, false},
    {Op::kReserveWritePipePackets, PipeFunction::kReserveWrite, false},
    {Op::kCommitReadPipe, PipeFunction::kCommitRead, false},
    {Op::kCommitWritePipe, PipeFunction::kCommitWrite, false},
    {Op::kGroupReserveReadPipePackets, PipeFunction::kReserveRead, true},
    {Op::kGroupReserveWritePipePackets, PipeFunction::kReserveWrite, true},
    {Op::kGroupCommitReadPipe, PipeFunction::kCommitRead, true},
    {Op::kGroupCommitWritePipe, PipeFunction::kCommitWrite, true},
    {Op::kGetNumPipePackets, PipeFunction::kCountPackets, false},
    {Op::kGetMaxPipePackets, PipeFunction::kMaxPackets, false},
};

}  // namespace

// A number as a 64-bit one.
Value Importer::PipeNumber(Id id) {
  if (TypeOfValue(id).kind != TypeKind::kInteger) {
    FailUsage("a number that is no integer");
    return kNoValue;
  }
  return Convert(Opcode::kUConvert, Kind::kI64, ScalarKindOf(TypeIdOf(id)), ValueOf(id));
}

bool Importer::ImportPipe(const Instruction& instruction) {
  if (ImportReservationValue(instruction)) return true;
  const auto row = std::ranges::find(kPipeRows, instruction.opcode, &PipeRow::opcode);
  if (row == std::end(kPipeRows)) return false;
  ImportPipeCall(instruction, row->function, row->has_scope);
  return true;
}

// What makes a reservation or a pipe from another value.
bool Importer::ImportReservationValue(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Type* type = module_.types.Find(instruction.type);
  switch (instruction.opcode) {
    case Op::kIsValidReserveId: {
      if (TypeOfValue(operands[0]).opcode != Op::kTypeReserveId || type->kind != TypeKind::kBool) {
        return FailUsage("a reservation is wanted, and a boolean is the result"), true;
      }
      const Value shift = Constant(Kind::kI64, module_.PointerBytes() * 8 - 8);
      const Value tag = Emit(Opcode::kShiftRightLogical, Kind::kI64, {ValueOf(operands[0]), shift});
      BindOne(instruction.result,
              Emit(Opcode::kIEqual, Kind::kI64, {tag, Constant(Kind::kI64, kReservationTag)}));
      return true;
    }
    case Op::kCreatePipeFromPipeStorage:
      if (TypeOfValue(operands[0]).opcode != Op::kTypePipeStorage ||
          type->opcode != Op::kTypePipe) {
        return FailUsage("a pipe storage is wanted, and a pipe is the result"), true;
      }
      return BindOne(instruction.result, ValueOf(operands[0])), true;
    default:
      return false;
  }
}

void Importer::ImportPipeCall(const Instruction& instruction, PipeFunction function,
                              bool has_scope) {
  auto operands = module_.Operands(instruction);
  PipeCall call{function};
  bool of_subgroup = false;
  if (has_scope) {
    of_subgroup = IsOfSubgroup(instruction);
    if (!of_subgroup && !IsWorkGroupScope(operands[0])) return;
    operands = operands.subspan(1);
  }
  const Type& type = TypeOfValue(operands[0]);
  if (type.opcode != Op::kTypePipe) return FailUsage("a pipe is wanted");
  const auto access =
      static_cast<AccessQualifier>(module_.Operands(*module_.Definition(type.id))[0]);
  if (!call.Asks() && (access == AccessQualifier::kWriteOnly) != call.Writes()) {
    return FailUsage(call.Writes() ? "a pipe that can be read only is written"
                                   : "a pipe that can be written only is read");
  }
  const bool copies = function <= PipeFunction::kWriteReserved;
  const bool is_reserved =
      function == PipeFunction::kReadReserved || function == PipeFunction::kWriteReserved;
  const Value pipe = ValueOf(operands[0]);
  std::vector<Value> values = {pipe};
  std::vector<Value> more;  // behind size and alignment, which come last in SPIR-V
  std::size_t next = 1;
  if (is_reserved || call.Commits()) {
    if (TypeOfValue(operands[next]).opcode != Op::kTypeReserveId) {
      return FailUsage("a reservation is wanted");
    }
    more.push_back(ValueOf(operands[next++]));
  }
  if (is_reserved || call.Reserves()) more.push_back(PipeNumber(operands[next++]));
  if (copies) {
    const Id pointer = operands[next++];
    if (TypeOfValue(pointer).kind != TypeKind::kPointer) return FailUsage("a pointer is wanted");
    const Value address = ValueOf(pointer);
    CheckArrayIndices(pointer, address);
    values = call.Writes() ? std::vector{pipe, address} : std::vector{address, pipe};
  }
  for (const std::size_t i : {next, next + 1}) values.push_back(PipeNumber(operands[i]));
  if (error_) return;
  values.insert(values.end(), more.begin(), more.end());
  result_.pipe_calls.push_back(call);
  std::uint64_t immediate = result_.pipe_calls.size() - 1;
  Opcode opcode = Opcode::kPipe;
  if (copies) opcode = call.Writes() ? Opcode::kWritePipe : Opcode::kReadPipe;
  if (has_scope) opcode = Opcode::kGroupPipe;
  std::vector<Kind> kinds;
  if (!call.Commits()) kinds.push_back(ScalarKindOf(instruction.type));
  if (const Type* result = module_.types.Find(instruction.type); result != nullptr) {
    if (call.Reserves() ? result->opcode != Op::kTypeReserveId
                        : result->kind != TypeKind::kInteger) {
      return FailUsage("a pipe function with a result of another type");
    }
  }
  if (of_subgroup) {
    opcode = Opcode::kSubgroup;
    SubgroupCall all;
    all.function = SubgroupFunction::kPipe;
    all.is_uniform = true;
    all.pipe = static_cast<std::uint32_t>(immediate);
    all.extras = static_cast<std::uint32_t>(values.size());
    all.results = static_cast<std::uint32_t>(kinds.size());
    result_.subgroup_calls.push_back(all);
    immediate = result_.subgroup_calls.size() - 1;
  }
  std::vector<Value> results;
  Sync(opcode, Kind::kI64, values, immediate, kinds, &results);
  if (!results.empty()) Bind(instruction.result, results);
}

}  // namespace assay::interp
