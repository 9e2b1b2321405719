#include "interp/execute/printf.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <limits>

#include "interp/rules/rule.h"
#include "numerics/format.h"

namespace assay::interp {
namespace {

using numerics::Format;
using testing::HasSubstr;

PrintfArgument Integers(int bits, std::vector<std::uint64_t> components) {
  return {.type = PrintfType::kInteger,
          .bits = static_cast<std::uint8_t>(bits),
          .components = std::move(components)};
}
PrintfArgument Int(std::uint32_t value) { return Integers(32, {value}); }
PrintfArgument Long(std::uint64_t value) { return Integers(64, {value}); }
PrintfArgument Floats(Format format, const std::vector<double>& values) {
  PrintfArgument argument{.type = PrintfType::kFloat,
                          .bits = static_cast<std::uint8_t>(numerics::Traits(format).width)};
  for (double value : values) {
    argument.components.push_back(numerics::FromDouble(format, value));
  }
  return argument;
}
PrintfArgument Double(double value) {
  return {
      .type = PrintfType::kFloat, .bits = 64, .components = {std::bit_cast<std::uint64_t>(value)}};
}
PrintfArgument Pointer(std::uint64_t address) {
  return {.type = PrintfType::kPointer, .bits = 64, .components = {address}};
}
PrintfArgument Text(std::string text) {
  PrintfArgument argument = Pointer(0x1000);
  argument.has_text = true;
  argument.text = std::move(text);
  return argument;
}

// The text of a call that has to be without fault.
std::string Good(std::string_view format, const std::vector<PrintfArgument>& arguments = {}) {
  const PrintfResult result = FormatPrintf(format, arguments);
  EXPECT_EQ(result.value, 0) << format;
  for (const auto& problem : result.problems) ADD_FAILURE() << format << ": " << problem.message;
  return result.text;
}

struct Fault {
  const char* rule;
  const char* format;
  std::vector<PrintfArgument> arguments;
  const char* text;
  const char* message;  // a part of the only problem's
};

void Check(const Fault& fault) {
  const PrintfResult result = FormatPrintf(fault.format, fault.arguments);
  EXPECT_EQ(result.text, fault.text) << fault.format;
  EXPECT_EQ(result.value, -1) << fault.format;
  ASSERT_EQ(result.problems.size(), 1u)
      << fault.format << (result.problems.size() > 1 ? result.problems[1].message : "");
  EXPECT_EQ(RowOf(result.problems[0].rule).finding_class, FindingClass::kUndefinedBehavior)
      << fault.format;
  EXPECT_EQ(NameOf(result.problems[0].rule), fault.rule) << fault.format;
  EXPECT_THAT(result.problems[0].message, HasSubstr(fault.message)) << fault.format;
}

template <typename T>
std::string Host(const std::string& format, T value) {
  std::string text(400 + 120, '\0');
  const int size = std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.resize(static_cast<std::size_t>(size));
  return text;
}

// Every combination of flags with some widths and precisions: "%-+08.3".
std::vector<std::string> Heads() {
  std::vector<std::string> heads;
  for (int flags = 0; flags < 32; ++flags) {
    for (const char* width : {"", "1", "5", "12", "40"}) {
      for (const char* precision : {"", ".", ".0", ".1", ".3", ".7", ".20", ".60"}) {
        std::string head = "%";
        for (int i = 0; i < 5; ++i) {
          if ((flags >> i & 1) != 0) head += "-+ #0"[i];
        }
        heads.push_back(head + width + precision);
      }
    }
  }
  return heads;
}

TEST(PrintfTest, IntegersAreTheHostsInEveryStyle) {
  for (const std::string& head : Heads()) {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{8},
          std::uint64_t{0xff}, std::uint64_t{0x7fffffff}, std::uint64_t{0x80000000},
          std::uint64_t{0xffffffff}, std::uint64_t{0x7fffffffffffffff},
          std::uint64_t{0x8000000000000000}, ~std::uint64_t{0}}) {
      for (const char conversion : {'d', 'i', 'o', 'u', 'x', 'X'}) {
        const bool hash = head.find('#') != std::string::npos;
        if (hash && std::string_view("diu").find(conversion) != std::string_view::npos) continue;
        const auto low = static_cast<std::uint32_t>(value);
        ASSERT_EQ(Good(head + conversion, {Int(low)}), Host(head + conversion, low)) << head;
        const std::string wide = head + "l" + conversion;
        ASSERT_EQ(Good(wide, {Long(value)}), Host(wide, value)) << wide;
        const std::string narrow = head + "hh" + conversion;
        ASSERT_EQ(Good(narrow, {Int(low)}), Host(narrow, low)) << narrow;
        const std::string middle = head + "h" + conversion;
        ASSERT_EQ(Good(middle, {Int(low)}), Host(middle, low)) << middle;
      }
    }
  }
}

TEST(PrintfTest, FloatingPointNumbersAreTheHostsInEveryStyle) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const std::string& head : Heads()) {
    for (const double value : {0.0,
                               -0.0,
                               1.0,
                               -1.5,
                               0.5,
                               2.5,
                               0.1,
                               123456.0,
                               1234567.0,
                               999999.5,
                               9.9999995,
                               1e-4,
                               9.9999e-5,
                               1e100,
                               1.7976931348623157e308,
                               2.2250738585072014e-308,
                               5e-324,
                               0x1.8p-1030,
                               0x1.fffffffffffffp-1,
                               0x1.08p+0,
                               0x1.18p+0,
                               0x1.8p+0,
                               -3.141592653589793,
                               kInfinity,
                               -kInfinity,
                               std::numeric_limits<double>::quiet_NaN()}) {
      for (const char conversion : {'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A'}) {
        const std::string format = head + conversion;
        // glibc 2.36 forgets the zeros of '#' where rounding carries into a new digit; see below.
        const bool general = conversion == 'g' || conversion == 'G';
        if (general && head.find('#') != std::string::npos) continue;
        ASSERT_EQ(Good(format, {Double(value)}), Host(format, value)) << format << " " << value;
      }
    }
  }
}

// 6.15.14.2: "For g and G conversions, trailing zeros are not removed from the result."
TEST(PrintfTest, TheAlternativeFormOfStyleG) {
  EXPECT_EQ(Good("%#g", {Double(999999.5)}), "1.00000e+06");
  EXPECT_EQ(Good("%#g", {Double(99999.96)}), "100000.");
  EXPECT_EQ(Good("%#.3G", {Double(9.9999e-5)}), "0.000100");
  EXPECT_EQ(Good("%#.0g", {Double(0)}), "0.");
  EXPECT_EQ(Good("%#g", {Double(0)}), "0.00000");
  EXPECT_EQ(Good("%#.1g", {Double(1e100)}), "1.e+100");
  EXPECT_EQ(Good("%#+010g", {Double(1.5)}), "+001.50000");
  for (const double value : {1.0, -1.5, 0.1, 123456.0, 1e-4, 1e-5, 1e100, 5e-324}) {
    for (const char* format : {"%#g", "%#.0g", "%#.3g", "%#-20.10G", "%#020.17g"}) {
      EXPECT_EQ(Good(format, {Double(value)}), Host(format, value)) << format;
    }
  }
}

TEST(PrintfTest, RandomDoublesAreTheHosts) {
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto value = std::bit_cast<double>(state);
    for (const char* format : {"%f", "%.3e", "%g", "%.12g", "%a", "%.4a", "%#.0f"}) {
      ASSERT_EQ(Good(format, {Double(value)}), Host(format, value)) << format;
    }
  }
}

TEST(PrintfTest, HalfAndFloatAreConvertedExactly) {
  EXPECT_EQ(Good("%a %a", {Floats(Format::kHalf, {0x1p-24}), Floats(Format::kFloat, {0x1p-149})}),
            "0x1p-24 0x1p-149");
  EXPECT_EQ(Good("%.10f", {Floats(Format::kFloat, {0.1})}), "0.1000000015");
  EXPECT_EQ(Good("%.10f", {Floats(Format::kHalf, {0.1})}), "0.0999755859");
  EXPECT_EQ(Good("%f", {Floats(Format::kHalf, {65504})}), "65504.000000");
}

TEST(PrintfTest, TheExamplesOfTheSpecification) {
  EXPECT_EQ(Good("f4 = %2.2v4hlf\n", {Floats(Format::kFloat, {1, 2, 3, 4})}),
            "f4 = 1.00,2.00,3.00,4.00\n");
  EXPECT_EQ(Good("uc = %#v4hhx\n", {Integers(8, {0xfa, 0xfb, 0xfc, 0xfd})}),
            "uc = 0xfa,0xfb,0xfc,0xfd\n");
  EXPECT_EQ(Good("%s\n", {Text("this is a test string\n")}), "this is a test string\n\n");
}

TEST(PrintfTest, VectorsOfEverySize) {
  EXPECT_EQ(Good("%v2hd", {Integers(16, {0xffff, 1})}), "-1,1");
  EXPECT_EQ(Good("%v2hu", {Integers(16, {0xffff, 1})}), "65535,1");
  EXPECT_EQ(Good("%v2hhd", {Integers(8, {0x80, 0x7f})}), "-128,127");
  EXPECT_EQ(Good("%v3hli", {Integers(32, {0xffffffff, 0, 5})}), "-1,0,5");
  EXPECT_EQ(Good("%v2ld", {Integers(64, {~std::uint64_t{0}, 2})}), "-1,2");
  EXPECT_EQ(Good("%v2hg", {Floats(Format::kHalf, {0.5, -2})}), "0.5,-2");
  EXPECT_EQ(Good("%v2lg", {Floats(Format::kDouble, {0.5, -2})}), "0.5,-2");
  EXPECT_EQ(Good("%v8hhu", {Integers(8, {1, 2, 3, 4, 5, 6, 7, 8})}), "1,2,3,4,5,6,7,8");
  EXPECT_EQ(Good("%v16hhx", {Integers(8, std::vector<std::uint64_t>(16, 10))}),
            "a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a");
  EXPECT_EQ(Good("[%+-6.1v2hlf]", {Floats(Format::kFloat, {1, -2})}), "[+1.0  ,-2.0  ]")
      << "flags, width and precision are each component's";
}

TEST(PrintfTest, CharactersTextPointersAndPercent) {
  EXPECT_EQ(Good("%c%3c|%-3c|", {Int('a'), Int('b'), Int('c' + 256)}), "a  b|c  |");
  EXPECT_EQ(Good("%c", {Int(0)}), std::string(1, '\0'));
  EXPECT_EQ(Good("[%6s] [%-6s] [%.2s] [%.s]", {Text("abc"), Text("abc"), Text("abc"), Text("abc")}),
            "[   abc] [abc   ] [ab] []");
  EXPECT_EQ(Good("%p %p", {Pointer(0x8000000010), Pointer(0)}), "0x8000000010 0x0");
  EXPECT_EQ(Good("[%8p] [%-8p]", {Pointer(0x10), Pointer(0)}), "[    0x10] [0x0     ]");
  EXPECT_EQ(Good("100%%"), "100%");
  EXPECT_EQ(Good(""), "");
}

TEST(PrintfTest, SurplusArgumentsAreIgnored) { EXPECT_EQ(Good("%d", {Int(1), Int(2)}), "1"); }

// 6.15.14: "If there are insufficient arguments for the format, the behavior is undefined."
TEST(PrintfTest, MissingArguments) {
  Check({"printf-arguments", "%d", {}, "%d", "argument 1 is wanted, but there are 0"});
  Check({"printf-arguments", "%d %5s.", {Int(1)}, "1 %5s.", "argument 2"});
}

// 6.15.14.2: "If any argument is not the correct type ..., the behavior is undefined."
TEST(PrintfTest, ArgumentsOfTheWrongType) {
  Check({"printf-type",
         "%d",
         {Double(1.5)},
         "1.5",
         "a 32-bit integer is wanted, but argument 1 is a double"});
  Check({"printf-type", "%5.1d|", {Floats(Format::kFloat, {0.25})}, " 0.25|", "is a float"});
  Check({"printf-type",
         "%f",
         {Int(3)},
         "3",
         "a double is wanted, but argument 1 is a 32-bit integer"});
  Check({"printf-type", "%d", {Long(1ull << 40)}, "1099511627776", "a 64-bit integer"});
  Check({"printf-type", "%ld", {Int(0xffffffff)}, "-1", "a 64-bit integer is wanted"});
  Check({"printf-type", "%hhd", {Long(0x1ff)}, "-1", "an 8-bit integer is wanted"});
  Check({"printf-type", "%d", {Pointer(0x20)}, "32", "a pointer"});
  Check({"printf-type", "%f", {Pointer(0x20)}, "0x20", "a pointer"});
  Check({"printf-type", "%p", {Int(16)}, "16", "a pointer is wanted"});
  Check({"printf-type", "%c", {Double(65)}, "65", "an int is wanted"});
  Check({"printf-type", "%s", {Int(7)}, "7", "a literal string is wanted"});
  Check({"printf-string",
         "%s",
         {Pointer(0x20)},
         "0x20",
         "a literal string is wanted, but argument 1 is a pointer"});
  Check({"printf-type", "%d", {Integers(32, {1, 2})}, "1,2", "a vector of 2 32-bit integers"});
}

// 6.15.14.2: "The vector data type ... must match the data type of the argument."
TEST(PrintfTest, VectorsThatDoNotMatch) {
  // The specification's own invalid examples.
  Check({"printf-type",
         "(%#v2hx)",
         {Integers(32, {0x12345678, 0x87654321})},
         "(0x12345678,0x87654321)",
         "a vector of 2 16-bit integers is wanted"});
  Check({"printf-type",
         "(%#v2hhx)",
         {Integers(32, {0x12345678, 0x87654321})},
         "(0x12345678,0x87654321)",
         "a vector of 2 8-bit integers is wanted"});
  Check({"printf-type",
         "%v4hlf",
         {Floats(Format::kFloat, {1, 2})},
         "1.000000,2.000000",
         "a vector of 4 floats"});
  Check({"printf-type",
         "%v2lf",
         {Floats(Format::kFloat, {1, 2})},
         "1.000000,2.000000",
         "a vector of 2 doubles"});
  Check({"printf-type",
         "%v2hld",
         {Floats(Format::kFloat, {1, 2})},
         "1,2",
         "is a vector of 2 floats"});
  Check({"printf-type", "%v2hld", {Int(5)}, "5", "argument 1 is a 32-bit integer"});
  Check({"printf-specifier", "%v2d", {Integers(32, {1, 2})}, "1,2", "needs a length modifier"});
  Check({"printf-specifier",
         "%v2hhf",
         {Floats(Format::kFloat, {1, 2})},
         "1.000000,2.000000",
         "'hh' has no meaning"});
}

TEST(PrintfTest, VectorSpecifiersThatDoNotExist) {
  const PrintfResult result = FormatPrintf("%v5hld", std::vector{Integers(32, {1, 2, 3, 4, 5})});
  EXPECT_EQ(result.text, "1,2,3,4,5");
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_THAT(result.problems[0].message, HasSubstr("'v5' is none of"));
  EXPECT_EQ(FormatPrintf("%vhld", std::vector{Int(1)}).value, -1);
  EXPECT_EQ(FormatPrintf("%v99999999999hld", std::vector{Int(1)}).value, -1);
  Check({"printf-specifier", "%v2s", {Text("x")}, "x", "conversions of numbers only"});
}

// 6.15.14.2: "If a length modifier appears with any conversion specifier other than as specified
// above, the behavior is undefined", and 6.15.14.3 for the reserved ones.
TEST(PrintfTest, LengthModifiersWithoutMeaning) {
  Check({"printf-specifier", "%hf", {Double(1)}, "1.000000", "'h' has no meaning"});
  Check({"printf-specifier",
         "%hld",
         {Int(1)},
         "1",
         "'hl' has no meaning for this conversion of a scalar"});
  Check({"printf-specifier", "%ls", {Text("x")}, "x", "'l' has no meaning"});
  Check({"printf-specifier", "%lc", {Int('x')}, "x", "'l' has no meaning"});
  Check({"printf-specifier", "%lld", {Long(5)}, "5", "'ll' is reserved"});
  EXPECT_EQ(FormatPrintf("%hf %hhe", std::vector{Int(7), Long(0x1ff)}).text, "7 -1");
  Check({"printf-specifier", "%jd", {Long(5)}, "5", "'j' is reserved"});
  Check({"printf-specifier", "%Lf", {Double(5)}, "5.000000", "'L' is reserved"});
}

TEST(PrintfTest, SizesOfSizeTAreAHazardBeforeOpenClC31) {
  const PrintfResult result = FormatPrintf("%zu %td", std::vector{Long(5), Long(6)});
  EXPECT_EQ(result.text, "5 6");
  EXPECT_EQ(result.value, 0);
  ASSERT_EQ(result.problems.size(), 2u);
  EXPECT_EQ(RowOf(result.problems[0].rule).finding_class, FindingClass::kImplementationDefined);
  EXPECT_EQ(NameOf(result.problems[0].rule), "printf-specifier");
  EXPECT_THAT(result.problems[0].message, HasSubstr("OpenCL C 3.1"));
}

// 6.15.14.2 gives 'l' a meaning for integers and vectors only; kernels write it for doubles, as C
// programs do.
TEST(PrintfTest, LongScalarsOfFloatingPointAreAHazard) {
  for (const char* format : {"%lf", "%lg", "%.6lf", "%le", "%lA"}) {
    const PrintfResult result = FormatPrintf(format, std::vector{Double(1)});
    EXPECT_EQ(result.value, 0);
    ASSERT_EQ(result.problems.size(), 1u) << format;
    EXPECT_EQ(RowOf(result.problems[0].rule).finding_class, FindingClass::kImplementationDefined)
        << format;
    EXPECT_EQ(NameOf(result.problems[0].rule), "printf-specifier");
    EXPECT_THAT(result.problems[0].message, HasSubstr("'l' is for integers and for vectors"));
  }
  EXPECT_EQ(FormatPrintf("%lf", std::vector{Floats(Format::kFloat, {0.5})}).text, "0.500000");
  // Of an integer it is wrong in any case.
  const PrintfResult wrong = FormatPrintf("%lf", std::vector{Int(1)});
  ASSERT_EQ(wrong.problems.size(), 2u);
  EXPECT_EQ(RowOf(wrong.problems[1].rule).finding_class, FindingClass::kUndefinedBehavior);
  EXPECT_EQ(NameOf(wrong.problems[1].rule), "printf-type");
}

// 6.15.14.2, of the flags '#' and '0' and of the precision: "For other conversions, the behavior is
// undefined."
TEST(PrintfTest, FlagsAndPrecisionsWithoutMeaning) {
  Check({"printf-specifier", "%#d", {Int(1)}, "1", "'#' has no meaning"});
  Check({"printf-specifier", "%#u", {Int(1)}, "1", "'#' has no meaning"});
  Check({"printf-specifier", "%#s", {Text("x")}, "x", "'#' has no meaning"});
  Check({"printf-specifier", "%03c", {Int('x')}, "  x", "'0' has no meaning"});
  Check({"printf-specifier", "%03s", {Text("x")}, "  x", "'0' has no meaning"});
  Check({"printf-specifier", "%.3c", {Int('x')}, "x", "a precision has no meaning"});
  Check({"printf-specifier", "%.3p", {Pointer(16)}, "0x10", "a precision has no meaning"});
}

TEST(PrintfTest, ConversionsThatDoNotExist) {
  Check({"printf-specifier", "%y.", {Int(1)}, "%y.", "unknown"});
  Check({"printf-specifier", "%5", {Int(1)}, "%5", "the format ends"});
  Check({"printf-specifier", "%", {}, "%", "the format ends"});
  Check({"printf-specifier", "%-v4hl", {}, "%-v4hl", "the format ends"});
  Check({"printf-specifier", "%n%d", {Pointer(16), Int(2)}, "%n2", "'n' is reserved"});
  Check({"printf-specifier", "%5%", {}, "%", "has to be '%%'"});
  Check({"printf-specifier", "%*d", {Int(4), Int(2)}, "   2", "'*'"});
  Check({"printf-specifier", "%.*f", {Int(1), Double(2)}, "2.0", "'*'"});
  Check({"printf-specifier", "%*d", {Int(0xffffffff), Int(2)}, "2", "'*'"});
}

TEST(PrintfTest, HugeFieldsDoNotTakeTheMemory) {
  const PrintfResult wide = FormatPrintf("%99999999999999999999d", std::vector{Int(1)});
  EXPECT_EQ(wide.text.size(), 65535u);
  ASSERT_EQ(wide.problems.size(), 1u);
  EXPECT_EQ(RowOf(wide.problems[0].rule).finding_class, FindingClass::kResourceLimit);
  const PrintfResult precise =
      FormatPrintf("%.65536f", std::vector{Double(1.7976931348623157e308)});
  EXPECT_EQ(precise.text.size(), 309u + 1 + 65535);
  EXPECT_EQ(FormatPrintf("%.65535a", std::vector{Double(1)}).text.size(), 3u + 1 + 65535 + 3);
  EXPECT_EQ(FormatPrintf("%.65535g", std::vector{Double(1e-4)}).text.size(),
            Host("%.400g", 1e-4).size())
      << "the exact decimal has fewer digits, and zeros at the end are removed";
  std::string many;
  std::vector<PrintfArgument> arguments;
  for (int i = 0; i < 1000; ++i) {
    many += "%65535d";
    arguments.push_back(Int(1));
  }
  const PrintfResult cut = FormatPrintf(many, arguments);
  EXPECT_LE(cut.text.size(), std::size_t{1} << 24);
  ASSERT_FALSE(cut.problems.empty());
  EXPECT_THAT(cut.problems.back().message, HasSubstr("cut"));
}

}  // namespace
}  // namespace assay::interp
