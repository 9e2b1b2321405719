// Reading litmus tests: what is run, what is asked, and what is wrong with a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tools/litmus/program.h"
#include "tools/litmus/test.h"

namespace assay::tools::litmus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kProcesses = R"(
P0 (global atomic_int* x, global int* y) {
  *y = 1;
  atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);
}
P1 (global atomic_int* x, global int* y) {
  int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_device);
  if (r0) { int r1 = *y; }
}
)";

Expected<Test> Read(std::string_view text) { return ReadLitmus(text, "t.litmus"); }

std::string MessageOf(std::string_view text) {
  const auto test = Read(text);
  return test ? "no error" : test.error().message;
}

// A test with these processes and this end.
std::string With(std::string_view end, std::string_view processes = kProcesses) {
  return "OPENCL T\n{ x=0; y=5; }\n" + std::string(processes) + std::string(end);
}

std::vector<std::string> NamesOf(const Test& test) {
  std::vector<std::string> names;
  for (const Shown& shown : test.shown) names.push_back(shown.name);
  return names;
}

// Whether the condition holds where the locations, in their order, have these values.
bool Holds(const Condition& condition, const std::vector<Value>& values) {
  return condition.Holds([&](std::size_t location) { return values[location]; });
}

TEST(LitmusTest, AProcessIsAWorkGroup) {
  const auto test = Read(With("exists (1:r0=1 /\\ y=0)"));
  ASSERT_TRUE(test) << test.error().message;
  EXPECT_EQ(test->name, "T");
  EXPECT_EQ(test->groups, 2u);
  EXPECT_EQ(test->group_size, 1u);
  EXPECT_THAT(test->arguments, ElementsAre("int[1]=0", "int[1]=5", "long[1]=0"));
  EXPECT_THAT(NamesOf(*test), ElementsAre("1:r0", "y"));
  EXPECT_EQ(test->shown[0].argument, 2u);
  EXPECT_EQ(test->shown[1].argument, 1u);
  EXPECT_THAT(test->source, HasSubstr("atomic_store_explicit((volatile global atomic_int*)x, 1"));
  EXPECT_THAT(test->source, HasSubstr("P1_r0 = atomic_load_explicit"));
  EXPECT_THAT(test->source, HasSubstr("litmus_registers[0] = P1_r0;"));
}

TEST(LitmusTest, LinesAreThoseOfTheFile) {
  const auto test = Read(With("exists (1:r0=1)"));
  ASSERT_TRUE(test) << test.error().message;
  // The load of P1 is in line 9: two behind the "#line" of its body's brace.
  const std::size_t marker = test->source.find("#line 8\n");
  ASSERT_NE(marker, std::string::npos) << test->source;
  const std::size_t load = test->source.find("atomic_load_explicit");
  const auto lines = std::count(test->source.begin() + static_cast<std::ptrdiff_t>(marker + 8),
                                test->source.begin() + static_cast<std::ptrdiff_t>(load), '\n');
  EXPECT_EQ(lines, 1);
}

TEST(LitmusTest, ScopesPlaceProcesses) {
  const std::string places = With("scopes: (device (work_group 1) (work_group 0))\nexists (x=1)");
  const auto tree = Read(places);
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(tree->groups, 2u);
  EXPECT_LT(tree->source.find("P1_r0 ="), tree->source.find("*y = 1"));
  const auto together =
      Read(With("scopes: (device (work_group (sub_group P0) (sub_group P1)))\nexists (x=1)"));
  ASSERT_TRUE(together) << together.error().message;
  EXPECT_EQ(together->groups, 1u);
  EXPECT_EQ(together->group_size, 2u);
  EXPECT_EQ(together->sub_group_size, 1u);
  EXPECT_THAT(MessageOf(With("scopes: (device (work_group 0))\nexists (x=1)")),
              HasSubstr("t.litmus:8: the scopes do not say where P1 is"));
}

TEST(LitmusTest, DevicesOfOneGroupAreGroups) {
  const auto test = Read(
      "OPENCL T\n{}\n"
      "P0@wg 0, dev 0 (global atomic_int* x) {\n"
      "  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);\n}\n"
      "P1@wg 0, dev 1 (global atomic_int* x) {}\nexists (x=1)");
  ASSERT_TRUE(test) << test.error().message;
  EXPECT_EQ(test->groups, 2u);
  EXPECT_THAT(test->source, HasSubstr("memory_scope_work_group"));
  EXPECT_THAT(test->source, Not(HasSubstr("memory_scope_device")));
  EXPECT_THAT(MessageOf("OPENCL T\n{}\n"
                        "P0@wg 0, dev 0 (global atomic_int* x) {\n  atomic_store(x, 1);\n}\n"
                        "P1@wg 0, dev 1 (global atomic_int* x) {}\nexists (x=1)"),
              HasSubstr("t.litmus:4: processes are on several devices: give atomic_store its"));
  EXPECT_THAT(MessageOf("OPENCL T\n{}\n"
                        "P0@wg 0, dev 0 (global int* x) {}\nP1@wg 1, dev 0 (global int* x) {}\n"
                        "P2@wg 0, dev 1 (global int* x) {}\nexists (x=1)"),
              HasSubstr("several devices with several work-groups"));
}

TEST(LitmusTest, BarriersOfAWorkGroupAreOne) {
  const auto test = Read(With("exists (1:r0=1)",
                              "P0 (local int* x) { *x = 1; B1: barrier(CLK_LOCAL_MEM_FENCE); }\n"
                              "P1 (local int* x) { B1: barrier(CLK_LOCAL_MEM_FENCE);\n"
                              "  int r0 = *x; }\n"));
  ASSERT_TRUE(test) << test.error().message;
  EXPECT_EQ(test->groups, 1u);
  const std::size_t first = test->source.find("\nbarrier(CLK_LOCAL_MEM_FENCE)");  // behind x=0
  const std::size_t barrier = test->source.find("\nbarrier(CLK_LOCAL_MEM_FENCE)", first + 1);
  ASSERT_NE(barrier, std::string::npos) << test->source;
  EXPECT_EQ(test->source.find("\nbarrier(", barrier + 1), std::string::npos) << test->source;
  EXPECT_LT(test->source.find("*x = 1"), barrier);
  EXPECT_GT(test->source.find("P1_r0 = *x"), barrier);
  EXPECT_THAT(MessageOf(With("exists (1:r0=1)",
                             "P0 (local int* x) { B1: barrier(1); }\n"
                             "P1 (local int* x) { int r0 = *x; }\n")),
              HasSubstr("P0 and P1 are in one work-group, and their barriers differ"));
}

TEST(LitmusTest, RegistersHaveTheirInitialValues) {
  const auto test = Read(
      "OPENCL T\n{ 0:r0=7; int z[2]={3,-4}; }\n"
      "P0 (global int* z) { int r0, r1 = 2; }\nexists (0:r0=7 /\\ z[1]=-4)");
  ASSERT_TRUE(test) << test.error().message;
  EXPECT_THAT(test->source, HasSubstr("int P0_r0 = 7;\n"));
  EXPECT_THAT(test->source, HasSubstr("int P0_r1 = 0;\n"));
  EXPECT_THAT(test->source, HasSubstr("P0_r0, P0_r1 = 2;"));
  EXPECT_EQ(test->arguments[0], "int[2]=3,-4");
  EXPECT_EQ(test->shown[1].element, 1u);
}

TEST(LitmusTest, ConditionsAreRead) {
  const auto read = [](std::string_view text) {
    Scanner scanner(text, "c", Language::kLitmus);
    std::vector<Location> locations;
    auto condition = Condition::Read(&scanner, &locations);
    EXPECT_TRUE(condition) << condition.error().message;
    return condition.value_or(Condition::True());
  };
  // /\ binds before \/, and ~ before both.
  const Condition mixed = read("0:r0=1 \\/ ~x=2 /\\ y<3");
  EXPECT_TRUE(Holds(mixed, {{1}, {2}, {9}}));
  EXPECT_TRUE(Holds(mixed, {{0}, {1}, {2}}));
  EXPECT_FALSE(Holds(mixed, {{0}, {2}, {2}}));
  EXPECT_FALSE(Holds(mixed, {{0}, {1}, {3}}));
  // A number has the width of the location.
  const Condition all_ones = read("x=0xffffffff and (x=-1)");
  EXPECT_TRUE(Holds(all_ones, {{-1, 32}}));
  EXPECT_FALSE(Holds(read("x=0xffffffff"), {{-1, 64}}));
  EXPECT_TRUE(Holds(read("%out[1] == %in[0]"), {{4}, {4}}));
}

TEST(LitmusTest, ErrorsNameTheLineAndTheRemedy) {
  EXPECT_THAT(MessageOf("X86 SB\n{}"), HasSubstr("t.litmus:1: this is a test for 'X86'"));
  EXPECT_THAT(MessageOf("OPENCL T"),
              HasSubstr("the initial state is missing; write { x=0; y=0; }"));
  EXPECT_THAT(MessageOf("OPENCL T\n{ x=0;"), HasSubstr("t.litmus:2: a '}' is missing"));
  EXPECT_THAT(MessageOf("OPENCL T\n{ x=y; }"), HasSubstr("the value of x is an address"));
  EXPECT_THAT(MessageOf("OPENCL T\n{}\nexists (x=0)"), HasSubstr("the test has no process"));
  EXPECT_THAT(MessageOf(With("")), HasSubstr("the test asks nothing; end it with exists"));
  EXPECT_THAT(MessageOf(With("exists (1:r7=0)")),
              HasSubstr("t.litmus:12: P1 has no register r7; declare it there: int r7"));
  EXPECT_THAT(
      MessageOf(With("exists (1:x=0)")),
      HasSubstr("x is a parameter of P1, whose value is an address; ask for the variable: x"));
  EXPECT_THAT(MessageOf(With("exists (5:r0=0)")), HasSubstr("there is no process P5"));
  EXPECT_THAT(MessageOf(With("exists (q=0)")), HasSubstr("no process has a parameter q"));
  EXPECT_THAT(MessageOf(With("exists (x=0")), HasSubstr("a ')' is missing in the condition"));
  EXPECT_THAT(MessageOf(With("exists (x)")), HasSubstr("')' is no comparison"));
  EXPECT_THAT(MessageOf("OPENCL T\n{}\nP0 (int x) {}\nexists (x=0)"),
              HasSubstr("t.litmus:3: a parameter is a pointer to int"));
  EXPECT_THAT(MessageOf("OPENCL T\n{}\nP0 (global int* x) { return; }\nexists (x=0)"),
              HasSubstr("a process has no return"));
  EXPECT_THAT(MessageOf("OPENCL T\n{}\nP0 (global int* x) {\n"),
              HasSubstr("t.litmus:3: this '{' is not closed"));
  EXPECT_THAT(MessageOf("OPENCL T\n{}\nP0 (global int* x) {}\nP1 (local int* x) {}\nexists (x=0)"),
              HasSubstr("t.litmus:4: x is in global memory here and in local memory at line 3"));
  EXPECT_THAT(MessageOf("OPENCL T\n{}\nP0@wg 0, dev 0 (local int* x) {}\n"
                        "P1@wg 1, dev 0 (local int* x) {}\nexists (x=0)"),
              HasSubstr("each of 2 work-groups has a variable x in its local memory"));
}

constexpr std::string_view kModule = R"(; @Config: 2, 3, 4
; @Input: %A = {1, -1}
; @Output: forall (%A[1] == 7)
; @Output: forall (%A[0] != 2)
; @Filter: %A[0] == 1
OpEntryPoint Kernel %k "main"
%uint = OpTypeInt 32 0
%p = OpTypePointer CrossWorkgroup %uint
%l = OpTypePointer Workgroup %uint
%k = OpFunction %void None %f
%A = OpFunctionParameter %p
%B = OpFunctionParameter %l
%n = OpFunctionParameter %uint
)";

TEST(LitmusTest, CommentsOfSpirvDescribeTheRun) {
  const auto read = ReadSpirvComments(kModule, "m.spvasm");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(*read);
  const auto& test = **read;
  EXPECT_EQ(test.kernel, "main");
  EXPECT_EQ(test.groups, 4u);
  EXPECT_EQ(test.group_size, 6u);
  EXPECT_EQ(test.sub_group_size, 2u);
  EXPECT_THAT(test.arguments, ElementsAre("int[2]=1,-1", "local(4096)", "int=0"));
  EXPECT_THAT(NamesOf(test), ElementsAre("%A[1]", "%A[0]"));
  ASSERT_TRUE(test.question);
  EXPECT_EQ(test.question->quantifier, Quantifier::kForall);
  EXPECT_TRUE(Holds(test.question->condition, {{7}, {1}}));
  EXPECT_FALSE(Holds(test.question->condition, {{7}, {2}}));
  EXPECT_FALSE(Holds(*test.question->filter, {{7}, {2}}));
}

TEST(LitmusTest, OtherModulesAreNoTests) {
  const auto read = ReadSpirvComments("; SPIR-V\n; @ nothing\nOpCapability Kernel\n", "m.spvasm");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(*read);
  const auto unknown = ReadSpirvComments("; @Outptu: forall (%x == 1)\n", "m.spvasm");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("m.spvasm:1: @Outptu is unknown"));
}

}  // namespace
}  // namespace assay::tools::litmus
