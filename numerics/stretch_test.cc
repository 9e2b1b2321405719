// What is certain of neighbours must be what MPFR gives for each.
#include "numerics/stretch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "numerics/certify.h"
#include "numerics/evaluate.h"
#include "numerics/fast_path.h"

namespace assay::numerics {
namespace {

constexpr Format kFloat = Format::kFloat;

// Functions of one operand that have a certificate of their own.
std::vector<Function> UnaryFunctions() {
  std::vector<Function> functions;
  for (const FunctionInfo& info : AllFunctions()) {
    if (info.Arity() == 1 && CertifiedAs(info.function) == info.function &&
        FindUncertifiedFastPath(info.function, kFloat) != nullptr) {
      functions.push_back(info.function);
    }
  }
  return functions;
}

std::array<Exact, 2> TruthAt(Function function, Bits operand) {
  std::array<Exact, 2> truth;
  EvaluateExact(Operation::Builtin(function, kFloat), {&operand, 1},
                std::span(truth).first(Info(function).results.size()));
  return truth;
}

// A stretch whose operands are of any binade, or near one, or close to where a function has no
// disc.
Bits RandomStretch(std::mt19937_64& random) {
  constexpr double kSingular[] = {1, -1, -2, -5, -30, 1.57079633, 4.71238898, 0.5, 10.5, 100.5};
  const Bits any = random() & 0xfffffc00u;
  Bits first = any;
  switch (random() % 3) {
    case 0:
      first = (0x38000000u + (random() % 0x10000000u & ~Bits{1023})) | (any & SignMask(kFloat));
      break;
    case 1:
      first = FromDouble(kFloat, kSingular[random() % std::size(kSingular)]) & ~Bits{1023};
      first += 1024 * (random() % 17) - 1024 * 8;
      break;
    default:
      break;
  }
  const Bits magnitude = Magnitude(kFloat, first);
  return magnitude == 0 || magnitude >= Infinity(kFloat) ? 0x3f800000u : first;
}

TEST(Stretch, IsWhatMpfrGives) {
  std::mt19937_64 random(3);
  for (Function function : UnaryFunctions()) {
    const std::size_t results = Info(function).results.size();
    int confirmed = 0, items = 0;
    for (int n = 0; n < 120; ++n) {
      const Bits first = RandomStretch(random);
      const Stretch stretch(function, first);
      for (int k = 0; k < 12; ++k) {
        const int item = k == 0 ? 0 : k == 1 ? kNeighbours - 1 : static_cast<int>(random() % 1024);
        const auto truth = TruthAt(function, first + static_cast<Bits>(item));
        double difference = 0;
        ++items;
        if (!stretch.Confirms(item, std::span(truth).first(results), &difference)) continue;
        const std::string where =
            fmt::format("{} 0x{:x} item {}", Info(function).name, first, item);
        ++confirmed;
        // The truth is within the error of what is known, and so no farther than twice that.
        if (stretch.error() > 0 && results == 1) {
          ASSERT_LE(difference, std::max(2 * stretch.error(), 0x1p-40)) << where;
        }
        // A fraction that is off by more than is accepted, and its neighbours.
        for (std::size_t r = 0; r < results; ++r) {
          if (truth[r].kind != ResultKind::kFinite || truth[r].fraction > 0.9) continue;
          auto wrong = truth;
          wrong[r].fraction += 0x1p-21;
          EXPECT_FALSE(stretch.Confirms(item, std::span(wrong).first(results), &difference))
              << where;
          wrong = truth;
          wrong[r].below += 1;
          EXPECT_FALSE(stretch.Confirms(item, std::span(wrong).first(results), &difference))
              << where;
          wrong = truth;
          wrong[r].prescribed = !truth[r].prescribed;
          EXPECT_FALSE(stretch.Confirms(item, std::span(wrong).first(results), &difference))
              << where;
        }
      }
    }
    EXPECT_GT(confirmed, items / 2) << Info(function).name;
  }
}

// The end of a domain, a pole, the change of a binade, the end of what is not monotone: whatever is
// said there must be right.
TEST(Stretch, IsRightAtEdges) {
  for (Function function : UnaryFunctions()) {
    const std::size_t results = Info(function).results.size();
    for (Bits first :
         {0x3f800000u, 0x3f7ffc00u, 0x3fbb1400u, 0x3fc90c00u, 0x40490c00u, 0x42b00000u, 0x42aeac00u,
          0x420c2800u, 0x3f000000u, 0x3efffc00u, 0x40000000u, 0x00000400u, 0x00800000u, 0x007ffc00u,
          0x7f7ffc00u, 0x39800000u, 0x397ffc00u, 0x4b000000u}) {
      for (Bits sign : {Bits{0}, SignMask(kFloat)}) {
        const Stretch stretch(function, first | sign);
        for (int item = 0; item < kNeighbours; item += item < 8 || item > 1014 ? 1 : 61) {
          const auto truth = TruthAt(function, (first | sign) + static_cast<Bits>(item));
          double difference = 0;
          if (!stretch.Confirms(item, std::span(truth).first(results), &difference)) continue;
          EXPECT_LE(difference, FractionTolerance(kFloat));
          for (std::size_t r = 0; r < results; ++r) {
            auto wrong = truth;
            wrong[r].below ^= SignMask(kFloat);
            if (truth[r].kind == ResultKind::kNan || truth[r].kind == ResultKind::kUnspecified) {
              wrong[r] = Exact::Number(0x3f800000);
            }
            EXPECT_FALSE(stretch.Confirms(item, std::span(wrong).first(results), &difference))
                << Info(function).name << " 0x" << std::hex << (first | sign) << " item "
                << std::dec << item;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::numerics
