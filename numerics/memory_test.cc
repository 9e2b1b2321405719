#include "numerics/memory.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <mpfr.h>

#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/function.h"

namespace assay::numerics {
namespace {

// In a process of its own, since the functions are the whole process's.
TEST(MemoryDeathTest, WithoutMemoryNumbersThrow) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends a process that asks for so much";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ThrowWhereMemoryEnds();
        try {
          mpfr_t number;
          mpfr_init2(number, mpfr_prec_t{1} << 50);
        } catch (const std::bad_alloc&) {
          std::_Exit(4);
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(4), "");
}

TEST(Memory, ThreadsFreeMpfrsCaches) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's memory is not counted";
#endif
  const auto evaluate = [] {
    const Operation operation = Operation::Builtin(Function::sin, Format::kDouble);
    std::vector<Exact> results(static_cast<std::size_t>(operation.ResultCount()));
    EvaluateExact(operation, std::vector<Bits>{0x7fe0000000000001}, results);  // needs much of pi
  };
  const auto use = [&] {
    std::thread(evaluate).join();
    return mallinfo2().uordblks;
  };
  const std::size_t once = use();
  std::size_t last = once;
  for (int i = 0; i < 100; ++i) last = use();
  EXPECT_LT(last, once + 10000) << "a thread keeps some 500 bytes and more";
}

}  // namespace
}  // namespace assay::numerics
