// Ranges of values in memory.
#include <algorithm>
#include <bit>

#include "interp/envelope/envelope.h"
#include "interp/envelope/integer_range.h"
#include "interp/envelope/row_range.h"
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
  if (numbers && bytes == 1) return Range::Anything(Open::kUnstated);
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
    std::unique_ptr<EnvelopeRecord>& record = batch.envelope->frames[region->variable];
    if (record == nullptr && ensure) {
      record = std::make_unique<EnvelopeRecord>(variable.bytes * kMaxLanes);
    }
    cell.record = record.get();
    cell.at += static_cast<std::uint64_t>(lane) * variable.bytes;
    cell.bytes = batch.frame + static_cast<std::uint64_t>(lane) * batch.program->frame_bytes +
                 variable.frame_offset + offset;
    return cell;
  }
  cell.bytes = region->host + offset;
  EnvelopeRecords& records = region->space == AddressSpace::kLocal ? local_ : records_;
  const std::uint64_t place = region->address >> batch.place_bits;
  cell.record = records.Find(place);
  if (cell.record == nullptr && ensure) cell.record = &records.Ensure(place, region->bytes);
  return cell;
}

Range Envelope::LoadRange(Batch& batch, int lane, Address address, std::uint32_t bytes) {
  const Cell cell = CellOf(batch, lane, address, false);
  if (!cell.is_valid || cell.room < bytes) return Range::Anything(Open::kUnstated);
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
  std::uint64_t bits = 0;
  std::memcpy(&bits, cell.bytes, bytes);
  return Range::Point(bits);
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

bool Envelope::IsPlain(const Batch& batch, std::uint32_t addresses, std::uint64_t immediate) const {
  if (!records_.has_some) return true;
  const auto* address = batch.Register<std::uint64_t>(addresses);
  const std::uint64_t first = address[std::countr_zero(batch.active)] + immediate;
  std::uint64_t differs = 0;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    differs |= (address[std::countr_zero(rest)] + immediate) ^ first;
  }
  if (differs >> batch.place_bits != 0) return false;
  const Region* region = batch.FindRegion(first);
  if (region == nullptr) return false;
  if (region->host == nullptr) {
    return region->space == AddressSpace::kPrivate && region->variable < batch.variable_count &&
           batch.envelope->frames[region->variable] == nullptr;
  }
  const EnvelopeRecords& records = region->space == AddressSpace::kLocal ? local_ : records_;
  return records.Find(region->address >> batch.place_bits) == nullptr;
}

std::vector<Address> Envelope::Candidates(const Range& range, std::uint64_t immediate,
                                          std::uint32_t bytes) const {
  if (range.kind == Range::Kind::kAnything) return {};
  if ((range.high - range.low) / bytes >= kMostPlaces) return {};
  std::vector<Address> places;
  for (std::uint64_t at = 0; at <= range.high - range.low; at += bytes) {
    places.push_back(range.low + at + immediate);
  }
  return places;
}

void Envelope::Load(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const ShadowOperand* results = operands + step.operand_count;
  if (!IsWide(batch, operands[0].offset) && IsPlain(batch, operands[0].offset, in.immediate)) {
    for (std::uint32_t r = 0; r < step.result_count; ++r) Clear(batch, results[r]);
    return;
  }
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Range address = Get(batch, operands[0], lane);
    std::uint64_t offset = in.immediate;
    const auto places = address.IsPoint() ? std::vector<Address>()
                                          : Candidates(address, in.immediate, results[0].bytes);
    if (!address.IsPoint() && places.empty()) TellAccess(batch, in.place, lane);
    for (std::uint32_t r = 0; r < step.result_count; ++r, offset += results[0].bytes) {
      const std::uint32_t bytes = results[r].bytes;
      if (address.IsPoint()) {
        Set(batch, results[r], lane, LoadRange(batch, lane, address.low + offset, bytes));
        continue;
      }
      std::optional<Range> all;
      for (const Address place : places) {
        const Range one = LoadRange(batch, lane, place + offset - in.immediate, bytes);
        // Outside of the object no device reads.
        if (one.kind == Range::Kind::kAnything && one.open == Open::kUnstated) continue;
        all = all ? HullOfBits(bytes, *all, one) : one;
      }
      Set(batch, results[r], lane, all.value_or(Range::Anything(Open::kUnstated)));
    }
  }
}

namespace {

// Numbers of 32 bits that lie side by side; false where they do not.
bool StoreRow(EnvelopeBatch& kept, std::uint32_t offset, const std::uint8_t* tags,
              const std::uint64_t* address, std::uint64_t part, std::uint32_t lanes,
              EnvelopeRecord* record) {
  std::uint64_t apart = 0;
  std::uint8_t all = 0;
  for (std::uint32_t i = 0; i < lanes; ++i) {
    apart |= address[i] - address[0] - 4 * std::uint64_t{i};
    all |= tags[i];
  }
  if (apart != 0 || all > static_cast<std::uint8_t>(EnvelopeTag::kNumbers)) return false;
  const std::uint64_t at = address[0] + part;
  const std::uint32_t pattern = EnvelopeRecord::NumbersOfFloat();
  for (std::uint32_t i = 0; i < lanes; ++i) {
    const std::uint32_t own = tags[i] != 0 ? pattern : 0;
    std::memcpy(&record->tags[at + 4 * std::uint64_t{i}], &own, 4);
  }
  std::memcpy(&record->low[at], kept.low.data() + offset, 4 * std::size_t{lanes});
  std::memcpy(&record->high[at], kept.high.data() + offset, 4 * std::size_t{lanes});
  return true;
}

}  // namespace

// All lanes inside of one object that has bytes of its own, at addresses that are points: the usual
// case.  False: it has done nothing.
bool Envelope::StoreColumns(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  if (IsWide(batch, operands[0].offset)) return false;
  const auto* address = batch.Register<std::uint64_t>(operands[0].offset);
  const std::uint64_t bytes = operands[1].bytes, parts = step.operand_count - 1u;
  const Region* region = batch.FindRegion(address[std::countr_zero(batch.active)] + in.immediate);
  if (region == nullptr || region->host == nullptr || region->bytes < bytes * parts) return false;
  const std::uint64_t limit = region->bytes - bytes * parts;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    if (address[std::countr_zero(rest)] + in.immediate - region->address > limit) return false;
  }
  EnvelopeRecords& records = region->space == AddressSpace::kLocal ? local_ : records_;
  const std::uint64_t place = region->address >> batch.place_bits;
  EnvelopeRecord* record = records.Find(place);
  if (record == nullptr) record = &records.Ensure(place, region->bytes);
  records_.has_some = true;
  for (std::uint32_t i = 1; i < step.operand_count; ++i) {
    EnvelopeBatch& kept = *batch.envelope;
    const std::uint8_t* tags =
        IsWide(batch, operands[i].offset) ? kept.Tags(operands[i].offset) : nullptr;
    const std::uint64_t part = in.immediate - region->address + (i - 1) * bytes;
    if (parts == 1 && tags != nullptr && batch.whole && bytes == 4 &&
        StoreRow(kept, operands[i].offset, tags, address, part, batch.lanes, record)) {
      continue;
    }
    for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const auto tag = tags == nullptr ? EnvelopeTag::kPoint : static_cast<EnvelopeTag>(tags[lane]);
      std::uint64_t low = 0, high = 0;
      if (tag != EnvelopeTag::kPoint) {
        low = Read(kept.low.data(), operands[i].offset, operands[i].bytes, lane);
        high = Read(kept.high.data(), operands[i].offset, operands[i].bytes, lane);
      }
      record->Store(address[lane] + part, operands[i].bytes, tag, low, high);
    }
  }
  return true;
}

void Envelope::Store(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  bool is_wide = batch.envelope->lost != 0 || !IsPlain(batch, operands[0].offset, in.immediate);
  for (std::uint32_t i = 0; i < step.operand_count; ++i) {
    is_wide = is_wide || IsWide(batch, operands[i].offset);
  }
  if (!is_wide) return;
  if (batch.envelope->lost == 0 && StoreColumns(batch, in, step)) return;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const bool was_lost = (batch.envelope->lost >> lane & 1) != 0;
    const Range address = was_lost
                              ? Range::Point(Read(batch.registers, operands[0].offset, 8, lane))
                              : Get(batch, operands[0], lane);
    std::uint64_t offset = in.immediate;
    const auto places = address.IsPoint() ? std::vector<Address>()
                                          : Candidates(address, in.immediate, operands[1].bytes);
    if (!address.IsPoint() && places.empty()) TellAccess(batch, in.place, lane);
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
      for (const Address place : places) {
        const Address at = place + offset - in.immediate;
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
void Envelope::Enter(Batch& batch, const FlatInstruction& in) {
  EnvelopeRecord* record = batch.envelope->frames[in.immediate].get();
  if (record == nullptr) return;
  const std::uint64_t bytes = batch.program->variables[in.immediate].bytes;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint64_t>(std::countr_zero(rest));
    std::fill_n(record->tags.begin() + static_cast<std::ptrdiff_t>(lane * bytes), bytes,
                std::uint8_t{0});
  }
}

}  // namespace assay::interp
