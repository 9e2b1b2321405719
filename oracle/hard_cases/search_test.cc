#include "oracle/hard_cases/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "numerics/function.h"
#include "numerics/hardness.h"
#include "oracle/hard_cases/collect.h"
#include "oracle/hard_cases/table.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::HardCase;
using numerics::HardKind;
using numerics::Hardness;
using numerics::HardSource;
using numerics::Operation;

HardSearchResult Search(Function function, Format format, const HardSearchOptions& options) {
  const auto found = SearchHardCases(Operation::Builtin(function, format), options, {});
  EXPECT_TRUE(found && *found);
  return found && *found ? **found : HardSearchResult{};
}

// The cases of one kind that are not flat.
std::vector<HardCase> Plain(const HardSearchResult& result, HardKind kind) {
  std::vector<HardCase> plain;
  std::copy_if(result.cases.begin(), result.cases.end(), std::back_inserter(plain),
               [&](const HardCase& hard) { return hard.kind == kind && !hard.is_flat; });
  return plain;
}

TEST(HardSearch, FindsTheHardestHalfOfAll) {
  const Operation exp = Operation::Builtin(Function::exp, Format::kHalf);
  double nearest = 1;
  for (Bits x = 0; x <= 0xffff; ++x) {
    const Hardness hardness = MeasureHardness(exp, {&x, 1})[0];
    // Neither exact, nor overflow, nor next to 1 with its neighbours.
    if (hardness.applies && hardness.to_midpoint > 0) {
      nearest = std::min(nearest, hardness.to_midpoint);
    }
  }
  const HardSearchResult result = Search(Function::exp, Format::kHalf, {.top = 8});
  const std::vector<HardCase> plain = Plain(result, HardKind::kMidpoint);
  ASSERT_EQ(plain.size(), 8u);
  EXPECT_NEAR(plain[0].log2_distance, std::log2(nearest), 1e-9);
  EXPECT_TRUE(std::is_sorted(plain.begin(), plain.end(), [](const HardCase& a, const HardCase& b) {
    return a.log2_distance < b.log2_distance;
  }));
  EXPECT_EQ(plain[0].source, HardSource::kExhaustive);
  EXPECT_EQ(result.covered, "all 65536 operands");
}

TEST(HardSearch, SetsFlatCasesApart) {
  const HardSearchResult result = Search(Function::sin, Format::kHalf, {.top = 64});
  // sin x = x - x^3/6 is next to x for a small x, and never in the other list.
  bool has_flat = false;
  for (const HardCase& hard : result.cases) {
    const double x = numerics::ToDouble(Format::kHalf, hard.args[0]);
    EXPECT_TRUE(hard.is_flat || std::fabs(x) >= 0x1p-9) << x;
    has_flat |= hard.is_flat;
  }
  EXPECT_TRUE(has_flat);
}

TEST(HardSearch, DoesNotDependOnThreads) {
  for (const auto& [function, format] : {std::pair{Function::tgamma, Format::kHalf},
                                         {Function::pow, Format::kFloat},
                                         {Function::hypot, Format::kDouble},
                                         {Function::exp, Format::kDouble}}) {
    HardSearchOptions options{.top = 16, .samples = 1 << 16, .intervals = 1};
    const Operation operation = Operation::Builtin(function, format);
    const std::string one = FormatHardTable(operation, Search(function, format, options), "", "");
    options.threads = 5;
    EXPECT_EQ(FormatHardTable(operation, Search(function, format, options), "", ""), one);
    options.seed = 2;
    if (format == Format::kHalf) continue;  // every operand, whatever the seed
    EXPECT_NE(FormatHardTable(operation, Search(function, format, options), "", ""), one);
  }
}

TEST(HardSearch, ListsPublishedCasesAsSuch) {
  // The worst case of exp for double, and an operand that is not hard.
  const HardSearchOptions options{
      .top = 4, .intervals = 1, .published = {0x40183d4bcdebb3f4, 0x3ff0000000000000}};
  const HardSearchResult result = Search(Function::exp, Format::kDouble, options);
  const auto published = [](const HardCase& hard) { return hard.source == HardSource::kPublished; };
  EXPECT_EQ(std::count_if(result.cases.begin(), result.cases.end(), published), 1);
  EXPECT_EQ(Plain(result, HardKind::kNumber)[0].args[0], 0x40183d4bcdebb3f4u);
  EXPECT_NEAR(Plain(result, HardKind::kNumber)[0].log2_distance, -58.879, 1e-3);
}

TEST(HardSearch, RefusesFunctionsWithoutCases) {
  const auto error = [](Function function) {
    const auto found = SearchHardCases(Operation::Builtin(function, Format::kFloat), {}, {});
    EXPECT_FALSE(found);
    return found ? Error{} : found.error();
  };
  EXPECT_EQ(error(Function::floor).kind, ErrorKind::kUnsupported);
  EXPECT_NE(error(Function::native_sin).message.find("hard cases of sin"), std::string::npos);
  const Operation conversion =
      Operation::Convert(numerics::ScalarType::kFloat, numerics::ScalarType::kHalf);
  EXPECT_FALSE(SearchHardCases(conversion, {}, {}));
}

TEST(HardSearch, StopsOnRequest) {
  const std::atomic<bool> stop = true;
  const auto found =
      SearchHardCases(Operation::Builtin(Function::exp, Format::kFloat), {}, {.stop = &stop});
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

// The column `run` of the embedded tables, by the neighbours again.
TEST(HardTables, TellFlatCases) {
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    if (!numerics::HasHardCases(info.function)) continue;
    for (Format format : numerics::kAllFormats) {
      const Operation operation = Operation::Builtin(info.function, format);
      for (const HardCase& row : HardCaseRows(info.function, format)) {
        EXPECT_EQ(IsFlat(operation, row.args, row.kind), row.is_flat)
            << info.name << " " << operation.FormatName() << " " << std::hex << row.args[0];
      }
    }
  }
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) : path_(::testing::TempDir() + "published") {
    std::ofstream(path_) << content;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(ReadPublished, TakesTheLinesOfTheFunction) {
  const TemporaryFile file(
      "# comment\nexp\tdouble\t0x1p+0\tsource\npow\tdouble\t2,0x3ff8000000000000\ts\n"
      "exp\tfloat\t1.5\ts\n");
  const auto read = [&](Function function) {
    return *ReadPublished(file.path(), Operation::Builtin(function, Format::kDouble));
  };
  EXPECT_EQ(read(Function::exp), std::vector<Bits>{0x3ff0000000000000});
  EXPECT_EQ(read(Function::pow), (std::vector<Bits>{0x4000000000000000, 0x3ff8000000000000}));
  EXPECT_TRUE(read(Function::sin).empty());
}

TEST(ReadPublished, NamesTheWrongLine) {
  const Operation exp = Operation::Builtin(Function::exp, Format::kDouble);
  const auto error = [&](const std::string& content) {
    const TemporaryFile file(content);
    const auto read = ReadPublished(file.path(), exp);
    return read ? std::string() : read.error().message;
  };
  EXPECT_NE(error("# x\nexp\tdouble\n").find("published:2: "), std::string::npos);
  EXPECT_NE(error("exp\tdouble\t1,2\ts\n").find("published:1: "), std::string::npos);
  EXPECT_NE(error("exp\tdouble\tabc\ts\n").find("published:1: "), std::string::npos);
  EXPECT_FALSE(ReadPublished("/nonexistent/file", exp));
}

TEST(HardTable, KnowsItsCommand) {
  const Operation exp = Operation::Builtin(Function::exp, Format::kHalf);
  EXPECT_EQ(HardTableName(exp), "exp.half.tsv");
  const TemporaryFile file(FormatHardTable(
      exp, {.cases = {{.args = {0x3c01}, .log2_distance = -12.5}}}, "the command", "v"));
  EXPECT_TRUE(IsTableOf(file.path(), "the command"));
  EXPECT_FALSE(IsTableOf(file.path(), "the command --seed 2"));
  EXPECT_FALSE(IsTableOf("/nonexistent/file", "the command"));
  std::ifstream stream(file.path());
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  EXPECT_NE(text.find("\nx\tlog2_distance\tkind\tsource\trun\n0x3c01\t-12.500\tmidpoint\t"
                      "exhaustive\t-\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace assay::oracle
