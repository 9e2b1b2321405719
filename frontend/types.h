// A module's types with the memory layout that OpenCL gives them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "frontend/grammar.h"

namespace assay::frontend {

enum class TypeKind : std::uint8_t {
  kVoid,
  kBool,
  kInteger,
  kFloat,
  kVector,
  kArray,
  kStruct,
  kPointer,
  kFunction,
  // Types without visible bytes: events, samplers, images, queues, pipes, reservation ids and
  // OpTypeOpaque.
  kOpaque,
};

// How the bits of a float are to be read: as IEEE 754 has them, or otherwise (SPV_KHR_bfloat16,
// SPV_EXT_float8).
enum class FloatEncoding : std::uint8_t { kIeee, kBfloat16, kE4m3, kE5m2 };

struct Type {
  TypeKind kind = TypeKind::kVoid;
  Op opcode = Op::kTypeVoid;                             // which opaque type it is
  StorageClass storage_class = StorageClass::kFunction;  // of a pointer
  bool packed = false;                                   // CPacked: a structure without padding
  FloatEncoding encoding = FloatEncoding::kIeee;         // of a float
  std::uint32_t width = 0;                               // bits of an integer or float
  Id id = 0;
  Id element = 0;           // of a vector or array; a pointer's pointee; a function's return type
  std::uint64_t count = 0;  // elements of a vector or array, members, parameters
  std::uint32_t rows = 0;   // of a cooperative matrix, whose components are of type `element`
  std::uint32_t columns = 0;
  // Of one: its scope, and its use: 0 is A, 1 is B, 2 is C or the result.
  Scope scope = Scope::kSubgroup;
  std::uint32_t use = 0;
  std::uint64_t size = 0;  // bytes with padding; an array element's stride.  0 for void, functions
  std::uint32_t alignment = 1;  // bytes, a power of two
  std::uint32_t first_member = 0;
  std::uint16_t depth = 0;  // of vectors, arrays and structures in each other

  bool IsBfloat() const { return encoding == FloatEncoding::kBfloat16; }
  bool IsFloat8() const {
    return encoding == FloatEncoding::kE4m3 || encoding == FloatEncoding::kE5m2;
  }
  bool IsMatrix() const { return opcode == Op::kTypeCooperativeMatrixKHR; }
  bool IsScalar() const {
    return kind == TypeKind::kBool || kind == TypeKind::kInteger || kind == TypeKind::kFloat;
  }
};

class TypeTable {
 public:
  const Type* Find(Id id) const {
    const std::uint32_t place = id < places_.size() ? places_[id] : 0;
    return place == 0 ? nullptr : &types_[place - 1];
  }
  std::span<const Type> All() const { return types_; }
  // The types of a structure's members or of a function's parameters.
  std::span<const Id> Members(const Type& type) const {
    return std::span(members_).subspan(type.first_member, type.count);
  }
  // Byte offsets of a structure's members.
  std::span<const std::uint64_t> Offsets(const Type& structure) const {
    return std::span(offsets_).subspan(structure.first_member, structure.count);
  }
  // In the words of OpenCL C where it has some: "float3*", "uint[4]", "struct %12".
  std::string Describe(Id id) const;

  // The information on which the layout of a type depends, beside its own words.
  struct Context {
    std::uint32_t pointer_bytes = 8;
    std::function<std::optional<std::uint64_t>(Id)> constant;  // the value of an integer constant
    std::function<bool(Id)> packed;                            // decorated CPacked
    std::function<std::optional<std::uint64_t>(Id, std::uint32_t)> offset;  // decorated Offset
  };
  explicit TypeTable(std::uint32_t id_limit = 0) : places_(id_limit) {}
  // Adds the type of an OpType... instruction, or returns the error; ignores other instructions.
  Expected<void> Add(std::span<const Word> instruction, const Context& context);

 private:
  Expected<void> LayOut(Type* type, std::span<const Word> instruction, const Context& context);
  Expected<void> LayOutVector(Type* type, Id element, std::uint64_t count);
  Expected<void> LayOutArray(Type* type, Id element, std::optional<std::uint64_t> count);
  Expected<void> LayOutFloat(Type* type, std::span<const Word> instruction);
  Expected<void> LayOutMatrix(Type* type, std::span<const Word> instruction,
                              const Context& context);
  Expected<void> LayOutStruct(Type* type, std::span<const Word> members, const Context& context);

  std::vector<Type> types_;
  std::vector<std::uint32_t> places_;  // by id: one more than the place in types_
  std::vector<Id> members_;
  std::vector<std::uint64_t> offsets_;  // beside members_
};

inline bool IsTypeDeclaration(Op opcode) {
  return (opcode >= Op::kTypeVoid && opcode <= Op::kTypeForwardPointer) ||
         opcode == Op::kTypePipeStorage || opcode == Op::kTypeNamedBarrier ||
         opcode == Op::kTypeUntypedPointerKHR || opcode == Op::kTypeCooperativeMatrixKHR;
}

}  // namespace assay::frontend
