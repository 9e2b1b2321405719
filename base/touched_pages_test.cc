#include "base/touched_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace assay::base {
namespace {

TEST(TouchedPages, AreThoseThatWereWritten) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = 2000 * page;
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  ASSERT_EQ(madvise(mapped, bytes, MADV_NOHUGEPAGE), 0);
  auto* const memory = static_cast<std::byte*>(mapped);
  const TouchedPages touched;
  EXPECT_FALSE(touched.Any(memory, bytes));
  memory[1234 * page + 5] = std::byte{1};
  EXPECT_TRUE(touched.Any(memory, bytes));
  EXPECT_FALSE(touched.Any(memory, 1234 * page));
  EXPECT_TRUE(touched.Any(memory + 1234 * page, 1));
  EXPECT_FALSE(touched.Any(memory + 1235 * page, bytes - 1235 * page));
  EXPECT_FALSE(touched.Any(memory + 1235 * page, 0));
  ASSERT_EQ(munmap(mapped, bytes), 0);
}

}  // namespace
}  // namespace assay::base
