#include "oracle/report/error_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "numerics/function.h"
#include "oracle/report/latex.h"
#include "oracle/testing/report.h"

namespace assay::oracle {
namespace {

using numerics::Function;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

BinadeStatistics Of(ErrorAt positive, ErrorAt negative) {
  BinadeStatistics binade;
  binade.inputs = positive.inputs + negative.inputs;
  binade.max_ulp = std::max(positive.max_ulp, negative.max_ulp);
  binade.signs = {positive, negative};
  return binade;
}

InputReport PlottedReport(const std::string& label, Binades binades) {
  FunctionResult result = ResultOf(FloatOperation(Function::sin), 2, Verdict::kPass);
  result.statistics.binades = std::move(binades);
  return ReportOf(label, {result});
}

ErrorPlot PlotOfAll(const std::vector<InputReport>& reports) {
  return PlotOf(AlignRows(reports).front(), reports).value();
}

TEST(ErrorStepsTest, AStepHasTheLargestErrorOfItsBinades) {
  const Binades binades = {
      {-1, Of({3, 0.5, 1}, {})}, {0, Of({4, 2, 8}, {1, 7, 2})}, {3, Of({5, 1, 1}, {})}};
  const ErrorSteps steps = StepsOf(binades, 3);
  EXPECT_EQ(steps.first, -1);
  EXPECT_EQ(steps.step, 2);
  EXPECT_EQ(steps.End(), 5);
  ASSERT_THAT(steps.positive, SizeIs(3));
  EXPECT_EQ(steps.positive[0].max_ulp, 2);
  EXPECT_EQ(steps.positive[0].width, 8);
  EXPECT_EQ(steps.positive[0].inputs, 7u);
  EXPECT_EQ(steps.positive[1].inputs, 0u);
  EXPECT_EQ(steps.negative[0].max_ulp, 7);
  EXPECT_THAT(StepsOf({}, 3).positive, IsEmpty());
  // Without signs.
  BinadeStatistics both;
  both.inputs = 9;
  both.max_ulp = 4;
  const ErrorSteps unsigned_steps = StepsOf({{0, both}}, 3);
  EXPECT_FALSE(unsigned_steps.IsSigned());
  EXPECT_EQ(unsigned_steps.positive[0].max_ulp, 4);
}

TEST(ErrorPlotTest, PiecesHaveGapsAndGoBeyondTheScale) {
  const std::vector<InputReport> reports = {PlottedReport("a", {{0, Of({1, 0.5, 1}, {})},
                                                                {1, Of({1, 2e4, 1}, {})},
                                                                {2, Of({1, HUGE_VAL, 1}, {})},
                                                                {4, Of({1, 1, 1}, {})}})};
  const ErrorPlot plot = PlotOfAll(reports);
  const PlotAxes axes(plot);
  EXPECT_FALSE(axes.IsSigned());
  EXPECT_TRUE(axes.HasBeyond());
  EXPECT_EQ(axes.Highest(), kHighestPlotted);
  const std::vector<PlotAxes::Piece> pieces = axes.PiecesOf(plot.series.front());
  ASSERT_THAT(pieces, SizeIs(3));
  EXPECT_FALSE(pieces[0].beyond);
  EXPECT_THAT(pieces[0].places, ElementsAre(0, 0.2));
  EXPECT_TRUE(pieces[1].beyond);
  EXPECT_THAT(pieces[1].errors, ElementsAre(2e4, HUGE_VAL));
  EXPECT_THAT(pieces[2].places, ElementsAre(0.8, 1));
}

TEST(ErrorPlotTest, NegativeOperandsStandToTheLeft) {
  const std::vector<InputReport> reports = {
      PlottedReport("a", {{0, Of({1, 1, 1}, {1, 3, 1})}, {1, Of({1, 2, 1}, {1, 4, 1})}})};
  const ErrorPlot plot = PlotOfAll(reports);
  const PlotAxes axes(plot);
  EXPECT_TRUE(axes.IsSigned());
  EXPECT_EQ(axes.Highest(), 10);
  const std::vector<PlotAxes::Piece> pieces = axes.PiecesOf(plot.series.front());
  ASSERT_THAT(pieces, SizeIs(2));
  EXPECT_THAT(pieces[0].errors, ElementsAre(4, 3));
  EXPECT_THAT(pieces[1].errors, ElementsAre(1, 2));
  EXPECT_EQ(pieces[0].places.front(), -1);
  EXPECT_LT(pieces[0].places.back(), 0);
  EXPECT_GT(pieces[1].places.front(), 0);
  const std::vector<PlotAxes::Tick> ticks = axes.Ticks();
  EXPECT_EQ(ticks.front().sign, -1);
  EXPECT_EQ(ticks.front().place, -1);
}

TEST(ErrorPlotTest, TicksArePowersAtEqualDistances) {
  const std::vector<InputReport> reports = {
      PlottedReport("a", {{-149, Of({1, 1, 1}, {})}, {127, Of({1, 1, 1}, {})}})};
  const ErrorPlot plot = PlotOfAll(reports);
  std::vector<int> exponents;
  for (const PlotAxes::Tick& tick : PlotAxes(plot).Ticks()) exponents.push_back(tick.exponent);
  EXPECT_THAT(exponents, ElementsAre(-128, -64, 0, 64, 128));
}

TEST(ErrorPlotTest, AReportWithoutPlacesIsAnErrorWithTheCommand) {
  const std::vector<InputReport> reports = {PlottedReport("a", {})};
  const Expected<ErrorPlot> plot = PlotOf(AlignRows(reports).front(), reports);
  ASSERT_FALSE(plot);
  EXPECT_THAT(plot.error().message, HasSubstr("--functions sin --formats float"));
  EXPECT_THAT(plot.error().message, HasSubstr("--full --json report.json"));
}

TEST(LatexTest, NoCharacterIsACommand) {
  EXPECT_EQ(EscapedLatex("a_b 5% $x^2 \\input{y} #&~"),
            "a\\_b 5\\% \\$x\\textasciicircum{}2 \\textbackslash{}input\\{y\\} "
            "\\#\\&\\textasciitilde{}");
  EXPECT_EQ(EscapedLatex("--"), "{-}{-}");
  EXPECT_EQ(EscapedLatex("a\nb"), "a\\textbackslash{}nb");
}

}  // namespace
}  // namespace assay::oracle
