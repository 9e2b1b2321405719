// Constant expressions over the addresses of variables, once memory is laid out.
#include "interp/import/import.h"

namespace assay::interp {

using frontend::ConstantKind;
using frontend::Op;
using frontend::TypeKind;

namespace {

class Evaluator {
 public:
  Evaluator(const frontend::Module& module,
            const std::unordered_map<frontend::Id, std::uint64_t>& addresses)
      : module_(module), addresses_(addresses) {}

  std::optional<std::uint64_t> Evaluate(const frontend::Constant& constant, int depth) const {
    // Operands may be shared, so that a few expressions can stand for very many.
    if (depth > 64 || ++steps_ > 4096) return std::nullopt;
    switch (constant.kind) {
      case ConstantKind::kScalar:
        return constant.bits;
      case ConstantKind::kNull:
        return 0;
      case ConstantKind::kAddress: {
        const auto found = addresses_.find(constant.variable);
        if (found == addresses_.end()) return std::nullopt;
        return found->second;
      }
      case ConstantKind::kExpression:
        return Expression(constant, depth);
      case ConstantKind::kComposite:
      case ConstantKind::kUndefined:
      case ConstantKind::kSampler:
      case ConstantKind::kPipe:
        break;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::uint64_t> Of(frontend::Id id, int depth) const {
    if (const auto found = addresses_.find(id); found != addresses_.end()) return found->second;
    const frontend::Constant* constant = module_.constants.Find(id);
    if (constant == nullptr) return std::nullopt;
    return Evaluate(*constant, depth + 1);
  }

  frontend::Id TypeOf(frontend::Id id) const {
    if (const frontend::GlobalVariable* global = module_.FindGlobal(id)) return global->type;
    const frontend::Constant* constant = module_.constants.Find(id);
    return constant == nullptr ? 0 : constant->type;
  }

  std::optional<std::uint64_t> Chain(std::span<const frontend::Word> operands, bool element,
                                     int depth) const {
    const auto base = Of(operands[0], depth);
    const frontend::Type* pointer = module_.types.Find(TypeOf(operands[0]));
    if (!base || pointer == nullptr || pointer->kind != TypeKind::kPointer) return std::nullopt;
    std::uint64_t address = *base;
    const frontend::Type* type = module_.types.Find(pointer->element);
    for (std::size_t i = 1; i < operands.size(); ++i) {
      const auto index = module_.constants.Integer(operands[i]);
      if (!index || type == nullptr) return std::nullopt;
      const frontend::Type* index_type = module_.types.Find(TypeOf(operands[i]));
      std::uint64_t value = *index;
      if (index_type != nullptr && index_type->width < 64 && index_type->width > 0) {
        const unsigned shift = 64 - index_type->width;
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
      }
      if (i == 1 && element) {
        address += value * type->size;
      } else if (type->kind == TypeKind::kStruct) {
        if (value >= type->count) return std::nullopt;
        address += module_.types.Offsets(*type)[value];
        type = module_.types.Find(module_.types.Members(*type)[value]);
      } else if (type->kind == TypeKind::kArray || type->kind == TypeKind::kVector) {
        type = module_.types.Find(type->element);
        if (type == nullptr) return std::nullopt;
        address += value * type->size;
      } else {
        return std::nullopt;
      }
    }
    return address;
  }

  std::optional<std::uint64_t> Expression(const frontend::Constant& constant, int depth) const {
    const auto operands = module_.constants.Words(constant);
    if (operands.empty()) return std::nullopt;
    switch (constant.operation) {
      case Op::kBitcast:
      case Op::kPtrCastToGeneric:
      case Op::kGenericCastToPtr:
      case Op::kConvertPtrToU:
      case Op::kConvertUToPtr:
      case Op::kUConvert:
        return Of(operands[0], depth);
      case Op::kAccessChain:
      case Op::kInBoundsAccessChain:
        return Chain(operands, false, depth);
      case Op::kPtrAccessChain:
      case Op::kInBoundsPtrAccessChain:
        return Chain(operands, true, depth);
      case Op::kIAdd:
      case Op::kISub: {
        if (operands.size() < 2) return std::nullopt;
        const auto left = Of(operands[0], depth);
        const auto right = Of(operands[1], depth);
        if (!left || !right) return std::nullopt;
        return constant.operation == Op::kIAdd ? *left + *right : *left - *right;
      }
      default:
        return std::nullopt;
    }
  }

  mutable int steps_ = 0;
  const frontend::Module& module_;
  const std::unordered_map<frontend::Id, std::uint64_t>& addresses_;
};

}  // namespace

std::optional<std::uint64_t> EvaluateAddress(
    const frontend::Module& module,
    const std::unordered_map<frontend::Id, std::uint64_t>& addresses,
    const frontend::Constant& constant) {
  return Evaluator(module, addresses).Evaluate(constant, 0);
}

}  // namespace assay::interp
