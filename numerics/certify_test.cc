// `assay certify` must see a wrong fast path, whatever is wrong with it.
#include "numerics/certify.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/fast_path_llvm_libc.h"
#include "numerics/function.h"

namespace assay::numerics {
namespace {

CertifyStatistics RunAll(const CertifyTask& task) { return *task.Run(0, task.Count(), 2); }

CertifyStatistics Judge(Function function, Format format, const FastPath& path) {
  const CertifyOptions options{.samples = 20000};
  const Expected<CertifyTask> task = CertifyTask::Make(function, format, options, &path);
  EXPECT_TRUE(task);
  return RunAll(*task);
}

TEST(Certify, AcceptsARightPath) {
  const FastPath right{.unary = libc::exp, .relative_error = 0x1p-52};
  const CertifyStatistics statistics = Judge(Function::exp, Format::kHalf, right);
  EXPECT_EQ(statistics.differences, 0u);
  EXPECT_FALSE(statistics.first);
  EXPECT_EQ(statistics.compared + statistics.fallbacks + statistics.special, 65536u);
  EXPECT_EQ(statistics.special, 2 + 2 * 1024u);  // zeros, infinities and NaNs
  EXPECT_LE(statistics.max_fraction_error, 0x1p-40);
}

// Each of these is wrong in one way only.
TEST(Certify, SeesAWrongPath) {
  const auto scaled = [](double x) { return libc::exp(x) * (1 + 0x1p-20); };
  const auto one_sign = [](double x) { return x < 0 ? -libc::exp(x) : libc::exp(x); };
  const auto one_input = [](double x) { return libc::exp(x) * (x == 1.5 ? 1.001 : 1); };
  const auto number_for_nan = [](double x) { return libc::log(std::fabs(x)); };
  const auto nan_for_number = [](double x) { return x > 3 ? std::nan("") : libc::exp(x); };
  const FastPath paths[] = {{.unary = scaled, .relative_error = 0x1p-52},
                            {.unary = one_sign, .relative_error = 0x1p-52},
                            {.unary = one_input, .relative_error = 0x1p-52},
                            {.unary = nan_for_number, .relative_error = 0x1p-52}};
  for (const FastPath& path : paths) {
    for (Format format : {Format::kHalf, Format::kFloat}) {
      const CertifyStatistics statistics = Judge(Function::exp, format, path);
      EXPECT_GT(statistics.differences, 0u) << (&path - paths) << ' ' << Traits(format).name;
      EXPECT_TRUE(statistics.first);
    }
  }
  // An error that float's fractions show and nothing coarser.
  const auto slightly = [](double x) { return libc::exp(x) * (1 + 0x1p-44); };
  const FastPath slight{.unary = slightly, .relative_error = 0x1p-43};
  EXPECT_GT(Judge(Function::exp, Format::kFloat, slight).differences, 0u);
  const FastPath log{.unary = number_for_nan, .relative_error = 0x1p-52};
  EXPECT_GT(Judge(Function::log, Format::kFloat, log).differences, 0u);
  const FastPath single{.unary = one_input, .relative_error = 0x1p-52};
  const CertifyStatistics statistics = Judge(Function::exp, Format::kHalf, single);
  EXPECT_EQ(statistics.differences, 1u);
  EXPECT_EQ(statistics.first->args, std::vector<Bits>{FromDouble(Format::kHalf, 1.5)});
}

TEST(Certify, SeesAWrongSettlement) {
  // Direction, value and the mark of a prescribed result.
  const FastPath wrong_direction{
      .unary = libc::exp,
      .relative_error = 0x1p-52,
      .settle = [](Format format, const double* args, double, Exact* exact) {
        if (std::fabs(args[0]) > 0x1p-60) return false;
        *exact = LocateNear(format, 1, args[0] > 0 ? -1 : 1);
        return true;
      }};
  EXPECT_GT(Judge(Function::exp, Format::kFloat, wrong_direction).differences, 0u);
  const FastPath not_prescribed{.unary = [](double) { return 0.0; },
                                .relative_error = 0x1p-52,
                                .settle =
                                    [](Format, const double* args, double, Exact* exact) {
                                      if (args[0] != std::trunc(args[0])) return false;
                                      *exact = Exact::Number(0);
                                      return true;
                                    }};
  EXPECT_GT(Judge(Function::sinpi, Format::kHalf, not_prescribed).differences, 0u);
}

TEST(Certify, SeesAWrongBinaryPath) {
  const auto wrong = [](double y, double x) { return libc::atan2(y, x) * (x > 9 ? 1.01 : 1); };
  const FastPath path{.binary = wrong, .relative_error = 0x1p-52};
  const CertifyStatistics statistics = Judge(Function::atan2, Format::kFloat, path);
  EXPECT_GT(statistics.differences, 0u);
  ASSERT_TRUE(statistics.first);
  EXPECT_EQ(statistics.first->args.size(), 2u);
}

TEST(Certify, AgreesIsStrictAroundTheBoundaries) {
  const Exact half{.below = 0x3f800000, .fraction = 0.5, .kind = ResultKind::kFinite};
  Exact other = half;
  EXPECT_TRUE(Agrees(half, other, Format::kFloat));
  other.fraction = std::nextafter(0.5, 1);
  EXPECT_FALSE(Agrees(half, other, Format::kFloat));
  other.fraction = 0.25;
  EXPECT_FALSE(
      Agrees({.below = 0x3f800000, .fraction = 0.25 + 0x1p-21, .kind = ResultKind::kFinite}, other,
             Format::kFloat));
  EXPECT_TRUE(Agrees({.below = 0x3f800000, .fraction = 0.25 + 0x1p-23, .kind = ResultKind::kFinite},
                     other, Format::kFloat));
  other.below += 1;
  EXPECT_FALSE(Agrees(half, other, Format::kFloat));
  EXPECT_FALSE(Agrees(half, Exact::Nan(), Format::kFloat));
  EXPECT_FALSE(Agrees(Exact::Infinite(Format::kFloat, true), Exact::Infinite(Format::kFloat, false),
                      Format::kFloat));
}

// Any split over ranges and threads gives the same statistics.
TEST(Certify, IsTheSameInPieces) {
  const CertifyOptions sampled{.samples = 3000, .seed = 9};
  const CertifyOptions neighbours{.exhaustive = true, .from = 0x3f7fe123, .to = 0x3f803456};
  for (auto [function, options] :
       {std::pair(Function::tan, sampled), std::pair(Function::pow, sampled),
        std::pair(Function::rootn, sampled), std::pair(Function::tgamma, neighbours)}) {
    const auto task = CertifyTask::Make(function, Format::kFloat, options);
    ASSERT_TRUE(task);
    const CertifyStatistics whole = *task->Run(0, task->Count(), 1);
    CertifyStatistics pieces;
    const std::uint64_t step = 1700;
    for (std::uint64_t begin = 0; begin < task->Count(); begin += step) {
      pieces.Merge(*task->Run(begin, std::min(task->Count(), begin + step), 3));
    }
    EXPECT_EQ(whole.compared, pieces.compared);
    EXPECT_EQ(whole.interpolated, pieces.interpolated);
    EXPECT_EQ(whole.fallbacks, pieces.fallbacks);
    EXPECT_EQ(whole.special, pieces.special);
    EXPECT_EQ(whole.max_fraction_error, pieces.max_fraction_error);
    EXPECT_EQ(whole.nearest, pieces.nearest);
    EXPECT_EQ(whole.compared + whole.fallbacks + whole.special, task->Count());
  }
}

// Every float of a range, most of them without MPFR: what is wrong at one of them is seen.
TEST(Certify, SeesAWrongFloatAmongNeighbours) {
  const auto one_input = [](double x) { return libc::exp(x) * (x == 1.5 ? 1.001 : 1); };
  const auto slightly = [](double x) { return libc::exp(x) * (x == 1.5 ? 1 + 0x1p-44 : 1); };
  const auto right = [](double x) { return libc::exp(x); };
  const CertifyOptions options{.exhaustive = true, .from = 0x3fbf0001, .to = 0x3fc100f0};
  const auto judge = [&](double (*unary)(double)) {
    const FastPath path{.unary = unary, .relative_error = 0x1p-52};
    const auto task = CertifyTask::Make(Function::exp, Format::kFloat, options, &path);
    return RunAll(*task);
  };
  const CertifyStatistics fine = judge(right);
  EXPECT_EQ(fine.differences, 0u);
  EXPECT_EQ(fine.compared, 0x200f0u);
  EXPECT_GT(fine.interpolated, 0x20000u);
  for (auto wrong : {+one_input, +slightly}) {
    const CertifyStatistics statistics = judge(wrong);
    EXPECT_EQ(statistics.differences, 1u);
    ASSERT_TRUE(statistics.first);
    EXPECT_EQ(statistics.first->args, std::vector<Bits>{0x3fc00000});
  }
}

TEST(Certify, CoversARangeByStride) {
  const CertifyOptions options{
      .exhaustive = true, .from = 0x3f800000, .to = 0x3f8fffff, .stride = 4096};
  const auto task = CertifyTask::Make(Function::log, Format::kFloat, options);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->Count(), 256u);
  EXPECT_EQ(task->coverage(), Coverage::kSampled);
  Bits arg = 0;
  task->Operands(255, &arg);
  EXPECT_EQ(arg, 0x3f8ff000u);
  EXPECT_EQ(RunAll(*task).differences, 0u);
}

TEST(Certify, StopsOnRequest) {
  const auto task = CertifyTask::Make(Function::tgamma, Format::kFloat, {.samples = 1 << 30});
  ASSERT_TRUE(task);
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(task->Run(0, task->Count(), 2, &stop));
}

TEST(Certify, RefusesUnsupportedTasks) {
  EXPECT_EQ(CertifyTask::Make(Function::floor, Format::kFloat, {}).error().kind,
            ErrorKind::kUnsupported);
  EXPECT_EQ(CertifyTask::Make(Function::mix, Format::kDouble, {}).error().kind,
            ErrorKind::kUnsupported);
  EXPECT_EQ(CertifyTask::Make(Function::exp, Format::kDouble, {.exhaustive = true}).error().kind,
            ErrorKind::kUsage);
  EXPECT_EQ(CertifyTask::Make(Function::half_sin, Format::kHalf, {}).error().kind,
            ErrorKind::kUnsupported);
  EXPECT_EQ(CertifyTask::Make(Function::pow, Format::kFloat, {.exhaustive = true}).error().kind,
            ErrorKind::kUsage);
  EXPECT_EQ(CertifyTask::Make(Function::exp, Format::kHalf, {.from = 0x10000}).error().kind,
            ErrorKind::kUsage);
}

}  // namespace
}  // namespace assay::numerics
