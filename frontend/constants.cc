#include "frontend/constants.h"

#include <fmt/format.h>

#include "frontend/constant_evaluator.h"
#include "frontend/decode.h"

namespace assay::frontend {
namespace {

constexpr std::uint64_t LowBits(std::uint64_t bits, std::uint32_t width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

}  // namespace

std::optional<std::uint64_t> ConstantTable::Integer(Id id) const {
  const Constant* constant = Find(id);
  if (constant == nullptr) return std::nullopt;
  if (constant->kind == ConstantKind::kScalar) return constant->bits;
  if (constant->kind == ConstantKind::kNull) return 0;
  return std::nullopt;
}

std::uint32_t ConstantTable::Append(const Constant& constant) {
  constants_.push_back(constant);
  return static_cast<std::uint32_t>(constants_.size() - 1);
}

Expected<void> ConstantTable::Bind(Id id, const Constant& constant) {
  if (id >= places_.size() || places_[id] != 0) {
    return Fail(ErrorKind::kUsage, fmt::format("constant %{}: declared twice", id));
  }
  places_[id] = Append(constant) + 1;
  constants_.back().id = id;
  return {};
}

void ConstantTable::AddAddress(Id id, Id type) {
  if (Find(id) != nullptr || id >= places_.size()) return;
  Constant address;
  address.kind = ConstantKind::kAddress;
  address.type = type;
  address.variable = id;
  (void)Bind(id, address);
}

Constant ConstantTable::WithWords(Constant constant, std::span<const Word> words) {
  constant.first_part = static_cast<std::uint32_t>(words_.size());
  constant.part_count = static_cast<std::uint32_t>(words.size());
  words_.insert(words_.end(), words.begin(), words.end());
  return constant;
}

Expected<void> ConstantTable::AddComposite(std::span<const Word> instruction,
                                           const Context& context) {
  Constant constant;
  constant.kind = ConstantKind::kComposite;
  constant.type = instruction[1];
  constant.specializable = OpcodeOf(instruction[0]) == Op::kSpecConstantComposite;
  const Type* type = context.types->Find(constant.type);
  const auto parts = instruction.subspan(3);
  // A matrix has one value for all of its components (SPV_KHR_cooperative_matrix).
  const bool is_matrix = type != nullptr && type->IsMatrix();
  if (type == nullptr || (is_matrix ? 1 : type->count) != parts.size() ||
      (type->kind != TypeKind::kVector && type->kind != TypeKind::kArray &&
       type->kind != TypeKind::kStruct && !is_matrix)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("constant %{}: its parts are not those of its type", instruction[2]));
  }
  constant.first_part = static_cast<std::uint32_t>(parts_.size());
  constant.part_count = static_cast<std::uint32_t>(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Id part = parts[i];
    const Constant* value = Find(part);
    if (value == nullptr) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("constant %{}: its part %{} is no constant", instruction[2], part));
    }
    // So that constants are nested no deeper than their types.
    const Id wanted =
        type->kind == TypeKind::kStruct ? context.types->Members(*type)[i] : type->element;
    if (value->type != wanted) {
      return Fail(ErrorKind::kUsage, fmt::format("constant %{}: its part %{} is of another type",
                                                 instruction[2], part));
    }
    parts_.push_back(places_[part] - 1);
  }
  return Bind(instruction[2], constant);
}

// SPV_EXT_replicated_composites: one constant for all parts.
Expected<void> ConstantTable::AddReplicated(std::span<const Word> instruction,
                                            const Context& context) {
  constexpr std::uint64_t kMostParts = 1 << 20;
  const Type* type = context.types->Find(instruction[1]);
  const std::uint64_t parts = type->IsMatrix() ? 1 : type->count;
  if (parts > kMostParts) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("constant %{}: more than {} parts", instruction[2], kMostParts));
  }
  const bool is_plain = OpcodeOf(instruction[0]) == Op::kConstantCompositeReplicateEXT;
  const Op opcode = is_plain ? Op::kConstantComposite : Op::kSpecConstantComposite;
  std::vector<Word> words = {static_cast<Word>(opcode), instruction[1], instruction[2]};
  words.resize(3 + parts, instruction[3]);
  return AddComposite(words, context);
}

// SPV_KHR_constant_data: the bits of an array of integers, without padding.
Expected<void> ConstantTable::AddData(std::span<const Word> instruction, const Context& context) {
  const Id id = instruction[2];
  const Type* type = context.types->Find(instruction[1]);
  const Type* element =
      type->kind == TypeKind::kArray ? context.types->Find(type->element) : nullptr;
  const auto data = instruction.subspan(3);
  if (element == nullptr || element->kind != TypeKind::kInteger ||
      (type->count * element->width + 31) / 32 != data.size()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("constant %{}: its data are not those of an array of integers", id));
  }
  Constant constant;
  constant.kind = ConstantKind::kComposite;
  constant.type = instruction[1];
  constant.specializable = OpcodeOf(instruction[0]) == Op::kSpecConstantDataKHR;
  if (constant.specializable && context.spec_id && context.specialization != nullptr &&
      context.specialization->contains(*context.spec_id)) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("constant %{}: an array cannot be specialized; leave out the value of "
                            "specialization constant {}",
                            id, *context.spec_id));
  }
  constant.first_part = static_cast<std::uint32_t>(parts_.size());
  constant.part_count = static_cast<std::uint32_t>(type->count);
  for (std::uint64_t i = 0; i < type->count; ++i) {
    const std::uint64_t bit = i * element->width;
    std::uint64_t bits = data[bit / 32] >> (bit % 32);
    if (element->width == 64) bits |= std::uint64_t{data[bit / 32 + 1]} << 32;
    Constant part;
    part.kind = ConstantKind::kScalar;
    part.type = element->id;
    part.bits = LowBits(bits, element->width);
    parts_.push_back(Append(part));
  }
  return Bind(id, constant);
}

Expected<void> ConstantTable::Add(std::span<const Word> instruction, const Context& context) {
  const Op opcode = OpcodeOf(instruction[0]);
  if (!IsConstantDeclaration(opcode)) return {};
  const Id id = instruction[2];
  Constant constant;
  constant.type = instruction[1];
  const Type* type = context.types->Find(constant.type);
  if (type == nullptr) {
    return Fail(ErrorKind::kUsage, fmt::format("constant %{}: it has no type", id));
  }
  switch (opcode) {
    case Op::kConstantTrue:
    case Op::kSpecConstantTrue:
    case Op::kConstantFalse:
    case Op::kSpecConstantFalse:
      constant.kind = ConstantKind::kScalar;
      constant.bits = opcode == Op::kConstantTrue || opcode == Op::kSpecConstantTrue ? 1 : 0;
      break;
    case Op::kConstant:
    case Op::kSpecConstant:
      // A literal narrower than a word is sign- or zero-extended in it (SPIR-V 2.2.1).
      constant.kind = ConstantKind::kScalar;
      constant.bits = instruction[3];
      if (instruction.size() > 4) constant.bits |= std::uint64_t{instruction[4]} << 32;
      constant.bits = LowBits(constant.bits, type->width);
      break;
    case Op::kConstantComposite:
    case Op::kSpecConstantComposite:
      return AddComposite(instruction, context);
    case Op::kConstantCompositeReplicateEXT:
    case Op::kSpecConstantCompositeReplicateEXT:
      return AddReplicated(instruction, context);
    case Op::kConstantDataKHR:
    case Op::kSpecConstantDataKHR:
      return AddData(instruction, context);
    case Op::kConstantFunctionPointerINTEL:
      if (type->kind != TypeKind::kPointer) {
        return Fail(ErrorKind::kUsage, fmt::format("constant %{}: it is no pointer", id));
      }
      // Not null, and where no object lives.
      constant.kind = ConstantKind::kScalar;
      constant.bits = std::uint64_t{instruction[3]} << kFunctionPointerShift;
      break;
    case Op::kConstantNull:
      break;
    case Op::kUndef:
    case Op::kPoisonKHR:
      constant.kind = ConstantKind::kUndefined;
      break;
    case Op::kSpecConstantOp: {
      ConstantEvaluator evaluator(this, context.types);
      auto value = evaluator.Evaluate(instruction);
      if (!value) return tl::unexpected(value.error());
      return Bind(id, *value);
    }
    case Op::kConstantSampler:
    case Op::kConstantPipeStorage:
      constant.kind = opcode == Op::kConstantSampler ? ConstantKind::kSampler : ConstantKind::kPipe;
      constant = WithWords(constant, instruction.subspan(3));
      break;
    default:
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("constant %{}: {} is not supported", id, NameOf(opcode)));
  }
  const bool specializable = opcode == Op::kSpecConstant || opcode == Op::kSpecConstantTrue ||
                             opcode == Op::kSpecConstantFalse;
  constant.specializable = specializable;
  if (specializable && context.spec_id && context.specialization != nullptr) {
    const auto value = context.specialization->find(*context.spec_id);
    if (value != context.specialization->end()) {
      constant.bits = type->kind == TypeKind::kBool ? (value->second != 0 ? 1 : 0)
                                                    : LowBits(value->second, type->width);
    }
  }
  return Bind(id, constant);
}

}  // namespace assay::frontend
