#include "oracle/jobs/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "frontend/opencl_c.h"
#include "numerics/exact.h"
#include "numerics/function.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::Rounding;
using numerics::ScalarType;
using testing::HasSubstr;

class InterpreterDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  }
};

// Answers to `inputs` (one operand), asked in one width.
std::vector<std::uint32_t> Ask(Device& device, const Operation& operation, int width,
                               const std::vector<float>& inputs) {
  const auto prepared = device.Prepare({.operation = operation, .widths = {width}});
  EXPECT_TRUE(prepared) << prepared.error().message;
  std::vector<std::uint32_t> answers(inputs.size() + 1, 0xdeadbeef);
  const numerics::ConstColumn in[] = {{operation.Inputs()[0], inputs.data()}};
  const Column out[] = {{operation.Outputs()[0], answers.data()}};
  const auto ran = device.Run(width, in, out, inputs.size());
  EXPECT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(answers.back(), 0xdeadbeef);  // no more than was asked for
  answers.pop_back();
  return answers;
}

TEST_F(InterpreterDeviceTest, AnswersCorrectlyRoundedInEveryWidth) {
  const auto device = OpenInterpreter(Rounding::kRte);
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->Description().kind, "interpreter");
  // 67 is no multiple of any width but 1.
  std::vector<float> inputs;
  for (int i = 0; i < 67; ++i) inputs.push_back(0.37f * static_cast<float>(i) - 11);
  for (const Function function : {Function::exp, Function::sin, Function::rsqrt}) {
    const Operation operation = Operation::Builtin(function, Format::kFloat);
    for (const int width : {1, 2, 3, 4, 8, 16}) {
      const std::vector<std::uint32_t> answers = Ask(**device, operation, width, inputs);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        Bits argument = 0;
        std::memcpy(&argument, &inputs[i], sizeof(float));
        numerics::Exact exact;
        EvaluateExact(operation, std::span(&argument, 1), std::span(&exact, 1));
        EXPECT_EQ(answers[i], Round(exact, Format::kFloat, Rounding::kRte))
            << operation.Name() << " of " << inputs[i] << " in width " << width;
      }
    }
  }
}

TEST_F(InterpreterDeviceTest, RoundsOperatorsInTheRequestedMode) {
  const auto device = OpenInterpreter(Rounding::kRtp);
  ASSERT_TRUE(device);
  const Operation reciprocal = Operation::Builtin(Function::recip_div, Format::kFloat);
  EXPECT_EQ(Ask(**device, reciprocal, 1, {3.0f}), std::vector<std::uint32_t>{0x3eaaaaab});
  const auto down = OpenInterpreter(Rounding::kRtn);
  ASSERT_TRUE(down);
  EXPECT_EQ(Ask(**down, reciprocal, 1, {3.0f}), std::vector<std::uint32_t>{0x3eaaaaaa});
}

TEST_F(InterpreterDeviceTest, HasNoBfloat16) {
  const auto device = OpenInterpreter(Rounding::kRte);
  ASSERT_TRUE(device);
  const auto prepared =
      (*device)->Prepare({.operation = Operation::Builtin(Function::exp, Format::kBfloat16)});
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(prepared.error().message, HasSubstr("bfloat16"));
}

}  // namespace
}  // namespace assay::oracle
