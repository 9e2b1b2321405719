#include "numerics/memory.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cstdlib>
#include <new>

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

}  // namespace
}  // namespace assay::numerics
