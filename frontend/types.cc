#include "frontend/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "frontend/decode.h"

namespace assay::frontend {
namespace {

// No address space is larger; sums of two of these do not overflow.
constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 62;
// SPIR-V 2.17, universal limits: structure nesting depth.
constexpr std::uint16_t kMaxDepth = 255;

tl::unexpected<Error> Bad(Id id, std::string_view what) {
  return Fail(ErrorKind::kUsage, fmt::format("type %{}: {}", id, what));
}

constexpr std::uint64_t RoundUp(std::uint64_t size, std::uint64_t alignment) {
  return (size + alignment - 1) & ~(alignment - 1);
}

}  // namespace

Expected<void> TypeTable::Add(std::span<const Word> instruction, const Context& context) {
  const Op opcode = OpcodeOf(instruction[0]);
  if (!IsTypeDeclaration(opcode)) return {};
  Type type;
  type.opcode = opcode;
  type.id = instruction[1];
  if (type.id >= places_.size()) return Bad(type.id, "declared by nothing");
  const Type* announced = Find(type.id);
  const bool completes = announced != nullptr && announced->opcode == Op::kTypeForwardPointer &&
                         opcode == Op::kTypePointer;
  if (announced != nullptr && !completes) return Bad(type.id, "declared twice");
  if (auto good = LayOut(&type, instruction, context); !good) return good;
  if (completes) {
    types_[places_[type.id] - 1] = type;
    return {};
  }
  if (type.depth > kMaxDepth) {
    return Bad(type.id, fmt::format("types nested more than {} deep", kMaxDepth));
  }
  types_.push_back(type);
  places_[type.id] = static_cast<std::uint32_t>(types_.size());
  return {};
}

Expected<void> TypeTable::LayOut(Type* type, std::span<const Word> instruction,
                                 const Context& context) {
  switch (type->opcode) {
    case Op::kTypeVoid:
      type->kind = TypeKind::kVoid;
      return {};
    case Op::kTypeBool:
      // SPIR-V gives it no size; in a variable of a function it takes a byte.
      type->kind = TypeKind::kBool;
      type->size = 1;
      return {};
    case Op::kTypeInt:
    case Op::kTypeFloat: {
      const bool integer = type->opcode == Op::kTypeInt;
      type->kind = integer ? TypeKind::kInteger : TypeKind::kFloat;
      type->width = instruction[2];
      const bool is_encoded = !integer && instruction.size() > 3;
      if (!std::has_single_bit(type->width) || type->width > 64 ||
          type->width < (integer || is_encoded ? 8u : 16u)) {
        return Bad(type->id, fmt::format("{} bits wide; OpenCL has 8 to 64 for integers and 16 to "
                                         "64 for floats",
                                         type->width));
      }
      type->size = type->width / 8;
      type->alignment = type->width / 8;
      return integer ? Expected<void>() : LayOutFloat(type, instruction);
    }
    case Op::kTypeVector:
      return LayOutVector(type, instruction[2], instruction[3]);
    case Op::kTypeArray:
      return LayOutArray(type, instruction[2],
                         context.constant ? context.constant(instruction[3]) : std::nullopt);
    case Op::kTypeStruct:
      return LayOutStruct(type, instruction.subspan(2), context);
    case Op::kTypeForwardPointer:
      // The type that it points to is known at its OpTypePointer.  Its size is known now, so that a
      // structure can point to itself.
      type->kind = TypeKind::kPointer;
      type->storage_class = static_cast<StorageClass>(instruction[2]);
      type->size = context.pointer_bytes;
      type->alignment = context.pointer_bytes;
      return {};
    case Op::kTypeUntypedPointerKHR:  // to anything: each access says of which type it is
      type->kind = TypeKind::kPointer;
      type->storage_class = static_cast<StorageClass>(instruction[2]);
      type->size = context.pointer_bytes;
      type->alignment = context.pointer_bytes;
      return {};
    case Op::kTypeCooperativeMatrixKHR:
      return LayOutMatrix(type, instruction, context);
    case Op::kTypePointer:
      type->kind = TypeKind::kPointer;
      type->storage_class = static_cast<StorageClass>(instruction[2]);
      type->element = instruction[3];
      type->size = context.pointer_bytes;
      type->alignment = context.pointer_bytes;
      return {};
    case Op::kTypeFunction:
      type->kind = TypeKind::kFunction;
      type->element = instruction[2];
      type->count = instruction.size() - 3;
      type->first_member = static_cast<std::uint32_t>(members_.size());
      members_.insert(members_.end(), instruction.begin() + 3, instruction.end());
      offsets_.resize(members_.size());
      return {};
    case Op::kTypeMatrix:
    case Op::kTypeRuntimeArray:
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("type %{}: {} is not of OpenCL", type->id, NameOf(type->opcode)));
    default:
      // Handles that a host would see as pointers.
      type->kind = TypeKind::kOpaque;
      type->size = context.pointer_bytes;
      type->alignment = context.pointer_bytes;
      return {};
  }
}

// SPV_KHR_bfloat16, SPV_EXT_float8: the encoding is an operand of its own.
Expected<void> TypeTable::LayOutFloat(Type* type, std::span<const Word> instruction) {
  if (instruction.size() < 4) return {};
  const auto encoding = static_cast<FPEncoding>(instruction[3]);
  if (encoding == FPEncoding::kBFloat16KHR && type->width == 16) {
    type->encoding = FloatEncoding::kBfloat16;
  } else if (encoding == FPEncoding::kFloat8E4M3EXT && type->width == 8) {
    type->encoding = FloatEncoding::kE4m3;
  } else if (encoding == FPEncoding::kFloat8E5M2EXT && type->width == 8) {
    type->encoding = FloatEncoding::kE5m2;
  } else {
    return Bad(type->id, fmt::format("a float of {} bits with encoding {}", type->width,
                                     EnumerantName(OperandKind::kFPEncoding, instruction[3])));
  }
  return {};
}

// SPV_KHR_cooperative_matrix.  How many components a work-item has depends on the sub-group's size,
// so a variable has room for all of them.
Expected<void> TypeTable::LayOutMatrix(Type* type, std::span<const Word> instruction,
                                       const Context& context) {
  const Type* component = Find(instruction[2]);
  const bool is_number = component != nullptr && (component->kind == TypeKind::kInteger ||
                                                  component->kind == TypeKind::kFloat);
  if (!is_number) {
    return Bad(type->id,
               fmt::format("a matrix of %{}, which is no numerical type", instruction[2]));
  }
  const auto constant = [&](std::size_t place) {
    return context.constant ? context.constant(instruction[place]).value_or(0) : 0;
  };
  constexpr std::uint64_t kMostRows = 1024;
  const std::uint64_t rows = constant(4);
  const std::uint64_t columns = constant(5);
  if (rows == 0 || columns == 0 || rows > kMostRows || columns > kMostRows) {
    return Bad(type->id, fmt::format("a matrix of {} rows and {} columns, which must be constants "
                                     "of 1 to {}",
                                     rows, columns, kMostRows));
  }
  constexpr std::uint64_t kLastUse = 2;
  type->scope = static_cast<Scope>(constant(3));
  type->use = static_cast<std::uint32_t>(constant(6));
  if (constant(6) > kLastUse) {
    return Bad(type->id, fmt::format("a matrix with the use {}; there are 0, 1 and 2", type->use));
  }
  type->kind = TypeKind::kOpaque;
  type->element = instruction[2];
  type->rows = static_cast<std::uint32_t>(rows);
  type->columns = static_cast<std::uint32_t>(columns);
  type->size = rows * columns * component->size;
  type->alignment = component->alignment;
  return {};
}

// OpenCL C 6.1.5: a vector is aligned to its size, and one of three components has the size and
// alignment of one of four; here, so have other numbers that are no powers of two.
Expected<void> TypeTable::LayOutVector(Type* type, Id element, std::uint64_t count) {
  const Type* component = Find(element);
  // Of pointers: SPV_INTEL_masked_gather_scatter.
  if (component == nullptr || (!component->IsScalar() && component->kind != TypeKind::kPointer)) {
    return Bad(type->id, fmt::format("a vector of %{}, which is no scalar type", element));
  }
  // OpenCL has 2, 3, 4, 8 and 16; SPV_INTEL_vector_compute any number.
  constexpr std::uint64_t kMost = 64;
  if (count == 0 || count > kMost) {
    return Bad(type->id, fmt::format("a vector of {}, and not of 1 to {}", count, kMost));
  }
  type->kind = TypeKind::kVector;
  type->element = element;
  type->count = count;
  type->depth = 1;
  type->size = component->size * std::bit_ceil(count);
  type->alignment = static_cast<std::uint32_t>(type->size);
  return {};
}

Expected<void> TypeTable::LayOutArray(Type* type, Id element, std::optional<std::uint64_t> count) {
  const Type* item = Find(element);
  if (item == nullptr || item->kind == TypeKind::kVoid || item->kind == TypeKind::kFunction) {
    return Bad(type->id, fmt::format("an array of %{}, which is no type of objects", element));
  }
  if (!count || *count == 0) {
    return Bad(type->id, "an array whose length is no constant of at least 1");
  }
  if (item->size != 0 && *count > kMaxSize / item->size) {
    return Bad(type->id, fmt::format("an array of {} elements of {} bytes", *count, item->size));
  }
  type->kind = TypeKind::kArray;
  type->element = element;
  type->count = *count;
  type->depth = static_cast<std::uint16_t>(item->depth + 1);
  type->size = *count * item->size;
  type->alignment = item->alignment;
  return {};
}

Expected<void> TypeTable::LayOutStruct(Type* type, std::span<const Word> members,
                                       const Context& context) {
  type->kind = TypeKind::kStruct;
  type->packed = context.packed && context.packed(type->id);
  type->count = members.size();
  type->first_member = static_cast<std::uint32_t>(members_.size());
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const Type* member = Find(members[i]);
    if (member == nullptr || member->kind == TypeKind::kVoid ||
        member->kind == TypeKind::kFunction) {
      return Bad(type->id,
                 fmt::format("member {} is %{}, which is no type of objects", i, members[i]));
    }
    const std::uint32_t alignment = type->packed ? 1 : member->alignment;
    const auto decorated = context.offset ? context.offset(type->id, i) : std::nullopt;
    const std::uint64_t offset = decorated ? *decorated : RoundUp(end, alignment);
    if (offset > kMaxSize || member->size > kMaxSize - offset) {
      return Bad(type->id, "a structure larger than any memory");
    }
    members_.push_back(members[i]);
    offsets_.push_back(offset);
    end = std::max(end, offset + member->size);
    type->alignment = std::max(type->alignment, alignment);
    type->depth = std::max(type->depth, static_cast<std::uint16_t>(member->depth + 1));
  }
  type->size = RoundUp(end, type->alignment);
  return {};
}

std::string TypeTable::Describe(Id id) const {
  std::string suffix;
  // Pointers may be circular through structures only, but a damaged module may do anything.
  for (int depth = 0; depth < 32; ++depth) {
    const Type* type = Find(id);
    if (type == nullptr) break;
    switch (type->kind) {
      case TypeKind::kVoid:
        return "void" + suffix;
      case TypeKind::kBool:
        return "bool" + suffix;
      case TypeKind::kInteger:
        return (type->width == 8    ? "uchar"
                : type->width == 16 ? "ushort"
                : type->width == 32 ? "uint"
                                    : "ulong") +
               suffix;
      case TypeKind::kFloat:
        switch (type->encoding) {
          case FloatEncoding::kIeee:
            break;
          case FloatEncoding::kBfloat16:
            return "bfloat16" + suffix;
          case FloatEncoding::kE4m3:
            return "float8_e4m3" + suffix;
          case FloatEncoding::kE5m2:
            return "float8_e5m2" + suffix;
        }
        return (type->width == 16 ? "half" : type->width == 32 ? "float" : "double") + suffix;
      case TypeKind::kVector:
        suffix = fmt::format("{}{}", type->count, suffix);
        id = type->element;
        continue;
      case TypeKind::kArray:
        suffix = fmt::format("[{}]{}", type->count, suffix);
        id = type->element;
        continue;
      case TypeKind::kPointer:
        suffix.insert(0, 1, '*');
        if (type->opcode == Op::kTypeUntypedPointerKHR) return "void" + suffix;
        id = type->element;
        continue;
      case TypeKind::kStruct:
        return fmt::format("struct %{}{}", id, suffix);
      case TypeKind::kFunction:
        return fmt::format("function %{}{}", id, suffix);
      case TypeKind::kOpaque:
        if (type->IsMatrix()) {
          constexpr std::string_view kUses[] = {"A", "B", "C"};
          return fmt::format("matrix {} of {} x {} {}{}", kUses[type->use], type->rows,
                             type->columns, Describe(type->element), suffix);
        }
        return fmt::format("{} %{}{}", NameOf(type->opcode).substr(6), id, suffix);
    }
  }
  return fmt::format("%{}{}", id, suffix);
}

}  // namespace assay::frontend
