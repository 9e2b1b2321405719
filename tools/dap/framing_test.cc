#include "tools/dap/framing.h"

#include <gtest/gtest.h>

namespace assay::tools::dap {
namespace {

TEST(FrameReader, GivesMessagesThatComeInPieces) {
  const std::string bytes =
      "Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x\r\n\r\n[1]";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameReader reader;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      ASSERT_TRUE(reader.Feed(std::string_view(bytes).substr(at, piece)));
    }
    EXPECT_EQ(reader.bodies(), (std::deque<std::string>{"{}", "[1]"}));
    EXPECT_FALSE(reader.IsInside());
  }
}

TEST(FrameReader, RefusesHeadersThatMeanNothing) {
  for (const std::string header :
       {"Content-Length: -1", "Content-Length: 99999999999999999999999", "Content-Length: 1x",
        "Content-Length: 16777217", "Content-Length:", "Length: 2", "GET / HTTP/1.1", "",
        "Content-Length: 2\r\nContent-Length: 2"}) {
    FrameReader reader;
    EXPECT_FALSE(reader.Feed(header + "\r\n\r\n{}")) << header;
  }
}

TEST(FrameReader, RefusesAHeaderThatDoesNotEnd) {
  FrameReader reader;
  ASSERT_TRUE(reader.Feed(std::string(kMostHeaderBytes, 'a')));
  EXPECT_FALSE(reader.Feed("a"));
}

TEST(ParseBody, RefusesWhatIsNestedTooDeeply) {
  EXPECT_TRUE(ParseBody(R"({"a": "[[[[", "b": ["\"["]})"));
  EXPECT_TRUE(ParseBody(std::string(kMostNesting, '[') + std::string(kMostNesting, ']')));
  EXPECT_FALSE(ParseBody(std::string(1000000, '[')));
  EXPECT_FALSE(ParseBody("{"));
}

TEST(Framed, CountsBytes) {
  EXPECT_EQ(Framed({{"a", "\xc3\xa4"}}), "Content-Length: 10\r\n\r\n{\"a\":\"\xc3\xa4\"}");
}

}  // namespace
}  // namespace assay::tools::dap
