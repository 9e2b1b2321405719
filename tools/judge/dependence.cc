#include "tools/judge/dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "frontend/atomics.h"
#include "tools/judge/pointer_classes.h"

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
                              Op::kPtrDiff,
                              Op::kPtrCastToGeneric,
                              Op::kGenericCastToPtr,
                              Op::kGenericCastToPtrExplicit,
                              Op::kUndef,
                              Op::kSatConvertSToU,
                              Op::kSatConvertUToS,
                              Op::kCopyMemory,
                              Op::kCopyMemorySized,
                              Op::kGroupAsyncCopy,
                              Op::kGroupWaitEvents,
                              Op::kSDot,
                              Op::kUDot,
                              Op::kSUDot,
                              Op::kSDotAccSat,
                              Op::kUDotAccSat,
                              Op::kSUDotAccSat,
                              Op::kAssumeTrueKHR,
                              Op::kExpectKHR};

// Envelopes know what devices may read and write.
constexpr Op kOfImages[] = {Op::kImageRead,
                            Op::kImageWrite,
                            Op::kImageSampleExplicitLod,
                            Op::kSampledImage,
                            Op::kImage,
                            Op::kImageQuerySizeLod,
                            Op::kImageQuerySize,
                            Op::kImageQueryFormat,
                            Op::kImageQueryOrder,
                            Op::kImageQueryLevels,
                            Op::kImageQuerySamples};

constexpr std::string_view kDeterminedFunctions[] = {
    "s_abs",     "s_abs_diff", "s_add_sat", "u_add_sat", "s_hadd",     "u_hadd",     "s_rhadd",
    "u_rhadd",   "s_clamp",    "u_clamp",   "clz",       "ctz",        "s_mad_hi",   "u_mad_hi",
    "u_mad_sat", "s_mad_sat",  "s_max",     "u_max",     "s_min",      "u_min",      "s_mul_hi",
    "u_mul_hi",  "rotate",     "s_sub_sat", "u_sub_sat", "u_upsample", "s_upsample", "popcount",
    "u_abs",     "u_abs_diff", "bitselect", "select",    "vloadn",     "vstoren",    "shuffle",
    "shuffle2",  "printf",     "prefetch"};

template <typename List, typename Value>
bool Has(const List& list, const Value& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

bool NamesOneOf(const std::string& name, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

// In words of users what an instruction is of, of which not all devices need have the same results.
std::string WordsOf(const std::string& name) {
  if (name == "OpConvertPtrToU") return "pointers that become integers";
  if (name == "OpConvertUToPtr") return "integers that become pointers";
  if (NamesOneOf(name, {"Asm"})) return "instructions of the device's machine";
  if (NamesOneOf(name, {"Clock"})) return "clocks of the device";
  if (NamesOneOf(name, {"CooperativeMatrix"})) return "matrices of cooperating work-items";
  return "an operation whose results the specification does not determine";
}

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
      // The order decides.
      if (is_used || kind == 0 || atomics_.size() > 1) found_.needs_envelope = true;
    }
    LookAtMemory();
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
    found_.needs_envelope |= IsOfFloats(*type);
    if (type->kind == TypeKind::kOpaque) Opaque(*type);
  }
  void Opaque(const Type& type) {
    switch (type.opcode) {
      case Op::kTypeImage:
      case Op::kTypeSampledImage:
      case Op::kTypeSampler:
        found_.needs_envelope = true;
        return;
      case Op::kTypeEvent:
        return;
      case Op::kTypeQueue:
      case Op::kTypeDeviceEvent:
        return Doubt("kernels that the kernel enqueues");
      case Op::kTypePipe:
      case Op::kTypeReserveId:
        return Open("pipes");
      default:
        return Open("objects whose content the specification does not determine");
    }
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
  void OpenOperation(const Instruction& one, std::string why) {
    if (IsOfFloats(one)) {
      found_.needs_envelope = true;
    } else {
      Open(std::move(why));
    }
  }

  // SPV_INTEL_fp_fast_math_mode: contraction, reassociation and other transformations of single
  // operations, which envelopes do not know.  Those of build options they do.
  void Permissions(Id result) {
    constexpr frontend::Word kIntel = 0x70000;
    const auto* mode = module_.FindDecoration(result, frontend::Decoration::kFPFastMathMode);
    if (result == 0 || mode == nullptr) return;
    const auto words = module_.Slice(mode->operands);
    if (!words.empty() && (words[0] & kIntel) != 0) Open("permissions to compute otherwise");
  }

  void Look(const Instruction& one) {
    const std::string name = frontend::NameOf(one.opcode);
    if (one.opcode == Op::kExtInst) {
      ExtendedInstruction(one);
    } else if (frontend::FormOf(one.opcode) != frontend::AtomicForm::kNone) {
      atomics_[frontend::OrderlessFamily(one.opcode)].push_back(one.result);
    } else if (Has(kOfImages, one.opcode)) {
      found_.needs_envelope = true;
    } else if (!Has(kDetermined, one.opcode)) {
      Undetermined(one, name);
    }
    Permissions(one.result);
    Value(one.type);
    for (const Id operand : Values(one)) {
      used_.insert(operand);
      if (const frontend::GlobalVariable* global = module_.FindGlobal(operand)) Global(*global);
      Value(module_.TypeOf(operand));
    }
    if (one.opcode == Op::kFunctionCall) Reach(module_.Operands(one)[0]);
    if (one.opcode == Op::kControlBarrier) InGroup(one);
    if (one.opcode == Op::kGroupAsyncCopy || one.opcode == Op::kGroupWaitEvents) InGroup(one);
    if (one.opcode == Op::kLoad) Load(one);
    if (one.opcode == Op::kStore) stores_.push_back(&one);
    if (one.opcode == Op::kCopyMemory || one.opcode == Op::kCopyMemorySized) {
      stores_.push_back(&one);
    }
    if (one.opcode == Op::kBitcast) Cast(one);
  }

  // What all work-items of a work-group, or of a sub-group, do together; the scope comes first.
  void InGroup(const Instruction& one) {
    found_.on_local_size = true;
    const auto scope = module_.constants.Find(module_.Operands(one)[0]);
    const bool is_of_workgroup =
        scope != nullptr && scope->bits == static_cast<std::uint64_t>(frontend::Scope::kWorkgroup);
    if (!is_of_workgroup) found_.on_subgroups = true;
  }

  void Undetermined(const Instruction& one, const std::string& name) {
    if (NamesOneOf(name, {"Pipe", "ReserveId"})) return Open("pipes");
    // Work-group functions have their scope before other operands, and sub-group functions that
    // are no such (cl_intel_subgroups) have none.
    if (name.starts_with("OpGroup")) {
      InGroup(one);
      if (name.starts_with("OpGroupNonUniform")) found_.on_subgroups = true;
      found_.needs_envelope |= IsOfFloats(one);
      return;
    }
    if (NamesOneOf(name, {"Subgroup", "NamedBarrier", "Subgroups"})) {
      found_.on_local_size = found_.on_subgroups = true;
      found_.needs_envelope |= IsOfFloats(one);
      return;
    }
    if (NamesOneOf(name, {"Enqueue", "Event", "DefaultQueue", "NDRange", "GetKernel"})) {
      return Doubt("kernels that the kernel enqueues");
    }
    if (one.opcode == Op::kConvertUToPtr) return Doubt(WordsOf(name));
    OpenOperation(one, WordsOf(name));
  }

  void ExtendedInstruction(const Instruction& one) {
    const auto operands = module_.Operands(one);
    const frontend::ExtendedSet set = module_.SetOf(operands[0]);
    if (set == frontend::ExtendedSet::kOpenClDebugInfo100 ||
        set == frontend::ExtendedSet::kShaderDebugInfo100) {
      return;
    }
    const auto rule = frontend::FindInstruction(set, operands[1]);
    const std::string name = rule ? std::string(rule->name) : "";
    if (set == frontend::ExtendedSet::kOpenClStd && Has(kDeterminedFunctions, name)) return;
    if (name.ends_with("24"))
      return OpenOperation(one, "mul24 and mad24, of numbers beyond 24 bits");
    OpenOperation(one, WordsOf(name));
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
        found_.on_local_size = found_.on_subgroups = true;
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

  // The memory behind such a pointer need not be among the arguments' memory; then the interpreter
  // finds an access outside of all objects.
  void Load(const Instruction& one) {
    if (Contains(one.type, TypeKind::kPointer) && !IsOwn(module_.Operands(one)[0])) {
      found_.findings.insert("pointers that are read from memory");
    }
  }

  // Objects that are read as another type than they were stored as (C99 6.5).
  void Cast(const Instruction& one) {
    const Type* to = module_.types.Find(one.type);
    const Type* from = module_.types.Find(module_.TypeOf(module_.Operands(one)[0]));
    if (to == nullptr || from == nullptr) return;
    if (to->kind != TypeKind::kPointer && from->kind != TypeKind::kPointer) return;
    if (to->kind != from->kind) return Doubt("integers that become pointers");
    // Any object may be looked at as bytes, and where a variable's lifetime begins it is.
    const Id one_type = NumberTypeOf(module_, to->element);
    const Id other_type = NumberTypeOf(module_, from->element);
    if (IsByte(one_type) || IsByte(other_type)) return;
    if (one_type == 0 || other_type == 0 || one_type != other_type) casts_.push_back(one.result);
  }
  bool IsByte(Id id) const {
    const Type* type = module_.types.Find(id);
    return type != nullptr && type->kind == TypeKind::kInteger && type->width == 8;
  }

  // What hangs on all instructions together.
  void LookAtMemory() {
    PointerClasses classes(module_, reached_);
    for (const Id cast : casts_) {
      if (classes.HasSeveralTypes(cast)) Open("memory that is read or written as several types");
    }
    for (const Instruction* one : stores_) {
      const Id pointer = module_.Operands(*one)[0];
      if (IsOwn(pointer)) continue;
      // The bytes of padding may become anything (OpenCL C, 6.1.5; C99 6.2.6.1).
      bool may_have_padding = classes.MayHavePadding(pointer);
      if (one->opcode == Op::kStore) {
        const Id stored = module_.TypeOf(module_.Operands(*one)[1]);
        may_have_padding = MayHavePadding(module_, stored);
        found_.stores_pointers |= Contains(stored, TypeKind::kPointer);
      } else {
        found_.stores_pointers |= classes.HoldsPointers(pointer);
      }
      if (may_have_padding && !classes.IsOfVectorsOfThree(pointer)) {
        Open("structures with padding, and vectors of three, that are stored");
      }
    }
  }

  const Module& module_;
  Dependence found_;
  std::vector<const frontend::Function*> reached_;
  std::map<int, std::vector<Id>> atomics_;  // by the family in which no order decides; 0: of none
  std::vector<Id> casts_;                   // of pointers to objects of another type
  std::vector<const Instruction*> stores_;
  std::set<Id> used_;
};

}  // namespace

Dependence DependenceOf(const frontend::Module& module, std::string_view kernel) {
  return Scan(module).Run(kernel);
}

}  // namespace assay::tools
