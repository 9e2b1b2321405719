#include "frontend/long_literals.h"

#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

TEST(LongLiterals, LoseALetterAndKeepTheColumns) {
  EXPECT_EQ(WithLongLiterals("x ^ 0x55ULL + y;"), "x ^ 0x55UL  + y;");
  EXPECT_EQ(WithLongLiterals("1ll,2LL,3ull,4Ull,5uLL,6llu,7LLU"),
            "1l ,2L ,3ul ,4Ul ,5uL ,6lu ,7LU ");
  EXPECT_EQ(WithLongLiterals("0xALL;0b11LL"), "0xAL ;0b11L ");
}

TEST(LongLiterals, AreAlsoPutTogetherByMacros) {
  EXPECT_EQ(WithLongLiterals("#define C(x) x##ULL\n#define D(x) x ## LL"),
            "#define C(x) x##UL \n#define D(x) x ## L ");
}

TEST(LongLiterals, OtherTextStays) {
  for (const char* text :
       {"int ull, LL, xULL; f(ULL)", "\"1ULL \\\" 2LL\" '1'", "// 1ULL\n/* 2LL\n3LL */ 4L",
        "1lL 5u", "a##b LL", "x1LL", "1.5f 1e+5 0x1p-3", "'\\''", "\"", "/*", "'"}) {
    EXPECT_EQ(WithLongLiterals(text), text);
  }
  EXPECT_EQ(WithLongLiterals("\"a\" 1LL 'b' 2LL // 3LL\n4LL"), "\"a\" 1L  'b' 2L  // 3LL\n4L ");
}

}  // namespace
}  // namespace assay::frontend
