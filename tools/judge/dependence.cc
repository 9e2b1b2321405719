#include "tools/judge/dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "frontend/atomics.h"

namespace assay::tools {
namespace {

using frontend::BuiltIn;
using frontend::Id;
using frontend::Instruction;
using frontend::Module;
using frontend::Op;
using frontend::StorageClass;
using frontend::Type;
using frontend::TypeKind;

// Of integers, booleans and pointers alone, the results of these are determined.
constexpr Op kDetermined[] = {Op::kNop,
                              Op::kLine,
                              Op::kNoLine,
                              Op::kLabel,
                              Op::kBranch,
                              Op::kBranchConditional,
                              Op::kSwitch,
                              Op::kReturn,
                              Op::kReturnValue,
                              Op::kUnreachable,
                              Op::kSelectionMerge,
                              Op::kLoopMerge,
                              Op::kFunction,
                              Op::kFunctionParameter,
                              Op::kFunctionEnd,
                              Op::kFunctionCall,
                              Op::kVariable,
                              Op::kLoad,
                              Op::kStore,
                              Op::kAccessChain,
                              Op::kInBoundsAccessChain,
                              Op::kPtrAccessChain,
                              Op::kInBoundsPtrAccessChain,
                              Op::kPhi,
                              Op::kSelect,
                              Op::kCompositeConstruct,
                              Op::kCompositeExtract,
                              Op::kCompositeInsert,
                              Op::kCopyObject,
                              Op::kVectorExtractDynamic,
                              Op::kVectorInsertDynamic,
                              Op::kVectorShuffle,
                              Op::kUConvert,
                              Op::kSConvert,
                              Op::kBitcast,
                              Op::kIAdd,
                              Op::kISub,
                              Op::kIMul,
                              Op::kUDiv,
                              Op::kSDiv,
                              Op::kUMod,
                              Op::kSRem,
                              Op::kSMod,
                              Op::kSNegate,
                              Op::kNot,
                              Op::kBitwiseOr,
                              Op::kBitwiseXor,
                              Op::kBitwiseAnd,
                              Op::kShiftRightLogical,
                              Op::kShiftRightArithmetic,
                              Op::kShiftLeftLogical,
                              Op::kIEqual,
                              Op::kINotEqual,
                              Op::kUGreaterThan,
                              Op::kSGreaterThan,
                              Op::kUGreaterThanEqual,
                              Op::kSGreaterThanEqual,
                              Op::kULessThan,
                              Op::kSLessThan,
                              Op::kULessThanEqual,
                              Op::kSLessThanEqual,
                              Op::kLogicalEqual,
                              Op::kLogicalNotEqual,
                              Op::kLogicalOr,
                              Op::kLogicalAnd,
                              Op::kLogicalNot,
                              Op::kAny,
                              Op::kAll,
                              Op::kBitFieldInsert,
                              Op::kBitFieldSExtract,
                              Op::kBitFieldUExtract,
                              Op::kBitReverse,
                              Op::kBitCount,
                              Op::kIAddCarry,
                              Op::kISubBorrow,
                              Op::kUMulExtended,
                              Op::kSMulExtended,
                              Op::kControlBarrier,
                              Op::kMemoryBarrier,
                              Op::kLifetimeStart,
                              Op::kLifetimeStop,
                              Op::kPtrEqual,
                              Op::kPtrNotEqual,
                              Op::kPtrCastToGeneric,
                              Op::kGenericCastToPtr};

constexpr std::string_view kDeterminedFunctions[] = {
    "s_abs",     "s_abs_diff", "s_add_sat", "u_add_sat", "s_hadd",     "u_hadd",     "s_rhadd",
    "u_rhadd",   "s_clamp",    "u_clamp",   "clz",       "ctz",        "s_mad_hi",   "u_mad_hi",
    "u_mad_sat", "s_mad_sat",  "s_max",     "u_max",     "s_min",      "u_min",      "s_mul_hi",
    "u_mul_hi",  "rotate",     "s_sub_sat", "u_sub_sat", "u_upsample", "s_upsample", "popcount",
    "u_abs",     "u_abs_diff", "bitselect", "select",    "vloadn",     "vstoren",    "shuffle",
    "shuffle2",  "printf",     "prefetch"};

class Scan {
 public:
  explicit Scan(const Module& module) : module_(module) {}

  Dependence Run(std::string_view kernel) {
    const frontend::EntryPoint* entry = module_.FindKernel(kernel);
    if (entry == nullptr) {
      found_.execution.insert("the kernel is not in the module");
      return std::move(found_);
    }
    Reach(entry->function);
    for (std::size_t i = 0; i < reached_.size(); ++i) Function(*reached_[i]);
    for (const auto& [kind, results] : atomics_) {
      const bool is_used = std::ranges::any_of(results, [&](Id id) { return used_.contains(id); });
      if (is_used || atomics_.size() > 1) Open("atomic operations whose order is open");
    }
    return std::move(found_);
  }

 private:
  void Open(std::string why) { found_.results.insert(std::move(why)); }
  // What makes the execution doubtful makes the results so, too.
  void Doubt(std::string why) {
    found_.execution.insert(why);
    Open(std::move(why));
  }

  void Reach(Id id) {
    const frontend::Function* function = module_.FindFunction(id);
    if (function == nullptr || function->IsDeclaration()) return Doubt("a function without a body");
    if (std::ranges::find(reached_, function) == reached_.end()) reached_.push_back(function);
  }

  void Function(const frontend::Function& function) {
    for (const frontend::Parameter& parameter : function.parameters.Of(module_.parameters)) {
      Value(parameter.type);
      const Type* type = module_.types.Find(parameter.type);
      if (type != nullptr && type->storage_class == StorageClass::kWorkgroup &&
          type->kind == TypeKind::kPointer) {
        found_.on_local_size = true;
      }
    }
    for (const frontend::Block& block : function.blocks.Of(module_.blocks)) {
      for (const Instruction& one : block.instructions.Of(module_.instructions)) Look(one);
    }
  }

  bool Contains(Id id, TypeKind kind) const {
    const Type* type = module_.types.Find(id);
    if (type == nullptr) return false;
    if (type->kind == kind) return true;
    if (type->kind == TypeKind::kVector || type->kind == TypeKind::kArray) {
      return Contains(type->element, kind);
    }
    if (type->kind != TypeKind::kStruct) return false;
    return std::ranges::any_of(module_.types.Members(*type),
                               [&](Id member) { return Contains(member, kind); });
  }

  // A type that a value has, or that a pointer points to.
  void Value(Id id) {
    const Type* type = module_.types.Find(id);
    if (type == nullptr) return;
    found_.has_floats |= IsOfFloats(*type);
    if (type->kind == TypeKind::kOpaque) Open("images, samplers, events or queues");
  }
  bool IsOfFloats(const Type& type) const {
    return Contains(type.id, TypeKind::kFloat) ||
           (type.kind == TypeKind::kPointer && Contains(type.element, TypeKind::kFloat));
  }
  // The operands that are ids of values; those of instructions that are not determined may have a
  // literal among them.
  std::span<const frontend::Word> Values(const Instruction& one) const {
    const auto operands = module_.Operands(one);
    const auto first = [&](std::size_t count) {
      return operands.first(std::min(count, operands.size()));
    };
    switch (one.opcode) {
      case Op::kBranch:
      case Op::kSelectionMerge:
      case Op::kLoopMerge:
      case Op::kLine:
      case Op::kVariable:
        return {};
      case Op::kLoad:
      case Op::kCompositeExtract:
      case Op::kBranchConditional:
      case Op::kSwitch:
      case Op::kLifetimeStart:
      case Op::kLifetimeStop:
        return first(1);
      case Op::kStore:
      case Op::kCompositeInsert:
      case Op::kVectorShuffle:
        return first(2);
      case Op::kExtInst: {
        const auto values = operands.subspan(2);
        const auto number = static_cast<frontend::OpenClStd>(operands[1]);
        return values.first(values.size() - (number == frontend::OpenClStd::kVloadn ? 1 : 0));
      }
      default:
        return operands;
    }
  }

  // An operation whose result, or one of whose operands, is of floats.
  bool IsOfFloats(const Instruction& one) const {
    const auto is_of_floats = [&](Id id) {
      const Type* type = module_.types.Find(id);
      return type != nullptr && IsOfFloats(*type);
    };
    return is_of_floats(one.type) || std::ranges::any_of(Values(one), [&](Id operand) {
             return is_of_floats(module_.TypeOf(operand));
           });
  }
  void OpenOperation(const Instruction& one, const std::string& name) {
    if (IsOfFloats(one)) {
      found_.float_operations.insert(name);
    } else {
      Open(name);
    }
  }

  void Look(const Instruction& one) {
    const std::string name = frontend::NameOf(one.opcode);
    if (one.opcode == Op::kExtInst) {
      ExtendedInstruction(one);
    } else if (frontend::OrderlessFamily(one.opcode) != 0) {
      atomics_[frontend::OrderlessFamily(one.opcode)].push_back(one.result);
    } else if (std::ranges::find(kDetermined, one.opcode) == std::end(kDetermined)) {
      Undetermined(one, name);
    }
    Value(one.type);
    for (const Id operand : Values(one)) {
      used_.insert(operand);
      if (const frontend::GlobalVariable* global = module_.FindGlobal(operand)) Global(*global);
      Value(module_.TypeOf(operand));
    }
    if (one.opcode == Op::kFunctionCall) Reach(module_.Operands(one)[0]);
    if (one.opcode == Op::kControlBarrier) found_.on_local_size = true;
    if (one.opcode == Op::kLoad) Load(one);
    if (one.opcode == Op::kStore) Store(one);
    if (one.opcode == Op::kBitcast) Cast(one);
  }

  void Undetermined(const Instruction& one, const std::string& name) {
    OpenOperation(one, name);
    if (one.opcode == Op::kConvertUToPtr) Doubt("integers that are converted to pointers");
    if (name.find("Group") != std::string::npos || name.find("group") != std::string::npos) {
      found_.on_local_size = true;
      found_.execution.insert("the size of sub-groups (" + name + ")");
    }
    if (name.find("Enqueue") != std::string::npos) Doubt("kernels that the kernel enqueues");
  }

  void ExtendedInstruction(const Instruction& one) {
    const auto operands = module_.Operands(one);
    const frontend::ExtendedSet set = module_.SetOf(operands[0]);
    if (set == frontend::ExtendedSet::kOpenClDebugInfo100 ||
        set == frontend::ExtendedSet::kShaderDebugInfo100) {
      return;
    }
    const auto rule = frontend::FindInstruction(set, operands[1]);
    const std::string name = rule ? std::string(rule->name) : "an unknown instruction";
    if (set == frontend::ExtendedSet::kOpenClStd &&
        std::ranges::find(kDeterminedFunctions, name) != std::end(kDeterminedFunctions)) {
      return;
    }
    OpenOperation(one, name);
  }

  void Global(const frontend::GlobalVariable& global) {
    if (global.storage_class == StorageClass::kWorkgroup) found_.on_local_size = true;
    if (global.storage_class == StorageClass::kCrossWorkgroup && !global.constant) {
      Doubt("variables at program scope, whose values are not captured");
    }
    if (!global.built_in) return;
    switch (*global.built_in) {
      case BuiltIn::kGlobalInvocationId:
      case BuiltIn::kGlobalSize:
      case BuiltIn::kGlobalOffset:
      case BuiltIn::kGlobalLinearId:
      case BuiltIn::kWorkDim:
        return;
      case BuiltIn::kLocalInvocationId:
      case BuiltIn::kLocalInvocationIndex:
      case BuiltIn::kWorkgroupId:
      case BuiltIn::kWorkgroupSize:
      case BuiltIn::kNumWorkgroups:
      case BuiltIn::kEnqueuedWorkgroupSize:
        found_.on_local_size = true;
        return;
      default:
        Doubt("the size of sub-groups");
    }
  }

  StorageClass ClassOf(Id pointer) const {
    const Type* type = module_.types.Find(module_.TypeOf(pointer));
    return type == nullptr ? StorageClass::kGeneric : type->storage_class;
  }
  bool IsOwn(Id pointer) const {
    const StorageClass storage = ClassOf(pointer);
    return storage == StorageClass::kFunction || storage == StorageClass::kWorkgroup ||
           storage == StorageClass::kInput;
  }

  // The memory behind such a pointer is not among the arguments' memory.
  void Load(const Instruction& one) {
    if (Contains(one.type, TypeKind::kPointer) && !IsOwn(module_.Operands(one)[0])) {
      Doubt("pointers that are read from memory");
    }
  }

  // The bytes of padding may become anything (OpenCL C, 6.1.5; C99 6.2.6.1).
  void Store(const Instruction& one) {
    const Id stored = module_.TypeOf(module_.Operands(one)[1]);
    const Type* type = module_.types.Find(stored);
    if (type == nullptr || IsOwn(module_.Operands(one)[0])) return;
    if (Contains(stored, TypeKind::kPointer)) Open("pointers that are stored");
    const bool has_padding = type->kind == TypeKind::kStruct || type->kind == TypeKind::kArray ||
                             (type->kind == TypeKind::kVector && type->count == 3);
    if (has_padding) Open("stores of types that may have padding");
  }

  // Objects that are read as another type than they were stored as (C99 6.5).
  void Cast(const Instruction& one) {
    const Type* to = module_.types.Find(one.type);
    const Type* from = module_.types.Find(module_.TypeOf(module_.Operands(one)[0]));
    if (to == nullptr || from == nullptr) return;
    if (to->kind != TypeKind::kPointer && from->kind != TypeKind::kPointer) return;
    const Type* one_scalar = Scalar(to->element);
    const Type* other_scalar = Scalar(from->element);
    if (to->kind == from->kind) {
      // Any object may be looked at as bytes, and where a variable's lifetime begins it is.
      if (IsByte(one_scalar) || IsByte(other_scalar)) return;
      if (one_scalar != nullptr && other_scalar != nullptr && one_scalar->id == other_scalar->id) {
        return;
      }
    }
    Open("memory that is read or written as several types");
  }
  const Type* Scalar(Id id) const {
    const Type* type = module_.types.Find(id);
    while (type != nullptr && (type->kind == TypeKind::kVector || type->kind == TypeKind::kArray)) {
      type = module_.types.Find(type->element);
    }
    const bool is_number = type != nullptr && (type->kind == TypeKind::kInteger ||
                                               type->kind == TypeKind::kFloat);
    return is_number ? type : nullptr;
  }
  static bool IsByte(const Type* scalar) {
    return scalar != nullptr && scalar->kind == TypeKind::kInteger && scalar->width == 8;
  }

  const Module& module_;
  Dependence found_;
  std::vector<const frontend::Function*> reached_;
  std::map<int, std::vector<Id>> atomics_;
  std::set<Id> used_;
};

}  // namespace

Dependence DependenceOf(const frontend::Module& module, std::string_view kernel) {
  return Scan(module).Run(kernel);
}

}  // namespace assay::tools
