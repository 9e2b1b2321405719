#include "tools/debug/format.h"

#include <gmock/gmock.h>

namespace assay::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using ValueKind = interp::debug::ValueBits::Kind;

std::string ErrorOf(const std::string& text) {
  const auto request = ParseFormatRequest(text);
  return request ? "" : request.error().message;
}

// What one conversion writes of a value, as the debugger answers it.
std::string Written(const std::string& format, ValueKind kind, int bits,
                    std::vector<std::uint64_t> components) {
  const auto request = ParseFormatRequest("\"" + format + "\", x");
  if (!request) return request.error().message;
  const auto one = ArgumentOf(
      request->pieces[0], {.bits = interp::debug::ValueBits{kind, bits, std::move(components)}});
  const auto result = interp::FormatPrintf(one.conversion, std::vector{one.argument});
  EXPECT_TRUE(result.problems.empty()) << result.problems.front().message;
  return result.text;
}

TEST(FormatRequest, DividesAtCommasOutsideOfBracketsAndQuotes) {
  const auto request = ParseFormatRequest(R"("%d, %s\n" , max(a, b) ,"x, \"y\"")");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_THAT(request->expressions, ElementsAre("max(a, b)", R"("x, \"y\"")"));
  EXPECT_EQ(request->pieces.size(), 3u);
  EXPECT_EQ(request->pieces[2].before, "\n");
}

TEST(FormatRequest, NamesWhatIsWrong) {
  EXPECT_THAT(ErrorOf("x"), HasSubstr("write \"FORMAT\""));
  EXPECT_THAT(ErrorOf("\"%d"), HasSubstr("has no end"));
  EXPECT_THAT(ErrorOf("\"%d\" x"), HasSubstr("a comma is missing"));
  EXPECT_THAT(ErrorOf("\"%d\", "), HasSubstr("an expression is missing"));
  EXPECT_THAT(ErrorOf("\"%d %d\", x"), HasSubstr("2 conversions, and there is 1 value"));
  EXPECT_THAT(ErrorOf("\"%*d\", x"), HasSubstr("in '%*'"));
  EXPECT_THAT(ErrorOf("\"%v5d\", x"), HasSubstr("2, 3, 4, 8 or 16 components"));
  EXPECT_THAT(ErrorOf("\"%v2.1f\", x"), HasSubstr("before the v"));
  EXPECT_THAT(ErrorOf("\"%n\", x"), HasSubstr("in '%n'"));
  EXPECT_THAT(ErrorOf("\"\\q\""), HasSubstr("no escape '\\q'"));
}

// As C converts an argument to the conversion's type.
TEST(FormatArgument, ConvertsNumbersToWhatIsWanted) {
  EXPECT_EQ(Written("%d", ValueKind::kSigned, 8, {0xff}), "-1");
  EXPECT_EQ(Written("%u", ValueKind::kSigned, 16, {0xffff}), "4294967295");
  EXPECT_EQ(Written("%hhd", ValueKind::kSigned, 32, {300}), "44");
  EXPECT_EQ(Written("%llx", ValueKind::kSigned, 32, {0xffffffff}), "ffffffffffffffff");
  EXPECT_EQ(Written("%d", ValueKind::kUnsigned, 64, {0x100000002}), "2");
  EXPECT_EQ(Written("%d", ValueKind::kFloat, 32, {0xc0280000}), "-2");  // -2.625f
  EXPECT_EQ(Written("%d", ValueKind::kFloat, 16, {0x4200}), "3");       // 3.0h
  EXPECT_EQ(Written("%ld", ValueKind::kFloat, 64, {0x7ff8000000000000}),
            "-9223372036854775808");  // NaN
  EXPECT_EQ(Written("%.1f", ValueKind::kSigned, 32, {0xfffffffe}), "-2.0");
  EXPECT_EQ(Written("%g", ValueKind::kFloat, 16, {0x3555}), "0.333252");
  EXPECT_EQ(Written("%c", ValueKind::kSigned, 8, {'k'}), "k");
}

TEST(FormatArgument, TakesVectorsAsWideAsTheyAre) {
  EXPECT_EQ(Written("%.1v2f", ValueKind::kFloat, 32, {0x3f800000, 0x40000000}), "1.0,2.0");
  EXPECT_EQ(Written("%v2hld", ValueKind::kSigned, 8, {0xff, 1}), "-1,1");
  EXPECT_EQ(Written("%v2lx", ValueKind::kUnsigned, 64, {~std::uint64_t{0}, 1}),
            "ffffffffffffffff,1");
}

TEST(FormatArgument, SaysWhatIsUndefined) {
  const auto request = ParseFormatRequest("\"%-12.3f|\", x");
  ASSERT_TRUE(request);
  const auto one = ArgumentOf(request->pieces[0], {.value = "<undefined>"});
  EXPECT_EQ(interp::FormatPrintf(one.conversion + "|", std::vector{one.argument}).text,
            "<undefined> |");
}

}  // namespace
}  // namespace assay::tools
