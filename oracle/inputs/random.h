// Random operands: pure functions of a key and an item number.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "numerics/operation.h"
#include "oracle/inputs/number_range.h"
#include "oracle/inputs/values.h"

namespace assay::oracle {

// A stream of 64-bit numbers that belongs to one item of one operation.  The generator is
// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) used as a counter-based one: any item costs the
// same.
class ItemStream {
 public:
  ItemStream(std::uint64_t key, std::uint64_t item) : state_(key ^ Mix(item + kGolden)) {}

  std::uint64_t Next() { return Mix(state_ += kGolden); }
  std::uint64_t Below(std::uint64_t bound) {  // bias below 2^-32 for small bounds
    return bound >> 32 == 0 ? (Next() >> 32) * bound >> 32 : Next() % bound;
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }  // [0, 1)
  bool Coin() { return Next() >> 63 != 0; }
  int Between(int low, int high) {  // both inclusive
    return low + static_cast<int>(Below(static_cast<std::uint64_t>(high - low) + 1));
  }

  static std::uint64_t Mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
  std::uint64_t state_;
};

// Hash of the operation's name, format and the seed: its own stream.
std::uint64_t StreamKey(const numerics::Operation& operation, std::uint64_t seed);

using Arguments = std::array<numerics::Bits, numerics::kMaxArguments>;

// Draws argument tuples: uniform bits, numbers from the function's range, and the relations between
// operands in which functions go wrong (cancellation, products at the ends of the range, powers
// near one, quotients near integers).
class RandomArguments {
 public:
  // Floating-point operands that are drawn outside of `range` are drawn anew within it.
  RandomArguments(const numerics::Operation& operation, std::uint64_t seed,
                  const std::optional<NumberRange>& range = {});

  void Draw(std::uint64_t item, Arguments& args) const;
  // Operands around one exponent of the first one: significand `kind` 0 all zeros, 1 all ones,
  // otherwise random; the other operands are drawn.
  void DrawAtExponent(std::uint64_t item, numerics::Bits first, Arguments& args) const;

 private:
  using Strategy = void (RandomArguments::*)(ItemStream&, Arguments&) const;

  void ChooseStrategies();
  void Limit(ItemStream& stream, Arguments& args) const;

  // Single operands.
  numerics::Bits RandomBits(ItemStream& stream, std::size_t index) const;
  numerics::Bits InRange(ItemStream& stream, std::size_t index) const;
  numerics::Bits Shaped(ItemStream& stream, int low_exponent, int high_exponent) const;
  numerics::Bits RandomInteger(ItemStream& stream, numerics::ScalarType type) const;

  // Whole tuples.
  void AnyBits(ItemStream& stream, Arguments& args) const;
  void OwnRange(ItemStream& stream, Arguments& args) const;
  void LogRange(ItemStream& stream, Arguments& args) const;
  void CloseExponents(ItemStream& stream, Arguments& args) const;
  void Neighbours(ItemStream& stream, Arguments& args) const;
  void ProductAtLimit(ItemStream& stream, Arguments& args) const;
  void QuotientAtLimit(ItemStream& stream, Arguments& args) const;
  void NearMultiple(ItemStream& stream, Arguments& args) const;
  void PowerAtLimit(ItemStream& stream, Arguments& args) const;
  void PowerNearOne(ItemStream& stream, Arguments& args) const;
  void SmallInteger(ItemStream& stream, Arguments& args) const;
  void Cancellation(ItemStream& stream, Arguments& args) const;
  void NearHalfPi(ItemStream& stream, Arguments& args) const;
  void NearHalfInteger(ItemStream& stream, Arguments& args) const;
  void MixedMagnitudes(ItemStream& stream, Arguments& args) const;
  void NearCollinear(ItemStream& stream, Arguments& args) const;
  void DestinationMidpoint(ItemStream& stream, Arguments& args) const;

  numerics::Operation operation_;
  numerics::Format format_;  // of the floating-point operands
  std::uint64_t key_;
  std::optional<NumberRange> range_;
  std::vector<numerics::ScalarType> types_;        // per scalar argument
  std::vector<std::vector<OperandRange>> ranges_;  // per scalar argument
  std::vector<int> top_exponents_;                 // of the first range, likewise
  std::vector<Strategy> strategies_;
};

}  // namespace assay::oracle
