// Ranges of values in memory.
#include <algorithm>
#include <bit>

#include "interp/envelope/envelope.h"
#include "interp/envelope/integer_range.h"
#include "interp/envelope/row_range.h"
#include "interp/execute/lane_bits.h"
#include "interp/execute/register_bits.h"

namespace assay::interp {

using oracle::Open;
using oracle::Range;

namespace {

constexpr std::uint64_t kMostPlaces = 64;  // of an access that are tried

Kind IntegerOf(std::uint32_t bytes) { return IntegerKind(static_cast<int>(bytes) * 8); }

// Values that a place may have, or another's: of which kind is only in their tags.
Range HullOfBits(std::uint32_t bytes, const Range& a, const Range& b) {
  if (a == b) return a;
  const bool numbers = a.kind == Range::Kind::kNumbers || b.kind == Range::Kind::kNumbers;
  if (!numbers) return Hull(ScalarOf(IntegerOf(bytes)), a, b);
  if (bytes == 1) return Range::Anything(Open::kUnstated);
  const Kind kind = numbers ? FloatKind(static_cast<int>(bytes) * 8) : IntegerOf(bytes);
  return Hull(ScalarOf(kind), AsKind(a, numbers, kind), AsKind(b, numbers, kind));
}

}  // namespace

EnvelopeTag Envelope::TagOf(const Range& range) {
  switch (range.kind) {
    case Range::Kind::kPoint:
      return EnvelopeTag::kPoint;
    case Range::Kind::kNumbers:
      return EnvelopeTag::kNumbers;
    case Range::Kind::kIntegers:
      return EnvelopeTag::kIntegers;
    case Range::Kind::kAnything:
      break;
  }
  return EnvelopeTag::kAnything;
}

Envelope::Cell Envelope::CellOf(Batch& batch, int lane, Address address, bool ensure) {
  const Region* region = batch.FindRegion(address);
  if (region == nullptr || region->bytes == 0) return {};
  const std::uint64_t offset = address - region->address;
  if (offset >= region->bytes) return {};
  Cell cell{.at = offset, .room = region->bytes - offset, .is_valid = true};
  if (region->host == nullptr) {
    if (region->space != AddressSpace::kPrivate || region->variable >= batch.variable_count ||
        batch.program->variables[region->variable].address != region->address) {
      return {};
    }
    const FlatVariable& variable = batch.program->variables[region->variable];
    cell.record =
        ensure ? &RecordOf(batch, *region) : batch.envelope->frames[region->variable].get();
    cell.at += static_cast<std::uint64_t>(lane) * variable.bytes;
    cell.bytes = batch.frame + static_cast<std::uint64_t>(lane) * batch.program->frame_bytes +
                 variable.frame_offset + offset;
    return cell;
  }
  cell.bytes = region->host + offset;
  const EnvelopeRecords& records = region->space == AddressSpace::kLocal ? local_ : records_;
  cell.record = records.Find(region->address >> batch.place_bits);
  if (cell.record == nullptr && ensure) cell.record = &RecordOf(batch, *region);
  return cell;
}

Range Envelope::RangeAt(const Cell& cell, std::uint32_t bytes) {
  std::uint64_t low = 0, high = 0;
  const EnvelopeTag tag =
      cell.record == nullptr ? EnvelopeTag::kPoint : cell.record->Load(cell.at, bytes, &low, &high);
  switch (tag) {
    case EnvelopeTag::kNumbers:
      return Range::Numbers(low, high);
    case EnvelopeTag::kIntegers:
      return Range::Integers(low, high);
    case EnvelopeTag::kAnything:
      return Range::Anything(Open::kOperand);
    case EnvelopeTag::kPoint:
      break;
  }
  return Range::Point(ReadBits(cell.bytes, bytes));
}

Range Envelope::LoadRange(Batch& batch, int lane, Address address, std::uint32_t bytes) {
  const Cell cell = CellOf(batch, lane, address, false);
  if (!cell.is_valid || cell.room < bytes) return Range::Anything(Open::kUnstated);
  return RangeAt(cell, bytes);
}

void Envelope::StoreRange(Batch& batch, int lane, Address address, std::uint32_t bytes,
                          const Range& range, std::uint64_t nominal) {
  const bool is_point = range.IsPoint() && range.low == nominal;
  const Cell cell = CellOf(batch, lane, address, !is_point);
  if (!cell.is_valid || cell.room < bytes || cell.record == nullptr) return;
  if (!is_point) records_.has_some = true;
  // A point that is not the run's value is one that other devices have.
  const bool is_other = range.IsPoint() && !is_point;
  const EnvelopeTag tag = is_other ? EnvelopeTag::kIntegers : TagOf(range);
  cell.record->Store(cell.at, bytes, tag, range.low, range.high);
}

Envelope::Object Envelope::ObjectOf(const Batch& batch, std::uint32_t addresses,
                                    std::uint64_t immediate, std::uint64_t bytes,
                                    std::uint64_t lanes) const {
  const auto* address = batch.Register<std::uint64_t>(addresses);
  const Region* region = batch.FindRegion(address[std::countr_zero(lanes)] + immediate);
  if (region == nullptr || region->bytes < bytes) return {};
  Object object{.region = region, .shift = immediate - region->address};
  if (region->host == nullptr) {
    if (region->space != AddressSpace::kPrivate || region->variable >= batch.variable_count ||
        batch.program->variables[region->variable].address != region->address) {
      return {};
    }
    object.record = batch.envelope->frames[region->variable].get();
    object.stride = batch.program->variables[region->variable].bytes;
  } else {
    const EnvelopeRecords& records = region->space == AddressSpace::kLocal ? local_ : records_;
    object.record = records.Find(region->address >> batch.place_bits);
  }
  object.lanes =
      lanes & Columns().inside(address, batch.lanes, object.shift, region->bytes - bytes);
  return object;
}

EnvelopeRecord& Envelope::RecordOf(Batch& batch, const Region& region) {
  if (region.host != nullptr) {
    EnvelopeRecords& records = region.space == AddressSpace::kLocal ? local_ : records_;
    return records.Ensure(region.address >> batch.place_bits, region.bytes);
  }
  std::unique_ptr<EnvelopeRecord>& record = batch.envelope->frames[region.variable];
  if (record == nullptr) {
    record = std::make_unique<EnvelopeRecord>(batch.program->variables[region.variable].bytes *
                                              kMaxLanes);
  }
  return *record;
}

std::uint64_t Envelope::PlacesOf(const Range& range, std::uint32_t bytes) {
  if (range.kind == Range::Kind::kAnything) return 0;
  const std::uint64_t places = (range.high - range.low) / bytes;
  return places >= kMostPlaces ? 0 : places + 1;
}

namespace {

// The hull of known integers that lie side by side; as HullOfBits joins them, one by one.
Range HullOfPoints(const std::byte* at, std::uint64_t count, std::uint32_t bytes) {
  const std::uint64_t mask = MaskOf(IntegerOf(bytes));
  std::uint64_t low = ReadBits(at, bytes), high = low;
  for (std::uint64_t i = 1; i < count; ++i) {
    const std::uint64_t value = ReadBits(at + i * bytes, bytes);
    const std::uint64_t width = (high - low) & mask, beyond = (high - value) & mask;
    const std::uint64_t forward = std::max(width, (value - low) & mask);
    // The shorter way around, where the range does not contain the value.
    const bool contained = ((low - value) & mask) <= beyond;
    if (!contained || forward <= beyond) {
      high = (low + forward) & mask;
    } else {
      low = value;
      high = (value + beyond) & mask;
    }
  }
  return low == high ? Range::Point(low) : Range::Integers(low, high);
}

}  // namespace

Range Envelope::LoadAny(Batch& batch, int lane, Address first, std::uint64_t places,
                        std::uint32_t bytes) {
  // Most are in one object.
  Cell cell = CellOf(batch, lane, first, false);
  const bool together = cell.is_valid && cell.room >= places * bytes;
  if (together && cell.record == nullptr) return HullOfPoints(cell.bytes, places, bytes);
  std::optional<Range> all;
  for (std::uint64_t i = 0; i < places; ++i) {
    const Range one =
        together ? RangeAt(cell, bytes) : LoadRange(batch, lane, first + i * bytes, bytes);
    cell.at += bytes;
    cell.bytes += together ? bytes : 0;
    // Outside of the object no device reads.
    if (one.kind == Range::Kind::kAnything && one.open == Open::kUnstated) continue;
    all = all ? HullOfBits(bytes, *all, one) : one;
    if (all->kind == Range::Kind::kAnything) break;  // and nothing more becomes known
  }
  return all.value_or(Range::Anything(Open::kUnstated));
}

namespace {

// Lanes that access the place of an object of which every device has what the run has, outside of
// its bytes: what they read is no device's.
std::uint64_t BesideObject(const Batch& batch, const Region* region, std::uint32_t addresses,
                           std::uint64_t immediate, std::uint64_t lanes) {
  const auto* address = batch.Register<std::uint64_t>(addresses);
  std::uint64_t found = 0;
  for (std::uint64_t rest = lanes; rest != 0 && region != nullptr; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (((address[lane] + immediate) ^ region->address) >> batch.place_bits == 0) {
      found |= std::uint64_t{1} << lane;
    }
  }
  return found;
}

}  // namespace

void Envelope::Load(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                    std::uint64_t lanes) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const std::span<const ShadowOperand> results(operands + step.operand_count, step.result_count);
  std::uint64_t rest = lanes & batch.envelope->Wide(operands[0].offset);
  Object object;
  if (records_.has_some && rest != lanes) {
    object = ObjectOf(batch, operands[0].offset, in.immediate,
                      std::uint64_t{results[0].bytes} * step.result_count, lanes & ~rest);
    rest |= lanes & ~object.lanes;
    if (object.record == nullptr) {
      rest &= ~BesideObject(batch, object.region, operands[0].offset, in.immediate,
                            rest & ~batch.envelope->Wide(operands[0].offset));
    }
  }
  if (object.record == nullptr) {
    const std::uint64_t kept = KeptBy(batch) | rest;
    for (const ShadowOperand& result : results) {
      batch.envelope->wide[EnvelopeBatch::RegisterOf(result.offset)] &= kept;
    }
  } else {
    LoadColumns(batch, object, batch.Register<std::uint64_t>(operands[0].offset), results,
                KeptBy(batch) | rest);
  }
  if (rest != 0) LoadLanes(batch, in, step, rest);
}

namespace {

// The tags of all bytes of a scalar.
template <typename Bits>
constexpr Bits kTags[] = {
    0, static_cast<Bits>(EnvelopeRecord::PatternOf(EnvelopeTag::kNumbers, sizeof(Bits))),
    static_cast<Bits>(EnvelopeRecord::PatternOf(EnvelopeTag::kIntegers, sizeof(Bits))),
    static_cast<Bits>(EnvelopeRecord::PatternOf(EnvelopeTag::kAnything, sizeof(Bits)))};

// Lanes of a register beside the places of an object where they access it.
struct Places {
  EnvelopeRecord* record;
  const std::uint64_t* address;
  std::uint64_t shift, stride, lanes;

  template <typename F>
  void Each(const F& at_place) const {
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint64_t>(std::countr_zero(rest));
      at_place(lane, address[lane] + shift + lane * stride);
    }
  }
};

template <typename Bits>
void TakeRanges(const Places& places, EnvelopeBatch* ranges, std::uint32_t offset,
                std::uint64_t kept) {
  std::uint64_t wide = 0, numbers = 0, integers = 0;
  const EnvelopeRecord& record = *places.record;
  places.Each([&](std::uint64_t lane, std::uint64_t at) {
    const std::uint64_t element = offset + lane * sizeof(Bits);
    Bits tags;
    std::memcpy(&tags, &record.tags[at], sizeof tags);
    std::memcpy(&ranges->low[element], &record.low[at], sizeof(Bits));
    std::memcpy(&ranges->high[element], &record.high[at], sizeof(Bits));
    wide |= std::uint64_t{tags != 0} << lane;
    numbers |= std::uint64_t{tags == kTags<Bits>[1]} << lane;
    integers |= std::uint64_t{tags == kTags<Bits>[2]} << lane;
  });
  // Bytes that were not stored together are anything.
  ranges->Assign(offset, kept, wide, wide & ~numbers, wide & ~numbers & ~integers);
}

template <typename Bits>
void PutRanges(const Places& places, const EnvelopeBatch& ranges, std::uint32_t offset) {
  const std::size_t place = EnvelopeBatch::RegisterOf(offset);
  const std::uint64_t wide = ranges.wide[place], odd = wide & ranges.odd[place];
  const std::uint64_t anything = (wide & ranges.anything[place]) | ranges.lost;
  EnvelopeRecord& record = *places.record;
  places.Each([&](std::uint64_t lane, std::uint64_t at) {
    const std::uint64_t element = offset + lane * sizeof(Bits);
    const Bits tags = (anything >> lane & 1) != 0
                          ? kTags<Bits>[3]
                          : kTags<Bits>[(wide >> lane & 1) + (odd >> lane & 1)];
    std::memcpy(&record.tags[at], &tags, sizeof tags);
    std::memcpy(&record.low[at], &ranges.low[element], sizeof(Bits));
    std::memcpy(&record.high[at], &ranges.high[element], sizeof(Bits));
  });
}

}  // namespace

// Of the lanes that access the object.
void Envelope::LoadColumns(Batch& batch, const Object& object, const std::uint64_t* address,
                           std::span<const ShadowOperand> results, std::uint64_t kept) const {
  Places places{object.record, address, object.shift, object.stride, object.lanes};
  for (const ShadowOperand& result : results) {
    EnvelopeBatch* ranges = batch.envelope;
    switch (result.bytes) {
      case 1:
        TakeRanges<std::uint8_t>(places, ranges, result.offset, kept);
        break;
      case 2:
        TakeRanges<std::uint16_t>(places, ranges, result.offset, kept);
        break;
      case 4:
        TakeRanges<std::uint32_t>(places, ranges, result.offset, kept);
        break;
      default:
        TakeRanges<std::uint64_t>(places, ranges, result.offset, kept);
    }
    places.shift += result.bytes;
  }
}

void Envelope::StoreColumns(Batch& batch, const Object& object, const std::uint64_t* address,
                            std::span<const ShadowOperand> values) const {
  Places places{object.record, address, object.shift, object.stride, object.lanes};
  for (const ShadowOperand& value : values) {
    const EnvelopeBatch& ranges = *batch.envelope;
    switch (value.bytes) {
      case 1:
        PutRanges<std::uint8_t>(places, ranges, value.offset);
        break;
      case 2:
        PutRanges<std::uint16_t>(places, ranges, value.offset);
        break;
      case 4:
        PutRanges<std::uint32_t>(places, ranges, value.offset);
        break;
      default:
        PutRanges<std::uint64_t>(places, ranges, value.offset);
    }
    places.shift += value.bytes;
  }
}

void Envelope::LoadLanes(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                         std::uint64_t lanes) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const ShadowOperand* results = operands + step.operand_count;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Range address = Get(batch, operands[0], lane);
    const std::uint64_t places = PlacesOf(address, results[0].bytes);
    if (places == 0) TellAccess(batch, in.place, lane);
    Address first = address.low + in.immediate;
    for (std::uint32_t r = 0; r < step.result_count; ++r, first += results[0].bytes) {
      const std::uint32_t bytes = results[r].bytes;
      Set(batch, results[r], lane,
          address.IsPoint() ? LoadRange(batch, lane, first, bytes)
                            : LoadAny(batch, lane, first, places, bytes));
    }
  }
}

void Envelope::Store(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const std::uint64_t lanes = batch.active, lost = batch.envelope->lost & lanes;
  bool is_wide = lost != 0;
  for (std::uint32_t i = 0; i < step.operand_count; ++i) {
    is_wide = is_wide || (batch.envelope->Wide(operands[i].offset) & lanes) != 0;
  }
  if (!is_wide && !records_.has_some) return;
  std::uint64_t rest = lanes & ~lost & batch.envelope->Wide(operands[0].offset);
  if (rest != lanes) {
    const std::span<const ShadowOperand> values(operands + 1, step.operand_count - 1u);
    Object object = ObjectOf(batch, operands[0].offset, in.immediate,
                             std::uint64_t{values[0].bytes} * values.size(), lanes & ~rest);
    std::uint64_t wide = lost;
    for (const ShadowOperand& value : values) wide |= batch.envelope->Wide(value.offset);
    if ((wide & object.lanes) != 0) {
      records_.has_some = true;
      if (object.record == nullptr) object.record = &RecordOf(batch, *object.region);
    }
    rest |= lanes & ~object.lanes;
    if (object.record != nullptr && object.lanes != 0) {
      StoreColumns(batch, object, batch.Register<std::uint64_t>(operands[0].offset), values);
    }
  }
  if (rest != 0) StoreLanes(batch, in, step, rest);
}

void Envelope::StoreLanes(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                          std::uint64_t lanes) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const bool was_lost = (batch.envelope->lost >> lane & 1) != 0;
    const Range address = was_lost
                              ? Range::Point(Read(batch.registers, operands[0].offset, 8, lane))
                              : Get(batch, operands[0], lane);
    std::uint64_t offset = in.immediate;
    const std::uint64_t places = PlacesOf(address, operands[1].bytes);
    if (places == 0) TellAccess(batch, in.place, lane);
    const std::uint64_t nominal_address =
        Read(batch.registers, operands[0].offset, operands[0].bytes, lane);
    for (std::uint32_t i = 1; i < step.operand_count; ++i, offset += operands[1].bytes) {
      const std::uint32_t bytes = operands[i].bytes;
      const std::uint64_t nominal = Read(batch.registers, operands[i].offset, bytes, lane);
      const bool is_lost = (batch.envelope->lost >> lane & 1) != 0;
      const Range value = is_lost ? Range::Anything(Open::kOperand) : Get(batch, operands[i], lane);
      if (address.IsPoint()) {
        StoreRange(batch, lane, address.low + offset, bytes, value, nominal);
        continue;
      }
      // It is stored in one of them; the others keep what they have.
      for (std::uint64_t k = 0; k < places; ++k) {
        const Address at = address.low + offset + k * operands[1].bytes;
        const Range old = LoadRange(batch, lane, at, bytes);
        std::uint64_t after = nominal;
        if (at != nominal_address + offset && old.IsPoint()) after = old.low;
        Range both = HullOfBits(bytes, old, value);
        if (both.IsPoint() && both.low != after) both = Range::Anything(Open::kUnstated);
        StoreRange(batch, lane, at, bytes, both, after);
      }
    }
  }
}

// The bytes there are unknown.
void Envelope::Forget(Batch& batch, int lane, Address address, std::uint64_t bytes) {
  const Cell cell = CellOf(batch, lane, address, true);
  if (!cell.is_valid) return;
  records_.has_some = true;
  for (std::uint64_t i = 0; i < std::min(bytes, cell.room); ++i) {
    cell.record->Store(cell.at + i, 1, EnvelopeTag::kAnything, 0, 0);
  }
}

void Envelope::CopyBytes(Batch& batch, int lane, Address target, Address source,
                         std::uint64_t bytes) {
  const Cell from = CellOf(batch, lane, source, false);
  const bool has_tags =
      from.is_valid && from.record != nullptr && from.room >= bytes &&
      std::any_of(from.record->tags.begin() + static_cast<std::ptrdiff_t>(from.at),
                  from.record->tags.begin() + static_cast<std::ptrdiff_t>(from.at + bytes),
                  [](std::uint8_t tag) { return tag != 0; });
  const Cell to = CellOf(batch, lane, target, has_tags);
  if (!to.is_valid || to.record == nullptr || to.room < bytes) return;
  const auto move = [&](auto& into, const auto& out) {
    std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(from.at), bytes,
                into.begin() + static_cast<std::ptrdiff_t>(to.at));
  };
  if (has_tags) {
    records_.has_some = true;
    move(to.record->tags, from.record->tags);
    move(to.record->low, from.record->low);
    move(to.record->high, from.record->high);
  } else {
    std::fill_n(to.record->tags.begin() + static_cast<std::ptrdiff_t>(to.at), bytes,
                std::uint8_t{0});
  }
}

void Envelope::Copy(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Range target = Get(batch, operands[0], lane), source = Get(batch, operands[1], lane);
    const std::uint64_t bytes = Read(batch.registers, operands[2].offset, operands[2].bytes, lane);
    if ((batch.envelope->lost >> lane & 1) != 0) {
      Forget(batch, lane, Read(batch.registers, operands[0].offset, 8, lane), bytes);
      continue;
    }
    if (!target.IsPoint() || !source.IsPoint()) {
      TellAccess(batch, in.place, lane);
      continue;
    }
    CopyBytes(batch, lane, target.low, source.low, bytes);
  }
}

// The variable begins to live.
void Envelope::Enter(Batch& batch, const FlatInstruction& in, std::uint64_t lanes) {
  EnvelopeRecord* record = batch.envelope->frames[in.immediate].get();
  if (record == nullptr) return;
  const std::uint64_t bytes = batch.program->variables[in.immediate].bytes;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint64_t>(std::countr_zero(rest));
    std::fill_n(record->tags.begin() + static_cast<std::ptrdiff_t>(lane * bytes), bytes,
                std::uint8_t{0});
  }
}

}  // namespace assay::interp
