// Against PoCL, which `./dev setup` installs; skipped where there is no such platform.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>

#include "numerics/function.h"
#include "oracle/devices/device.h"
#include "oracle/devices/kernel_request.h"
#include "oracle/devices/opencl_listing.h"
#include "oracle/devices/opencl_loader.h"
#include "oracle/testing/all_operations.h"
#include "oracle/testing/device_columns.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::Rounding;
using numerics::ScalarType;
using testing::HasSubstr;

const std::vector<int> kWidths = {1, 2, 3, 4, 8, 16};

Bits F(float value) { return std::bit_cast<std::uint32_t>(value); }
Bits I(std::int32_t value) { return static_cast<std::uint32_t>(value); }

class OpenClDeviceTest : public testing::Test {
 protected:
  // One context for all tests: opening PoCL costs more than most of them.
  static Device* TheDevice() {
    static const Expected<std::unique_ptr<Device>> kDevice = OpenOpenCl("portable computing");
    return kDevice ? kDevice->get() : nullptr;
  }
  void SetUp() override {
    if (TheDevice() == nullptr) GTEST_SKIP() << "no PoCL here: apt install pocl-opencl-icd";
  }
  // A result of `operation` at scalar operands, checked to be the same in every width and lane but
  // for the payload of a NaN.
  static Bits Call(const Operation& operation, const std::vector<Bits>& operands,
                   std::size_t result = 0) {
    constexpr std::size_t kItems = 37;
    const bool floating = IsFloating(operation.Outputs()[result].type) &&
                          operation.kind == numerics::OperationKind::kBuiltin;
    Bits first = 0;
    for (int width : kWidths) {
      TestColumns columns(operation, kItems);
      for (std::size_t k = 0; k < operands.size(); ++k) {
        for (std::size_t i = 0; i < kItems; ++i) columns.Set(k, i, operands[k]);
      }
      EXPECT_TRUE(RunTask(*TheDevice(), TaskOf(operation, kWidths), width, &columns));
      if (width == 1) first = columns.Result(result, 0);
      for (std::size_t i = 0; i < kItems; ++i) {
        const Bits bits = columns.Result(result, i);
        if (floating && IsNan(operation.format, bits) && IsNan(operation.format, first)) continue;
        EXPECT_EQ(bits, first) << operation.Name() << width << " item " << i;
      }
    }
    return first;
  }
  static Bits Call(Function function, const std::vector<Bits>& operands, std::size_t result = 0) {
    return Call(Operation::Builtin(function, Format::kFloat), operands, result);
  }
};

TEST_F(OpenClDeviceTest, DescribesItself) {
  const DeviceDescription& d = TheDevice()->Description();
  EXPECT_EQ(d.kind, "opencl");
  EXPECT_EQ(d.platform, "Portable Computing Language");
  EXPECT_THAT(d.device_version, HasSubstr("OpenCL"));
  EXPECT_THAT(d.c_version, HasSubstr("OpenCL C"));
  EXPECT_FALSE(d.name.empty());
  EXPECT_FALSE(d.driver_version.empty());
  EXPECT_TRUE(d.supports[static_cast<int>(Format::kFloat)]);
  EXPECT_FALSE(d.supports[static_cast<int>(Format::kBfloat16)]);
  EXPECT_GT(d.compute_units, 0);
}

TEST_F(OpenClDeviceTest, IsKnownToComputeOnProcessors) {
  const auto* kernels = dynamic_cast<AnswersKernels*>(TheDevice());
  ASSERT_NE(kernels, nullptr);
  EXPECT_TRUE(kernels->RunsOnProcessors());
}

TEST_F(OpenClDeviceTest, EveryItemOfEveryWidthIsAnswered) {
  for (Format format : {Format::kFloat, Format::kDouble}) {
    const auto copysign = Operation::Builtin(Function::copysign, format);
    for (int width : kWidths) {
      // Less than a work-group, an exact one, a partial last vector, and several launches.
      for (std::size_t count :
           {std::size_t{5}, std::size_t{1024}, std::size_t{4099}, std::size_t{200003}}) {
        TestColumns columns(copysign, count);
        columns.Randomize(count);
        ASSERT_TRUE(RunTask(*TheDevice(), TaskOf(copysign, kWidths), width, &columns));
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(columns.Result(0, i),
                    CopySign(format, columns.Operand(0, i), columns.Operand(1, i)))
              << "width " << width << ", item " << i << " of " << count;
        }
      }
    }
  }
}

TEST_F(OpenClDeviceTest, TheOutputEndsWhereTheItemsEnd) {
  const auto fabs = Operation::Builtin(Function::fabs, Format::kFloat);
  for (std::size_t count : {std::size_t{7}, std::size_t{1030}}) {
    TestColumns columns(fabs, count + 64);
    for (std::size_t i = 0; i < count + 64; ++i) columns.Set(0, i, F(-1));
    ASSERT_TRUE(TheDevice()->Prepare(TaskOf(fabs, {16})));
    ASSERT_TRUE(TheDevice()->Run(16, columns.Inputs(), columns.Outputs(), count));
    EXPECT_EQ(columns.Result(0, count - 1), F(1));
    for (std::size_t i = count; i < count + 64; ++i) ASSERT_EQ(columns.Result(0, i), 0u) << i;
  }
}

TEST_F(OpenClDeviceTest, SecondResultsAndIntegers) {
  EXPECT_EQ(Call(Function::frexp, {F(12)}, 0), F(0.75f));
  EXPECT_EQ(Call(Function::frexp, {F(12)}, 1), I(4));
  EXPECT_EQ(Call(Function::frexp, {F(0.1875f)}, 1), I(-2));
  EXPECT_EQ(Call(Function::remquo, {F(5), F(3)}, 0), F(-1));
  EXPECT_EQ(Call(Function::remquo, {F(5), F(3)}, 1), I(2));
  EXPECT_EQ(Call(Function::modf, {F(-2.75f)}, 0), F(-0.75f));
  EXPECT_EQ(Call(Function::modf, {F(-2.75f)}, 1), F(-2));
  EXPECT_EQ(Call(Function::sincos, {F(0)}, 1), F(1));
  EXPECT_EQ(Call(Function::ldexp, {F(3), I(-2)}), F(0.75f));
  EXPECT_EQ(Call(Function::ilogb, {F(0.25f)}), I(-2));
  EXPECT_TRUE(IsNan(Format::kFloat, Call(Function::nan, {0x1234})));
}

TEST_F(OpenClDeviceTest, Operators) {
  EXPECT_EQ(Call(Function::sub, {F(1), F(3)}), F(-2));
  EXPECT_EQ(Call(Function::div, {F(1), F(4)}), F(0.25f));
  EXPECT_EQ(Call(Function::recip_div, {F(8)}), F(0.125f));
  EXPECT_EQ(Call(Function::mul_add, {F(2), F(3), F(4)}), F(10));
  EXPECT_EQ(Call(Operation::Builtin(Function::recip_div, Format::kDouble),
                 {std::bit_cast<std::uint64_t>(-4.0)}),
            std::bit_cast<std::uint64_t>(-0.25));
}

TEST_F(OpenClDeviceTest, GeometricFunctions) {
  auto fill = [](TestColumns* columns, int n) {
    for (std::size_t i = 0; i < columns->count(); ++i) {
      for (int c = 0; c < n; ++c) {
        columns->Set(0, i, F(static_cast<float>(i % 7) + static_cast<float>(c)), c);
        columns->Set(1, i, F(static_cast<float>(c + 1)), c);
      }
    }
  };
  for (int n : {1, 2, 3, 4}) {
    TestColumns columns(Operation::Builtin(Function::dot, Format::kFloat, n), 1000);
    fill(&columns, n);
    ASSERT_TRUE(RunTask(*TheDevice(), TaskOf(Operation::Builtin(Function::dot, Format::kFloat, n)),
                        1, &columns));
    for (std::size_t i = 0; i < 1000; ++i) {
      float expected = 0;
      for (int c = 0; c < n; ++c)
        expected += static_cast<float>((static_cast<int>(i % 7) + c) * (c + 1));
      ASSERT_EQ(columns.Result(0, i), F(expected)) << n << " components, item " << i;
    }
  }
  for (int n : {3, 4}) {
    const auto cross = Operation::Builtin(Function::cross, Format::kFloat, n);
    TestColumns columns(cross, 100);
    fill(&columns, n);
    ASSERT_TRUE(RunTask(*TheDevice(), TaskOf(cross), 1, &columns));
    for (std::size_t i = 0; i < 100; ++i) {
      const float k = static_cast<float>(i % 7);
      // (k, k+1, k+2) x (1, 2, 3)
      EXPECT_EQ(columns.Result(0, i, 0), F(k - 1)) << n << " components, item " << i;
      EXPECT_EQ(columns.Result(0, i, 1), F(2 - 2 * k));
      EXPECT_EQ(columns.Result(0, i, 2), F(k - 1));
    }
  }
}

TEST_F(OpenClDeviceTest, DistinguishesConversionsOfOneFamily) {
  auto to_int = [](std::optional<Rounding> suffix, bool saturate, float value) {
    return Call(Operation::Convert(ScalarType::kFloat, ScalarType::kInt, suffix, saturate),
                {F(value)});
  };
  EXPECT_EQ(to_int({}, false, -2.5f), I(-2));
  EXPECT_EQ(to_int(Rounding::kRte, false, -2.5f), I(-2));
  EXPECT_EQ(to_int(Rounding::kRte, false, -3.5f), I(-4));
  EXPECT_EQ(to_int(Rounding::kRtz, false, -3.5f), I(-3));
  EXPECT_EQ(to_int(Rounding::kRtp, false, 2.25f), I(3));
  EXPECT_EQ(to_int(Rounding::kRtn, false, -2.25f), I(-3));
  EXPECT_EQ(to_int({}, true, 1e20f), I(0x7fffffff));
  EXPECT_EQ(to_int(Rounding::kRtn, true, -1e20f), I(INT32_MIN));
  EXPECT_EQ(Call(Operation::Convert(ScalarType::kInt, ScalarType::kUchar, {}, true), {I(300)}),
            255u);
  EXPECT_EQ(Call(Operation::Convert(ScalarType::kInt, ScalarType::kUchar, {}, true), {I(-5)}), 0u);
  EXPECT_EQ(Call(Operation::Convert(ScalarType::kChar, ScalarType::kLong), {0x80}),
            0xffffffffffffff80u);
}

TEST_F(OpenClDeviceTest, HalfInMemoryNeedsNoExtension) {
  EXPECT_EQ(Call(Operation::VloadHalf(), {0xc100}), F(-2.5f));
  // One and a third of the last place.
  const Bits third = F(1.0f + 0x1p-11f * 0.75f);
  EXPECT_EQ(Call(Operation::VstoreHalf(ScalarType::kFloat), {third}), 0x3c00u);
  EXPECT_EQ(Call(Operation::VstoreHalf(ScalarType::kFloat, Rounding::kRtp), {third}), 0x3c01u);
  EXPECT_EQ(Call(Operation::VstoreHalf(ScalarType::kFloat, Rounding::kRtn), {third}), 0x3c00u);
}

TEST_F(OpenClDeviceTest, WalkingAlongTheTableChangesNoAnswer) {
  // Programs are shared with the rows that follow once a caller walks; the answers are the same.
  struct Row {
    Function function;
    float argument, result;
  };
  const Row rows[] = {{Function::ceil, 1.5f, 2},   {Function::fabs, -3, 3},
                      {Function::floor, 1.5f, 1},  {Function::rint, 2.5f, 2},
                      {Function::round, 2.5f, 3},  {Function::trunc, -1.5f, -1},
                      {Function::ceil, -1.5f, -1}, {Function::sqrt, 9, 3}};
  for (const Row& row : rows) {
    EXPECT_EQ(Call(row.function, {F(row.argument)}), F(row.result))
        << numerics::Info(row.function).name;
  }
}

TEST_F(OpenClDeviceTest, ABrokenBuildCarriesItsLog) {
  TaskSpec task = TaskOf(Operation::Builtin(Function::fabs, Format::kFloat));
  task.build_options = "-Dkernel=assay_no_such_word";
  const auto prepared = TheDevice()->Prepare(task);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(prepared.error().message, HasSubstr("fabs float"));
  EXPECT_THAT(prepared.error().message, HasSubstr("assay_no_such_word"));
}

TEST_F(OpenClDeviceTest, RelaxedMathBuilds) {
  TaskSpec task = TaskOf(Operation::Builtin(Function::fabs, Format::kFloat), {1, 4});
  task.math = MathMode::kRelaxed;
  TestColumns columns(task.operation, 100);
  for (std::size_t i = 0; i < 100; ++i) columns.Set(0, i, F(-2));
  ASSERT_TRUE(RunTask(*TheDevice(), task, 4, &columns));
  EXPECT_EQ(columns.Result(0, 99), F(2));
}

TEST_F(OpenClDeviceTest, Refusals) {
  const auto bfloat16 =
      TheDevice()->Prepare(TaskOf(Operation::Builtin(Function::sin, Format::kBfloat16)));
  ASSERT_FALSE(bfloat16);
  EXPECT_EQ(bfloat16.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(bfloat16.error().message, HasSubstr("cl_khr_bfloat16"));
  ASSERT_TRUE(TheDevice()->Prepare(TaskOf(Operation::Builtin(Function::fabs, Format::kFloat))));
  TestColumns columns(Operation::Builtin(Function::fabs, Format::kFloat), 4);
  const auto width = TheDevice()->Run(4, columns.Inputs(), columns.Outputs(), 4);
  ASSERT_FALSE(width);
  EXPECT_EQ(width.error().kind, ErrorKind::kInternal);
}

TEST_F(OpenClDeviceTest, Selection) {
  const auto none = OpenOpenCl("no such platform");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(none.error().message, HasSubstr("'no such platform'"));
  EXPECT_THAT(none.error().message, HasSubstr("Portable Computing Language"));
  const auto index = OpenOpenCl("portable:99");
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(index.error().message, HasSubstr("has no device 99"));
  EXPECT_THAT(index.error().message, HasSubstr("Portable Computing Language:0"));
  EXPECT_TRUE(OpenOpenCl("PORTABLE:0"));
}

TEST_F(OpenClDeviceTest, IsListed) {
  if (access(ASSAY_BINARY, X_OK) != 0) GTEST_SKIP() << "the program is not part of this build";
  const auto listing = ListOpenClDevices(60, ASSAY_BINARY);
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_THAT(listing->devices,
              testing::Contains(testing::Field(&DeviceListing::selector,
                                               "--opencl 'Portable Computing Language:0'")));
}

// Operations that lie far apart in the table; with ASSAY_SLOW_TESTS=1 all of them, which takes ten
// minutes of processor time.  That all are right OpenCL C is what
// KernelSourceTest.EveryKernelCompiles asks.
TEST_F(OpenClDeviceTest, ASampleOfAllKernelsRuns) {
#ifdef __SANITIZE_ADDRESS__
  constexpr std::size_t kApart = 199;
#else
  constexpr std::size_t kApart = 41;
#endif
  const std::vector<Operation> operations = AllOperations();
  const std::size_t step = std::getenv("ASSAY_SLOW_TESTS") == nullptr ? kApart : 1;
  std::size_t asked = 0, ran = 0;
  for (std::size_t i = 0; i < operations.size(); i += step) {
    const Operation& operation = operations[i];
    const TaskSpec task = TaskOf(operation, WidthsOf(operation));
    const auto prepared = TheDevice()->Prepare(task);
    ++asked;
    if (!prepared && prepared.error().kind == ErrorKind::kUnsupported) continue;
    ASSERT_TRUE(prepared) << operation.Name() << ": " << prepared.error().message;
    for (int width : task.widths) {
      TestColumns columns(operation, 20);
      ASSERT_TRUE(TheDevice()->Run(width, columns.Inputs(), columns.Outputs(), 20))
          << operation.Name();
    }
    ++ran;
  }
  EXPECT_GT(ran, asked / 2);
}

TEST(OpenClApiTest, SaysWhatToInstallWhereThereIsNoLoader) {
  const auto api = OpenClApi::Open("libAssayNoSuchOpenCL.so.1");
  ASSERT_FALSE(api);
  EXPECT_EQ(api.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(api.error().message, HasSubstr("apt install ocl-icd-libopencl1"));
}

TEST(OpenClApiTest, NamesErrors) {
  EXPECT_EQ(OpenClErrorName(-5), "CL_OUT_OF_RESOURCES (-5)");
  EXPECT_EQ(OpenClErrorName(-9999), "OpenCL error -9999");
}

}  // namespace
}  // namespace assay::oracle
