#include "oracle/judge/math_options.h"

#include <gtest/gtest.h>

namespace assay::oracle {
namespace {

TEST(MathOptionsTest, EachOptionAlone) {
  EXPECT_EQ(ParseMathOptions(""), MathOptions{});
  EXPECT_EQ(ParseMathOptions("-O2 -DX=1 -Iheaders -cl-std=CL3.0 -w"), MathOptions{});
  EXPECT_EQ(ParseMathOptions("-cl-denorms-are-zero"), MathOptions{.denorms_are_zero = true});
  EXPECT_EQ(ParseMathOptions("\t-cl-mad-enable  -O2"), MathOptions{.mad_enable = true});
  EXPECT_EQ(ParseMathOptions("-cl-no-signed-zeros"), MathOptions{.no_signed_zeros = true});
  EXPECT_EQ(ParseMathOptions("-cl-finite-math-only"), MathOptions{.finite_math_only = true});
  EXPECT_EQ(ParseMathOptions("-cl-fp32-correctly-rounded-divide-sqrt"),
            MathOptions{.correctly_rounded_divide_sqrt = true});
  EXPECT_EQ(ParseMathOptions("-cl-single-precision-constant"),
            MathOptions{.single_precision_constant = true});
}

TEST(MathOptionsTest, OptionsIncludeOthers) {
  const MathOptions unsafe = ParseMathOptions("-cl-unsafe-math-optimizations");
  EXPECT_EQ(unsafe, (MathOptions{.denorms_are_zero = true,
                                 .mad_enable = true,
                                 .no_signed_zeros = true,
                                 .unsafe_math = true}));
  EXPECT_FALSE(unsafe.IsFastRelaxedMath());
  const MathOptions fast = ParseMathOptions("-cl-fast-relaxed-math");
  EXPECT_TRUE(fast.IsFastRelaxedMath());
  EXPECT_EQ(fast, ParseMathOptions("-cl-finite-math-only -cl-unsafe-math-optimizations"));
  EXPECT_EQ(fast, MathOptionsOf(MathMode::kRelaxed, ""));
  EXPECT_EQ(MathOptionsOf(MathMode::kDefault, ""), MathOptions{});
}

TEST(MathOptionsTest, OnlyWholeWordsAreOptions) {
  EXPECT_EQ(ParseMathOptions("-cl-mad-enabled -Dx=-cl-mad-enable"), MathOptions{});
  EXPECT_EQ(ParseMathOptions("-D -cl-mad-enable"), MathOptions{});
  EXPECT_EQ(ParseMathOptions("-DTEXT=\"a -cl-mad-enable b\""), MathOptions{});
  EXPECT_EQ(ParseMathOptions("-D X -cl-mad-enable"), MathOptions{.mad_enable = true});
}

}  // namespace
}  // namespace assay::oracle
