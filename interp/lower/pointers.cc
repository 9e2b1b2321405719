// What the pointers of a kernel are based on, as far as that is certain: for promises that the
// module makes about parameters and functions, and for restrict.
#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "interp/lower/pointer_roots.h"
#include "interp/lower/watch.h"
#include "interp/program/argument_alignment.h"

namespace assay::interp {
namespace {

using frontend::Op;
using frontend::StorageClass;

class PointerWatcher {
 public:
  PointerWatcher(const LowerContext& context, const frontend::Function& function,
                 DetectorSet detectors, ImportedKernel* kernel)
      : context_(context),
        module_(*context.module),
        function_(function),
        detectors_(detectors),
        kernel_(*kernel),
        graph_(kernel->graph),
        roots_(*kernel) {
    for (const ConstPointer& pointer : graph_.const_pointers) const_.insert(pointer.value);
  }

  void Run() {
    for (IrBlock& block : graph_.blocks) {
      std::vector<std::uint32_t> places;
      for (const std::uint32_t place : block.instructions) {
        if (WasChecked(graph_.instructions[place])) continue;
        Look(place, &places);
        places.push_back(place);
      }
      if (block.end == End::kSync) Look(block.sync, &places);
      block.instructions = std::move(places);
    }
  }

 private:
  // Whether an argument that misses the alignment is the launch's mistake, which is told there.
  bool IsArgumentOfType(Value value, std::uint64_t alignment) const {
    const Input& input = kernel_.inputs[graph_.values[value].bits];
    const auto parameters = function_.parameters.Of(module_.parameters);
    if (input.input_kind != InputKind::kParameter || input.index >= parameters.size()) return false;
    return alignment <= ArgumentAlignment(module_, parameters[input.index]);
  }

  // Kernels hand their arguments on to a function of their own, with the same attributes.
  bool WasChecked(const IrInstruction& instruction) {
    if (instruction.opcode != Opcode::kCheck ||
        kernel_.checks[instruction.immediate].check != Check::kAlignmentAttribute) {
      return false;
    }
    const auto operands = graph_.Operands(instruction);
    if (graph_.values[operands[0]].value_kind != ValueKind::kInput) return false;
    // What a kept function gets, or has passed through a variable, was not known to be an argument
    // when it was imported.
    if (IsArgumentOfType(operands[0], graph_.values[operands[1]].bits)) return true;
    return !checked_.emplace(operands[0], operands[1]).second;
  }

  void Look(std::uint32_t place, std::vector<std::uint32_t>* before) {
    const IrInstruction instruction = graph_.instructions[place];
    const auto operands = graph_.Operands(instruction);
    switch (TraitsOf(instruction.opcode).access) {
      case Access::kNone:
      case Access::kText:  // a string of the module
      case Access::kImage:
        return;
      case Access::kLoad:
        Base(place, operands[0]);
        return Reads(instruction, operands[0], before);
      case Access::kStore:
        Base(place, operands[0]);
        return Writes(instruction, operands[0], before);
      case Access::kCopy:
      case Access::kStridedCopy: {
        const Value source = operands[1];
        Writes(instruction, operands[0], before);
        return Reads(instruction, source, before);
      }
      case Access::kAtomic: {
        const Value address = operands[0];
        Base(place, address);
        if (kernel_.atomic_calls[instruction.immediate].opcode != Op::kAtomicLoad) {
          Writes(instruction, address, before);
        }
        return Reads(instruction, address, before);
      }
    }
  }

  void Base(std::uint32_t place, Value address) {
    if (!detectors_.Has(Detector::kPointers)) return;
    const std::vector<PointerRoot> roots = roots_.Of(address);
    if (roots.empty() || roots[0].kind != PointerRoot::Kind::kParameter) return;
    for (const PointerRoot& root : roots) {
      if (root.kind != PointerRoot::Kind::kParameter || root.number != roots[0].number) return;
    }
    graph_.instructions[place].parameter = static_cast<std::uint32_t>(roots[0].number) + 1;
  }

  void Writes(const IrInstruction& instruction, Value address, std::vector<std::uint32_t>* before) {
    if (detectors_.Has(Detector::kPointers)) {
      const std::vector<PointerRoot> roots = roots_.Of(address, const_);
      const bool all = std::all_of(roots.begin(), roots.end(), [this](const PointerRoot& root) {
        return root.kind == PointerRoot::Kind::kStop ||
               (root.kind == PointerRoot::Kind::kConstant && IsNonWritable(root.number));
      });
      if (!roots.empty() && all) Insert(instruction, Check::kWriteThroughConst, before);
    }
    constexpr std::uint32_t kPureOrConst = 0x4 | 0x8;
    if (BreaksPromise(instruction, address, kPureOrConst, false)) {
      Insert(instruction, Check::kPureFunctionWrites, before);
    }
  }

  // Translators of LLVM call a function Const that reads memory and changes none, and Pure one that
  // does not even read: what they say of reading is not what SPIR-V means by it.
  bool SaysReadingOtherwise() const {
    constexpr std::uint32_t kTranslator = 6, kBackend = 43;
    const std::uint32_t tool = module_.generator >> 16;
    return tool == kTranslator || tool == kBackend;
  }

  void Reads(const IrInstruction& instruction, Value address, std::vector<std::uint32_t>* before) {
    if (SaysReadingOtherwise()) return;
    constexpr std::uint32_t kConst = 0x8;
    if (BreaksPromise(instruction, address, kConst, true)) {
      Insert(instruction, Check::kConstFunctionReads, before);
    }
  }

  // Whether an access inside a function with such FunctionControl bits (SPIR-V 3.24) certainly goes
  // to memory of others.
  bool BreaksPromise(const IrInstruction& instruction, Value address, std::uint32_t controls,
                     bool reads) {
    if (!detectors_.Has(Detector::kControl)) return false;
    for (std::uint32_t site = instruction.site; site != 0; site = graph_.sites[site].caller) {
      // Of a kept function the place is its own; what called it is not known here.
      const auto& call = module_.instructions[graph_.sites[site].instruction];
      const frontend::Function* callee = module_.FindFunction(
          graph_.sites[site].function != 0 ? call.result : module_.Operands(call)[0]);
      if (callee == nullptr || (callee->control & controls) == 0) continue;
      const std::vector<PointerRoot> roots = roots_.Of(address);
      if (!roots.empty() && std::all_of(roots.begin(), roots.end(), [&](const PointerRoot& root) {
            return IsForeign(root, site, reads);
          })) {
        return true;
      }
    }
    return false;
  }

  bool IsForeign(const PointerRoot& root, std::uint32_t function_site, bool reads) const {
    switch (root.kind) {
      case PointerRoot::Kind::kVariable: {
        const Variable& variable = graph_.variables[root.number];
        if (variable.is_input) return false;
        std::uint32_t site = graph_.instructions[graph_.values[variable.address].bits].site;
        while (site != 0 && site != function_site) site = graph_.sites[site].caller;
        return site != function_site;
      }
      case PointerRoot::Kind::kParameter: {
        const auto parameters = function_.parameters.Of(module_.parameters);
        if (root.number >= parameters.size()) return false;
        const frontend::Type* type = module_.types.Find(parameters[root.number].type);
        return !reads || type == nullptr || type->storage_class != StorageClass::kUniformConstant;
      }
      case PointerRoot::Kind::kConstant: {
        const frontend::GlobalVariable* global = GlobalAt(root.number);
        if (global == nullptr) return false;
        return !reads ||
               !(global->constant || global->storage_class == StorageClass::kUniformConstant);
      }
      case PointerRoot::Kind::kStop:
        break;
    }
    return false;
  }

  const frontend::GlobalVariable* GlobalAt(std::uint64_t address) const {
    for (const frontend::GlobalVariable& global : module_.globals) {
      const auto found = context_.addresses->find(global.id);
      const frontend::Type* type = module_.types.Find(global.pointee);
      if (found == context_.addresses->end() || type == nullptr) continue;
      if (address - found->second < type->size) return &global;
    }
    return nullptr;
  }

  // Constant variables are read-only memory, which says so itself.
  bool IsNonWritable(std::uint64_t address) const {
    const frontend::GlobalVariable* global = GlobalAt(address);
    return global != nullptr && !global->constant &&
           global->storage_class != StorageClass::kUniformConstant &&
           module_.FindDecoration(global->id, frontend::Decoration::kNonWritable) != nullptr;
  }

  void Insert(const IrInstruction& access, Check check, std::vector<std::uint32_t>* before) {
    kernel_.checks.push_back({.check = check, .kind = Kind::kI64});
    IrInstruction instruction;
    instruction.opcode = Opcode::kCheck;
    instruction.kind = Kind::kI64;
    instruction.immediate = kernel_.checks.size() - 1;
    instruction.origin = access.origin;
    instruction.site = access.site;
    before->push_back(static_cast<std::uint32_t>(graph_.instructions.size()));
    graph_.instructions.push_back(instruction);
  }

  const LowerContext& context_;
  const frontend::Module& module_;
  const frontend::Function& function_;
  DetectorSet detectors_;
  ImportedKernel& kernel_;
  Graph& graph_;
  PointerRoots roots_;
  std::unordered_set<Value> const_;
  std::set<std::pair<Value, Value>> checked_;  // arguments, and to what alignment
};

}  // namespace

void WatchPointers(const LowerContext& context, const frontend::Function& function,
                   DetectorSet detectors, ImportedKernel* kernel) {
  if (detectors.IsEmpty()) return;
  PointerWatcher(context, function, detectors, kernel).Run();
}

}  // namespace assay::interp
