// What computed a number, found from the registers that are still there: a debugger's program keeps
// a register for every value, so the last execution of each instruction can be looked at.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "interp/debug/shadow.h"
#include "numerics/function.h"

namespace assay::interp {

using numerics::Bits;
using numerics::Function;
using numerics::Operation;
using numerics::ShadowNumber;

numerics::ScalarType IntegerTypeOf(Kind kind, bool is_signed) {
  constexpr numerics::ScalarType kSigned[] = {
      numerics::ScalarType::kChar, numerics::ScalarType::kShort, numerics::ScalarType::kInt,
      numerics::ScalarType::kInt, numerics::ScalarType::kLong};
  constexpr numerics::ScalarType kUnsigned[] = {
      numerics::ScalarType::kUchar, numerics::ScalarType::kUshort, numerics::ScalarType::kUint,
      numerics::ScalarType::kUint, numerics::ScalarType::kUlong};
  return (is_signed ? kSigned : kUnsigned)[BytesOf(kind) / 2];
}

std::optional<Operation> BuiltinOf(const Program& program, const DebugOperation& operation) {
  if (operation.opcode == Opcode::kMath) {
    const Operation& called = program.math_calls[operation.immediate].operation;
    const bool is_known =
        called.kind == numerics::OperationKind::kBuiltin && called.function != Function::nan;
    return is_known ? std::optional(called) : std::nullopt;
  }
  static constexpr std::pair<Opcode, Function> kRows[] = {
      {Opcode::kFAdd, Function::add},        {Opcode::kFSub, Function::sub},
      {Opcode::kFMul, Function::mul},        {Opcode::kFDiv, Function::div},
      {Opcode::kMultiplyAdd, Function::fma}, {Opcode::kFusedMultiplyAdd, Function::fma},
      {Opcode::kSqrt, Function::sqrt},       {Opcode::kRsqrtFloat, Function::rsqrt},
      {Opcode::kFabs, Function::fabs},       {Opcode::kFloor, Function::floor},
      {Opcode::kCeil, Function::ceil},       {Opcode::kTrunc, Function::trunc},
      {Opcode::kRint, Function::rint},       {Opcode::kRound, Function::round},
      {Opcode::kSign, Function::sign},       {Opcode::kStep, Function::step},
      {Opcode::kFmin, Function::fmin},       {Opcode::kFminCommon, Function::fmin},
      {Opcode::kFmax, Function::fmax},       {Opcode::kFmaxCommon, Function::fmax},
      {Opcode::kFclamp, Function::clamp},    {Opcode::kCopysign, Function::copysign}};
  for (const auto& [opcode, function] : kRows) {
    if (opcode == operation.opcode) {
      return Operation::Builtin(function, FormatOf(operation.kind));
    }
  }
  return std::nullopt;
}

namespace {

constexpr int kPrecision = 256;

class OriginSearch {
 public:
  OriginSearch(const DebugProgram& program, const DebugItem& item)
      : program_(program), item_(item), table_(*program.program.debug) {}

  // Follows moves, to each place once.
  Expected<DebugOrigin> Find(const std::byte* place, std::uint64_t bytes) {
    if (!visited_.insert(place).second) return Gone();
    std::uint64_t bits = 0;
    std::memcpy(&bits, place, bytes);
    Expected<DebugOrigin> found = Gone();
    // Of several that could have made it, the one that stands last.
    for (std::size_t i = table_.operations.size(); i-- != 0;) {
      const DebugOperation& operation = table_.operations[i];
      if (operation.opcode == Opcode::kStore || operation.opcode == Opcode::kStoreMany) {
        found = FromStore(operation, place, bits, bytes);
      } else {
        found = FromResult(operation, place, bits);
      }
      if (found) return found;
    }
    return found;
  }

 private:
  static tl::unexpected<Error> Gone() {
    return Fail(ErrorKind::kUsage,
                "no instruction whose operands are still there made this value: it is an input or "
                "a constant, an instruction that rounds nothing made it, or the operands have "
                "other values by now (start with --shadow, which keeps them)");
  }
  const std::byte* Place(const DebugRegister& one) const {
    return item_.batch->registers + one.offset;
  }
  std::uint64_t BitsOf(const DebugRegister& one) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, Place(one), interp::BytesOf(one.kind));
    return bits;
  }
  const std::byte* Memory(const DebugOperation& operation, std::uint64_t bytes) const {
    const Address address = BitsOf(table_.OperandsOf(operation)[0]) + operation.immediate;
    const auto host = DebugMemory(program_).Host(item_, address, bytes);
    return host ? *host : nullptr;
  }

  Expected<DebugOrigin> FromStore(const DebugOperation& operation, const std::byte* place,
                                  std::uint64_t bits, std::uint64_t bytes) {
    const auto operands = table_.OperandsOf(operation);
    if (interp::BytesOf(operation.kind) != bytes) return Gone();
    const std::byte* memory = Memory(operation, bytes * (operands.size() - 1));
    if (memory == nullptr || place < memory) return Gone();
    const auto part = static_cast<std::uint64_t>(place - memory);
    if (part % bytes != 0 || part / bytes + 1 >= operands.size()) return Gone();
    const DebugRegister& value = operands[1 + part / bytes];
    if (BitsOf(value) != bits) return Gone();
    return Find(Place(value), bytes);
  }

  Expected<DebugOrigin> FromResult(const DebugOperation& operation, const std::byte* place,
                                   std::uint64_t bits) {
    const auto results = table_.ResultsOf(operation);
    const auto result = std::ranges::find_if(
        results, [&](const DebugRegister& one) { return Place(one) == place; });
    if (result == results.end()) return Gone();
    const auto number = static_cast<std::size_t>(result - results.begin());
    const auto operands = table_.OperandsOf(operation);
    const std::uint64_t bytes = interp::BytesOf(result->kind);
    if (operation.opcode == Opcode::kLoad || operation.opcode == Opcode::kLoadMany) {
      const std::byte* memory = Memory(operation, bytes * results.size());
      if (memory == nullptr) return Gone();
      std::uint64_t there = 0;
      std::memcpy(&there, memory + number * bytes, bytes);
      return there == bits ? Find(memory + number * bytes, bytes) : Gone();
    }
    if (operation.opcode == Opcode::kCopy) {
      return BitsOf(operands[number]) == bits ? Find(Place(operands[number]), bytes) : Gone();
    }
    if (operation.opcode == Opcode::kSelect) {
      const DebugRegister& chosen = operands[BitsOf(operands[0]) != 0 ? 1 : 2];
      return BitsOf(chosen) == bits ? Find(Place(chosen), bytes) : Gone();
    }
    return Computed(operation, number, bits);
  }

  // The operands are those that it had if they make the value again.
  Expected<DebugOrigin> Computed(const DebugOperation& operation, std::size_t number, Bits bits) {
    DebugOrigin origin{.place = {operation.origin, operation.site},
                       .format = FormatOf(operation.kind)};
    const auto operands = table_.OperandsOf(operation);
    const auto results = table_.ResultsOf(operation);
    for (const DebugRegister& one : operands) origin.operands.push_back(BitsOf(one));
    // As if nothing had been executed yet: registers begin as zeros.
    if (bits == 0 && std::ranges::all_of(origin.operands, [](Bits one) { return one == 0; })) {
      return Gone();
    }
    const numerics::Format format = FormatOf(results[number].kind);
    if (const auto builtin = BuiltinOf(program_.program, operation)) {
      std::vector<ShadowNumber> exact;
      std::vector<Bits> made;
      const auto types = builtin->ArgumentTypes();
      for (std::size_t i = 0; i < types.size(); ++i) {
        exact.push_back(numerics::IsFloating(types[i])
                            ? ShadowNumber::OfFloat(origin.format, origin.operands[i], kPrecision)
                            : ShadowNumber());
      }
      for (const DebugRegister& one : results) made.push_back(BitsOf(one));
      made.resize(builtin->ResultTypes().size());
      std::vector<ShadowNumber> values(made.size());
      EvaluateShadow({*builtin, kPrecision, exact, origin.operands, made}, values);
      origin.exact = values[number];
    } else if (operation.opcode == Opcode::kFConvert) {
      origin.format = FormatOf(operation.from);
      origin.exact = ShadowNumber::OfFloat(origin.format, origin.operands[0], kPrecision);
    } else if (operation.opcode == Opcode::kConvertSToF ||
               operation.opcode == Opcode::kConvertUToF) {
      origin.exact = ShadowNumber::OfInteger(
          IntegerTypeOf(operation.from, operation.opcode == Opcode::kConvertSToF),
          origin.operands[0], kPrecision);
    }
    // An ulp at most, whatever the rounding mode; of NaN there is no distance.
    if (!origin.exact || !(origin.exact.ErrorInUlp(format, bits) <= 1)) return Gone();
    return origin;
  }

  const DebugProgram& program_;
  const DebugItem& item_;
  const DebugTable& table_;
  std::set<const std::byte*> visited_;
};

}  // namespace

Expected<DebugOrigin> FindOrigin(const DebugProgram& program, const DebugItem& item,
                                 const std::byte* place, std::uint64_t bytes) {
  return OriginSearch(program, item).Find(place, bytes);
}

}  // namespace assay::interp
