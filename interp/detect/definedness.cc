#include "interp/detect/definedness.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "interp/execute/execute.h"
#include "interp/execute/group_distance.h"
#include "interp/execute/interleaved.h"
#include "interp/execute/register_bits.h"
#include "interp/program/watched_access.h"
#include "interp/rules/rule.h"

namespace assay::interp {
namespace {

using Reason = UndefinedSource::Reason;

// A part of a value that compilers leave open, and not a whole one.
// What a component may be left open by.
bool IsComponent(Reason reason) {
  return reason == Reason::kUndef || reason == Reason::kLane || reason == Reason::kUnknown;
}

}  // namespace

Definedness::Definedness() : origins_(1) {}

std::uint32_t Definedness::Intern(Origin origin) {
  const auto [place, added] = places_.try_emplace(origin.KeyOf(), 0);
  if (added) {
    place->second = static_cast<std::uint32_t>(origins_.size());
    origins_.push_back(std::move(origin));
  }
  return place->second;
}

void Definedness::Begin(Batch& batch) {
  const Program& program = *batch.program;
  frames_[batch.frame_undefined] = ++batches_;
  if (batch.tainted) {
    std::memset(batch.undefined, 0, program.register_bytes);
    std::memset(batch.any_undefined, 0, program.register_bytes / 64);
  }
  batch.tainted = false;
  if (batch.undefined_rows != 0) {
    std::fill_n(batch.row_undefined, program.interleaved_bytes, 0);
    batch.undefined_rows = 0;
  }
  for (const ConstantRegister& constant : program.constants) {
    if (!constant.undefined) continue;
    batch.tainted = true;
    Origin origin;
    origin.cause = Origin::Cause::kSource;
    origin.source = static_cast<std::uint32_t>(constant.bits);
    const std::uint32_t number = Intern(std::move(origin));
    for (std::uint32_t lane = 0; lane < batch.lanes; ++lane) {
      SetLane(batch, constant.offset, BytesOf(constant.kind), static_cast<int>(lane),
              Ones(BytesOf(constant.kind)), number);
    }
  }
}

// --- memory -----------------------------------------------------------------------------------

std::uint32_t Definedness::MemoryOrigin(Batch& batch, std::uint32_t place, int lane,
                                        Address address, std::uint64_t undefined,
                                        std::uint32_t bytes) {
  Origin origin;
  const std::byte* record = UndefinedAt(batch, lane, address);
  if (record != nullptr) {
    const std::byte* const first = record + std::countr_zero(undefined) / 8;
    if (const std::uint32_t* told = FindTold(batch, batch.FindRegion(address), first)) return *told;
    const StoredValue* found = FindStored(batch, batch.FindRegion(address), first);
    if (found != nullptr && found->origin != 0) {
      const Origin& stored = OriginOf(found->origin);
      origin.is_padding = stored.cause == Origin::Cause::kSource &&
                          IsComponent(batch.program->undefined_sources[stored.source].reason);
      if (!origin.is_padding) return found->origin;
    }
    origin.is_copied = found != nullptr || has_forgotten_;
  }
  origin.cause = Origin::Cause::kMemory;
  origin.place = place;
  const Region* region = batch.FindRegion(address);
  if (region != nullptr) {
    origin.object = region->object;
    origin.space = region->space;
    origin.offset = static_cast<std::int64_t>(address - region->address);
    const std::uint64_t first = address - region->address;
    if (region->space == AddressSpace::kPrivate) {
      for (const auto& [offset, size] : batch.program->variables[region->variable].padding) {
        origin.is_padding =
            origin.is_padding || (first >= offset && first + bytes <= offset + size);
      }
    }
  }
  // Whole bytes that are defined beside others that are not.
  for (std::uint32_t i = 0; i < bytes; ++i) {
    origin.is_partial = origin.is_partial || (undefined >> (8 * i) & 0xff) == 0;
  }
  return Intern(std::move(origin));
}

void Definedness::Loaded(Batch& batch, const FlatInstruction& in, std::uint32_t result,
                         std::uint32_t bytes, std::uint64_t offset) {
  const auto* address = batch.Register<std::uint64_t>(in.a);
  bool any = false;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t undefined = Read(batch.undefined, result, bytes, lane);
    if (undefined == 0) continue;
    any = true;
    batch.Origins(result)[lane] = MemoryOrigin(
        batch, in.place, lane, address[lane] + in.immediate + offset, undefined, bytes);
  }
  if (any) {
    batch.any_undefined[result >> 6] = 1;
    batch.tainted = true;
  } else if (batch.whole) {
    batch.any_undefined[result >> 6] = 0;
  }
  batch.worker->Spend(16);
}

std::byte* Definedness::EnsureRecord(Batch& batch, int lane, Address address) {
  if (std::byte* record = UndefinedAt(batch, lane, address)) return record;
  const Region* region = batch.FindRegion(address);
  if (region == nullptr || region->shadow == nullptr) return nullptr;
  const std::lock_guard lock(batch.worker->launch().mutex);
  if (region->shadow->undefined == nullptr) {
    region->shadow->undefined = static_cast<std::byte*>(std::calloc(region->bytes, 1));
  }
  return UndefinedAt(batch, lane, address);
}

// Whether loads and stores may be what an optimizer made of the copy of a structure.  Without it
// compilers mark their functions DontInline, kernels too, for which nobody else asks; structures
// are then copied by OpCopyMemorySized.
bool Definedness::CopiesByScalars(const Batch& batch) const {
  constexpr std::uint32_t kDontInline = 2;  // SPIR-V, Function Control
  if (!copies_by_scalars_) {
    const frontend::Module& module = *batch.worker->launch().module;
    copies_by_scalars_ =
        std::ranges::none_of(module.entry_points, [&](const frontend::EntryPoint& kernel) {
          const frontend::Function* function = module.FindFunction(kernel.function);
          return function != nullptr && (function->control & kDontInline) != 0;
        });
  }
  return *copies_by_scalars_;
}

// See "Known deviations" in the header.
bool Definedness::IsPadding(const Batch& batch, int lane, const std::uint32_t* values,
                            std::uint32_t parts, std::uint32_t part, std::uint32_t bytes) const {
  const std::uint32_t number = batch.Origins(values[part])[lane];
  const Origin& origin = OriginOf(number);
  const std::uint64_t undefined = Read(batch.undefined, values[part], bytes, lane);
  if (origin.cause == Origin::Cause::kSource) {
    const Reason reason = batch.program->undefined_sources[origin.source].reason;
    if (parts == 4 && part == 3 && IsComponent(reason)) return true;
    // Optimizers make a variable of each piece of a structure, of its padding too.
    const std::string& name = batch.program->undefined_sources[origin.source].name;
    return (number & kDerived) == 0 &&
           (reason == Reason::kPadding ||
            (reason == Reason::kVariable && name.find(".sroa.") != std::string::npos));
  }
  if (origin.cause != Origin::Cause::kMemory || (number & kDerived) != 0 ||
      undefined == Ones(bytes) || !CopiesByScalars(batch)) {
    return false;
  }
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const std::uint64_t byte = undefined >> (8 * i) & 0xff;
    if (byte != 0 && byte != 0xff) return false;
  }
  return true;
}

void Definedness::Stored(Batch& batch, const FlatInstruction& in, const std::uint32_t* values,
                         std::uint32_t parts, std::uint32_t bytes) {
  const auto* address = batch.Register<std::uint64_t>(in.a);
  for (std::uint32_t part = 0; part < parts; ++part) {
    if (batch.any_undefined[values[part] >> 6] == 0) continue;
    std::uint64_t reported = 0;
    for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t undefined = Read(batch.undefined, values[part], bytes, lane);
      if (undefined == 0) continue;
      const Address at = address[lane] + in.immediate + std::uint64_t{part} * bytes;
      const Region* region = batch.FindRegion(at);
      if (region == nullptr) continue;
      if (region->space == AddressSpace::kGlobal && WatchedAccess::Of(in).read_parts == 0 &&
          !IsPadding(batch, lane, values, parts, part, bytes)) {
        reported |= std::uint64_t{1} << lane;
        continue;
      }
      const std::byte* record = EnsureRecord(batch, lane, at);
      if (record != nullptr && at - region->address <= region->bytes) {
        const std::uint32_t skipped = static_cast<std::uint32_t>(std::countr_zero(undefined)) / 8;
        Remember(record + skipped,
                 {batch.Origins(values[part])[lane], bytes - skipped, OwnerOf(batch, *region)});
        told_.erase(record + skipped);
      }
    }
    if (reported != 0) {
      Use(batch, in.place, values[part], bytes, reported, "what is stored to global memory", false);
    }
  }
}

void Definedness::Remember(const std::byte* record, const StoredValue& value) {
  if (stored_.size() > (1u << 20)) {
    stored_.clear();
    has_forgotten_ = true;
  }
  for (std::uint32_t i = 1; i < value.bytes; ++i) stored_.erase(record + i);
  stored_[record] = value;
}

std::uint64_t Definedness::OwnerOf(const Batch& batch, const Region& region) const {
  if (region.space == AddressSpace::kPrivate) {
    const auto frame = frames_.find(batch.frame_undefined);
    return frame == frames_.end() ? 0 : frame->second;
  }
  return region.space == AddressSpace::kGlobal ? 0 : batch.worker->group();
}

const Definedness::StoredValue* Definedness::FindStored(const Batch& batch, const Region* region,
                                                        const std::byte* record) const {
  if (region == nullptr || stored_.empty()) return nullptr;
  // The latest store to the byte begins nearest to it: Remember forgets what it covers.
  for (std::uint32_t before = 0; before < kMaxStoredBytes; ++before) {
    const auto found = stored_.find(record - before);
    if (found == stored_.end() || found->second.bytes <= before) continue;
    return found->second.owner == OwnerOf(batch, *region) ? &found->second : nullptr;
  }
  return nullptr;
}

void Definedness::Forget(const std::byte* record, std::uint64_t bytes) {
  // Also of bytes that are defined now: a store of a defined value leaves what was stored before.
  if (stored_.size() < bytes) {
    std::erase_if(stored_, [=](const auto& stored) {
      return stored.first >= record && stored.first < record + bytes;
    });
    return;
  }
  for (std::uint64_t i = 0; i < bytes; ++i) stored_.erase(record + i);
}

void Definedness::LoadedElement(Batch& batch, std::uint32_t place, std::uint32_t offset,
                                std::uint32_t bytes, int lane, Address address,
                                std::uint64_t undefined, std::uint32_t element_bytes) {
  SetLane(batch, offset, bytes, lane, Ones(bytes),
          MemoryOrigin(batch, place, lane, address, undefined, element_bytes));
}

// --- reports ----------------------------------------------------------------------------------

Rule Definedness::RuleOf(const Worker& worker, const Origin& origin, bool is_branch) {
  switch (origin.cause) {
    case Origin::Cause::kMemory:
      if (origin.is_padding) return Rule::kUninitializedPadding;
      return origin.is_partial ? Rule::kUninitializedUnion : Rule::kUninitializedValue;
    case Origin::Cause::kCheck:
      return origin.rule.value();
    case Origin::Cause::kSource:
      switch (worker.launch().program->undefined_sources[origin.source].reason) {
        case Reason::kVariable:
          return Rule::kUninitializedValue;
        case Reason::kLane:
          return Rule::kUndefinedLane;
        case Reason::kPadding:
          return Rule::kUninitializedPadding;
        case Reason::kEnded:
          return Rule::kMemoryLifetimeEnded;
        case Reason::kReturn:
          return Rule::kUndefinedReturn;
        case Reason::kUndef:
        case Reason::kUnknown:
          break;
      }
      break;
    case Origin::Cause::kUnknown:
    case Origin::Cause::kAtomic:
      break;
  }
  return is_branch ? Rule::kUndefinedBranch : Rule::kUndefinedValue;
}

std::string Definedness::Describe(const Worker& worker, const Origin& origin) {
  const LaunchState& launch = worker.launch();
  switch (origin.cause) {
    case Origin::Cause::kMemory:
      return fmt::format("read from {} memory '{}' at offset {}, {}: {}",
                         AddressSpaceName(origin.space), launch.memory->NameOf(origin.object),
                         origin.offset,
                         origin.is_padding  ? "which is padding"
                         : origin.is_copied ? "where no defined value was stored"
                                            : "where nothing was stored",
                         worker.DescribePlace(origin.place));
    case Origin::Cause::kCheck:
      return "left undefined here: " + worker.DescribePlace(origin.place);
    case Origin::Cause::kAtomic:
      return "read by an atomic operation where nothing was stored: " +
             worker.DescribePlace(origin.place);
    case Origin::Cause::kSource: {
      const UndefinedSource& source = launch.program->undefined_sources[origin.source];
      if (source.reason == Reason::kReturn && source.origin == 0) {
        return "a function that has to return a value ended without one";
      }
      if (source.reason == Reason::kPadding) {
        return fmt::format("padding of variable '{}'", source.name);
      }
      if (source.reason == Reason::kEnded) {
        return fmt::format("variable '{}' has ended, or its function has returned", source.name);
      }
      if (source.reason == Reason::kVariable) {
        return fmt::format("nothing was assigned to variable '{}'", source.name);
      }
      return "left undefined here: " + worker.DescribeInstruction(source.origin);
    }
    case Origin::Cause::kUnknown:
      break;
  }
  return "";
}

void Definedness::Use(Batch& batch, std::uint32_t place, std::uint32_t offset, std::uint32_t bytes,
                      std::uint64_t lanes, std::string_view use, bool is_branch) {
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (Read(batch.undefined, offset, bytes, lane) == 0) continue;
    const Origin& origin = OriginOf(batch.Origins(offset)[lane]);
    Write(batch.undefined, offset, bytes, lane, 0);
    if (origin.cause == Origin::Cause::kAtomic) continue;
    const bool at_origin = origin.cause == Origin::Cause::kCheck;
    // Optimizers compare pointers that are numbers, such as the bytes that are left, with null.
    if (at_origin && is_branch && origin.rule == Rule::kPointerForged) continue;
    const std::uint32_t where = at_origin ? origin.place : place;
    const Rule rule = RuleOf(*batch.worker, origin, is_branch);
    if (batch.worker->CountAgain(rule, where)) continue;
    std::string message;
    std::vector<std::string> history;
    if (at_origin) {
      message = origin.message;
      history.push_back(
          fmt::format("{} depends on it: {}", use, batch.worker->DescribePlace(place)));
    } else {
      std::string what = "an undefined value";
      if (rule == Rule::kUninitializedValue) what = "a value that was never initialised";
      if (rule == Rule::kUninitializedUnion) what = "bytes that nothing was stored to";
      if (rule == Rule::kMemoryLifetimeEnded) what = "a variable outside its lifetime";
      if (rule == Rule::kUninitializedPadding) what = "a component that is only padding";
      if (rule == Rule::kUndefinedReturn) what = "what a function did not return";
      if (rule == Rule::kUndefinedLane) what = "a vector component that was left undefined";
      message = fmt::format("{} depends on {}", use, what);
      if (std::string text = Describe(*batch.worker, origin); !text.empty())
        history.push_back(std::move(text));
    }
    batch.worker->Report(batch, where, lane, rule, message, std::move(history));
  }
}

std::uint64_t Definedness::ReadByAtomic(Batch& batch, const FlatInstruction& in, int lane,
                                        Address address, std::uint64_t bytes, bool replaces) {
  std::byte* record = UndefinedAt(batch, lane, address);
  if (record == nullptr) return 0;
  std::uint64_t undefined = 0;
  std::memcpy(&undefined, record, std::min<std::uint64_t>(bytes, sizeof undefined));
  if (undefined == 0) return 0;
  const Region* region = batch.FindRegion(address);
  if (replaces) {
    std::memset(record, 0, bytes);
  } else if (region->space != AddressSpace::kPrivate) {
    if (told_.size() > (1u << 20)) told_.clear();
    Origin origin;
    origin.cause = Origin::Cause::kAtomic;
    origin.place = in.place;
    told_[record + std::countr_zero(undefined) / 8] = {Intern(std::move(origin)),
                                                       batch.worker->group()};
  }
  if (batch.worker->CountAgain(Rule::kUndefinedAtomic, in.place)) return undefined;
  batch.worker->Report(
      batch, in.place, lane, Rule::kUndefinedAtomic,
      fmt::format("an atomic operation on {} memory '{}' at offset {}, which was never initialised",
                  AddressSpaceName(region->space),
                  batch.worker->launch().memory->NameOf(region->object),
                  address - region->address));
  return undefined;
}

void Definedness::ReturnedByAtomic(Batch& batch, const FlatInstruction& in, std::uint32_t result,
                                   std::uint32_t bytes, int lane, std::uint64_t undefined) {
  Origin origin;
  origin.cause = Origin::Cause::kAtomic;
  origin.place = in.place;
  SetLane(batch, result, bytes, lane, undefined, Intern(std::move(origin)));
}

void Definedness::LeftOpen(Batch& batch, std::uint32_t place, std::uint32_t offset,
                           std::uint32_t bytes, int lane, Rule rule, const std::string& what) {
  Origin origin;
  origin.cause = Origin::Cause::kCheck;
  origin.place = place;
  origin.rule = rule;
  origin.message = what;
  MakeUndefined(batch, offset, bytes, std::uint64_t{1} << lane, std::move(origin));
}

// Local memory is another group's when its next group begins.
const std::uint32_t* Definedness::FindTold(const Batch& batch, const Region* region,
                                           const std::byte* record) const {
  const auto found = told_.find(record);
  if (found == told_.end() || region == nullptr) return nullptr;
  const bool is_same =
      region->space == AddressSpace::kGlobal || found->second.group == batch.worker->group();
  return is_same ? &found->second.origin : nullptr;
}

void Definedness::MakeUndefined(Batch& batch, std::uint32_t offset, std::uint32_t bytes,
                                std::uint64_t lanes, Origin origin) {
  const std::uint32_t number = Intern(std::move(origin));
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    SetLane(batch, offset, bytes, std::countr_zero(rest), Ones(bytes), number);
  }
}

// --- what handlers call -----------------------------------------------------------------------

void LoadedUndefined(Batch& batch, const FlatInstruction& in, std::uint32_t result,
                     std::uint32_t bytes, std::uint64_t offset) {
  DefinednessOf(*batch.worker)->Loaded(batch, in, result, bytes, offset);
}
void ClearUndefined(Batch& batch, std::uint32_t result, std::uint32_t bytes) {
  DefinednessOf(*batch.worker)->Clear(batch, result, bytes);
}
void StoredUndefined(Batch& batch, const FlatInstruction& in, const std::uint32_t* values,
                     std::uint32_t parts, std::uint32_t bytes) {
  DefinednessOf(*batch.worker)->Stored(batch, in, values, parts, bytes);
}
void AddressUndefined(Batch& batch, const FlatInstruction& in) {
  DefinednessOf(*batch.worker)
      ->Use(batch, in.place, in.a, 8, batch.active, "the address of the access", false);
}

std::byte* UndefinedAt(const Batch& batch, int lane, Address address) {
  if (batch.undefined == nullptr) return nullptr;
  const Region* region = batch.FindRegion(address);
  // An address before or behind the object is the access's own affair.
  if (region == nullptr || address - region->address >= region->bytes) return nullptr;
  const std::uint64_t offset = address - region->address;
  if (region->host != nullptr || region->groups != nullptr) {
    std::byte* record = region->shadow == nullptr ? nullptr : region->shadow->undefined.load();
    return record == nullptr ? nullptr : record + DistanceOf(batch, *region, lane) + offset;
  }
  if (region->space != AddressSpace::kPrivate ||
      region->variable >= batch.program->variables.size() ||
      batch.program->variables[region->variable].address != region->address) {
    return nullptr;
  }
  const FlatVariable& variable = batch.program->variables[region->variable];
  const auto place = static_cast<std::uint64_t>(lane);
  if (variable.interleaved != 0) {
    // ResolveAccess lets nobody to a part of an element.
    const std::uint64_t element = offset - offset % variable.interleaved;
    return RecordOfRow(batch, RowAt(batch, variable, element)) + place * variable.interleaved +
           (offset - element);
  }
  return batch.frame_undefined + place * batch.program->frame_bytes + variable.frame_offset +
         offset;
}

}  // namespace assay::interp
