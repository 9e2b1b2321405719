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

}  // namespace assay::interp
