// OpReadClockKHR (SPV_KHR_shader_clock, cl_khr_kernel_clock): one clock for all scopes, which a
// reading advances by the instructions that the work-item has executed since its last one.  So it
// is monotone in the order in which work-items take their turns, and the same for any number of
// threads and any batch width.
#include <algorithm>

#include "interp/import/import.h"

namespace assay::interp {

void Importer::StartClock() {
  const bool reads = std::ranges::any_of(module_.instructions, [](const Instruction& instruction) {
    return instruction.opcode == Op::kReadClockKHR;
  });
  if (!reads || error_) return;
  clock_steps_ = graph_.variables[NewVariable(8, 8, "")].address;
  Emit(Opcode::kEnterVariable, Kind::kI64, {clock_steps_});
  const Leaf leaf{.offset = 0, .kind = Kind::kI64, .bytes = 8};
  const Value zero = Constant(Kind::kI64, 0);
  StoreLeaves(clock_steps_, std::span(&leaf, 1), std::span(&zero, 1));
}

// A call of a kept function counts as one instruction: it has no part of its own.
void Importer::AddClockSteps() {
  const std::uint64_t steps = std::exchange(block_steps_, 0);
  if (clock_steps_ == kNoValue || steps == 0 || root_ != 0 || error_) return;
  const Leaf leaf{.offset = 0, .kind = Kind::kI64, .bytes = 8};
  const Value before = LoadLeaves(clock_steps_, std::span(&leaf, 1))[0];
  const Value after = Emit(Opcode::kIAdd, Kind::kI64, {before, Constant(Kind::kI64, steps)});
  StoreLeaves(clock_steps_, std::span(&leaf, 1), std::span(&after, 1));
}

void Importer::ImportReadClock(const Instruction& instruction) {
  const auto clock = context_.addresses->find(kClockId);
  if (clock == context_.addresses->end() || clock_steps_ == kNoValue || root_ != 0) {
    return FailUsage("a clock in a module without the capability ShaderClockKHR");
  }
  const std::vector<Leaf> leaves = LeavesOf(instruction.type);
  const bool is_pair = leaves.size() == 2 && leaves[0].kind == Kind::kI32;
  const bool is_one = leaves.size() == 1 && leaves[0].kind == Kind::kI64 && !leaves[0].is_pointer;
  if (!is_pair && !is_one) {
    return FailUsage("a clock that is neither an integer of 64 bits nor two of 32");
  }
  const Value scope = ValueOf(module_.Operands(instruction)[0]);
  if (error_) return;
  CheckNow(Check::kClockScope, graph_.values[scope].kind, {scope});
  AddClockSteps();
  const Leaf leaf{.offset = 0, .kind = Kind::kI64, .bytes = 8};
  const Value steps = LoadLeaves(clock_steps_, std::span(&leaf, 1))[0];
  AtomicCall call;
  call.opcode = Op::kAtomicIAdd;
  call.scope = static_cast<std::uint32_t>(frontend::Scope::kDevice);
  result_.atomic_calls.push_back(call);
  const Value before =
      Emit(Opcode::kAtomic, Kind::kI64, {Constant(Kind::kI64, clock->second), steps},
           result_.atomic_calls.size() - 1);
  const Value now = Emit(Opcode::kIAdd, Kind::kI64, {before, steps});
  const Value zero = Constant(Kind::kI64, 0);
  StoreLeaves(clock_steps_, std::span(&leaf, 1), std::span(&zero, 1));
  if (is_one) return BindOne(instruction.result, now);
  const Value high = Emit(Opcode::kShiftRightLogical, Kind::kI64, {now, Constant(Kind::kI64, 32)});
  const Value words[] = {Convert(Opcode::kUConvert, Kind::kI32, Kind::kI64, now),
                         Convert(Opcode::kUConvert, Kind::kI32, Kind::kI64, high)};
  Bind(instruction.result, words);
}

}  // namespace assay::interp
