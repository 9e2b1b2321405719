#include "base/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace assay::base {
namespace {

TEST(JsonText, KeepsTheOrderOfKeysThereAndBack) {
  const nlohmann::ordered_json json = ParseJson(R"({"b": [1, "x"], "a": null})");
  EXPECT_EQ(JsonText(json), R"({"b":[1,"x"],"a":null})");
  EXPECT_EQ(JsonText(json["b"], 1), "[\n 1,\n \"x\"\n]");
}

TEST(JsonText, ReadsStreams) {
  std::istringstream text("[1]");
  EXPECT_EQ(ParseJson(text), nlohmann::ordered_json::array({1}));
}

TEST(JsonText, DiscardsInvalidJson) {
  std::istringstream truncated("{\"a\": ");
  EXPECT_TRUE(ParseJson(truncated).is_discarded());
  for (const char* text : {"", "[1", "[1] 2", "\"\xff\""}) {
    EXPECT_TRUE(ParseJson(std::string_view(text)).is_discarded()) << text;
  }
}

TEST(JsonText, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(JsonText(nlohmann::ordered_json("a\xff")), "\"a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace assay::base
