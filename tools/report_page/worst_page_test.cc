#include "tools/report_page/worst_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "numerics/function.h"

namespace assay::tools {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(WorstPageTest, ACellHasTheErrorAndItsOperand) {
  oracle::FunctionResult result;
  result.operation =
      numerics::Operation::Builtin(numerics::Function::sin, numerics::Format::kFloat);
  result.verdict = oracle::Verdict::kPass;
  result.exhaustive = true;
  result.limit = "4";
  result.statistics.inputs = 10;
  result.statistics.OfferWorst({.args = {0x40000000}, .ulp = 1.25});
  const oracle::Report report;
  oracle::WorstColumn column;
  column.device = "CPU <1>";
  column.version = "1.0";
  column.cells[{"sin", "float"}] = {.result = &result, .report = &report};
  const std::string page = WorstPage({column});
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("style-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("name=\"viewport\""));
  EXPECT_THAT(page, HasSubstr("CPU &lt;1&gt;"));
  EXPECT_THAT(page, HasSubstr("<td class=\"all\" data-label=\"CPU &lt;1&gt; 1.0\" "
                              "title=\"0x40000000 = 2, of 10 inputs; limit 4\">"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace assay::tools
