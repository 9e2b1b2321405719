#include "oracle/report/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "numerics/function.h"
#include "oracle/report/side_by_side.h"
#include "oracle/testing/report.h"

namespace assay::oracle {
namespace {

using numerics::Function;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

FunctionResult Sin(double ulp) {
  return ResultOf(FloatOperation(Function::sin), ulp, ulp <= 4 ? Verdict::kPass : Verdict::kFail);
}

std::vector<Change> Between(const FunctionResult& before, const FunctionResult& after) {
  static std::vector<InputReport> kept;  // changes point into the reports
  kept = {ReportOf("old", {before}), ReportOf("new", {after})};
  return Compare(kept[0].report, kept[1].report);
}

TEST(ReportChangesTest, KindsOfChange) {
  EXPECT_THAT(Between(Sin(1), Sin(1)), IsEmpty());
  EXPECT_THAT(Between(Sin(1), Sin(1 + 1e-12)), IsEmpty());
  EXPECT_EQ(Between(Sin(1), Sin(2)).at(0).kind, ChangeKind::kWorse);
  EXPECT_EQ(Between(Sin(2), Sin(1)).at(0).kind, ChangeKind::kBetter);
  EXPECT_EQ(Between(Sin(1), Sin(5)).at(0).kind, ChangeKind::kNewlyFailing);
  EXPECT_EQ(Between(Sin(5), Sin(1)).at(0).kind, ChangeKind::kFixed);
  FunctionResult lost = Sin(1);
  lost.verdict = Verdict::kNotMeasured;
  EXPECT_EQ(Between(Sin(1), lost).at(0).kind, ChangeKind::kVerdict);
  EXPECT_EQ(Between(Sin(5), lost).at(0).kind, ChangeKind::kVerdict);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Between(Sin(5), Sin(infinity)).at(0).kind, ChangeKind::kWorse);
  EXPECT_THAT(Between(Sin(infinity), Sin(infinity)), IsEmpty());
}

TEST(ReportChangesTest, NewFailuresAreThoseOfNewInputs) {
  FunctionResult after = Sin(5);
  Sighting other = after.statistics.recorded[0];
  other.args = {0x40000000};
  after.statistics.AddFailure(other, 10);
  const std::vector<Change> changes = Between(Sin(5), after);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].kind, ChangeKind::kFailures);
  ASSERT_THAT(changes[0].new_failures, SizeIs(1));
  EXPECT_EQ(changes[0].new_failures[0]->args[0], 0x40000000u);
  // Where the earlier report did not record all of its failures, none is certainly new.
  FunctionResult before = Sin(5);
  before.statistics.failures = 100;
  EXPECT_THAT(Between(before, after).at(0).new_failures, IsEmpty());
}

TEST(ReportChangesTest, OperationsComeAndGoAndTheGravestAreFirst) {
  const FunctionResult cos = ResultOf(FloatOperation(Function::cos), 1);
  const FunctionResult tan = ResultOf(FloatOperation(Function::tan), 1);
  const InputReport before = ReportOf("old", {cos, Sin(1)});
  const InputReport after = ReportOf("new", {tan, Sin(7)});
  const std::vector<Change> changes = Compare(before.report, after.report);
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_EQ(changes[0].kind, ChangeKind::kNewlyFailing);
  EXPECT_EQ(changes[1].kind, ChangeKind::kAdded);
  EXPECT_EQ(changes[1].Operation().Name(), "tan");
  EXPECT_EQ(changes[2].kind, ChangeKind::kRemoved);
  EXPECT_EQ(changes[2].Operation().Name(), "cos");
}

TEST(ReportChangesTest, VersionsOfADriverAreCompared) {
  std::vector<InputReport> reports = {ReportOf("a", {Sin(1)}), ReportOf("b", {Sin(1)}),
                                      ReportOf("c", {Sin(5)})};
  reports[1].report.device.platform = "another platform";
  reports[2].report.device.driver_version = "2.0";
  const std::vector<Changes> versions = CompareAll(reports, /*has_baseline=*/false);
  ASSERT_THAT(versions, SizeIs(1));
  EXPECT_EQ(versions[0].before, 0u);
  EXPECT_EQ(versions[0].after, 2u);
  EXPECT_THAT(CompareAll(reports, /*has_baseline=*/true), SizeIs(2));
  const std::string text = ChangesText(reports, versions);
  EXPECT_THAT(text, HasSubstr("from A a (driver 1.0) to C c (driver 2.0)"));
  EXPECT_THAT(text, HasSubstr("sin float: newly failing, pass 1.00000 -> fail 5.00000\n"));
  EXPECT_THAT(text, HasSubstr("assay validate --opencl Mine --functions sin --formats float --at"));
  // Of the version before there are two, of the one before that nothing is compared.
  reports[1].report.device = reports[0].report.device;
  EXPECT_THAT(CompareAll(reports, /*has_baseline=*/false), SizeIs(2));
  reports[0].report.device.driver_version = "0.9";
  const std::vector<Changes> chain = CompareAll(reports, /*has_baseline=*/false);
  ASSERT_THAT(chain, SizeIs(2));
  EXPECT_EQ(chain[0].after, 1u);
  EXPECT_EQ(chain[1].before, 1u);
}

// Other instructions give other answers: a newer driver on another processor is no newer version of
// the same device.
TEST(ReportChangesTest, DevicesOfDifferentCodeAreNoVersions) {
  const auto pocl = [](const std::string& kind, const std::string& target,
                       const std::string& version) {
    DeviceDescription device;
    device.kind = "opencl";
    device.platform = "Portable Computing Language";
    device.name = kind + "-" + target + "-some processor";
    device.device_version = "OpenCL 3.0 PoCL HSTR: " + kind + "-x86_64-pc-linux-gnu-" + target;
    device.driver_version = version;
    return device;
  };
  const DeviceDescription old = pocl("pthread", "haswell", "3.1+debian");
  EXPECT_TRUE(AreVersions(old, pocl("cpu", "haswell", "5.0+debian")));
  EXPECT_FALSE(AreVersions(old, pocl("cpu", "skylake-avx512", "5.0+debian")));
  EXPECT_FALSE(AreVersions(old, pocl("pthread", "skylake-avx512", "3.1+debian")));
  const auto named = [](const std::string& name, const std::string& version) {
    DeviceDescription device;
    device.kind = "opencl";
    device.platform = "a platform";
    device.name = name;
    device.driver_version = version;
    return device;
  };
  EXPECT_TRUE(AreVersions(named("llvmpipe (LLVM 15.0.6, 256 bits)", "22.3"),
                          named("llvmpipe (LLVM 17.0.1, 256 bits)", "24.0")));
  EXPECT_FALSE(AreVersions(named("llvmpipe (LLVM 15.0.6, 256 bits)", "22.3"),
                           named("llvmpipe (LLVM 15.0.6, 512 bits)", "24.0")));
  EXPECT_FALSE(AreVersions(named("H100", "1"), named("H200", "2")));
  EXPECT_TRUE(AreVersions(named("H200", "1"), named("H200", "2")));
}

}  // namespace
}  // namespace assay::oracle
