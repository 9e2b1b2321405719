// Accesses under detectors that are the same for every instruction set: copies, atomics, fences,
// alignment, conditions on operands.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <span>

#include "interp/detect/definedness.h"
#include "interp/detect/pointer_watch.h"
#include "interp/detect/races.h"
#include "interp/execute/choice.h"
#include "interp/execute/execute.h"
#include "interp/execute/execution_graph.h"
#include "interp/execute/interleaved.h"
#include "interp/execute/plain_atomics.h"
#include "interp/program/check_message.h"
#include "interp/program/handlers.h"
#include "interp/program/memory_order.h"
#include "interp/program/watched_access.h"
#include "interp/rules/check.h"
#include "interp/rules/rule.h"

namespace assay::interp {

using frontend::Op;
using frontend::OpenClStd;

void CopyMemoryWatched(Batch& batch, const FlatInstruction& in) {
  Worker& worker = *batch.worker;
  for (const std::uint32_t operand : {in.a, in.b, in.c}) {
    if (batch.tainted && batch.any_undefined[operand >> 6] != 0) {
      DefinednessOf(worker)->Use(batch, in.place, operand, 8, batch.active,
                                 operand == in.c ? "the size of a copy" : "the address of a copy",
                                 false);
    }
  }
  const auto* target = batch.Register<std::uint64_t>(in.a);
  const auto* source = batch.Register<std::uint64_t>(in.b);
  const auto* bytes = batch.Register<std::uint64_t>(in.c);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (bytes[lane] == 0) continue;
    worker.Spend(bytes[lane] / 16);
    if (!worker.MayGoOnInside()) return;
    const std::byte* from =
        ResolveAccess(batch, in, lane, source[lane], bytes[lane], AccessKind::kLoad);
    std::byte* to = ResolveAccess(batch, in, lane, target[lane], bytes[lane], AccessKind::kStore);
    if (from == nullptr || to == nullptr) continue;
    TrackAccess(batch, in, lane, source[lane], bytes[lane], AccessKind::kLoad, false);
    bool is_same = true;
    const auto each_piece = [&](const auto& use) {
      EachPiece(batch, source[lane], target[lane], bytes[lane], use);
    };
    each_piece([&](const CopiedPiece& piece) {
      is_same = is_same && std::memcmp(from + piece.from, to + piece.to, piece.bytes) == 0;
    });
    TrackAccess(batch, in, lane, target[lane], bytes[lane], AccessKind::kStore, is_same);
    each_piece([&](const CopiedPiece& piece) {
      if (batch.undefined != nullptr) {
        DefinednessOf(worker)->Copied(batch, lane, target[lane] + piece.offset,
                                      source[lane] + piece.offset, piece.bytes);
      }
      std::memmove(to + piece.to, from + piece.from, piece.bytes);
    });
    if (batch.restricts != nullptr) {
      PointersOf(worker)->CopiedBesideRestrict(batch, in.place, lane, target[lane], source[lane],
                                               bytes[lane]);
    }
  }
}

void EnterVariableWatched(Batch& batch, const FlatInstruction& in) {
  EnterVariable(batch, in);
  if (batch.undefined == nullptr) return;
  const FlatVariable& variable = batch.program->variables[in.immediate];
  if (batch.program->screens && variable.interleaved != 0) {
    return UndefineRows(batch, variable, batch.active);
  }
  Definedness& definedness = *DefinednessOf(*batch.worker);
  const bool has_stored = definedness.HasStored();
  const auto enter = [&](std::byte* record, std::uint64_t bytes) {
    if (has_stored) definedness.Forget(record, bytes);
    // Most are small: a call would cost more.
    if (bytes == 8) {
      std::memset(record, 0xff, 8);
    } else if (bytes == 4) {
      std::memset(record, 0xff, 4);
    } else {
      std::memset(record, 0xff, bytes);
    }
  };
  const std::uint64_t element = variable.interleaved;
  if (element != 0 && batch.whole) {
    return enter(RecordOfRow(batch, RowAt(batch, variable, 0)), variable.bytes * batch.lanes);
  }
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint64_t>(std::countr_zero(rest));
    if (element == 0) {
      enter(batch.frame_undefined + lane * batch.program->frame_bytes + variable.frame_offset,
            variable.bytes);
      continue;
    }
    for (std::uint64_t at = 0; at < variable.bytes; at += element) {
      enter(RecordOfRow(batch, RowAt(batch, variable, at)) + lane * element, element);
    }
  }
}

void IgnoreFence(Batch& batch, const FlatInstruction& in) {
  (void)batch;  // work-items are executed in a sequentially consistent order
  (void)in;
}

namespace {

void LookAtFence(Batch& batch, const FlatInstruction& in, std::uint64_t lanes,
                 const AtomicCall& call) {
  constexpr std::uint32_t kAnyMemory = kWorkgroupMemory | kCrossWorkgroupMemory | kImageMemory;
  if (batch.program->detectors.Has(Detector::kAtomics) && (call.order & kAnyMemory) == 0 &&
      !batch.worker->CountAgain(Rule::kFenceFlags, in.place)) {
    batch.worker->Report(batch, in.place, std::countr_zero(lanes), Rule::kFenceFlags,
                         "a fence that names no memory to order");
  }
  if (batch.program->detectors.Has(Detector::kImages) && (call.order & kImageMemory) != 0 &&
      (call.scope != static_cast<std::uint32_t>(frontend::Scope::kInvocation) ||
       (call.order & kAcquireRelease) == 0) &&
      !batch.worker->CountAgain(Rule::kImageFenceScope, in.place)) {
    batch.worker->Report(batch, in.place, std::countr_zero(lanes), Rule::kImageFenceScope,
                         "a fence for images whose scope is not memory_scope_work_item, or whose "
                         "order is not memory_order_acq_rel");
  }
  if (RacesOf(*batch.worker) == nullptr) return;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    RacesOf(*batch.worker)->Fence(batch, std::countr_zero(rest), call);
  }
  const ChoiceSource* const choices = batch.worker->launch().choices;
  if ((call.order & kSequential) != 0 && choices != nullptr && choices->graph() != nullptr) {
    choices->graph()->AddFence();
  }
}

}  // namespace

void FenceWatched(Batch& batch, const FlatInstruction& in) {
  const AtomicCall& call = batch.program->atomic_calls[in.immediate];
  if (!call.is_computed) return LookAtFence(batch, in, batch.active, call);
  for (const std::uint32_t operand : {in.a, in.b}) {
    if (batch.tainted && batch.any_undefined[operand >> 6] != 0) {
      DefinednessOf(*batch.worker)
          ->Use(batch, in.place, operand, 4, batch.active, "the flags of a fence", false);
    }
  }
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    AtomicCall own = call;
    own.scope = batch.Register<std::uint32_t>(in.a)[lane];
    own.order = batch.Register<std::uint32_t>(in.b)[lane];
    LookAtFence(batch, in, rest & -rest, own);
  }
}

namespace {

// OpenCL C 6.15.12.7: an atomic_flag has two states, which nothing else gives it.  What it is
// before it was initialised is said by Definedness; clearing it then is how it is initialised.
void CheckFlag(Batch& batch, const FlatInstruction& in, int lane, Address address,
               const AtomicCall& call) {
  if (call.opcode != Op::kAtomicFlagTestAndSet && call.opcode != Op::kAtomicFlagClear) return;
  Worker& worker = *batch.worker;
  const Region* region = batch.FindRegion(address);
  std::uint32_t value = 0;
  std::uint32_t undefined = 0;
  const std::byte* const host = HostOf(batch, *region, lane);
  if (host == nullptr) return;
  std::memcpy(&value, host + (address - region->address), sizeof value);
  if (const std::byte* record = UndefinedAt(batch, lane, address)) {
    std::memcpy(&undefined, record, sizeof undefined);
  }
  const bool is_known = worker.definedness() != nullptr || region->space == AddressSpace::kGlobal;
  if (value <= 1 || undefined != 0 || !is_known || worker.CountAgain(Rule::kAtomicFlag, in.place)) {
    return;
  }
  worker.Report(batch, in.place, lane, Rule::kAtomicFlag,
                fmt::format("a flag at offset {} of {} memory '{}' has the value {:#x}: something "
                            "else than flag operations modified it",
                            address - region->address, AddressSpaceName(region->space),
                            worker.launch().memory->NameOf(region->object), value));
}

}  // namespace

std::uint64_t WatchAtomic(Batch& batch, const FlatInstruction& in, int lane, Address address,
                          std::uint64_t bytes, const AtomicCall& call) {
  Worker& worker = *batch.worker;
  const DetectorSet detectors = batch.program->detectors;
  if (detectors.IsEmpty()) return 0;
  Address of_lane[kMaxLanes];
  of_lane[lane] = address;
  if (RecordPlainAtomics(batch, in, call, of_lane, bytes, std::uint64_t{1} << lane) == 0) return 0;
  const auto report = [&](Rule rule, const std::string& message) {
    worker.Report(batch, in.place, lane, rule, message);
  };
  if (detectors.Has(Detector::kAlignment) && address % bytes != 0 &&
      !worker.CountAgain(Rule::kAlignmentAtomic, in.place)) {
    report(Rule::kAlignmentAtomic,
           fmt::format("an atomic operation on {} bytes at address {:#x}, which is not a multiple "
                       "of them",
                       bytes, address));
  }
  const Region* region = batch.FindRegion(address);
  if (detectors.Has(Detector::kAtomics) && region->space == AddressSpace::kPrivate &&
      !worker.CountAgain(Rule::kAtomicPrivate, in.place)) {
    report(Rule::kAtomicPrivate, fmt::format("an atomic operation on private variable '{}'",
                                             worker.launch().memory->NameOf(region->object)));
  }
  if (detectors.Has(Detector::kAtomics)) CheckFlag(batch, in, lane, address, call);
  const bool reads = !IsStoreOnly(call.opcode);
  const bool writes = call.opcode != Op::kAtomicLoad;
  std::uint64_t undefined = 0;
  if (worker.definedness() != nullptr) {
    if (reads) {
      const bool replaces =
          call.opcode == Op::kAtomicExchange || call.opcode == Op::kAtomicFlagTestAndSet;
      undefined = DefinednessOf(worker)->ReadByAtomic(batch, in, lane, address, bytes, replaces);
    } else if (std::byte* record = UndefinedAt(batch, lane, address)) {
      std::memset(record, 0, bytes);
    }
  }
  if (worker.races() != nullptr) {
    RacesOf(worker)->Access(batch, in, lane, address, bytes,
                            writes ? AccessKind::kStore : AccessKind::kLoad, false, &call, 0);
  }
  return undefined;
}

// After an atomic operation at the place of the modification order, which left `value`.
void WatchOrder(Batch& batch, int lane, const AtomicCall& call, Address address,
                std::uint64_t value, std::uint32_t place) {
  Races* races = RacesOf(*batch.worker);
  if (races == nullptr) return;
  const bool reads = !IsStoreOnly(call.opcode);
  const bool writes = call.opcode != Op::kAtomicLoad;
  races->Synchronize(batch, lane, call, address, place, value, reads && (!writes || call.is_used),
                     writes);
}

void AtomicWatched(Batch& batch, const FlatInstruction& in) {
  const AtomicCall& call = batch.program->atomic_calls[in.immediate];
  const std::uint32_t* operands = &batch.program->extra[in.extra];
  if (batch.tainted) {
    for (std::uint32_t i = 0; i <= operands[0]; ++i) {
      const std::uint32_t offset = i == 0 ? in.a : operands[i];
      if (batch.any_undefined[offset >> 6] == 0) continue;
      DefinednessOf(*batch.worker)
          ->Use(batch, in.place, offset, i == 0 ? 8 : in.c, batch.active, "an atomic operation",
                false);
    }
  }
  const auto* address = batch.Register<std::uint64_t>(in.a);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    rest = RecordPlainAtomics(batch, in, call, address, in.c, rest);
    if (rest == 0) break;
    const int lane = std::countr_zero(rest);
    const Region* region = batch.FindRegion(address[lane]);
    // What is not there is said by the operation itself.
    if (region == nullptr || address[lane] - region->address > region->bytes ||
        region->bytes - (address[lane] - region->address) < in.c ||
        (HostOf(batch, *region, lane) == nullptr && region->space != AddressSpace::kPrivate)) {
      continue;
    }
    WatchAtomic(batch, in, lane, address[lane], in.c, call);
  }
  FindAtomicHandler(IntegerKind(static_cast<int>(in.c) * 8))(batch, in);
  if (!batch.program->has_acquire_release) return;
  // Their order shows nowhere, but what they release may be acquired.
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Region* region = batch.FindRegion(address[lane]);
    const std::uint64_t offset = region == nullptr ? 0 : address[lane] - region->address;
    if (region == nullptr || region->host == nullptr || offset > region->bytes ||
        region->bytes - offset < in.c) {
      continue;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, region->host + offset, in.c);
    WatchOrder(batch, lane, call, address[lane], value, 0);
  }
}

// --- alignment --------------------------------------------------------------------------------

namespace {

struct AlignmentRule {
  Rule rule;
  std::string what;
};

AlignmentRule AlignmentRuleOf(const frontend::Module& module,
                              const frontend::Instruction& instruction, std::uint64_t alignment) {
  const auto operands = module.Operands(instruction);
  if (instruction.opcode == Op::kExtInst) {
    switch (static_cast<OpenClStd>(operands[1])) {
      case OpenClStd::kVloadaHalfn:
      case OpenClStd::kVstoreaHalfn:
      case OpenClStd::kVstoreaHalfnR:
        return {Rule::kAlignmentVloada, "the half vector"};
      default:
        return {Rule::kAlignmentVload, "an element"};
    }
  }
  const std::size_t at = instruction.opcode == Op::kLoad ? 1 : 2;
  const bool has_operand = at + 1 < operands.size() && (operands[at] & 2) != 0;
  if (has_operand) {
    const auto type =
        module.TypeOf(instruction.opcode == Op::kLoad ? instruction.result : operands[1]);
    const frontend::Type* found = module.types.Find(type);
    const bool is_types = found != nullptr && found->alignment == alignment;
    if (!is_types && operands[at + 1] == alignment) {
      return {Rule::kAlignmentOperand, "the operand Aligned"};
    }
  }
  return {Rule::kAlignmentAccess, "the type"};
}

}  // namespace

void Misaligned(Batch& batch, const FlatInstruction& in) {
  Worker& worker = *batch.worker;
  const auto* address = batch.Register<std::uint64_t>(in.a);
  const WatchedAccess access = WatchedAccess::Of(in);
  const std::uint64_t low = (std::uint64_t{1} << access.alignment) - 1;
  const frontend::Module& module = *worker.launch().module;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Address at = address[lane] + in.immediate - access.alignment_offset;
    if ((at & low) == 0) continue;
    const AlignmentRule rule = AlignmentRuleOf(
        module, module.instructions[batch.program->places[in.place].origin], low + 1);
    if (worker.CountAgain(rule.rule, in.place)) continue;
    const Region* region = batch.FindRegion(at);
    const std::string where = region == nullptr || region->address == 0
                                  ? fmt::format("at address {:#x}", at)
                                  : fmt::format("at offset {} of {} memory '{}'",
                                                static_cast<std::int64_t>(at - region->address),
                                                AddressSpaceName(region->space),
                                                worker.launch().memory->NameOf(region->object));
    worker.Report(batch, in.place, lane, rule.rule,
                  fmt::format("an access {} is not aligned to {} bytes, as {} wants it", where,
                              low + 1, rule.what));
  }
}

// --- conditions on operands -------------------------------------------------------------------

namespace {

// Work-items in which an operand has undefined bits: what it happens to be proves nothing.
std::uint64_t UndefinedLanes(const Batch& batch, std::span<const std::uint32_t> registers,
                             std::uint32_t bytes) {
  std::uint64_t lanes = 0;
  for (const std::uint32_t offset : registers) {
    if (!batch.tainted || batch.any_undefined[offset >> 6] == 0) continue;
    for (std::uint32_t lane = 0; lane < batch.lanes; ++lane) {
      std::uint64_t undefined = 0;
      std::memcpy(&undefined, batch.undefined + offset + std::size_t{lane} * bytes, bytes);
      lanes |= std::uint64_t{undefined != 0} << lane;
    }
  }
  return lanes;
}

// Operands: the index, the number of elements, the address that is accessed.
void ArrayIndexFailed(Batch& batch, const FlatInstruction& in, std::uint64_t lanes) {
  const auto* address = batch.Register<std::uint64_t>(in.c);
  // What leads out of the object is said by the access.
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const Address at = address[std::countr_zero(rest)];
    const Region* region = batch.FindRegion(at);
    if (region == nullptr || at - region->address >= region->bytes) lanes &= ~(rest & -rest);
  }
  if (lanes == 0) return;
  CheckFailed(batch, in, lanes, [&](int lane) {
    const Region& region = *batch.FindRegion(address[lane]);
    return fmt::format(
        "index {} is out of bounds for an array of {} elements, and leads to offset {} of {} "
        "memory '{}'",
        static_cast<std::int64_t>(batch.Register<std::uint64_t>(in.a)[lane]),
        *batch.Register<std::uint64_t>(in.b), address[lane] - region.address,
        AddressSpaceName(region.space), batch.worker->launch().memory->NameOf(region.object));
  });
}

}  // namespace

void CheckFailed(Batch& batch, const FlatInstruction& in, std::uint64_t lanes) {
  const CheckCall& call = batch.program->checks[in.immediate];
  const CheckRow& row = RowOf(call.check);
  const std::uint32_t bytes = BytesOf(call.kind);
  const std::uint32_t registers[] = {in.a, in.b, in.c};
  lanes &= ~UndefinedLanes(batch, std::span(registers).first(static_cast<std::size_t>(row.arity)),
                           bytes);
  if (call.check == Check::kArrayIndex) return ArrayIndexFailed(batch, in, lanes);
  if (lanes == 0) return;
  CheckFailed(batch, in, lanes, [&](int lane) {
    std::array<std::uint64_t, 3> operands{};
    for (int i = 0; i < row.arity; ++i) {
      std::memcpy(&operands[static_cast<std::size_t>(i)],
                  batch.registers + registers[i] + static_cast<std::size_t>(lane) * bytes, bytes);
    }
    return CheckMessage(row, call.kind, operands);
  });
}

void CheckFailed(Batch& batch, const FlatInstruction& in, std::uint64_t lanes,
                 const std::function<std::string(int lane)>& message) {
  Worker& worker = *batch.worker;
  const CheckCall& call = batch.program->checks[in.immediate];
  const Rule rule = RowOf(call.check).rule;
  if (call.poisons && worker.definedness() != nullptr) {
    Definedness::Origin origin;
    origin.cause = Definedness::Origin::Cause::kCheck;
    origin.place = in.place;
    origin.rule = rule;
    origin.message = message(std::countr_zero(lanes));
    for (std::uint32_t i = 0; i < call.poisoned_count; ++i) {
      const std::uint32_t target = i == 0 ? in.result : batch.program->extra[in.extra + i - 1];
      DefinednessOf(worker)->MakeUndefined(batch, target, call.poisoned_bytes, lanes, origin);
    }
    worker.Spend(64);
    return;
  }
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (worker.CountAgain(rule, in.place)) continue;
    worker.Report(batch, in.place, lane, rule, message(lane));
  }
}

}  // namespace assay::interp
