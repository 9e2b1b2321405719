#include "frontend/constant_addresses.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "frontend/decode.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

// `result`: the type of what lies `at` behind the beginning of %table.
std::vector<Word> ModuleWith(const std::string& result, const std::string& at = "%eight") {
  const auto binary = LoadText(
      "; SPIR-V\n; Version: 1.2\nOpCapability Kernel\nOpCapability Addresses\n"
      "OpCapability Linkage\nOpCapability Int8\nOpMemoryModel Physical64 OpenCL\n"
      "%uchar = OpTypeInt 8 0\n%uint = OpTypeInt 32 0\n%four = OpConstant %uint 4\n"
      "%eight = OpConstant %uint 8\n%zero = OpConstant %uint 0\n%array = OpTypeArray %uint %four\n"
      "%to_uint = OpTypePointer CrossWorkgroup %uint\n%to_uchar = OpTypePointer CrossWorkgroup "
      "%uchar\n"
      "%to_array = OpTypePointer CrossWorkgroup %array\n"
      "%table = OpVariable %to_array CrossWorkgroup\n"
      "%at = OpSpecConstantOp %" +
          result + " PtrAccessChain %table " + at + "\n",
      "t.spvasm");
  EXPECT_TRUE(binary) << binary.error().message;
  return binary ? binary->words : std::vector<Word>();
}

std::vector<Word> Mended(const std::vector<Word>& words) {
  const std::string bytes = WithConstantAddresses(
      {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word)});
  std::vector<Word> mended(bytes.size() / sizeof(Word));
  std::memcpy(mended.data(), bytes.data(), bytes.size());
  return mended;
}

TEST(ConstantAddresses, InBytesHaveABaseThatPointsToBytes) {
  const std::vector<Word> words = ModuleWith("to_uchar");
  const std::vector<Word> mended = Mended(words);
  ASSERT_EQ(mended.size(), words.size() + 5);
  EXPECT_EQ(mended[3], words[3] + 1) << "one more id";
  // The cast and the address are the last two instructions.
  const auto cast = std::span(mended).subspan(mended.size() - 11, 5);
  const auto address = std::span(mended).last(6);
  EXPECT_EQ(static_cast<Op>(cast[3]), Op::kBitcast);
  EXPECT_EQ(cast[2], words[3]);
  EXPECT_EQ(cast[1], address[1]) << "of one type";
  EXPECT_EQ(cast[4], words[words.size() - 2]) << "of the table";
  EXPECT_EQ(static_cast<Op>(address[3]), Op::kPtrAccessChain);
  EXPECT_EQ(address[4], cast[2]);
  EXPECT_EQ(Mended(mended), mended);
}

TEST(ConstantAddresses, InBytesBehindAZeroLoseIt) {
  const std::vector<Word> words = ModuleWith("to_uchar", "%zero %eight");
  const std::vector<Word> mended = Mended(words);
  ASSERT_EQ(mended.size(), words.size() + 4);
  const auto address = std::span(mended).last(6);
  EXPECT_EQ(address[4], words[3]) << "the cast";
  EXPECT_EQ(address[5], words.back());
  EXPECT_EQ(Mended(mended), mended);
}

TEST(ConstantAddresses, InElementsStay) {
  for (const auto& words : {ModuleWith("to_array"), ModuleWith("to_uint", "%zero %eight"),
                            ModuleWith("to_uchar", "%eight %eight")}) {
    EXPECT_EQ(Mended(words), words);
  }
}

}  // namespace
}  // namespace assay::frontend
