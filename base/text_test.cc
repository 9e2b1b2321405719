#include "base/text.h"

#include <gtest/gtest.h>

#include <random>

namespace assay::base {
namespace {

TEST(TextTest, LettersOfAnyAlphabetStay) {
  for (const char* text : {"", "plain text", "naïve Größe", "日本語", "∀x∈ℝ", "😀", "a\\b 'c'"}) {
    EXPECT_EQ(Printable(text), text);
    EXPECT_EQ(PrintableLines(text), text);
  }
}

TEST(TextTest, TerminalControlsAreEscaped) {
  EXPECT_EQ(Printable("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(Printable(std::string_view("\0\x1b[2J\x7f", 6)), "\\x00\\x1b[2J\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\u{9b}31m");  // CSI in one character
  EXPECT_EQ(Printable("\xe2\x80\xae"
                      "fdp.exe"),
            "\\u{202e}fdp.exe");  // right to left
  EXPECT_EQ(Printable("\xe2\x81\xa6\xe2\x80\xa8\xe2\x80\x8b"), "\\u{2066}\\u{2028}\\u{200b}");
  EXPECT_EQ(Printable("\xef\xbb\xbfx"), "\\u{feff}x");
  EXPECT_EQ(PrintableLines("a\nb\tc\r\x1b"), "a\nb\tc\\r\\x1b");
}

// Overlong forms, surrogates, beyond the last code point, truncated, stray.
TEST(TextTest, BytesThatAreNoUtf8AreEscaped) {
  EXPECT_EQ(Printable("\xc0\x8a"), "\\xc0\\x8a");
  EXPECT_EQ(Printable("\xe0\x80\x8a"), "\\xe0\\x80\\x8a");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(Printable("x\xe2\x82"), "x\\xe2\\x82");
  EXPECT_EQ(Printable("\x80\xff"), "\\x80\\xff");
}

TEST(TextTest, LogsAndMessagesCannotBeginALine) {
  EXPECT_EQ(Indented("one\n215 pass\n\nend"), "    one\n    215 pass\n    \n    end");
  EXPECT_EQ(Continued("failed: log\n0 fail\n  more"), "failed: log\n  0 fail\n  more");
}

TEST(TextTest, IsBrokenBetweenWords) {
  EXPECT_EQ(Wrapped("one two three", 0, 7), "one two\nthree");
  EXPECT_EQ(Wrapped("one two three", 2, 7), "one\n  two\n  three");
  EXPECT_EQ(Wrapped("a-word-that-does-not-fit x", 2, 7), "a-word-that-does-not-fit\n  x");
  EXPECT_EQ(Wrapped(""), "");
}

// Whatever goes in, what comes out has no control character, and a line stays one.
TEST(TextTest, RandomBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t n = random() % 12; n > 0; --n) text += static_cast<char>(random());
    const std::string shown = Printable(text);
    for (const char c : shown) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << shown;
      EXPECT_NE(c, 0x7f);
    }
    EXPECT_EQ(Printable(shown), shown);
  }
}

}  // namespace
}  // namespace assay::base
