// Images and samplers.  A value of an image or sampler type is a number that the launch gives
// (interp/execute/launch_state.h); one of a sampled image has both.
#include <fmt/format.h>

#include "interp/import/import.h"
#include "interp/program/image.h"

namespace assay::interp {

using frontend::ImageOperands;
using frontend::TypeKind;
using numerics::image::DataType;
using Query = ImageCall::Query;

namespace {

constexpr std::uint64_t kSamplerShift = 32;

constexpr std::uint32_t Bit(ImageOperands operand) { return static_cast<std::uint32_t>(operand); }

// How many components a coordinate has.
std::uint32_t CoordinatesOf(ImageShape shape) {
  return static_cast<std::uint32_t>(DimensionsOf(shape)) + (IsArrayed(shape) ? 1 : 0);
}

Query QueryOf(frontend::Op opcode) {
  using frontend::Op;
  switch (opcode) {
    case Op::kImageQuerySizeLod:
    case Op::kImageQuerySize:
      return Query::kSize;
    case Op::kImageQueryFormat:
      return Query::kFormat;
    case Op::kImageQueryOrder:
      return Query::kOrder;
    case Op::kImageQueryLevels:
      return Query::kLevels;
    case Op::kImageQuerySamples:
      return Query::kSamples;
    default:
      return Query::kNone;
  }
}

}  // namespace

// OpConstantSampler: addressing mode, whether coordinates are normalized, filter mode.
Value Importer::LiteralSamplerValue(const frontend::Constant& constant) {
  const Instruction* definition = module_.Definition(constant.id);
  if (definition != nullptr) {
    const auto words = module_.Operands(*definition);
    if (words.size() == 3 && words[0] <= 4 && words[1] <= 1 && words[2] <= 1) {
      return Constant(
          Kind::kI64,
          LiteralSampler({static_cast<numerics::image::AddressMode>(words[0]),
                          static_cast<numerics::image::FilterMode>(words[2]), words[1] == 1}));
    }
  }
  FailUsage(
      fmt::format("{} is a sampler with modes that there are not", module_.Describe(constant.id)));
  return Constant(Kind::kI64, 0);
}

// The type of the image that an instruction uses.
std::optional<ImageType> Importer::UsedImage(Id id, bool sampled) {
  Id type = TypeIdOf(id);
  if (sampled) {
    const Instruction* declared = module_.Definition(type);
    if (declared == nullptr || declared->opcode != Op::kTypeSampledImage) {
      FailUsage("an operand that is no sampled image");
      return std::nullopt;
    }
    type = module_.Operands(*declared)[0];
  }
  const auto image = ImageTypeOf(module_, type);
  if (image) return *image;
  FailWith(image.error().kind, fmt::format("{}: {}", module_.name, image.error().message));
  return std::nullopt;
}

// Components of a vector or scalar, as 32 bits each.
void Importer::AppendWords(Id id, std::uint32_t count, bool as_integers,
                           std::vector<Value>* operands) {
  const std::vector<Value> values = ValuesOf(id);
  const Kind from = ScalarKindOf(TypeIdOf(id));
  if (error_) return;
  if (values.size() < count || IsFloat(from) == as_integers || from == Kind::kBool) {
    return FailUsage("a coordinate, level or sample of a type that the instruction does not take");
  }
  const Kind to = as_integers ? Kind::kI32 : Kind::kF32;
  for (std::uint32_t i = 0; i < count; ++i) {
    operands->push_back(from == to ? values[i]
                                   : Convert(as_integers ? Opcode::kUConvert : Opcode::kFConvert,
                                             to, from, values[i]));
  }
}

// What the color is: its type and the operands SignExtend and ZeroExtend.
bool Importer::SetColor(Id type, std::uint32_t mask, ImageCall* call) {
  const Type* found = module_.types.Find(type);
  const Kind kind = ScalarKindOf(type);
  const std::uint64_t count = CountLeaves(type);
  const bool is_number =
      found != nullptr && (found->IsScalar() || found->kind == TypeKind::kVector);
  if (error_ || !is_number || (count != 1 && count != 4)) {
    FailUsage("a color that is neither a scalar nor four of them");
    return false;
  }
  call->components = static_cast<std::uint8_t>(count);
  if (kind == Kind::kF32) {
    call->type = DataType::kFloat;
  } else if (kind == Kind::kF16) {
    call->type = DataType::kHalf;
  } else if (kind == Kind::kI32) {
    const bool is_signed = (mask & Bit(ImageOperands::kSignExtend)) != 0;
    const bool is_unsigned = (mask & Bit(ImageOperands::kZeroExtend)) != 0;
    call->type = is_signed ? DataType::kInt : DataType::kUint;
    call->either_integer = is_signed == is_unsigned;
  } else {
    FailUnsupported("a color of components that are neither of 32 bits nor half");
    return false;
  }
  return true;
}

// The optional operands, from the mask on.
void Importer::AppendImageOperands(std::span<const Word> words, std::uint32_t dimensions,
                                   ImageCall* call, std::vector<Value>* operands) {
  if (words.empty()) return;
  constexpr std::uint32_t kKnown = Bit(ImageOperands::kLod) | Bit(ImageOperands::kGrad) |
                                   Bit(ImageOperands::kSample) | Bit(ImageOperands::kSignExtend) |
                                   Bit(ImageOperands::kZeroExtend) |
                                   Bit(ImageOperands::kNontemporal);
  const std::uint32_t mask = words[0];
  if ((mask & ~kKnown) != 0) {
    return FailUnsupported("an image operand that OpenCL does not have");
  }
  std::size_t next = 1;
  const auto take = [&](std::uint32_t count, bool as_integers) {
    if (next >= words.size()) return FailUsage("an image operand that is not there");
    AppendWords(words[next++], count, as_integers, operands);
  };
  if ((mask & Bit(ImageOperands::kLod)) != 0) {
    call->levels = 1;
    take(1, !call->sampled);
  }
  if ((mask & Bit(ImageOperands::kGrad)) != 0) {
    if (!call->sampled || call->levels != 0) return FailUsage("gradients beside a level of detail");
    call->gradient = static_cast<std::uint8_t>(dimensions);
    take(dimensions, false);
    take(dimensions, false);
  }
  if ((mask & Bit(ImageOperands::kSample)) != 0) {
    call->samples = 1;
    take(1, true);
  }
}

// A read of the image that `value` names, with its sampler where the call says so.
void Importer::EmitImageRead(const Instruction& instruction, ImageCall call, const ImageType& image,
                             Value value, Id coordinate, std::span<const Word> optional) {
  if (!SetColor(instruction.type, optional.empty() ? 0 : optional[0], &call)) return;
  if (image.access == ImageAccess::kWriteOnly) return FailUsage("a read of a write_only image");
  if (call.sampled && image.multisampled) return FailUsage("a sampler for a multisample image");
  std::vector<Value> values = {value};
  call.integers = !IsFloat(ScalarKindOf(TypeIdOf(coordinate)));
  if (!call.integers && !call.sampled) return FailUsage("a coordinate that is no integer");
  call.coordinates = static_cast<std::uint8_t>(CoordinatesOf(image.shape));
  AppendWords(coordinate, call.coordinates, call.integers, &values);
  AppendImageOperands(optional, static_cast<std::uint32_t>(DimensionsOf(image.shape)), &call,
                      &values);
  if (error_) return;
  result_.image_calls.push_back(call);
  const Kind kind = ScalarKindOf(instruction.type);
  const std::vector<Kind> kinds(call.components, kind);
  const std::uint32_t place =
      EmitMany(Opcode::kImageRead, kind, values, result_.image_calls.size() - 1, kinds);
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < call.components; ++i) {
    results.push_back(graph_.instructions[place].first_result + i);
  }
  Bind(instruction.result, results);
}

void Importer::ImportImageRead(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  ImageCall call;
  call.sampled = instruction.opcode == Op::kImageSampleExplicitLod;
  const auto image = UsedImage(operands[0], call.sampled);
  if (error_) return;
  EmitImageRead(instruction, call, *image, ValueOf(operands[0]), operands[1], operands.subspan(2));
}

Value Importer::SampledImage(Id image, Id sampler) {
  const Value shifted = Emit(Opcode::kShiftLeftLogical, Kind::kI64,
                             {ValueOf(sampler), Constant(Kind::kI64, kSamplerShift)});
  return Emit(Opcode::kBitwiseOr, Kind::kI64, {ValueOf(image), shifted});
}

// Functions that clang-22 makes no instruction of, and leaves as calls.
bool Importer::ImportImageFunction(const Instruction& instruction, std::string_view name) {
  constexpr std::uint64_t kFirstOrder = 0x10B0;  // of OpenCL's numbers
  const auto operands = module_.Operands(instruction).subspan(1);
  const bool asks = name == "get_image_channel_order" && operands.size() == 1;
  const bool reads = name == "read_imageh" && (operands.size() == 2 || operands.size() == 3);
  if (!asks && !reads) return false;
  const auto image = UsedImage(operands[0], false);
  if (error_) return true;
  ImageCall call;
  if (reads) {
    call.sampled = operands.size() == 3;
    const Value value =
        call.sampled ? SampledImage(operands[0], operands[1]) : ValueOf(operands[0]);
    EmitImageRead(instruction, call, *image, value, operands.back(), {});
    return true;
  }
  if (ScalarKindOf(instruction.type) != Kind::kI32) {
    return FailUsage("a result that is not what the query gives"), true;
  }
  call.query = Query::kOrder;
  call.components = 1;
  result_.image_calls.push_back(call);
  const Kind kinds[] = {Kind::kI32};
  const Value value = ValueOf(operands[0]);
  const std::uint32_t place = EmitMany(Opcode::kImageQuery, Kind::kI32, std::span(&value, 1),
                                       result_.image_calls.size() - 1, kinds);
  BindOne(instruction.result,
          Emit(Opcode::kIAdd, Kind::kI32,
               {graph_.instructions[place].first_result, Constant(Kind::kI32, kFirstOrder)}));
  return true;
}

void Importer::ImportImageWrite(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  ImageCall call;
  call.writes = true;
  const auto image = UsedImage(operands[0], false);
  const Id color = operands[2];
  const std::uint32_t mask = operands.size() > 3 ? operands[3] : 0;
  if (error_ || !SetColor(TypeIdOf(color), mask, &call)) return;
  if (image->access == ImageAccess::kReadOnly) return FailUsage("a write to a read_only image");
  std::vector<Value> values = {ValueOf(operands[0])};
  call.coordinates = static_cast<std::uint8_t>(CoordinatesOf(image->shape));
  AppendWords(operands[1], call.coordinates, true, &values);
  AppendImageOperands(operands.subspan(3), 0, &call, &values);
  const std::vector<Value> components = ValuesOf(color);
  values.insert(values.end(), components.begin(), components.end());
  if (error_) return;
  result_.image_calls.push_back(call);
  EmitMany(Opcode::kImageWrite, ScalarKindOf(TypeIdOf(color)), values,
           result_.image_calls.size() - 1, {});
}

void Importer::ImportImageQuery(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  ImageCall call;
  call.query = QueryOf(instruction.opcode);
  const auto image = UsedImage(operands[0], false);
  const Type* type = module_.types.Find(instruction.type);
  const Kind kind = ScalarKindOf(instruction.type);
  const std::uint64_t count = CountLeaves(instruction.type);
  if (error_) return;
  const std::uint64_t wanted = call.query == Query::kSize ? CoordinatesOf(image->shape) : 1;
  if (!(type->kind == TypeKind::kInteger || type->kind == TypeKind::kVector) || !IsInteger(kind) ||
      count < wanted || count > 4) {
    return FailUsage("a result that is not what the query gives");
  }
  call.components = static_cast<std::uint8_t>(count);
  std::vector<Value> values = {ValueOf(operands[0])};
  if (instruction.opcode == Op::kImageQuerySizeLod) {
    call.levels = 1;
    AppendWords(operands[1], 1, true, &values);
  }
  if (error_) return;
  result_.image_calls.push_back(call);
  const std::vector<Kind> kinds(count, Kind::kI32);
  const std::uint32_t place =
      EmitMany(Opcode::kImageQuery, Kind::kI32, values, result_.image_calls.size() - 1, kinds);
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < count; ++i) {
    results.push_back(
        Convert(Opcode::kUConvert, kind, Kind::kI32, graph_.instructions[place].first_result + i));
  }
  Bind(instruction.result, results);
}

bool Importer::ImportImage(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  switch (instruction.opcode) {
    case Op::kSampledImage:
      BindOne(instruction.result, SampledImage(operands[0], operands[1]));
      return true;
    case Op::kImage:
      BindOne(instruction.result, Emit(Opcode::kBitwiseAnd, Kind::kI64,
                                       {ValueOf(operands[0]), Constant(Kind::kI64, 0xffffffff)}));
      return true;
    case Op::kImageSampleExplicitLod:
    case Op::kImageRead:
      return ImportImageRead(instruction), true;
    case Op::kImageWrite:
      return ImportImageWrite(instruction), true;
    default:
      if (QueryOf(instruction.opcode) == Query::kNone) return false;
      return ImportImageQuery(instruction), true;
  }
}

}  // namespace assay::interp
