#include "numerics/double_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/certify.h"
#include "numerics/evaluate.h"
#include "numerics/fast_path.h"

namespace assay::numerics {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kSamples = 300;
#else
constexpr std::uint64_t kSamples = 4000;
#endif

// Special operands, hard cases, random ones, and those that look hardest, in all rounding modes.
TEST(DoublePathTest, AgreesWithMpfr) {
  int functions = 0;
  for (const FunctionInfo& info : AllFunctions()) {
    if (FindDoublePath(info.function, 0) == nullptr) continue;
    ++functions;
    CertifyOptions options;
    options.samples = kSamples;
    options.seed = 20;
    const auto task = CertifyTask::Make(info.function, Format::kDouble, options);
    ASSERT_TRUE(task) << info.name << ": " << task.error().message;
    // Of three operands the special values have too many tuples for a unit test.
    const std::uint64_t random = options.samples + options.samples / 4;
    const std::uint64_t begin = info.Arity() == 1 ? 0 : task->Count() - random;
    const auto statistics = task->Run(begin, task->Count(), 1);
    ASSERT_TRUE(statistics);
    EXPECT_EQ(statistics->differences, 0u) << info.name;
    if (statistics->first) {
      ADD_FAILURE() << info.name << std::hex << " 0x" << statistics->first->args[0] << " 0x"
                    << (info.Arity() > 1 ? statistics->first->args[1] : 0) << ": below 0x"
                    << statistics->first->fast.below << " + " << std::hexfloat
                    << statistics->first->fast.fraction << ", and not 0x"
                    << statistics->first->truth.below << " + " << statistics->first->truth.fraction;
    }
    RecordProperty(std::string(info.name),
                   std::to_string(std::log2(statistics->max_fraction_error)));
    EXPECT_LT(statistics->max_fraction_error, 0x1p-13) << info.name << ": 2^-66 of the result";
    // Whole numbers, of which the special operands have many, are rows of edge_cases.def for some.
    EXPECT_LT(statistics->fallbacks, 2 * statistics->compared) << info.name;
  }
  EXPECT_GE(functions, 55);
}

}  // namespace
}  // namespace assay::numerics
