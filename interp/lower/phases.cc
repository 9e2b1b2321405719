// Loads of local memory that race with nothing: between barriers, where nobody stores to the
// object.
//
// All work-items of a group come to the same barriers in the same order; where they do not, a
// finding says so. So an access of one of them and one of another, neither before the other, lie
// between the same two executions of barriers, and both are reached from the first one, or from the
// kernel's begin, without another one in between. A load needs no record where this is so for no
// store.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "interp/lower/passes.h"
#include "interp/lower/pointer_roots.h"
#include "interp/program/memory_order.h"

namespace assay::interp {
namespace {

// Blocks that are looked at, over all barriers.
constexpr std::size_t kMostVisits = 100000;

class PhaseFinder {
 public:
  PhaseFinder(const Memory& memory, std::vector<bool> local_parameters, ImportedKernel* kernel)
      : memory_(memory),
        local_parameters_(std::move(local_parameters)),
        graph_(kernel->graph),
        roots_(*kernel) {}

  void Run() {
    if (!graph_.functions.empty() || graph_.blocks.empty()) return;
    accesses_.resize(graph_.blocks.size());
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      if (!Collect(b)) return;
    }
    std::size_t barriers = 1;
    for (const IrBlock& block : graph_.blocks) barriers += IsBarrier(block) ? 1 : 0;
    if (barriers * graph_.blocks.size() > kMostVisits) return;
    LookFrom(0);
    for (const IrBlock& block : graph_.blocks) {
      if (IsBarrier(block)) LookFrom(block.targets[0]);
    }
    for (const auto& accesses : accesses_) {
      for (const LocalAccess& access : accesses) {
        if (!access.writes && !contended_.contains(access.place)) {
          graph_.instructions[access.place].is_settled = true;
        }
      }
    }
  }

 private:
  struct LocalAccess {
    std::uint32_t place = 0;  // in Graph::instructions
    bool writes = false;
    std::vector<PointerRoot> objects;  // none: any
  };

  // It orders what all work-items of the group did in local memory.
  bool IsBarrier(const IrBlock& block) const {
    if (block.end != End::kSync) return false;
    const IrInstruction& sync = graph_.instructions[block.sync];
    if (sync.opcode != Opcode::kBarrier || sync.operand_count != sync.loop_operands) return false;
    const auto semantics = static_cast<std::uint32_t>(sync.immediate);
    return (semantics & kWorkgroupMemory) != 0 &&
           (semantics & (kAcquire | kRelease | kAcquireRelease | kSequential)) != 0;
  }

  // False: nothing is known, because a copy may go on after barriers.
  bool Collect(std::uint32_t b) {
    const IrBlock& block = graph_.blocks[b];
    for (const std::uint32_t place : block.instructions) {
      if (!Add(b, place)) return false;
    }
    return block.end != End::kSync || (Add(b, block.sync) && !IsCopy(block.sync));
  }
  bool IsCopy(std::uint32_t place) const {
    return TraitsOf(graph_.instructions[place].opcode).access == Access::kCopy;
  }

  bool Add(std::uint32_t b, std::uint32_t place) {
    const IrInstruction& instruction = graph_.instructions[place];
    const auto operands = graph_.Operands(instruction);
    switch (TraitsOf(instruction.opcode).access) {
      case Access::kLoad:
        AddAccess(b, place, operands[0], false);
        break;
      case Access::kStore:
      case Access::kAtomic:
        AddAccess(b, place, operands[0], true);
        break;
      case Access::kCopy:
        AddAccess(b, place, operands[0], true);
        break;  // its loads are recorded
      case Access::kStridedCopy:
        return false;
      case Access::kNone:
      case Access::kText:
      case Access::kImage:
        break;
    }
    return true;
  }

  void AddAccess(std::uint32_t b, std::uint32_t place, Value address, bool writes) {
    LocalAccess access{.place = place, .writes = writes, .objects = roots_.Of(address)};
    const bool is_known = !access.objects.empty();
    // A constant address may be one inside of its object.
    for (PointerRoot& root : access.objects) {
      if (root.kind != PointerRoot::Kind::kConstant) continue;
      if (const Region* const object = ObjectOf(root)) root.number = object->address;
    }
    std::erase_if(access.objects, [&](const PointerRoot& root) { return !MayBeLocal(root); });
    if (is_known && access.objects.empty()) return;
    // What it may be beside local memory has records for other reasons.
    if (!writes && (!is_known || access.objects.size() != 1 || !IsLocal(access.objects[0]))) return;
    accesses_[b].push_back(std::move(access));
  }
  const Region* ObjectOf(const PointerRoot& root) const {
    const std::uint64_t place = root.number >> memory_.layout().place_bits;
    return place < memory_.regions().size() ? &memory_.regions()[place] : nullptr;
  }
  // Each parameter of local memory has an object of its own.
  bool IsLocal(const PointerRoot& root) const {
    if (root.kind == PointerRoot::Kind::kParameter) return local_parameters_[root.number];
    if (root.kind != PointerRoot::Kind::kConstant) return false;
    const Region* const object = ObjectOf(root);
    return object != nullptr && object->address == root.number &&
           object->space == AddressSpace::kLocal;
  }
  bool MayBeLocal(const PointerRoot& root) const {
    if (root.kind == PointerRoot::Kind::kVariable) return false;
    if (root.kind == PointerRoot::Kind::kParameter) return local_parameters_[root.number];
    if (root.kind != PointerRoot::Kind::kConstant) return true;
    const Region* const object = ObjectOf(root);
    return object == nullptr || object->space == AddressSpace::kLocal;
  }

  // What lies between a barrier and the next ones.
  void LookFrom(std::uint32_t first) {
    std::vector<bool> seen(graph_.blocks.size());
    std::vector<std::uint32_t> work = {first};
    std::vector<std::uint32_t> loads;
    std::set<PointerRoot> stored;
    bool stores_anywhere = false;
    seen[first] = true;
    std::vector<const LocalAccess*> read;
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      for (const LocalAccess& access : accesses_[b]) {
        if (!access.writes) {
          read.push_back(&access);
          continue;
        }
        stores_anywhere = stores_anywhere || access.objects.empty();
        stored.insert(access.objects.begin(), access.objects.end());
      }
      if (IsBarrier(graph_.blocks[b])) continue;
      for (const std::uint32_t target : graph_.blocks[b].targets) {
        if (!seen[target]) work.push_back(target);
        seen[target] = true;
      }
    }
    for (const LocalAccess* const access : read) {
      if (stores_anywhere || stored.contains(access->objects[0])) contended_.insert(access->place);
    }
  }

  const Memory& memory_;
  const std::vector<bool> local_parameters_;
  Graph& graph_;
  const PointerRoots roots_;
  std::vector<std::vector<LocalAccess>> accesses_;  // by block
  std::set<std::uint32_t> contended_;               // loads, by place
};

}  // namespace

void FindSettledLoads(const frontend::Module& module, const frontend::Function& function,
                      const Memory& memory, ImportedKernel* kernel) {
  // A distance that was computed from addresses may lead from one object to another one.
  if (std::ranges::any_of(module.instructions, [](const frontend::Instruction& instruction) {
        return instruction.opcode == frontend::Op::kConvertPtrToU ||
               instruction.opcode == frontend::Op::kPtrDiff;
      })) {
    return;
  }
  std::vector<bool> local_parameters;
  for (const frontend::Parameter& parameter : function.parameters.Of(module.parameters)) {
    const frontend::Type* type = module.types.Find(parameter.type);
    local_parameters.push_back(type != nullptr && type->kind == frontend::TypeKind::kPointer &&
                               type->storage_class == frontend::StorageClass::kWorkgroup);
  }
  PhaseFinder(memory, std::move(local_parameters), kernel).Run();
}

}  // namespace assay::interp
