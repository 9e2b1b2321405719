// What the rest relies on and a module that nobody validated does not keep.  Handlers trust that a
// register is as wide as they read it; here is where that is made sure.
#include <fmt/format.h>

#include <algorithm>

#include "interp/import.h"

namespace assay::interp {

using frontend::TypeKind;

namespace {

bool IsConversion(Opcode opcode) {
  return opcode >= Opcode::kUConvert && opcode <= Opcode::kFConvert;
}

// Conversions between kinds that there are handlers for.
bool ConvertsBetween(Opcode opcode, Kind to, Kind from) {
  switch (opcode) {
    case Opcode::kUConvert:
    case Opcode::kSConvert:
      return !IsFloat(to) && !IsFloat(from);
    case Opcode::kConvertFToU:
    case Opcode::kConvertFToS:
      return IsInteger(to) && IsFloat(from);
    case Opcode::kConvertSToF:
    case Opcode::kConvertUToF:
      return IsFloat(to) && !IsFloat(from);
    default:
      return IsFloat(to) && IsFloat(from);
  }
}

}  // namespace

bool Importer::OperandsFit(Opcode opcode, Kind kind, Kind from, std::span<const Value> operands,
                           std::uint64_t immediate, std::span<const Kind> results) const {
  constexpr std::uint32_t kAddressBytes = 8;
  for (const Value operand : operands) {
    if (operand >= graph_.values.size()) return false;
  }
  const auto is = [&](std::size_t place, std::uint32_t bytes) {
    return place < operands.size() && BytesOf(graph_.values[operands[place]].kind) == bytes;
  };
  const auto all_are = [&](std::size_t first, std::uint32_t bytes) {
    for (std::size_t i = first; i < operands.size(); ++i) {
      if (!is(i, bytes)) return false;
    }
    return true;
  };
  const std::uint32_t bytes = BytesOf(kind);
  if (const int count = OperandCount(opcode); count != 0) {
    return operands.size() == static_cast<std::size_t>(count) && Takes(opcode, kind) &&
           all_are(0, bytes);
  }
  if (IsConversion(opcode)) {
    return operands.size() == 1 && is(0, BytesOf(from)) && ConvertsBetween(opcode, kind, from);
  }
  switch (opcode) {
    case Opcode::kConvertExactly:
      return operands.size() == 1 && is(0, BytesOf(from));
    case Opcode::kSelect:
      return operands.size() == 3 && is(0, BytesOf(Kind::kBool)) && all_are(1, bytes);
    case Opcode::kExtractDynamic:
      return operands.size() >= 2 && is(0, 8) && all_are(1, bytes);
    case Opcode::kInsertDynamic:
      return operands.size() >= 3 && is(0, 8) && all_are(1, bytes) &&
             results.size() == operands.size() - 2;
    case Opcode::kIndex32:
      return operands.size() == 2 && is(0, kAddressBytes) && is(1, 4);
    case Opcode::kIndex:
      return operands.size() == 2 && all_are(0, 8);
    case Opcode::kMath: {
      const MathCall& call = result_.math_calls[immediate];
      if (call.argument_bytes.size() != operands.size() ||
          call.result_bytes.size() != results.size()) {
        return false;
      }
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!is(i, call.argument_bytes[i])) return false;
      }
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (BytesOf(results[i]) != call.result_bytes[i]) return false;
      }
      return true;
    }
    case Opcode::kStore:
    case Opcode::kStoreMany:
    case Opcode::kAtomic:
      return is(0, kAddressBytes) && all_are(1, bytes);
    case Opcode::kLoad:
    case Opcode::kLoadMany:
    case Opcode::kPrintf:  // its arguments may be anything
      return is(0, kAddressBytes);
    case Opcode::kOffset:
    case Opcode::kTruncateAddress:
    case Opcode::kCastToSpace:
    case Opcode::kMemorySemantics:
      return operands.size() == 1 && is(0, kAddressBytes);
    case Opcode::kEnterVariable:
    case Opcode::kLeaveVariable:
      return operands.size() == 1;
    case Opcode::kCopyMemory:
      return operands.size() == 3 && all_are(0, 8);
    case Opcode::kAsyncCopy:
      return operands.size() == 5 && all_are(0, 8);
    case Opcode::kGroup: {
      const std::uint32_t parts = result_.group_calls[immediate].parts;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!is(i, i < parts ? bytes : 8)) return false;
      }
      return operands.size() >= parts && results.size() == parts;
    }
    default:
      return true;
  }
}

// One value for each scalar of the type, as wide as it.
bool Importer::FitsType(std::span<const Value> values, Id type) {
  const std::vector<Leaf>& leaves = LeavesOf(type);
  if (error_ || leaves.size() != values.size()) return false;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (values[i] >= graph_.values.size() ||
        BytesOf(graph_.values[values[i]].kind) != BytesOf(leaves[i].kind)) {
      return false;
    }
  }
  return true;
}

bool Importer::HasGoodType(const Instruction& instruction) const {
  if (instruction.type == 0) return true;
  const Type* type = module_.types.Find(instruction.type);
  if (type == nullptr || type->kind == TypeKind::kFunction) return false;
  if (type->kind != TypeKind::kVoid) return true;
  return instruction.opcode == Op::kFunctionCall || instruction.opcode == Op::kExtInst;
}

// Beside instructions: what a function that has none, but calls others, or huge values make.
bool Importer::IsTooLarge() const {
  return graph_.instructions.size() > context_.max_code ||
         graph_.blocks.size() > context_.max_code ||
         (pool_.size() + graph_.values.size() + graph_.operands.size() + leaf_count_) / 16 >
             context_.max_code;
}

void Importer::FailTooLarge() {
  const std::string_view why =
      context_.debug ? "; a debugger expands every call, `assay run` keeps those of large kernels"
                     : "; calls on the way to a barrier or a group function are always expanded";
  FailWith(ErrorKind::kUnsupported,
           fmt::format("{}: the kernel has more than {} instructions (the limit on code){}",
                       module_.name, context_.max_code, why));
}

}  // namespace assay::interp
