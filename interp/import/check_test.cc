// Modules that the validator would refuse, and that get as far as lowering without it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTypes = R"(OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%uint2 = OpTypeVector %uint 2
%pair = OpTypeStruct %uint %float
%pointer = OpTypePointer Function %uint
%fn = OpTypeFunction %void
%get = OpTypeFunction %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%nine = OpConstant %uint 9
%wide = OpConstant %ulong 1
%small = OpConstant %uchar 1
%half_one = OpConstant %float 1
%yes = OpConstantTrue %bool
%ones = OpConstantComposite %uint2 %one %one
%both = OpConstantComposite %pair %one %half_one
)";

struct Case {
  std::string_view name;
  std::string_view body;  // of the kernel, behind its label
  std::string_view message;
};

void PrintTo(const Case& one, std::ostream* stream) { *stream << one.name; }

class Unvalidated : public testing::TestWithParam<Case> {};

TEST_P(Unvalidated, IsRefusedWithTheInstruction) {
  const Error error =
      ErrorOfText(fmt::format("{}%k = OpFunction %void None %fn\n%entry = OpLabel\n{}\nOpReturn\n"
                              "OpFunctionEnd\n%g = OpFunction %uint None %get\n%e = OpLabel\n"
                              "OpReturn\nOpFunctionEnd\n",
                              kTypes, GetParam().body));
  EXPECT_EQ(error.kind, ErrorKind::kUsage) << error.message;
  EXPECT_THAT(error.message, HasSubstr(std::string(GetParam().message)));
  EXPECT_THAT(error.message, HasSubstr("Op")) << "the instruction's text";
}

INSTANTIATE_TEST_SUITE_P(
    Modules, Unvalidated,
    testing::Values(
        Case{"Widths", "%x = OpIAdd %uint %one %half_one", "operands of mixed types"},
        Case{"Kinds", "%x = OpFAdd %uint %one %one", "does not take"},
        Case{"Result", "%x = OpIAdd %ulong %one %one", "a result of another type"},
        Case{"Sizes", "%x = OpIAdd %uint2 %ones %one", "operands of different sizes"},
        Case{"Conversion", "%x = OpConvertFToS %uint %one", "does not take"},
        Case{"Extension", "%x = OpUConvert %ulong %half_one", "does not take"},
        Case{"Bitcast", "%x = OpBitcast %ulong %one", "different sizes"},
        Case{"Structure", "%x = OpUConvert %ulong %both", "a result of another type"},
        Case{"Select", "%x = OpSelect %uint %one %one %two", "does not take"},
        Case{"Load", "%x = OpLoad %uint %one", "does not take"},
        Case{"Store", "OpStore %one %two", "does not take"},
        Case{"Variable", "%x = OpVariable %uint Function", "a variable of no type"},
        Case{"Undefined", "%x = OpIAdd %uint %one %missing", "has no value here"},
        Case{"TypeAsValue", "%x = OpIAdd %uint %one %uint", "has no value here"},
        Case{"LabelAsValue", "%x = OpIAdd %uint %one %entry", "has no value here"},
        Case{"FunctionType", "%x = OpUndef %fn", "a result without a type"},
        Case{"Extract", "%x = OpCompositeExtract %uint %ones 5", "an element that is not there"},
        Case{"ExtractScalar", "%x = OpCompositeExtract %uint %one 0",
             "an element that is not there"},
        Case{"ExtractNothing", "%x = OpCompositeExtract %uint %entry 0", "has no value here"},
        Case{"Member", "%x = OpCompositeExtract %uint %both 2", "a member that is not there"},
        Case{"Insert", "%x = OpCompositeInsert %pair %ones %both 1", "a part that is not there"},
        Case{"Construct", "%x = OpCompositeConstruct %uint2 %one", "a result of another type"},
        Case{"Shuffle", "%x = OpVectorShuffle %uint2 %ones %ones 0 4",
             "a component that is not there"},
        Case{"Dynamic", "%x = OpVectorExtractDynamic %uint %ones %half_one", "does not take"},
        Case{"Chain", "%x = OpAccessChain %pointer %one %one", "an access chain into no pointer"},
        Case{"ChainIntoScalar",
             "%v = OpVariable %pointer Function\n"
             "%x = OpAccessChain %pointer %v %one",
             "an access chain into a scalar"},
        Case{"Return", "%x = OpFunctionCall %uint %g", "a return of what the function"},
        Case{"Call", "%x = OpFunctionCall %float %g", "a call with another result"},
        Case{"Arguments", "%x = OpFunctionCall %uint %g %one", "a call with other arguments"},
        Case{"CallOfNoFunction", "%x = OpFunctionCall %uint %one", "has no body"},
        Case{"Math", "%x = OpExtInst %float %std sin %one", "not floating-point"},
        Case{"MathWidth", "%x = OpExtInst %float %std fma %half_one %half_one %both", ""},
        Case{"SecondResult", "%x = OpExtInst %float %std sincos %half_one %one", ""},
        Case{"Printf", "%x = OpExtInst %uint %std printf %one", "does not take"},
        Case{"Barrier", "OpControlBarrier %half_one %two %zero", "that is not the work-group"},
        Case{"Atomic", "%x = OpAtomicIAdd %uint %one %one %zero %one", "does not take"},
        Case{"Phi",
             "%x = OpPhi %uint %one %entry\nOpBranch %next\n%next = OpLabel\n"
             "%y = OpPhi %uint",
             "a phi without a value for a predecessor"},
        Case{"PhiType",
             "OpBranch %next\n%next = OpLabel\n%y = OpPhi %uint %half_one %entry\n"
             "%z = OpPhi %uint %wide %entry",
             "a phi of a value of another type"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(UnvalidatedModules, PhisOfBlocksThatCannotBeReached) {
  // The value of a phi in a block that is gone is used where it does not dominate.
  auto session = TestSession::FromText(std::string(kTypes) + R"(%k = OpFunction %void None %fn
%entry = OpLabel
%v = OpVariable %pointer Function
OpBranchConditional %yes %a %b
%a = OpLabel
%x = OpFunctionCall %uint %never
OpBranch %b
%b = OpLabel
OpStore %v %x
OpReturn
OpFunctionEnd
%never = OpFunction %uint None %get
%e = OpLabel
OpBranch %loop
%loop = OpLabel
OpBranch %loop
OpFunctionEnd
)");
  ASSERT_TRUE(session) << session.error().message;
  const auto result = session->Launch(std::vector<Argument>(), 1, {.max_instructions = 1000});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, LaunchEnd::kInstructionLimit);
}

}  // namespace
}  // namespace assay::interp
