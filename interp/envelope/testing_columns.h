// Columns of values and ranges for tests of the columns, and what they are compared with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "interp/envelope/columns.h"
#include "numerics/format.h"
#include "numerics/vector_set.h"
#include "oracle/judge/range.h"

namespace assay::interp {

using numerics::Format;
using oracle::Range;

constexpr int kLanes = 64;

// Times as many batches; ASSAY_COLUMN_ROUNDS asks for more.
inline int Times() {
  const char* const times = std::getenv("ASSAY_COLUMN_ROUNDS");
  return times == nullptr ? 1 : std::atoi(times);
}

struct NamedSet {
  const char* name;
  const EnvelopeColumnSet* columns;
};
inline std::vector<NamedSet> Sets() {
  constexpr std::pair<const char*, numerics::VectorSet> kAll[] = {
      {"sse2", numerics::VectorSet::kSse2},
      {"avx2", numerics::VectorSet::kAvx2},
      {"avx512", numerics::VectorSet::kAvx512}};
  std::vector<NamedSet> sets;
  for (const auto& [name, set] : kAll) {
    if (numerics::HasVectorSet(set)) sets.push_back({name, &ColumnsOf(set)});
  }
  return sets;
}

// Points and ranges: of usual numbers, or also of special ones.
class ValuesForTest {
 public:
  ValuesForTest(Kind kind, std::uint64_t seed) : format_(FormatOf(kind)), random_(seed) {}

  std::uint64_t Next() { return random_(); }
  bool OneOf(std::uint64_t count) { return Next() % count == 0; }

  std::uint64_t Number(bool special) {
    const std::uint64_t sign = OneOf(2) ? numerics::SignMask(format_) : 0;
    const std::uint64_t infinity = numerics::Infinity(format_),
                        normal = numerics::MinNormal(format_);
    if (special && OneOf(3)) {
      const std::array<std::uint64_t, 9> odd = {0,
                                                1,
                                                normal - 1,
                                                normal,
                                                infinity,
                                                infinity - 1,
                                                Next() % normal,
                                                numerics::QuietNan(format_),
                                                normal + Next() % (normal * 8)};
      return odd[Next() % odd.size()] | sign;
    }
    // Small whole numbers, of which much is exact.
    if (OneOf(4)) return numerics::FromDouble(format_, static_cast<double>(Next() % 9)) | sign;
    // Near to 1, so that sums cancel and products do not overflow.
    const std::uint64_t one = numerics::One(format_);
    return (one - 12 * normal + Next() % (24 * normal)) | sign;
  }
  Range Numbers(bool special) {
    const std::uint64_t first = Number(special);
    std::int64_t low = numerics::OrderedIndex(format_, first), high = low;
    if (numerics::IsNan(format_, first)) return Range::Numbers(first, first);
    const std::uint64_t other = Number(special);
    if (OneOf(2)) {
      high += static_cast<std::int64_t>(Next() % (OneOf(2) ? 8 : numerics::MinNormal(format_)));
    } else if (!numerics::IsNan(format_, other)) {
      high = numerics::OrderedIndex(format_, other);
    }
    return oracle::NumbersBetween(numerics::ScalarTypeOf(format_), std::min(low, high),
                                  std::max(low, high));
  }
  // One of the values of a range.
  std::uint64_t Inside(const Range& range) {
    if (range.IsPoint()) return range.low;
    // Unsigned: from one infinity of double to the other there are more than 2^63.
    const auto low = static_cast<std::uint64_t>(numerics::OrderedIndex(format_, range.low));
    const auto high = static_cast<std::uint64_t>(numerics::OrderedIndex(format_, range.high));
    return numerics::FromOrderedIndex(format_,
                                      static_cast<std::int64_t>(low + Next() % (high - low + 1)));
  }

 private:
  Format format_;
  std::mt19937_64 random_;
};

// A column of each kind for every operand, and the result's.
class ColumnsForTest {
 public:
  ColumnsForTest(Kind from, Kind to, int operands, bool special, unsigned wide_set,
                 ValuesForTest* values)
      : bytes_(BytesOf(from)), result_bytes_(BytesOf(to)), operands_(operands) {
    for (int i = 0; i < operands; ++i) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const bool is_wide = (wide_set >> i & 1) != 0 && !values->OneOf(3);
        ranges_[i][lane] =
            is_wide ? values->Numbers(special) : Range::Point(values->Number(special));
        Write(&value_[i], lane, is_wide ? values->Next() : ranges_[i][lane].low);
        Write(&low_[i], lane, is_wide ? ranges_[i][lane].low : values->Next());
        Write(&high_[i], lane, is_wide ? ranges_[i][lane].high : values->Next());
        if (is_wide) columns_.wide[i] |= std::uint64_t{1} << lane;
      }
    }
    columns_.lanes = values->OneOf(2) ? ~std::uint64_t{0} : values->Next();
    columns_.keep = values->OneOf(2) ? 0 : ~columns_.lanes;
    for (int i = 0; i < operands; ++i) {
      columns_.wide[i] &= columns_.lanes;
      columns_.value[i] = value_[i].data();
      columns_.low[i] = low_[i].data();
      columns_.high[i] = high_[i].data();
    }
    // In the columns of an operand, as where its register is used again.
    in_place_ = bytes_ == result_bytes_ && values->OneOf(2);
    for (std::size_t r = 0; r < made_low_.size(); ++r) {
      const bool first = in_place_ && r == 0;
      columns_.result_low[r] = first ? low_[0].data() : made_low_[r].data();
      columns_.result_high[r] = first ? high_[0].data() : made_high_[r].data();
    }
  }

  unsigned Set() const {
    unsigned set = 0;
    for (int i = 0; i < operands_; ++i) set |= unsigned{columns_.wide[i] != 0} << i;
    return set;
  }
  void Run(EnvelopeFunction function, std::uint64_t error = 0, double absolute = 0,
           const numerics::FastPath* path = nullptr) {
    before_low_ = low_[0];
    before_high_ = high_[0];
    columns_.error = error;
    columns_.absolute = absolute;
    columns_.path = path;
    function(&columns_);
  }
  void Run(EnvelopeFunctions functions) { Run(functions[Set()]); }
  bool Has(std::uint64_t lanes, int lane) const { return (lanes >> lane & 1) != 0; }
  bool IsSpecial(int lane) const { return Has(columns_.special, lane); }
  bool IsOpen(int lane) const { return Has(columns_.open, lane); }
  bool IsRange(int lane, std::size_t result = 0) const { return Has(columns_.made[result], lane); }
  bool IsComputed(int lane) const { return Has(columns_.lanes, lane); }
  // What it must not touch.
  bool KeepsOthers(int lane) const {
    if (!in_place_ || !(IsSpecial(lane) || Has(columns_.keep, lane))) return true;
    return Read(before_low_, lane, bytes_) == Read(low_[0], lane, bytes_) &&
           Read(before_high_, lane, bytes_) == Read(high_[0], lane, bytes_);
  }
  std::vector<Range> OperandsOf(int lane) const {
    std::vector<Range> all;
    for (int i = 0; i < operands_; ++i) all.push_back(ranges_[i][lane]);
    return all;
  }
  Range ResultOf(int lane, std::size_t result = 0) const {
    const bool first = in_place_ && result == 0;
    const auto& low = first ? low_[0] : made_low_[result];
    const auto& high = first ? high_[0] : made_high_[result];
    return Range::Numbers(Read(low, lane, result_bytes_), Read(high, lane, result_bytes_));
  }

 private:
  using Column = std::array<std::byte, kLanes * 8>;
  void Write(Column* column, int lane, std::uint64_t bits) const {
    std::memcpy(column->data() + static_cast<std::size_t>(lane) * bytes_, &bits, bytes_);
  }
  static std::uint64_t Read(const Column& column, int lane, std::uint32_t bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, column.data() + static_cast<std::size_t>(lane) * bytes, bytes);
    return bits;
  }

  std::uint32_t bytes_, result_bytes_;
  int operands_;
  bool in_place_ = false;
  std::array<std::array<Range, kLanes>, EnvelopeColumns::kMost> ranges_;
  alignas(64) std::array<Column, EnvelopeColumns::kMost> value_{}, low_{}, high_{};
  alignas(64) std::array<Column, EnvelopeColumns::kMostResults> made_low_{}, made_high_{};
  Column before_low_{}, before_high_{};
  EnvelopeColumns columns_{};
};

inline std::string Text(const std::vector<Range>& ranges) {
  std::string text;
  for (const Range& one : ranges) {
    text += (one.IsPoint() ? " point " : " range ") + std::to_string(one.low) + " to " +
            std::to_string(one.high);
  }
  return text;
}

// The same as lane by lane.
inline void ExpectSame(const ColumnsForTest& batch, int lane, Kind kind, const Range& expected,
                       std::size_t result = 0) {
  const auto told = [&] {
    return Text(batch.OperandsOf(lane)) + ", made" + Text({batch.ResultOf(lane)}) + ", expected" +
           Text({expected});
  };
  const Format format = FormatOf(kind);
  if (!batch.IsRange(lane, result)) {
    // A range of one number, other than a zero, is that number.
    const bool is_one = expected.low == expected.high && !numerics::IsZero(format, expected.low);
    ASSERT_TRUE(expected.IsPoint() || is_one) << told();
    return;
  }
  const Range made = batch.ResultOf(lane, result);
  ASSERT_EQ(expected.kind, Range::Kind::kNumbers) << told();
  ASSERT_EQ(numerics::OrderedIndex(format, made.low), numerics::OrderedIndex(format, expected.low))
      << told();
  ASSERT_EQ(numerics::OrderedIndex(format, made.high),
            numerics::OrderedIndex(format, expected.high))
      << told();
}

}  // namespace assay::interp
