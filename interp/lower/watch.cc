#include "interp/lower/watch.h"

#include <algorithm>
#include <bit>

#include "interp/program/memory_order.h"

namespace assay::interp {
namespace {

using frontend::Op;

// What addresses are made of: walks from addresses to the objects that they may point into.
class Bases {
 public:
  explicit Bases(const ImportedKernel& kernel)
      : kernel_(kernel), graph_(kernel.graph), seen_(graph_.values.size()) {
    phi_.assign(graph_.values.size(), nullptr);
    for (const IrBlock& block : graph_.blocks) {
      for (const Phi& phi : block.phis) phi_[phi.result] = &phi;
    }
  }

  void Add(Value address) { Push(address); }

  Reached Collect() {
    while (!work_.empty()) {
      const Value value = work_.back();
      work_.pop_back();
      Visit(value);
    }
    std::ranges::sort(reached_.parameters);
    const auto [last, end] = std::ranges::unique(reached_.parameters);
    reached_.parameters.erase(last, end);
    return std::move(reached_);
  }

  // Whether it certainly points into a private variable.
  bool IsPrivate(Value address) const {
    for (int steps = 0; steps < 1000; ++steps) {
      const ValueInfo& info = graph_.values[address];
      if (info.value_kind != ValueKind::kInstruction) return false;
      const IrInstruction& instruction = graph_.instructions[info.bits];
      if (instruction.opcode == Opcode::kVariable) return true;
      if (!TraitsOf(instruction.opcode).moves_address) return false;
      address = graph_.Operands(instruction)[0];
    }
    return false;
  }

 private:
  void Push(Value value) {
    if (value == kNoValue || seen_[value]) return;
    seen_[value] = true;
    work_.push_back(value);
  }

  void Visit(Value value) {
    const ValueInfo& info = graph_.values[value];
    switch (info.value_kind) {
      case ValueKind::kConstant:
        reached_.addresses.push_back(info.bits);
        return;
      case ValueKind::kInput: {
        const Input& input = kernel_.inputs[info.bits];
        if (input.input_kind == InputKind::kParameter && input.kind == Kind::kI64) {
          reached_.parameters.push_back(input.index);
        } else {
          reached_.anywhere = true;
        }
        return;
      }
      case ValueKind::kPhi:
        if (phi_[value] == nullptr) return;
        for (const Value operand : phi_[value]->operands) Push(operand);
        return;
      case ValueKind::kUndefined:
        return;
      case ValueKind::kInstruction:
        break;
    }
    const IrInstruction& instruction = graph_.instructions[info.bits];
    if (instruction.opcode == Opcode::kVariable) return;
    const std::span<const Value> sources = AddressSources(graph_, instruction);
    // A pointer from memory, or one that was computed, may point anywhere.
    reached_.anywhere = reached_.anywhere || sources.empty();
    for (const Value source : sources) Push(source);
  }

  const ImportedKernel& kernel_;
  const Graph& graph_;
  std::vector<bool> seen_;
  std::vector<const Phi*> phi_;
  std::vector<Value> work_;
  Reached reached_;
};

class Describer {
 public:
  Describer(const ImportedKernel& kernel, Program* program)
      : kernel_(kernel),
        graph_(kernel.graph),
        program_(*program),
        written_(kernel),
        added_(kernel),
        accessed_otherwise_(kernel) {}

  void Run() {
    for (const IrBlock& block : graph_.blocks) {
      for (const std::uint32_t place : block.instructions) Look(graph_.instructions[place]);
      if (block.end == End::kSync) Look(graph_.instructions[block.sync]);
    }
    program_.access_granule =
        static_cast<std::uint32_t>(std::uint64_t{1} << std::countr_zero(sizes_ | 4));
    // An acquire whose result nobody uses is known of by a later operation on the object, if at
    // all.
    acquires_ = acquires_ || (acquires_unseen_ && reads_atomically_);
    // A release without an acquire orders nothing.
    program_.has_acquire_release = (acquires_ && releases_) || (has_wide_barrier_ && has_atomics_);
    program_.written = written_.Collect();
    program_.added = added_.Collect();
    program_.accessed_otherwise = accessed_otherwise_.Collect();
    program_.accessed_otherwise.anywhere |= reads_text_;
  }

 private:
  void Accesses(Value address, std::uint64_t bytes) {
    if (!written_.IsPrivate(address)) sizes_ |= bytes;
  }
  void ReadsOrWrites(Value address, std::uint64_t bytes) {
    accessed_otherwise_.Add(address);
    Accesses(address, bytes);
  }

  void Look(const IrInstruction& instruction) {
    const auto operands = graph_.Operands(instruction);
    const std::uint64_t bytes = BytesOf(instruction.kind);
    if (instruction.opcode == Opcode::kFence) {
      return Synchronizes(kernel_.atomic_calls[instruction.immediate], true);
    }
    if (instruction.opcode == Opcode::kBarrier) {
      // Of a scope that includes other groups, it is a release and an acquire fence.
      has_wide_barrier_ =
          has_wide_barrier_ ||
          instruction.immediate >> 32 <= static_cast<std::uint32_t>(frontend::Scope::kDevice);
      return;
    }
    if (instruction.opcode == Opcode::kSubgroup) {
      // A barrier of theirs orders accesses of some work-items of the group only.
      const SubgroupCall& call = kernel_.subgroup_calls[instruction.immediate];
      acquires_ = acquires_ || Acquires(call.semantics) || Releases(call.semantics);
      releases_ = releases_ || Acquires(call.semantics) || Releases(call.semantics);
      return;
    }
    if (instruction.opcode == Opcode::kNamedBarrier ||
        instruction.opcode == Opcode::kArriveBarrier ||
        instruction.opcode == Opcode::kWaitBarrier) {
      const auto semantics = static_cast<std::uint32_t>(instruction.immediate);
      acquires_ = acquires_ || Acquires(semantics) || Releases(semantics);
      releases_ = releases_ || Acquires(semantics) || Releases(semantics);
      return;
    }
    switch (TraitsOf(instruction.opcode).access) {
      case Access::kNone:
        return;
      case Access::kText:  // printf reads strings, and nobody writes to them
        reads_text_ = true;
        return;
      case Access::kImage:
        if (instruction.opcode == Opcode::kImageWrite) {
          program_.writes_images = true;
          sizes_ |= 1;  // of an element
        }
        return;
      case Access::kLoad:
        return ReadsOrWrites(operands[0], bytes);
      case Access::kStore:
        written_.Add(operands[0]);
        return ReadsOrWrites(operands[0], bytes);
      case Access::kCopy: {
        written_.Add(operands[0]);
        const ValueInfo& size = graph_.values[operands[2]];
        const std::uint64_t unit = size.value_kind == ValueKind::kConstant ? size.bits : 1;
        ReadsOrWrites(operands[0], unit);
        return ReadsOrWrites(operands[1], unit);
      }
      case Access::kStridedCopy:
        written_.Add(operands[0]);
        accessed_otherwise_.Add(operands[0]);
        accessed_otherwise_.Add(operands[1]);
        sizes_ |= instruction.immediate >> 1;
        return;
      case Access::kAtomic: {
        const AtomicCall& call = kernel_.atomic_calls[instruction.immediate];
        written_.Add(operands[0]);
        (IsAddition(call, instruction) ? added_ : accessed_otherwise_).Add(operands[0]);
        Accesses(operands[0], bytes);
        return Synchronizes(call, instruction.result_count != 0);
      }
    }
  }

  static bool IsAddition(const AtomicCall& call, const IrInstruction& instruction) {
    return instruction.result_count == 0 &&
           (call.opcode == Op::kAtomicIIncrement || call.opcode == Op::kAtomicIAdd);
  }

  void Synchronizes(const AtomicCall& call, bool reads) {
    const bool writes = call.opcode != Op::kAtomicLoad;
    has_atomics_ = has_atomics_ || call.opcode != Op::kMemoryBarrier;
    const bool acquires = Acquires(call.order) || Acquires(call.order_unequal);
    reads_atomically_ = reads_atomically_ || reads;
    acquires_ = acquires_ || (reads && acquires);
    acquires_unseen_ = acquires_unseen_ || (!reads && !IsStoreOnly(call.opcode) && acquires);
    releases_ = releases_ || (writes && Releases(call.order));
  }

  const ImportedKernel& kernel_;
  const Graph& graph_;
  Program& program_;
  Bases written_, added_, accessed_otherwise_;
  std::uint64_t sizes_ = 0;
  bool acquires_ = false;
  bool acquires_unseen_ = false;
  bool reads_atomically_ = false;
  bool releases_ = false;
  bool has_wide_barrier_ = false;
  bool has_atomics_ = false;
  bool reads_text_ = false;
};

}  // namespace

void DescribeSharedMemory(const ImportedKernel& kernel, Program* program) {
  Describer(kernel, program).Run();
}

std::span<const Value> AddressSources(const Graph& graph, const IrInstruction& instruction) {
  const auto operands = graph.Operands(instruction);
  if (TraitsOf(instruction.opcode).moves_address || instruction.opcode == Opcode::kCastToSpace) {
    return operands.first(1);
  }
  if (instruction.opcode == Opcode::kSelect) return operands.subspan(1);
  return {};
}

}  // namespace assay::interp
