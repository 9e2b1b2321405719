#include "oracle/golden/file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "numerics/function.h"
#include "oracle/golden/answers.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::Rounding;
using numerics::ScalarType;

GoldenFile MakeFile(const Operation& operation, Rounding rounding = Rounding::kRte) {
  GoldenFile file{.head = {.operation = operation,
                           .rounding = rounding,
                           .digits = 30,
                           .tool = "assay 9",
                           .truth = "MPFR 1",
                           .command = "assay golden make --inputs 'a*/b'"},
                  .vectors = {}};
  auto vectors = ChooseInputs(operation, {.level = Level::kSmoke, .samples = 4});
  EXPECT_TRUE(vectors);
  for (std::size_t i = 0; i < vectors->size(); i += vectors->size() / 40 + 1) {
    file.vectors.push_back((*vectors)[i]);
  }
  EXPECT_TRUE(DeriveAll(&file, 1));
  return file;
}

std::vector<Operation> Shapes() {
  return {Operation::Builtin(Function::sin, Format::kHalf),
          Operation::Builtin(Function::pow, Format::kDouble),
          Operation::Builtin(Function::sincos, Format::kFloat),
          Operation::Builtin(Function::remquo, Format::kFloat),
          Operation::Builtin(Function::ilogb, Format::kDouble),
          Operation::Builtin(Function::nan, Format::kFloat),
          Operation::Builtin(Function::ldexp, Format::kDouble),
          Operation::Builtin(Function::dot, Format::kFloat, 3),
          Operation::Builtin(Function::cross, Format::kFloat, 4),
          Operation::Builtin(Function::native_sin, Format::kFloat),
          Operation::Convert(ScalarType::kDouble, ScalarType::kUchar, Rounding::kRtz, true),
          Operation::Convert(ScalarType::kUlong, ScalarType::kHalf),
          Operation::VstoreHalf(ScalarType::kDouble)};
}

class Encodings : public testing::TestWithParam<GoldenEncoding> {};

TEST_P(Encodings, RoundTrip) {
  for (const Operation& operation : Shapes()) {
    const GoldenFile file = MakeFile(operation, Rounding::kRtp);
    const std::string content = EncodeGolden(file, GetParam());
    EXPECT_EQ(*IsIntact("f", content), true);
    const auto decoded = DecodeGolden("f", content);
    ASSERT_TRUE(decoded) << operation.Name() << ": " << decoded.error().message;
    EXPECT_EQ(decoded->encoding, GetParam());
    EXPECT_EQ(decoded->file.head.operation, operation);
    EXPECT_EQ(decoded->file.head.command, file.head.command);
    GoldenFile again = decoded->file;
    ASSERT_TRUE(DeriveAll(&again, 1));
    EXPECT_EQ(EncodeGolden(again, GetParam()), content) << operation.Name();
    if (GetParam() == GoldenEncoding::kTestFloat) continue;  // has neither all nor the reasons
    ASSERT_EQ(again.vectors.size(), file.vectors.size());
    for (std::size_t i = 0; i < file.vectors.size(); ++i) {
      EXPECT_EQ(again.vectors[i].args, file.vectors[i].args);
      EXPECT_EQ(again.vectors[i].reason, file.vectors[i].reason);
    }
  }
}

TEST_P(Encodings, DetectEveryFlippedBit) {
  GoldenFile file = MakeFile(Operation::Builtin(Function::remquo, Format::kHalf));
  file.vectors.resize(2);
  const std::string content = EncodeGolden(file, GetParam());
  for (std::size_t bit = 0; bit < 8 * content.size(); ++bit) {
    std::string changed = content;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    const Expected<bool> intact = IsIntact("f", changed);
    EXPECT_FALSE(intact && *intact) << "bit " << bit;
  }
}

TEST_P(Encodings, DetectMissingAndAddedBytes) {
  GoldenFile file = MakeFile(Operation::Builtin(Function::sin, Format::kFloat));
  file.vectors.resize(2);
  const std::string content = EncodeGolden(file, GetParam());
  for (std::size_t size = 0; size < content.size(); ++size) {
    const Expected<bool> intact = IsIntact("f", content.substr(0, size));
    EXPECT_FALSE(intact && *intact) << "cut to " << size;
    // Whoever reads it anyway gets an error, or fewer vectors, but no crash.
    (void)DecodeGolden("f", content.substr(0, size));
  }
  const Expected<bool> longer = IsIntact("f", content + "\n");
  EXPECT_FALSE(longer && *longer);
}

INSTANTIATE_TEST_SUITE_P(All, Encodings, testing::ValuesIn(kGoldenEncodings),
                         [](const auto& info) { return std::string(EncodingName(info.param)); });

TEST(GoldenFile, NamesTheFirstDifference) {
  GoldenFile file = MakeFile(Operation::Builtin(Function::sin, Format::kFloat));
  const std::string right = EncodeGolden(file, GoldenEncoding::kCsv);
  file.vectors[3].results[0].expected ^= 1;
  const std::string wrong = EncodeGolden(file, GoldenEncoding::kCsv);
  const std::string text = DescribeDifference(GoldenEncoding::kCsv, wrong, right);
  EXPECT_EQ(text.find("line 6\n  in the file: "), 0u) << text;
}

TEST(GoldenFile, DescribesErrorsInTheHead) {
  std::string content = EncodeGolden(MakeFile(Operation::Builtin(Function::sin, Format::kFloat)),
                                     GoldenEncoding::kJson);
  const auto message = [&](const std::string& from, const std::string& to) {
    std::string changed = content;
    changed.replace(changed.find(from), from.size(), to);
    const auto decoded = DecodeGolden("f.json", changed);
    return decoded ? std::string() : decoded.error().message;
  };
  EXPECT_NE(message("assay-golden/1", "assay-golden/7").find("'assay-golden/7'"),
            std::string::npos);
  EXPECT_NE(message("\"sin\"", "\"sine\"").find("sine"), std::string::npos);
  EXPECT_NE(message("\"rte\"", "\"rto\"").find("rounding"), std::string::npos);
  EXPECT_NE(message("\"args\":[\"0x", "\"args\":[\"0y").find("vectors[0].args"), std::string::npos);
}

class AnswersFile : public testing::Test {
 protected:
  AnswersFile() : file_(MakeFile(Operation::Builtin(Function::ldexp, Format::kFloat))) {
    file_.vectors.resize(2);
    file_.vectors[0].args = {0x3f800000, 1};
    file_.vectors[1].args = {0x3f800000, 0xffffffff};
  }
  Expected<std::unique_ptr<Device>> Open(const std::string& text,
                                         const std::string& name = "a.txt") {
    path_ = testing::TempDir() + name;
    std::ofstream(path_, std::ios::binary) << text;
    return OpenAnswers(path_, file_, false);
  }
  std::string Message(const std::string& text, const std::string& name = "a.txt") {
    const auto device = Open(text, name);
    return device ? "opened" : device.error().message;
  }

  GoldenFile file_;
  std::string path_;
};

TEST_F(AnswersFile, MayHaveResultsOrOperandsOrFlags) {
  for (const std::string text :
       {"0x40000000\n# half\n0x3f000000\n", "2.0\n0x1p-1\n",
        "0x3f800000 1 0x40000000\n0x3f800000,-1,0x3f000000\n",
        "3f800000 00000001 40000000 00\n3f800000 ffffffff 3f000000 00\n"}) {
    const auto device = Open(text);
    ASSERT_TRUE(device) << device.error().message;
    ASSERT_EQ((*device)->RecordedCount(), 2u);
    float answers[2] = {};
    const Column column{.slot = {.type = ScalarType::kFloat}, .data = answers};
    ASSERT_TRUE((*device)->Run(1, {}, std::span(&column, 1), 2));
    EXPECT_EQ(answers[0], 2.0F);
    EXPECT_EQ(answers[1], 0.5F);
  }
  EXPECT_EQ(Message(std::string("\0\0\0\x40\0\0\0\x3f", 8), "a.raw"), "opened");
}

TEST_F(AnswersFile, ThatDoesNotFitNamesThePlace) {
  EXPECT_NE(Message("0x40000000\n").find("1 answers to 2 vectors"), std::string::npos);
  EXPECT_NE(Message("1\n2\n3\n").find("line 3: there are only 2"), std::string::npos);
  EXPECT_NE(Message("1\n1 2\n").find("line 2: 2 fields"), std::string::npos);
  EXPECT_NE(Message("1\nx\n").find("line 2: "), std::string::npos);
  EXPECT_NE(Message("0x3f800001 1 2.0\n1\n").find("line 1: operand 1 is 0x3f800001"),
            std::string::npos);
  EXPECT_NE(Message("1234567", "a.raw").find("8 in all"), std::string::npos);
}

}  // namespace
}  // namespace assay::oracle
