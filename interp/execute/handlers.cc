// Handlers that are the same for every instruction set, and the choice of the set.
#include "interp/program/handlers.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "interp/execute/default_environment.h"
#include "interp/execute/execute.h"
#include "interp/execute/interleaved.h"
#include "numerics/convert.h"
#include "numerics/for_vector_sets.h"

namespace assay::interp {

ASSAY_DECLARE_FOR_VECTOR_SETS(extern const InstructionSet kInstructionSet;)

namespace {

const InstructionSet& Choose() {
  ASSAY_RETURN_FOR_VECTOR_SET(numerics::ChosenVectorSet(), kInstructionSet);
}

}  // namespace

const InstructionSet& ChosenInstructionSet() {
  static const InstructionSet& chosen = Choose();
  return chosen;
}

// Whole registers go to numerics as they are; of others the active lanes, side by side.
void EvaluateMath(Batch& batch, const FlatInstruction& in) {
  const numerics::RoundedEvaluator& evaluator = *batch.worker->launch().evaluators[in.immediate];
  const DefaultEnvironment environment(batch.program->controls.host);
  // Some take as long as dozens of others; a limit on time must be looked at soon all the same.
  batch.worker->Spend(32 * static_cast<std::uint64_t>(std::popcount(batch.active)));
  const std::uint32_t* arguments = &batch.program->extra[in.extra];
  const std::uint32_t argument_count = arguments[0];
  const std::uint32_t* results = arguments + 1 + argument_count;
  const std::uint32_t result_count = results[0];
  std::array<const void*, numerics::kMaxArguments> sources;
  std::array<void*, numerics::kMaxResults> targets;
  if (batch.whole) {
    for (std::uint32_t i = 0; i < argument_count; ++i) {
      sources[i] = batch.registers + arguments[1 + i];
    }
    for (std::uint32_t i = 0; i < result_count; ++i) {
      targets[i] = batch.registers + results[1 + i];
    }
    return evaluator.Evaluate(sources.data(), targets.data(), batch.lanes);
  }
  const MathCall& call = batch.program->math_calls[in.immediate];
  std::array<int, kMaxLanes> lanes;
  std::size_t count = 0;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    lanes[count++] = std::countr_zero(rest);
  }
  constexpr std::size_t kColumn = kMaxLanes * 8;
  alignas(64) std::array<std::byte, (numerics::kMaxArguments + numerics::kMaxResults) * kColumn>
      storage;
  std::byte* column = storage.data();
  for (std::uint32_t a = 0; a < argument_count; ++a, column += kColumn) {
    sources[a] = column;
    const std::size_t bytes = call.argument_bytes[a];
    const std::byte* source = batch.registers + arguments[1 + a];
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(column + i * bytes, source + static_cast<std::size_t>(lanes[i]) * bytes, bytes);
    }
  }
  for (std::uint32_t r = 0; r < result_count; ++r, column += kColumn) targets[r] = column;
  evaluator.Evaluate(sources.data(), targets.data(), count);
  for (std::uint32_t r = 0; r < result_count; ++r) {
    const std::size_t bytes = call.result_bytes[r];
    std::byte* target = batch.registers + results[1 + r];
    const auto* source = static_cast<const std::byte*>(targets[r]);
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(target + static_cast<std::size_t>(lanes[i]) * bytes, source + i * bytes, bytes);
    }
  }
}

void ConvertExactly(Batch& batch, const FlatInstruction& in) {
  const Conversion conversion = DecodeConversion(in.immediate);
  const std::size_t from = numerics::SizeOf(conversion.from);
  const std::size_t to = numerics::SizeOf(conversion.to);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    std::uint64_t bits = 0;
    std::memcpy(&bits, batch.registers + in.a + lane * from, from);
    bits = numerics::Convert(conversion.from, conversion.to, bits, conversion.rounding,
                             conversion.saturate);
    std::memcpy(batch.registers + in.result + lane * to, &bits, to);
  }
}

void CopyMemory(Batch& batch, const FlatInstruction& in) {
  const auto* target = batch.Register<std::uint64_t>(in.a);
  const auto* source = batch.Register<std::uint64_t>(in.b);
  const auto* bytes = batch.Register<std::uint64_t>(in.c);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (bytes[lane] == 0) continue;
    batch.worker->Spend(bytes[lane] / 64);
    if (!batch.worker->MayGoOnInside()) return;
    std::byte* from = ResolveAccess(batch, in, lane, source[lane], bytes[lane], AccessKind::kLoad);
    std::byte* to = ResolveAccess(batch, in, lane, target[lane], bytes[lane], AccessKind::kStore);
    if (from == nullptr || to == nullptr) continue;
    EachPiece(batch, source[lane], target[lane], bytes[lane], [=](const CopiedPiece& piece) {
      std::memmove(to + piece.to, from + piece.from, piece.bytes);
    });
  }
}

void CountChosen(Batch& batch, const FlatInstruction& in) {
  const std::uint32_t* const list = &batch.program->extra[in.extra];
  std::uint64_t lanes = batch.active;
  for (std::uint32_t i = 0; i < list[0]; ++i) {
    const std::uint64_t are_true = BitsOfBooleans(batch.registers + list[1 + 2 * i], batch.lanes);
    lanes &= list[2 + 2 * i] != 0 ? are_true : ~are_true;
  }
  batch.worker->CountBlock(in.immediate, CountLanes(lanes));
}

void EnterVariable(Batch& batch, const FlatInstruction& in) {
  const FlatVariable& variable = batch.program->variables[in.immediate];
  batch.variable_alive[in.immediate] |= batch.active;
  const auto undefined = static_cast<int>(batch.worker->launch().undefined_byte);
  batch.worker->Spend(variable.bytes);  // of up to 64 work-items, 64 bytes a step
  if (variable.interleaved != 0 && batch.whole) {
    std::memset(RowAt(batch, variable, 0), undefined, variable.bytes * batch.lanes);
    return;
  }
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint64_t>(std::countr_zero(rest));
    if (variable.interleaved != 0) {
      for (std::uint64_t at = 0; at < variable.bytes; at += variable.interleaved) {
        std::memset(RowAt(batch, variable, at) + lane * variable.interleaved, undefined,
                    variable.interleaved);
      }
      continue;
    }
    std::byte* const bytes =
        batch.frame + lane * batch.program->frame_bytes + variable.frame_offset;
    // Most are small: a call would cost more.
    if (variable.bytes == 8) {
      std::memset(bytes, undefined, 8);
    } else if (variable.bytes == 4) {
      std::memset(bytes, undefined, 4);
    } else {
      std::memset(bytes, undefined, variable.bytes);
    }
  }
}

void LeaveVariable(Batch& batch, const FlatInstruction& in) {
  batch.variable_alive[in.immediate] &= ~batch.active;
}

namespace {

frontend::StorageClass StorageClassOf(AddressSpace space) {
  switch (space) {
    case AddressSpace::kLocal:
      return frontend::StorageClass::kWorkgroup;
    case AddressSpace::kGlobal:
      return frontend::StorageClass::kCrossWorkgroup;
    case AddressSpace::kConstant:
      return frontend::StorageClass::kUniformConstant;
    case AddressSpace::kPrivate:
    case AddressSpace::kInput:
      break;
  }
  return frontend::StorageClass::kFunction;
}

}  // namespace

// OpGenericCastToPtrExplicit: null unless the address is in the storage class.
void CastToSpace(Batch& batch, const FlatInstruction& in) {
  auto* result = batch.Register<std::uint64_t>(in.result);
  const auto* address = batch.Register<std::uint64_t>(in.a);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Region* region = batch.FindRegion(address[lane]);
    const bool matches =
        region != nullptr && region->address != 0 &&
        StorageClassOf(region->space) == static_cast<frontend::StorageClass>(in.immediate);
    result[lane] = matches ? address[lane] : 0;
  }
}

void MemorySemantics(Batch& batch, const FlatInstruction& in) {
  auto* result = batch.Register<std::uint32_t>(in.result);
  const auto* address = batch.Register<std::uint64_t>(in.a);
  using frontend::MemorySemantics;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Region* region = batch.FindRegion(address[lane]);
    std::uint32_t semantics = 0;
    if (region != nullptr && region->address != 0) {
      switch (region->space) {
        case AddressSpace::kLocal:
          semantics = static_cast<std::uint32_t>(MemorySemantics::kWorkgroupMemory);
          break;
        case AddressSpace::kGlobal:
        case AddressSpace::kConstant:
          semantics = static_cast<std::uint32_t>(MemorySemantics::kCrossWorkgroupMemory);
          break;
        case AddressSpace::kPrivate:
        case AddressSpace::kInput:
          break;
      }
    }
    result[lane] = semantics;
  }
}

namespace {

// Atomics whose order nobody can see (SplitOrdered): the only ones that are executed in place.
template <typename T>
void UnorderedAtomic(Batch& batch, const FlatInstruction& in) {
  const AtomicCall& call = batch.program->atomic_calls[in.immediate];
  const auto* address = batch.Register<std::uint64_t>(in.a);
  const std::uint32_t* operands = &batch.program->extra[in.extra];
  const T* operand = operands[0] == 0 ? nullptr : batch.Register<T>(operands[1]);
  const LaunchState& launch = batch.worker->launch();
  // Local memory is this thread's; and where several groups are in a batch, it need not lie where
  // the processor's atomic instructions want it.
  const bool parallel = !call.local && (launch.is_parallel || launch.options.has_host_atomics);
  using frontend::Op;
  const Kind kind = IntegerKind(sizeof(T) * 8);
  const bool adds = call.opcode == Op::kAtomicIIncrement || call.opcode == Op::kAtomicIAdd;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::byte* bytes = PlainBytes(batch, lane, address[lane], sizeof(T));
    if (bytes == nullptr) {
      bytes = ResolveAccess(batch, in, lane, address[lane], sizeof(T), AccessKind::kAtomic);
      if (bytes == nullptr) continue;
    }
    const T value = operand == nullptr ? T(1) : operand[lane];
    if (!parallel) {
      if (adds) {
        T old;
        std::memcpy(&old, bytes, sizeof old);
        old = static_cast<T>(old + value);
        std::memcpy(bytes, &old, sizeof old);
      } else {
        ApplyAtomic(call.opcode, kind, bytes, value, 0);
      }
      continue;
    }
    if constexpr (sizeof(T) >= 4) {
      if (adds && batch.worker->additions().Add(bytes, value)) continue;
    }
    T* place = reinterpret_cast<T*>(bytes);
    T old = __atomic_load_n(place, __ATOMIC_RELAXED);
    for (;;) {
      T now = old;
      ApplyAtomic(call.opcode, kind, reinterpret_cast<std::byte*>(&now), value, 0);
      if (__atomic_compare_exchange_n(place, &old, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        break;
      }
    }
  }
}

}  // namespace

Handler FindAtomicHandler(Kind kind) {
  switch (BytesOf(kind)) {
    case 1:
      return &UnorderedAtomic<std::uint8_t>;
    case 2:
      return &UnorderedAtomic<std::uint16_t>;
    case 4:
      return &UnorderedAtomic<std::uint32_t>;
    default:
      return &UnorderedAtomic<std::uint64_t>;
  }
}

}  // namespace assay::interp
