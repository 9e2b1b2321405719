#include "oracle/devices/kernel_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "numerics/function.h"

namespace assay::oracle {
namespace {

using frontend::Decoration;
using frontend::Op;
using frontend::OpenClStd;
using frontend::StorageClass;
using numerics::Function;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ScalarType;
using numerics::Slot;
using Id = SpirvWriter::Id;
using Word = SpirvWriter::Word;

struct NamedInstruction {
  std::string_view name;
  Word number;
};
constexpr NamedInstruction kOpenClStd[] = {
#include "oracle/opencl_std_names.inc"
};

// The built-ins that are instructions of the core.
struct CoreInstruction {
  Function function;
  Op op;
  std::string_view name;
};
constexpr CoreInstruction kCore[] = {{Function::add, Op::kFAdd, "OpFAdd"},
                                     {Function::sub, Op::kFSub, "OpFSub"},
                                     {Function::mul, Op::kFMul, "OpFMul"},
                                     {Function::div, Op::kFDiv, "OpFDiv"},
                                     {Function::recip_div, Op::kFDiv, "OpFDiv of 1 and x"},
                                     {Function::mul_add, Op::kFMul, "OpFMul and OpFAdd"},
                                     {Function::dot, Op::kDot, "OpDot"}};

const CoreInstruction* CoreOf(Function function) {
  const auto* const found = std::find_if(std::begin(kCore), std::end(kCore),
                                         [&](const auto& row) { return row.function == function; });
  return found == std::end(kCore) ? nullptr : found;
}

// OpenCL.std has names of its own where OpenCL C overloads a name for integers.
std::string_view NameInOpenClStd(Function function) {
  constexpr std::pair<Function, std::string_view> kOthers[] = {
      {Function::clamp, "fclamp"}, {Function::max, "fmax_common"}, {Function::min, "fmin_common"}};
  for (const auto& [other, name] : kOthers) {
    if (other == function) return name;
  }
  return numerics::Info(function).name;
}

std::optional<OpenClStd> ExtendedOf(Function function) {
  for (const NamedInstruction& row : kOpenClStd) {
    if (row.name == NameInOpenClStd(function)) return static_cast<OpenClStd>(row.number);
  }
  return std::nullopt;
}

// The instruction of convert_TO[_sat][_rounding](FROM).
struct ConversionInstruction {
  Op op = Op::kNop;  // kNop: there is none
  std::string_view name{};
  bool is_saturated = false;  // decorated so
  std::string_view why_none{};
};

ConversionInstruction OfIntegers(const Operation& operation) {
  const bool from_signed = numerics::IsSigned(operation.from);
  if (operation.suffix) {
    return {.why_none = "a rounding mode may not decorate a conversion between integers"};
  }
  if (operation.saturate && from_signed != numerics::IsSigned(operation.to)) {
    if (from_signed) return {.op = Op::kSatConvertSToU, .name = "OpSatConvertSToU"};
    return {.op = Op::kSatConvertUToS, .name = "OpSatConvertUToS"};
  }
  if (numerics::WidthOf(operation.from) == numerics::WidthOf(operation.to)) {
    return {.why_none = "it changes no bit"};
  }
  const bool saturated = operation.saturate;
  if (from_signed) return {.op = Op::kSConvert, .name = "OpSConvert", .is_saturated = saturated};
  return {.op = Op::kUConvert, .name = "OpUConvert", .is_saturated = saturated};
}

ConversionInstruction OfConversion(const Operation& operation) {
  const ScalarType from = operation.from, to = operation.to;
  if (from == ScalarType::kBfloat16 || to == ScalarType::kBfloat16) {
    return {.why_none = "the core has no bfloat16"};
  }
  if (from == to) return {.why_none = "it changes no bit"};
  const bool saturated = operation.saturate;
  if (!numerics::IsFloating(from)) {
    if (!numerics::IsFloating(to)) return OfIntegers(operation);
    if (numerics::IsSigned(from)) return {.op = Op::kConvertSToF, .name = "OpConvertSToF"};
    return {.op = Op::kConvertUToF, .name = "OpConvertUToF"};
  }
  if (numerics::IsFloating(to)) return {.op = Op::kFConvert, .name = "OpFConvert"};
  if (numerics::IsSigned(to)) {
    return {.op = Op::kConvertFToS, .name = "OpConvertFToS", .is_saturated = saturated};
  }
  return {.op = Op::kConvertFToU, .name = "OpConvertFToU", .is_saturated = saturated};
}

Word ModeOf(numerics::Rounding rounding) {
  constexpr frontend::FPRoundingMode kModes[] = {
      frontend::FPRoundingMode::kRTE, frontend::FPRoundingMode::kRTZ,
      frontend::FPRoundingMode::kRTP, frontend::FPRoundingMode::kRTN};
  return static_cast<Word>(kModes[static_cast<int>(rounding)]);
}

// One kernel: the statements for an operation in a width.
class KernelWriter {
 public:
  KernelWriter(SpirvWriter* writer, const Operation& operation, int width,
               std::span<const Id> columns, Id index)
      : writer_(*writer), operation_(operation), width_(width), columns_(columns), index_(index) {}

  void Write() {
    const std::vector<Slot> inputs = operation_.Inputs(), outputs = operation_.Outputs();
    switch (operation_.kind) {
      case OperationKind::kVloadHalf:
        Store(outputs[0], 0, LoadHalf());
        return;
      case OperationKind::kVstoreHalf:
        StoreHalf(Load(inputs[0], 0));
        return;
      case OperationKind::kConvert:
        Store(outputs[0], 0, Convert(Load(inputs[0], 0)));
        return;
      case OperationKind::kBuiltin:
        break;
    }
    std::vector<Word> operands;
    for (std::size_t k = 0; k < inputs.size(); ++k) operands.push_back(Load(inputs[k], k));
    if (outputs.size() > 1) operands.push_back(writer_.Variable(TypeOf(outputs[1])));
    Store(outputs[0], 0, Call(operands, TypeOf(outputs[0])));
    if (outputs.size() > 1) {
      Store(outputs[1], 1, writer_.Result(Op::kLoad, TypeOf(outputs[1]), {operands.back()}));
    }
  }

 private:
  Id TypeOf(const Slot& slot) {
    return writer_.Vector(writer_.Scalar(slot.type), SlotWidth(slot, width_));
  }

  // The address of this work-item's scalar in a column.
  Id Place(const Slot& slot, Id column) {
    const Id pointer = writer_.Pointer(StorageClass::kCrossWorkgroup, writer_.Scalar(slot.type));
    return writer_.Result(Op::kInBoundsPtrAccessChain, pointer, {column, index_});
  }
  static Word Aligned() { return static_cast<Word>(frontend::MemoryAccess::kAligned); }

  Id Load(const Slot& slot, std::size_t k) {
    const int n = SlotWidth(slot, width_);
    const auto bytes = static_cast<Word>(numerics::SizeOf(slot.type));
    if (n == 1) {
      return writer_.Result(Op::kLoad, TypeOf(slot), {Place(slot, columns_[k]), Aligned(), bytes});
    }
    const Word operands[] = {index_, columns_[k], static_cast<Word>(n)};
    return writer_.Extended(OpenClStd::kVloadn, TypeOf(slot), operands);
  }

  void Store(const Slot& slot, std::size_t k, Id value) {
    const Id column = columns_[operation_.Inputs().size() + k];
    const auto bytes = static_cast<Word>(numerics::SizeOf(slot.type));
    if (SlotWidth(slot, width_) == 1) {
      writer_.Add(Op::kStore, {Place(slot, column), value, Aligned(), bytes});
      return;
    }
    const Word operands[] = {value, index_, column};
    writer_.Extended(OpenClStd::kVstoren, writer_.Void(), operands);
  }

  Id LoadHalf() {
    std::vector<Word> operands = {index_, columns_[0]};
    if (width_ > 1) operands.push_back(static_cast<Word>(width_));
    return writer_.Extended(width_ > 1 ? OpenClStd::kVloadHalfn : OpenClStd::kVloadHalf,
                            TypeOf(operation_.Outputs()[0]), operands);
  }

  void StoreHalf(Id value) {
    std::vector<Word> operands = {value, index_, columns_[1]};
    if (operation_.suffix) operands.push_back(ModeOf(*operation_.suffix));
    const OpenClStd one = operation_.suffix ? OpenClStd::kVstoreHalfR : OpenClStd::kVstoreHalf;
    const OpenClStd many = operation_.suffix ? OpenClStd::kVstoreHalfnR : OpenClStd::kVstoreHalfn;
    writer_.Extended(width_ > 1 ? many : one, writer_.Void(), operands);
  }

  Id Convert(Id operand) {
    const ConversionInstruction instruction = OfConversion(operation_);
    const Id result = writer_.Result(instruction.op, TypeOf(operation_.Outputs()[0]), {operand});
    if (instruction.is_saturated) writer_.Decorate(result, Decoration::kSaturatedConversion);
    if (operation_.suffix) {
      writer_.Decorate(result, Decoration::kFPRoundingMode, {ModeOf(*operation_.suffix)});
    }
    return result;
  }

  Id Call(const std::vector<Word>& operands, Id type) {
    const CoreInstruction* const core = CoreOf(operation_.function);
    if (core == nullptr) {
      return writer_.Extended(*ExtendedOf(operation_.function), type, operands);
    }
    if (operation_.function == Function::recip_div) {
      const Id one = writer_.FloatConstant(numerics::ScalarTypeOf(operation_.format),
                                           numerics::One(operation_.format), width_);
      return writer_.Result(core->op, type, {one, operands[0]});
    }
    const Id result = writer_.Result(core->op, type, {operands[0], operands[1]});
    if (operation_.function != Function::mul_add) return result;
    return writer_.Result(Op::kFAdd, type, {result, operands[2]});
  }

  SpirvWriter& writer_;
  const Operation& operation_;
  int width_;
  std::span<const Id> columns_;
  Id index_;
};

// The kernels of one scheme have the same parameters: [int which,] uint first, the columns.
std::vector<Id> ParametersOf(SpirvWriter* writer, const Operation& operation, KernelScheme scheme) {
  std::vector<Id> parameters;
  const Id uint = writer->Integer(32);
  if (scheme == KernelScheme::kSwitched) parameters.push_back(uint);
  parameters.push_back(uint);
  for (const auto& slots : {operation.Inputs(), operation.Outputs()}) {
    for (const Slot& slot : slots) {
      const Id scalar = writer->Scalar(slot.type, ComputesWith(operation, slot.type));
      parameters.push_back(writer->Pointer(StorageClass::kCrossWorkgroup, scalar));
    }
  }
  return parameters;
}

// first + get_global_id(0), of size_t.
Id IndexFrom(SpirvWriter* writer, const SpirvTarget& target, Id first) {
  const Id wide =
      target.address_bits == 32 ? first : writer->Result(Op::kUConvert, writer->SizeT(), {first});
  return writer->Result(Op::kIAdd, writer->SizeT(), {wide, writer->GlobalIndex()});
}

void WriteSwitched(SpirvWriter* writer, const SpirvTarget& target, const KernelFamily& family,
                   std::span<const int> widths) {
  std::vector<Id> arguments;
  writer->BeginKernel(KernelName(family[0], KernelScheme::kSwitched, 0),
                      ParametersOf(writer, family[0], KernelScheme::kSwitched), &arguments);
  const Id index = IndexFrom(writer, target, arguments[1]);
  const Id end = writer->NewId();
  std::vector<Word> choice = {arguments[0], end};
  std::vector<Id> labels;
  for (std::size_t k = 0; k < family.size(); ++k) {
    for (const int width : widths) {
      labels.push_back(writer->NewId());
      choice.insert(choice.end(), {static_cast<Word>(SwitchValue(k, width)), labels.back()});
    }
  }
  writer->Add(Op::kSelectionMerge, {end, 0});
  writer->Add(Op::kSwitch, choice);
  std::size_t next = 0;
  for (const Operation& operation : family) {
    for (const int width : widths) {
      writer->Add(Op::kLabel, {labels[next++]});
      KernelWriter(writer, operation, width, std::span(arguments).subspan(2), index).Write();
      writer->Add(Op::kBranch, {end});
    }
  }
  writer->Add(Op::kLabel, {end});
  writer->EndKernel();
}

}  // namespace

std::string InstructionName(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kBuiltin:
      if (const CoreInstruction* const core = CoreOf(operation.function)) {
        return std::string(core->name);
      }
      return fmt::format("OpExtInst {}", NameInOpenClStd(operation.function));
    case OperationKind::kConvert: {
      const ConversionInstruction instruction = OfConversion(operation);
      return std::string(instruction.op == Op::kNop ? "none" : instruction.name);
    }
    case OperationKind::kVloadHalf:
      return "OpExtInst vload_half";
    case OperationKind::kVstoreHalf:
      return operation.suffix ? "OpExtInst vstore_half_r" : "OpExtInst vstore_half";
  }
  return "";
}

Expected<void> CheckInSpirv(const Operation& operation) {
  const auto none = [&](std::string_view why) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("SPIR-V has no instruction for {} {}: {}", operation.Name(),
                            operation.FormatName(), why));
  };
  if (operation.kind == OperationKind::kConvert) {
    const ConversionInstruction instruction = OfConversion(operation);
    return instruction.op == Op::kNop ? none(instruction.why_none) : Expected<void>();
  }
  if (operation.kind != OperationKind::kBuiltin) return {};
  if (operation.function == Function::dot && operation.components == 1) {
    return none("OpDot takes vectors");
  }
  if (CoreOf(operation.function) == nullptr && !ExtendedOf(operation.function)) {
    return none("OpenCL.std has none of this name");
  }
  return {};
}

std::vector<Word> ProgramModule(std::span<const KernelFamily> families, std::span<const int> widths,
                                KernelScheme scheme, const SpirvTarget& target) {
  SpirvWriter writer(target);
  for (const KernelFamily& family : families) {
    if (scheme == KernelScheme::kSwitched) {
      WriteSwitched(&writer, target, family, widths);
      continue;
    }
    for (const Operation& operation : family) {
      for (const int width : widths) {
        std::vector<Id> arguments;
        writer.BeginKernel(KernelName(operation, scheme, width),
                           ParametersOf(&writer, operation, scheme), &arguments);
        const Id index = IndexFrom(&writer, target, arguments[0]);
        KernelWriter(&writer, operation, width, std::span(arguments).subspan(1), index).Write();
        writer.EndKernel();
      }
    }
  }
  return writer.Words();
}

std::vector<Word> RangeModule(const std::string& kernel, const SpirvTarget& target) {
  SpirvWriter writer(target);
  const Id uint = writer.Integer(32);
  const Id pointer = writer.Pointer(StorageClass::kCrossWorkgroup, uint);
  const Id parameters[] = {uint, uint, pointer};
  std::vector<Id> arguments;
  writer.BeginKernel(kernel, parameters, &arguments);
  const Id index = writer.GlobalIndex();
  const Id low = target.address_bits == 32 ? index : writer.Result(Op::kUConvert, uint, {index});
  const Id place = writer.Result(Op::kIAdd, uint, {arguments[0], low});
  const Id wide =
      target.address_bits == 32 ? place : writer.Result(Op::kUConvert, writer.SizeT(), {place});
  const Id address = writer.Result(Op::kInBoundsPtrAccessChain, pointer, {arguments[2], wide});
  const Id number = writer.Result(Op::kIAdd, uint, {arguments[1], low});
  writer.Add(Op::kStore, {address, number, static_cast<Word>(frontend::MemoryAccess::kAligned), 4});
  writer.EndKernel();
  return writer.Words();
}

}  // namespace assay::oracle
