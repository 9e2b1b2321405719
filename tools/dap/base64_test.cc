#include "tools/dap/base64.h"

#include <gtest/gtest.h>

namespace assay::tools::dap {
namespace {

// RFC 4648, section 10.
TEST(Base64, HasTheVectorsOfItsRfc) {
  const std::pair<const char*, const char*> kVectors[] = {
      {"", ""},
      {"66", "Zg=="},
      {"666f", "Zm8="},
      {"666f6f", "Zm9v"},
      {"666f6f62", "Zm9vYg=="},
      {"666f6f6261", "Zm9vYmE="},
      {"666f6f626172", "Zm9vYmFy"},
  };
  for (const auto& [hex, text] : kVectors) {
    EXPECT_EQ(Base64OfHex(hex), text);
    EXPECT_EQ(HexOfBase64(text).value_or("?"), hex);
  }
}

TEST(Base64, RefusesOtherText) {
  for (const char* text : {"Z", "Zg=", "Z===", "====", "Zg==Zg==", "Zm9 ", "Zm\xc3\xa4"}) {
    EXPECT_FALSE(HexOfBase64(text)) << text;
  }
}

}  // namespace
}  // namespace assay::tools::dap
