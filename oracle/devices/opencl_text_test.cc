#include "oracle/devices/opencl_text.h"

#include <gtest/gtest.h>

namespace assay::oracle {
namespace {

TEST(OpenClTextTest, NamesStayAsTheyAre) {
  EXPECT_EQ(PrintableText("NVIDIA H200"), "NVIDIA H200");
  EXPECT_EQ(PrintableText("Intel\xc2\xae Xe \xe2\x84\xa2 \xf0\x9f\x98\x80"),
            "Intel\xc2\xae Xe \xe2\x84\xa2 \xf0\x9f\x98\x80");
  EXPECT_EQ(PrintableText(""), "");
}

TEST(OpenClTextTest, EndsAtTheNul) {
  EXPECT_EQ(PrintableText(std::string_view("name\0rest", 9)), "name");
}

TEST(OpenClTextTest, ControlCharactersAreEscaped) {
  EXPECT_EQ(PrintableText("\x1b[2Ja\r\n\tb\x7f"), "\\x1b[2Ja\\x0d\\x0a\\x09b\\x7f");
  EXPECT_EQ(PrintableText("\xc2\x9b"), "\\xc2\\x9b");  // CSI of C1
}

TEST(OpenClTextTest, InvalidUtf8IsEscaped) {
  EXPECT_EQ(PrintableText("a\xff"
                          "b"),
            "a\\xffb");
  EXPECT_EQ(PrintableText("\xc3("), "\\xc3(");
  EXPECT_EQ(PrintableText("\xe2\x84"), "\\xe2\\x84");                    // cut off
  EXPECT_EQ(PrintableText("\xc0\x80"), "\\xc0\\x80");                    // overlong
  EXPECT_EQ(PrintableText("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // overlong
  EXPECT_EQ(PrintableText("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(PrintableText("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
}

TEST(OpenClTextTest, LogsKeepTheirLines) {
  EXPECT_EQ(PrintableLog("1:\terror\n2: \x1b[1m\n \n", 100), "1:\terror\n2: \\x1b[1m");
  EXPECT_EQ(PrintableLog("0123456789", 4), "0123\n[6 more bytes]");
}

}  // namespace
}  // namespace assay::oracle
