#include "interp/envelope/memory_envelope.h"

#include <algorithm>

#include "interp/execute/lane_bits.h"
#include "interp/program/scalar.h"

namespace assay::interp {

namespace {

numerics::Format FormatOfBytes(std::uint32_t bytes) {
  return FormatOf(FloatKind(static_cast<int>(bytes) * 8));
}

// The scalar at a byte whose tag is not 0; the byte alone if it is not whole.
OpenScalar ScalarAt(const EnvelopeRecord& record, std::uint64_t at) {
  for (const std::uint32_t bytes : {8u, 4u, 2u, 1u}) {
    if (at + bytes > record.tags.size()) continue;
    OpenScalar scalar{.offset = at, .bytes = bytes};
    scalar.tag = record.Load(at, bytes, &scalar.low, &scalar.high);
    if (scalar.tag == EnvelopeTag::kNumbers) {
      const numerics::Format format = FormatOfBytes(bytes);
      if (!numerics::IsNan(format, scalar.low)) {
        scalar.steps = static_cast<std::uint64_t>(numerics::OrderedIndex(format, scalar.high)) -
                       static_cast<std::uint64_t>(numerics::OrderedIndex(format, scalar.low));
      }
      return scalar;
    }
    if (scalar.tag == EnvelopeTag::kIntegers) {
      scalar.steps = (scalar.high - scalar.low) & (~std::uint64_t{0} >> (64 - bytes * 8));
      return scalar;
    }
  }
  return {.offset = at, .bytes = 1};
}

}  // namespace

bool OpenScalar::Contains(std::uint64_t bits) const {
  if (tag == EnvelopeTag::kAnything) return true;
  if (tag == EnvelopeTag::kPoint) return false;
  if (tag == EnvelopeTag::kIntegers) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bytes * 8);
    return ((bits - low) & mask) <= ((high - low) & mask);
  }
  const numerics::Format format = FormatOfBytes(bytes);
  if (numerics::IsNan(format, low)) return numerics::IsNan(format, bits);
  if (numerics::IsNan(format, bits)) return false;
  const std::int64_t index = numerics::OrderedIndex(format, bits);
  return numerics::OrderedIndex(format, low) <= index &&
         index <= numerics::OrderedIndex(format, high);
}

std::vector<OpenScalar> OpenScalars(const EnvelopeRecord& record) {
  std::vector<OpenScalar> found;
  for (std::uint64_t at = 0; at < record.tags.size();) {
    if (record.tags[at] == 0) {
      ++at;
      continue;
    }
    found.push_back(ScalarAt(record, at));
    at += found.back().bytes;
  }
  return found;
}

EnvelopeSummary SummaryOf(const EnvelopeRecord& record) {
  EnvelopeSummary summary;
  for (const OpenScalar& scalar : OpenScalars(record)) {
    if (scalar.tag == EnvelopeTag::kAnything) {
      summary.unknown += scalar.bytes;
      continue;
    }
    ++summary.ranges;
    if (!summary.widest || scalar.steps > summary.widest->steps) summary.widest = scalar;
  }
  return summary;
}

void AgreeOnNans(std::uint32_t bytes, std::span<std::byte> observed,
                 std::span<const std::byte> expected) {
  const numerics::Format format = FormatOfBytes(bytes);
  for (std::size_t at = 0; at + bytes <= std::min(observed.size(), expected.size()); at += bytes) {
    const std::uint64_t wanted = ReadBits(expected.data() + at, bytes);
    if (numerics::IsNan(format, wanted) &&
        numerics::IsNan(format, ReadBits(observed.data() + at, bytes))) {
      WriteBits(observed.data() + at, bytes, wanted);
    }
  }
}

EnvelopeViolations FindViolations(std::span<const std::byte> observed,
                                  std::span<const std::byte> expected,
                                  const EnvelopeRecord* record) {
  EnvelopeViolations violations;
  for (std::uint64_t at = 0; at < observed.size();) {
    const bool differs = observed[at] != expected[at];
    if (record == nullptr || record->tags[at] == 0) {
      if (differs) {
        if (violations.outside++ == 0) {
          violations.first = OpenScalar{.offset = at, .bytes = 1, .tag = EnvelopeTag::kPoint};
        }
      }
      ++at;
      continue;
    }
    const OpenScalar scalar = ScalarAt(*record, at);
    const auto bytes = [&](std::span<const std::byte> of) {
      return ReadBits(of.data() + at, scalar.bytes);
    };
    const std::uint64_t seen = bytes(observed);
    if (!scalar.Contains(seen)) {
      if (violations.outside++ == 0) violations.first = scalar;
    } else if (seen != bytes(expected)) {
      (scalar.tag == EnvelopeTag::kAnything ? violations.unknown : violations.inside) += 1;
    }
    at += scalar.bytes;
  }
  return violations;
}

}  // namespace assay::interp
