// The constants of a module: values as bits, with the caller's specialization; expressions are
// evaluated exactly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/expected.h"
#include "frontend/types.h"

namespace assay::frontend {

enum class ConstantKind : std::uint8_t {
  kScalar,     // bool, integer or float: its bits, zero-extended
  kComposite,  // its parts are constants
  kNull,       // all bits zero, of any type; a null pointer
  kUndefined,  // OpUndef, and a result that SPIR-V leaves undefined (division by zero)
  kAddress,    // a variable's or function's id where a constant stands (see `variable`)
  // An expression over addresses, whose value exists once memory is laid out: `operation` and its
  // operands, the words after it in OpSpecConstantOp.
  kExpression,
  kSampler,  // OpConstantSampler, as its words
  kPipe,     // OpConstantPipeStorage, as its words
};

struct Constant {
  ConstantKind kind = ConstantKind::kNull;
  bool specializable = false;  // depends on a specialization constant or an OpSpecConstantOp
  Op operation = Op::kNop;
  Id id = 0;  // 0 for a part that evaluation made
  Id type = 0;
  Id variable = 0;
  std::uint64_t bits = 0;
  std::uint32_t first_part = 0;  // places in the table's parts, or (kExpression...) in its words
  std::uint32_t part_count = 0;
};

// A pointer to a function is its id, shifted by this.
inline constexpr int kFunctionPointerShift = 4;

// Values for specialization constants, by SpecId.
using Specialization = std::map<std::uint32_t, std::uint64_t>;

class ConstantTable {
 public:
  const Constant* Find(Id id) const {
    const std::uint32_t place = id < places_.size() ? places_[id] : 0;
    return place == 0 ? nullptr : &constants_[place - 1];
  }
  const Constant& Part(const Constant& composite, std::uint32_t index) const {
    return constants_[parts_[composite.first_part + index]];
  }
  // The operands of an expression, a sampler or a pipe.
  std::span<const Word> Words(const Constant& constant) const {
    return std::span(words_).subspan(constant.first_part, constant.part_count);
  }
  // The value of a scalar integer or boolean constant (a null one's is 0).
  std::optional<std::uint64_t> Integer(Id id) const;
  std::span<const Constant> All() const { return constants_; }

  explicit ConstantTable(std::uint32_t id_limit = 0) : places_(id_limit) {}

  struct Context {
    const TypeTable* types = nullptr;
    std::optional<std::uint32_t> spec_id;  // that decorates the instruction's result
    const Specialization* specialization = nullptr;
  };
  // Adds the constant that the instruction declares; kUsage for operands that are no constants,
  // kUnsupported for an operation that is not evaluated here.
  Expected<void> Add(std::span<const Word> instruction, const Context& context);
  // Lets a variable or function stand where a constant does.
  void AddAddress(Id id, Id type);

 private:
  friend class ConstantEvaluator;
  std::uint32_t Append(const Constant& constant);
  Expected<void> Bind(Id id, const Constant& constant);
  Expected<void> AddComposite(std::span<const Word> instruction, const Context& context);
  Expected<void> AddReplicated(std::span<const Word> instruction, const Context& context);
  Expected<void> AddData(std::span<const Word> instruction, const Context& context);
  Constant WithWords(Constant constant, std::span<const Word> words);

  std::vector<Constant> constants_;
  std::vector<std::uint32_t> places_;  // by id: one more than the place in constants_
  std::vector<std::uint32_t> parts_;
  std::vector<Word> words_;
};

inline bool IsConstantDeclaration(Op opcode) {
  return (opcode >= Op::kConstantTrue && opcode <= Op::kSpecConstantOp) || opcode == Op::kUndef ||
         opcode == Op::kConstantPipeStorage || opcode == Op::kConstantCompositeReplicateEXT ||
         opcode == Op::kSpecConstantCompositeReplicateEXT || opcode == Op::kConstantDataKHR ||
         opcode == Op::kSpecConstantDataKHR || opcode == Op::kPoisonKHR ||
         opcode == Op::kConstantFunctionPointerINTEL;
}

}  // namespace assay::frontend
