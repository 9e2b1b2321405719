#include "interp/debug/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using frontend::TypeRef;

DebugProgram::DebugProgram(LaunchState* launch_state,
                           std::span<const std::unique_ptr<Worker>> all_workers)
    : launch(*launch_state),
      workers(all_workers),
      module(*launch_state->module),
      program(*launch_state->program),
      types(module),
      places(module, program),
      frames(module, program, places, &types),
      globals(frontend::ReadSourceGlobals(module, &types)) {}

std::uint64_t DebugValue::Bits() const {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min<std::size_t>(bytes.size(), sizeof bits));
  return bits;
}

bool DebugValue::IsUndefined() const {
  return std::any_of(undefined.begin(), undefined.end(),
                     [](std::byte byte) { return byte != std::byte{0}; });
}

bool DebugValue::IsWhollyUndefined() const {
  return !undefined.empty() &&
         std::ranges::all_of(undefined, [](std::byte byte) { return byte == std::byte{0xff}; });
}

bool DebugValue::IsMissing() const {
  return std::ranges::any_of(missing, [](std::byte byte) { return byte != std::byte{0}; });
}

DebugValue DebugValue::Slice(std::uint64_t offset, std::uint64_t count) const {
  DebugValue slice;
  const auto cut = [&](const std::vector<std::byte>& from) {
    if (from.empty()) return from;
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(offset);
    return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  slice.bytes = cut(bytes);
  slice.undefined = cut(undefined);
  slice.missing = cut(missing);
  if (slice.IsUndefined()) slice.why_undefined = why_undefined;
  slice.place = place;
  if (place == Place::kMemory) slice.address = address + offset;
  for (const DebugPart& part : parts) {
    const std::uint64_t begin = std::max(part.offset, offset);
    const std::uint64_t end = std::min(part.offset + part.bytes, offset + count);
    if (begin >= end) continue;
    slice.parts.push_back(
        {begin - offset, end - begin, part.holder, part.place + begin - part.offset});
  }
  return slice;
}

void DebugValue::MakeUndefined(const std::string& why) {
  undefined.assign(bytes.size(), std::byte{0xff});
  why_undefined = why;
}

void DebugValue::SetPart(std::uint64_t offset, const DebugValue& part) {
  const std::size_t size = std::min<std::size_t>(part.bytes.size(), bytes.size() - offset);
  std::memcpy(bytes.data() + offset, part.bytes.data(), size);
  const auto mark = [&](const std::vector<std::byte>& from, std::vector<std::byte>* to) {
    if (from.empty() && to->empty()) return;
    to->resize(bytes.size());
    if (from.empty()) {
      std::memset(to->data() + offset, 0, size);
    } else {
      std::memcpy(to->data() + offset, from.data(), size);
    }
  };
  mark(part.undefined, &undefined);
  mark(part.missing, &missing);
  if (part.IsUndefined() && why_undefined.empty()) why_undefined = part.why_undefined;
}

Expected<std::byte*> DebugMemory::Host(const DebugItem& item, Address address,
                                       std::uint64_t bytes) const {
  const auto fail = [&](std::string_view what) {
    return Fail(ErrorKind::kUsage,
                fmt::format("cannot access {} bytes at {:#x}: {}", bytes, address, what));
  };
  if (item.batch == nullptr) return fail("no work-item is selected");
  const Region* region = item.batch->FindRegion(address);
  if (address == 0) return fail("it is a null pointer");
  if (region == nullptr || region->address == 0) return fail("no object lives there");
  if (region->ended) return fail("the object was released");
  const auto offset = static_cast<std::int64_t>(address - region->address);
  if (offset < 0 || static_cast<std::uint64_t>(offset) > region->bytes ||
      region->bytes - static_cast<std::uint64_t>(offset) < bytes) {
    return fail(fmt::format("it is at offset {} of {} memory '{}', which has {} bytes", offset,
                            AddressSpaceName(region->space),
                            program_.launch.memory->NameOf(region->object), region->bytes));
  }
  if (region->space == AddressSpace::kPrivate) {
    const Program& program = program_.program;
    if (region->variable >= program.variables.size() ||
        program.variables[region->variable].address != region->address) {
      return fail("it is a private variable of another kernel");
    }
    return item.batch->frame + program.variables[region->variable].frame_offset + offset;
  }
  if (region->host == nullptr) return fail("this kernel does not use it");
  return region->host + offset;
}

std::vector<std::byte> DebugMemory::UndefinedBytes(const DebugItem& item, Address address,
                                                   std::uint64_t bytes) const {
  if (!program_.program.detectors.Has(Detector::kDefinedness)) return {};
  const std::byte* record = UndefinedAt(*item.batch, 0, address);
  if (record == nullptr) return {};
  return {record, record + bytes};
}

tl::unexpected<Error> DebugMemory::TooLarge(std::uint64_t bytes) {
  return Fail(
      ErrorKind::kUsage,
      fmt::format("a value of {} bytes is too large to show; name an element of it", bytes));
}

Expected<DebugValue> DebugMemory::Load(const DebugItem& item, Address address, TypeRef type) const {
  DebugValue value;
  value.type = type;
  value.place = DebugValue::Place::kMemory;
  value.address = address;
  const std::uint64_t bytes = program_.types.At(type).bytes;
  if (bytes > kMostValueBytes) return TooLarge(bytes);
  const auto host = Host(item, address, bytes);
  if (!host) return tl::unexpected(host.error());
  value.bytes.assign(*host, *host + bytes);
  value.undefined = UndefinedBytes(item, address, bytes);
  if (value.IsUndefined()) value.why_undefined = "nothing defined was stored there";
  return value;
}

Expected<void> DebugMemory::Store(const DebugItem& item, Address address,
                                  std::span<const std::byte> bytes,
                                  std::span<const std::byte> undefined) const {
  const auto host = Host(item, address, bytes.size());
  if (!host) return tl::unexpected(host.error());
  std::ranges::copy(bytes, *host);
  if (program_.program.detectors.Has(Detector::kDefinedness)) {
    const bool is_defined =
        std::ranges::all_of(undefined, [](std::byte byte) { return byte == std::byte{0}; });
    // A record is made only for what needs one.
    std::byte* const record =
        is_defined ? UndefinedAt(*item.batch, 0, address)
                   : item.worker->definedness()->EnsureRecord(*item.batch, 0, address);
    if (record != nullptr && is_defined) std::memset(record, 0, bytes.size());
    if (record != nullptr && !is_defined) std::ranges::copy(undefined, record);
  }
  return {};
}

// The scalars of a type in the order of SPIR-V's; false for what has none.
bool DebugMemory::Flatten(TypeRef ref, std::uint64_t offset, std::vector<Scalar>* scalars) const {
  const SourceType& type = program_.types.At(ref);
  switch (type.kind) {
    case SourceKind::kVector:
    case SourceKind::kArray: {
      const std::uint64_t stride = program_.types.At(type.element).bytes;
      for (std::uint64_t i = 0; i < type.count && scalars->size() < 65536; ++i) {
        const std::size_t before = scalars->size();
        if (!Flatten(type.element, offset + i * stride, scalars)) return false;
        if (scalars->size() == before) break;  // an element has none, and so has the next
      }
      return true;
    }
    case SourceKind::kStruct:
      return std::ranges::all_of(type.members, [&](const frontend::SourceMember& member) {
        return Flatten(member.type, offset + member.offset, scalars);
      });
    case SourceKind::kUnion:
    case SourceKind::kVoid:
    case SourceKind::kUnknown:
      return false;
    case SourceKind::kBool:
    case SourceKind::kSigned:
    case SourceKind::kUnsigned:
    case SourceKind::kFloat:
    case SourceKind::kPointer:
    case SourceKind::kEnum:
      break;
  }
  scalars->push_back({offset, type.bytes});
  return true;
}

Expected<DebugValue> DebugMemory::FromRegisters(const DebugItem& item,
                                                std::span<const DebugRegister> registers,
                                                TypeRef type) const {
  std::vector<Scalar> scalars;
  const std::uint64_t all_bytes = program_.types.At(type).bytes;
  if (all_bytes > kMostValueBytes) return TooLarge(all_bytes);
  if (!Flatten(type, 0, &scalars) || scalars.size() != registers.size()) {
    return Fail(ErrorKind::kUsage, fmt::format("a value of {} scalars in registers is no {}",
                                               registers.size(), program_.types.At(type).name));
  }
  DebugValue value;
  value.type = type;
  value.place = DebugValue::Place::kParts;
  value.bytes.assign(program_.types.At(type).bytes, std::byte{});
  const Batch& batch = *item.batch;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const std::uint64_t bytes =
        std::min<std::uint64_t>(scalars[i].bytes, BytesOf(registers[i].kind));
    std::memcpy(value.bytes.data() + scalars[i].offset, batch.registers + registers[i].offset,
                bytes);
    value.parts.push_back({scalars[i].offset, bytes, registers[i]});
    if (batch.undefined == nullptr) continue;
    std::uint64_t mask = 0;
    std::memcpy(&mask, batch.undefined + registers[i].offset, bytes);
    if (mask == 0) continue;
    value.undefined.resize(value.bytes.size());
    std::memcpy(value.undefined.data() + scalars[i].offset, &mask, bytes);
    const std::uint32_t origin = batch.Origins(registers[i].offset)[0];
    if (value.why_undefined.empty() && item.worker->definedness() != nullptr) {
      value.why_undefined = item.worker->definedness()->WhyUndefined(*item.worker, origin);
    }
  }
  return value;
}

Expected<void> DebugMemory::StoreParts(const DebugItem& item, const DebugValue& target,
                                       std::span<const std::byte> bytes,
                                       std::span<const std::byte> undefined) const {
  std::vector<Scalar> scalars;
  std::vector<bool> has_place(bytes.size(), false);
  for (const DebugPart& part : target.parts) {
    std::fill_n(has_place.begin() + static_cast<std::ptrdiff_t>(part.offset), part.bytes, true);
    if (part.holder) {
      if (!part.holder->is_shared) continue;
      return Fail(ErrorKind::kUsage,
                  "it has no register of its own: all that is undefined or this constant has the "
                  "same one");
    }
    if (const auto host = Host(item, part.place, part.bytes); !host) {
      return tl::unexpected(host.error());
    }
  }
  bool is_complete = Flatten(target.type, 0, &scalars);
  for (const Scalar& scalar : scalars) {
    const auto first = has_place.begin() + static_cast<std::ptrdiff_t>(scalar.offset);
    is_complete =
        is_complete && std::all_of(first, first + static_cast<std::ptrdiff_t>(scalar.bytes),
                                   [](bool one) { return one; });
  }
  if (!is_complete) {
    return Fail(
        ErrorKind::kUsage,
        "the compiler left no place to set for all of it: some is a constant, computed from "
        "other values, or optimized out; set a member or an element that has a register");
  }
  for (const DebugPart& part : target.parts) {
    const auto from = bytes.subspan(part.offset, part.bytes);
    const auto mask_of = undefined.empty() ? undefined : undefined.subspan(part.offset, part.bytes);
    if (!part.holder) {
      if (auto stored = Store(item, part.place, from, mask_of); !stored) return stored;
      continue;
    }
    // A register that is wider than the scalar has zeros above it.
    std::byte* to = item.batch->registers + part.holder->offset;
    const std::uint64_t size = BytesOf(part.holder->kind);
    const bool is_scalar = part.place == 0 && std::ranges::any_of(scalars, [&](const Scalar& one) {
                             return one.offset == part.offset && one.bytes == part.bytes;
                           });
    if (is_scalar) std::memset(to, 0, size);
    std::ranges::copy(from, to + part.place);
    if (item.batch->undefined == nullptr) continue;
    constexpr std::uint32_t kNoOrigin = 0;  // the person's doing
    std::uint64_t mask = 0;
    if (!is_scalar) std::memcpy(&mask, item.batch->undefined + part.holder->offset, size);
    std::byte* const mine = reinterpret_cast<std::byte*>(&mask) + part.place;
    if (mask_of.empty()) {
      std::memset(mine, 0, part.bytes);
    } else {
      std::ranges::copy(mask_of, mine);
    }
    item.worker->definedness()->SetLane(*item.batch, part.holder->offset,
                                        static_cast<std::uint32_t>(size), 0, mask, kNoOrigin);
  }
  return {};
}

bool DebugMemory::SetMissing(const std::vector<bool>& known, DebugValue* value) const {
  std::vector<Scalar> scalars;
  // Of a union every byte counts, and so does padding in what has one.
  if (!Flatten(value->type, 0, &scalars)) scalars = {{0, value->bytes.size()}};
  bool any = false;
  for (const Scalar& scalar : scalars) {
    const auto first = known.begin() + static_cast<std::ptrdiff_t>(scalar.offset);
    const bool is_known = std::all_of(first, first + static_cast<std::ptrdiff_t>(scalar.bytes),
                                      [](bool one) { return one; });
    any = any || is_known;
    if (is_known) continue;
    value->missing.resize(value->bytes.size());
    std::memset(value->missing.data() + scalar.offset, 0xff, scalar.bytes);
  }
  return any;
}

std::string DebugMemory::DescribeAddress(Address address) const {
  if (address == 0) return "null";
  const std::uint64_t place = address >> program_.launch.memory->layout().place_bits;
  // The workers' tables have the objects of local memory, too.
  const auto regions =
      program_.workers.empty() ? program_.launch.memory->regions() : program_.workers[0]->regions();
  if (place >= regions.size() || regions[place].address == 0) return "";
  const Region& region = regions[place];
  const auto offset = static_cast<std::int64_t>(address - region.address);
  return fmt::format("{} memory '{}' {} {} of {}", AddressSpaceName(region.space),
                     program_.launch.memory->NameOf(region.object), offset < 0 ? "-" : "+",
                     offset < 0 ? -offset : offset, region.bytes);
}

}  // namespace assay::interp
