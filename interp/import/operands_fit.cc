#include "interp/import/operands_fit.h"

#include <algorithm>

namespace assay::interp {
namespace {

class OperandCheck {
 public:
  OperandCheck(const ImportedKernel& kernel, const IrInstruction& instruction)
      : kernel_(kernel),
        graph_(kernel.graph),
        instruction_(instruction),
        operands_(kernel.graph.Operands(instruction)) {}

  bool Passes() const {
    for (const Value operand : operands_) {
      if (operand >= graph_.values.size()) return false;
    }
    switch (TraitsOf(instruction_.opcode).operands) {
      case Operands::kAny:
        return true;
      case Operands::kOfRow:
        return Has(static_cast<std::size_t>(OperandCount(instruction_.opcode))) &&
               Takes(instruction_.opcode, instruction_.kind) && AreValues(0);
      case Operands::kConverted:
        return IsConverted();
      case Operands::kIntegerToInteger:
        return IsConverted() && !IsFloat(instruction_.kind) && !IsFloat(instruction_.from);
      case Operands::kFloatToInteger:
        return IsConverted() && IsInteger(instruction_.kind) && IsFloat(instruction_.from);
      case Operands::kIntegerToFloat:
        return IsConverted() && IsFloat(instruction_.kind) && !IsFloat(instruction_.from);
      case Operands::kFloatToFloat:
        return IsConverted() && IsFloat(instruction_.kind) && IsFloat(instruction_.from);
      case Operands::kConditionAndValues:
        return Has(3) && KindOf(0) == Kind::kBool && AreValues(1);
      case Operands::kIndexAndValues:
        return HasAtLeast(2) && IsAddress(0) && AreValues(1);
      case Operands::kIndexAndParts:
        return HasAtLeast(3) && IsAddress(0) && AreValues(1) &&
               instruction_.result_count == operands_.size() - 2;
      case Operands::kAddress:
        return Has(1) && AreAddresses();
      case Operands::kTwoAddresses:
        return Has(2) && AreAddresses();
      case Operands::kThreeAddresses:
        return Has(3) && AreAddresses();
      case Operands::kFiveAddresses:
        return Has(5) && AreAddresses();
      case Operands::kAddresses:
        return AreAddresses();
      case Operands::kAddressAndIndex32:
        return Has(2) && IsAddress(0) && Bytes(1) == 4;
      case Operands::kAddressOnly:
        return Has(1) && IsAddress(0);
      case Operands::kAddressFirst:
        return HasAtLeast(1) && IsAddress(0);
      case Operands::kAddressAndValues:
        return HasAtLeast(1) && IsAddress(0) && AreValues(1);
      case Operands::kOfMathCall:
        return FitCall(kernel_.math_calls[instruction_.immediate]);
      case Operands::kOfGroupCall:
        return FitCall(kernel_.group_calls[instruction_.immediate]);
      case Operands::kOfSubgroupCall:
        return FitCall(kernel_.subgroup_calls[instruction_.immediate]);
      case Operands::kOfImageCall:
        return FitCall(kernel_.image_calls[instruction_.immediate]);
    }
    return false;
  }

 private:
  bool IsConverted() const { return Has(1) && Bytes(0) == BytesOf(instruction_.from); }
  bool Has(std::size_t count) const { return operands_.size() == count; }
  bool HasAtLeast(std::size_t count) const { return operands_.size() >= count; }
  Kind KindOf(std::size_t i) const { return graph_.values[operands_[i]].kind; }
  std::uint32_t Bytes(std::size_t i) const { return BytesOf(KindOf(i)); }
  bool IsAddress(std::size_t i) const { return KindOf(i) == Kind::kI64; }
  bool AreAddresses(std::size_t first = 0) const {
    return std::ranges::all_of(operands_.subspan(first), [this](Value value) {
      return graph_.values[value].kind == Kind::kI64;
    });
  }
  bool AreValues(std::size_t first) const { return AreValues(first, operands_.size()); }
  bool AreValues(std::size_t first, std::size_t end) const {
    for (std::size_t i = first; i < end; ++i) {
      if (Bytes(i) != BytesOf(instruction_.kind)) return false;
    }
    return true;
  }

  bool FitCall(const MathCall& call) const {
    const auto types = call.operation.ArgumentTypes();
    if (!Has(call.argument_bytes.size()) || !Has(types.size()) ||
        instruction_.result_count != call.result_bytes.size()) {
      return false;
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (Bytes(i) != call.argument_bytes[i] ||
          Bytes(i) * 8 != static_cast<std::uint32_t>(numerics::WidthOf(types[i]))) {
        return false;
      }
    }
    for (std::uint32_t i = 0; i < instruction_.result_count; ++i) {
      const Kind kind = graph_.values[instruction_.first_result + i].kind;
      if (BytesOf(kind) != call.result_bytes[i]) return false;
    }
    return true;
  }

  // The parts of the value, and local ids behind them.
  bool FitCall(const GroupCall& call) const {
    return HasAtLeast(call.parts) && AreValues(0, call.parts) && AreAddresses(call.parts) &&
           instruction_.result_count == call.parts;
  }

  // Values, then indices; behind them CountIterations puts numbers of its own.
  bool FitCall(const SubgroupCall& call) const {
    const std::size_t parts = std::size_t{call.values} * call.parts;
    const std::size_t own = parts + call.extras;
    if (operands_.size() != own + instruction_.loop_operands) return false;
    for (std::size_t i = parts; i < own; ++i) {
      if (!IsAddress(i)) return false;
    }
    if (call.Moves() || call.function == SubgroupFunction::kCombine) {
      for (std::uint32_t i = 0; i < instruction_.result_count; ++i) {
        const Kind kind = graph_.values[instruction_.first_result + i].kind;
        if (BytesOf(kind) != BytesOf(instruction_.kind)) return false;
      }
    }
    if (call.function == SubgroupFunction::kMatrixMultiply) {
      return instruction_.result_count == call.results &&
             FitMatrices(kernel_.matrix_calls[call.matrix], parts);
    }
    return AreValues(0, parts) && instruction_.result_count == call.results;
  }

  // The parts of a, b and c, which have registers of their own widths.
  bool FitMatrices(const MatrixCall& call, std::size_t parts) const {
    const auto are_wide = [](const MatrixOperand& operand, const auto& kind_of) {
      for (std::uint32_t i = 0; i < operand.parts; ++i) {
        const std::uint32_t bits = BytesOf(kind_of(i)) * 8;
        if (operand.shift + std::uint32_t{operand.bits} * operand.elements > bits) return false;
      }
      return true;
    };
    const auto given = [&](const MatrixOperand& operand, std::size_t first) {
      return are_wide(operand, [&](std::uint32_t i) { return KindOf(first + i); });
    };
    const std::size_t b = call.a.parts;
    const std::size_t c = b + call.b.parts;
    return c + call.c.parts == parts && call.d.parts == instruction_.result_count &&
           given(call.a, 0) && given(call.b, b) && given(call.c, c) &&
           are_wide(call.d, [&](std::uint32_t i) {
             return graph_.values[instruction_.first_result + i].kind;
           });
  }

  // What names the image, then 32 bits each, then a color's components.
  bool FitCall(const ImageCall& call) const {
    const bool is_half = call.type == numerics::image::DataType::kHalf;
    const std::uint32_t color = is_half && call.query == ImageCall::Query::kNone ? 2 : 4;
    if (!Has(call.Operands()) || !IsAddress(0)) return false;
    const std::size_t first = call.writes ? operands_.size() - call.components : operands_.size();
    for (std::size_t i = 1; i < operands_.size(); ++i) {
      if (Bytes(i) != (i < first ? 4 : color)) return false;
    }
    if (instruction_.result_count != (call.writes ? 0u : call.components)) return false;
    for (std::uint32_t i = 0; i < instruction_.result_count; ++i) {
      const Kind kind = graph_.values[instruction_.first_result + i].kind;
      if (BytesOf(kind) != color) return false;
    }
    return true;
  }

  const ImportedKernel& kernel_;
  const Graph& graph_;
  const IrInstruction& instruction_;
  std::span<const Value> operands_;
};

}  // namespace

bool OperandsFit(const ImportedKernel& kernel, const IrInstruction& instruction) {
  return OperandCheck(kernel, instruction).Passes();
}

}  // namespace assay::interp
