#include "interp/envelope/atomic_order.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "frontend/atomics.h"

namespace assay::interp {

namespace {

// Operations that may access the same objects have one key.
class Objects {
 public:
  explicit Objects(const LaunchState& launch) : launch_(launch) {}

  // Of an operation: the buffer that the kernel's parameter is; nothing where it is not known.
  std::optional<std::uint64_t> BufferOf(const FlatSync& sync) const {
    const std::uint32_t parameter = launch_.program->places[sync.instruction.place].parameter;
    if (parameter == 0 || parameter > launch_.parameters.size()) return std::nullopt;
    const std::vector<std::byte>& bytes = launch_.parameters[parameter - 1];
    std::uint64_t address = 0;
    if (bytes.size() != sizeof address) return std::nullopt;
    std::memcpy(&address, bytes.data(), sizeof address);
    return address >> launch_.memory->layout().place_bits;
  }

  void Add(const FlatSync& sync, const AtomicCall& call) {
    is_generic_ |= call.is_generic;
    is_unknown_ |= !call.local && !BufferOf(sync);
  }
  // Of local memory all is one.
  std::uint64_t KeyOf(const FlatSync& sync, const AtomicCall& call) const {
    constexpr std::uint64_t kLocal = ~std::uint64_t{0}, kAll = kLocal - 1;
    if (is_generic_) return kAll;
    if (call.local) return kLocal;
    return is_unknown_ ? kAll : *BufferOf(sync);
  }

 private:
  const LaunchState& launch_;
  bool is_generic_ = false;  // some pointer may be to local or to global memory
  bool is_unknown_ = false;  // ... or to any buffer
};

}  // namespace

std::vector<AtomicOrder> FindAtomicOrders(const LaunchState& launch) {
  const Program& program = *launch.program;
  Objects objects(launch);
  const auto each = [&](const auto& does) {
    for (const FlatSync& sync : program.syncs) {
      if (sync.opcode != Opcode::kAtomic) continue;
      const AtomicCall& call = program.atomic_calls[sync.instruction.immediate];
      if (call.opcode != frontend::Op::kMemoryBarrier) does(sync, call);
    }
  };
  each([&](const FlatSync& sync, const AtomicCall& call) { objects.Add(sync, call); });
  std::map<std::uint64_t, std::set<int>> families;  // of operations that change an object
  each([&](const FlatSync& sync, const AtomicCall& call) {
    if (call.opcode == frontend::Op::kAtomicLoad) return;
    families[objects.KeyOf(sync, call)].insert(frontend::OrderlessFamily(call.opcode));
  });
  std::vector<AtomicOrder> orders(program.atomic_calls.size(), AtomicOrder::kNothing);
  each([&](const FlatSync& sync, const AtomicCall& call) {
    const auto found = families.find(objects.KeyOf(sync, call));
    if (found == families.end()) return;  // there are loads only
    const bool is_free = found->second.size() == 1 && !found->second.contains(0);
    orders[sync.instruction.immediate] = !is_free       ? AtomicOrder::kMemory
                                         : call.is_used ? AtomicOrder::kResult
                                                        : AtomicOrder::kNothing;
  });
  return orders;
}

}  // namespace assay::interp
