// Values that nothing defined: where they are reported, where they are not, what is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> RulesOf(const LaunchResult& result) {
  std::vector<std::string> rules;
  for (const Finding& finding : result.findings) rules.emplace_back(NameOf(finding.rule));
  return rules;
}

struct Ran {
  LaunchResult result;
  std::vector<int> out;
};

// A kernel over a buffer of eight ints that are 0 to 7, and one that nothing was written to.
Ran RunBody(const std::string& body, const std::string& options = "", int width = 64,
            const std::string& before = "") {
  auto session =
      TestSession::FromC(before +
                             "kernel void k(global int* o, global int* u, local int* l) {\n"
                             "  const int i = get_global_id(0);\n" +
                             body + "\n}",
                         {.detectors = DetectorSet::All(), .batch_width = width}, options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const BufferArgument out = session->Buffer<int>({0, 1, 2, 3, 4, 5, 6, 7});
  const BufferArgument nothing = session->Buffer<int>({9, 9, 9, 9, 9, 9, 9, 9});
  EXPECT_TRUE(session->memory().MakeUndefined(nothing.address));
  const auto result = session->Launch({out, nothing, LocalArgument{32}}, 8, {}, 8);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  return {*result, session->Read<int>(out)};
}

// At both levels of optimisation, and in narrow batches.
void ExpectRule(const std::string& body, const std::string& rule, const std::string& message,
                const std::string& history = "") {
  for (const char* options : {"", "-cl-opt-disable"}) {
    for (const int width : {1, 7, 64}) {
      const Ran run = RunBody(body, options, width);
      ASSERT_FALSE(run.result.findings.empty()) << body << options;
      const Finding& finding = run.result.findings[0];
      EXPECT_EQ(NameOf(finding.rule), rule) << body << options;
      EXPECT_EQ(finding.finding_class, FindingClass::kUndefinedValue);
      EXPECT_THAT(finding.message, HasSubstr(message)) << body;
      if (history.empty()) continue;
      EXPECT_THAT(finding.history, Contains(HasSubstr(history))) << body;
    }
  }
}
void ExpectSilent(const std::string& body, const std::string& before = "") {
  for (const char* options : {"", "-cl-opt-disable"}) {
    for (const int width : {1, 64}) {
      EXPECT_THAT(RulesOf(RunBody(body, options, width, before).result), IsEmpty())
          << body << options;
    }
  }
}

TEST(Definedness, MemoryThatNothingWasStoredTo) {
  ExpectRule("o[i] = u[i];", "uninitialized-value", "what is stored to global memory",
             "read from global memory 'buffer' at offset 0, where nothing was stored");
  ExpectRule("if (u[i] == 3) o[i] = 1;", "uninitialized-value", "a branch");
  ExpectRule("o[(u[i] & 8) + i] = 1;", "uninitialized-value", "the address of the access");
  ExpectRule(
      "switch (u[i]) { case 1: o[i] = 3; break; case 7: o[i] = 9; break; default: o[i] = 4; "
      "case 12: o[0] = 2; }",
      "uninitialized-value", "");
  ExpectRule("atomic_add(&o[0], u[i]);", "uninitialized-value", "an atomic operation");
  ExpectRule("o[i] = l[i];", "uninitialized-value", "", "local memory 'l' at offset 0");
  ExpectRule("int a[8]; a[i] = 1; o[i] = a[o[i] ^ 1];", "uninitialized-value", "",
             "private memory 'a'");
}

// What is told is where the value comes from, and not the memory that it went through.
TEST(Definedness, UndefinedValuesThatPassThroughMemory) {
  const char* from = "read from global memory 'buffer' at offset 0, where nothing was stored";
  const char* rule = "uninitialized-value";
  ExpectRule("int a[8]; a[i] = u[i]; if (a[i] > 5) o[i] = 1;", rule, "a branch", from);
  ExpectRule(
      "long a[8]; a[i] = ((long)u[i] << 32) | 5; int* p = (int*)&a[i]; if (p[1] > 5) o[i] = 1;",
      rule, "a branch", from);
  ExpectRule(
      "struct { int a, b; long c; } s[8], t[8]; s[i].a = 1; s[i].b = u[i]; s[i].c = 2; "
      "t[i] = s[i]; if (t[i].b > 5) o[i] = 1;",
      rule, "a branch", from);
  // Nothing of an earlier variable in the same place.
  ExpectRule("int a[8]; a[i] = u[i]; if (a[i ^ 1] > 5) o[i] = 1;", rule, "a branch",
             "read from private memory 'a'");
}

// A variable of a loop's body is another one in each pass: nothing is known of what the pass before
// stored, whatever was stored last.
TEST(Definedness, VariablesOfALoopAreNewInEachPass) {
  const std::string begin = "for (int pass = 0; pass < 2; ++pass) { ";
  const std::string end = " else if (a[i] > 5) o[i] = 1; }";
  const char* rule = "uninitialized-value";
  for (const char* stores : {"a[i] = u[i];", "a[i] = u[i]; a[i] = 5;", "a[i] = 5; a[i] = u[i];"}) {
    ExpectRule(begin + "volatile int a[8]; if (pass == 0) { " + stores + " }" + end, rule,
               "a branch", "read from private memory 'a'");
  }
  // As many values are known as a variable has bytes, and more.
  ExpectRule(begin +
                 "volatile int a[8]; if (pass == 0) { for (int j = 0; j < 8; ++j) { a[j] = u[i]; "
                 "a[j] = 5; } }" +
                 end,
             rule, "a branch", "read from private memory 'a'");
}

// One finding: what was not initialised stays undefined, and is told once.
TEST(Definedness, AtomicOperationsOnWhatNothingWasStoredTo) {
  const auto expect_once = [](const std::string& body) {
    for (const char* options : {"", "-cl-opt-disable"}) {
      for (const int width : {1, 64}) {
        EXPECT_THAT(RulesOf(RunBody(body, options, width).result), ElementsAre("undefined-atomic"))
            << body << options << width;
      }
    }
  };
  expect_once("int old = atomic_add(&l[0], 1); if (old == 3) o[i] = 1; o[i] = old;");
  expect_once("atomic_inc(&l[1]); barrier(CLK_LOCAL_MEM_FENCE); o[i] = l[1] + 1;");
  expect_once("int old = atomic_xchg(&l[0], 4); barrier(CLK_LOCAL_MEM_FENCE); o[i] = l[0];");
  // What no atomic operation has read is another matter.
  const Ran run = RunBody(
      "if (i == 0) atomic_add(&l[0], 1); barrier(CLK_LOCAL_MEM_FENCE); o[i] = l[0] + l[1];", "", 1);
  EXPECT_THAT(RulesOf(run.result), ElementsAre("undefined-atomic", "uninitialized-value"));
}

TEST(Definedness, CopiesAreNoUse) {
  ExpectSilent("u[i] = i; o[i] = u[i];");
  ExpectSilent("l[i] = u[i]; l[i] = 3; o[i] = l[i];");
  ExpectSilent("int a[8]; for (int j = 0; j < 8; ++j) a[j] = u[j]; a[i] = i; o[i] = a[i];");
  // Half of a structure, through memory.
  ExpectSilent(
      "struct pair p; p.a = i; global struct pair* to = (global struct pair*)u; if (i < 4) to[i] "
      "= p; o[i] = p.a;",
      "struct pair { int a, b; };\n");
}

TEST(Definedness, BitByBit) {
  ExpectSilent("o[i] = (u[i] & 0) + 1;");
  ExpectSilent("int x = (u[i] & 0xff00) | i; if (x & 7) o[i] = 1;");
  ExpectSilent("uint x = (uint)u[i] << 16 | 3; o[i] = x & 0xffff;");
  ExpectSilent("ushort x = (ushort)i; uint y = x | (uint)u[i] << 16; o[i] = (ushort)y;");
  ExpectRule("int x = (u[i] & 0xff00) | i; if (x & 0x100) o[i] = 1;", "uninitialized-value",
             "a branch");
  ExpectRule("o[i] = (u[i] & 1) + 2;", "uninitialized-value", "stored to global");
  ExpectRule("if ((u[i] << 1) + 2 > 5) o[i] = 1;", "uninitialized-value", "a branch");
}

TEST(Definedness, ValuesThatAreNotChosen) {
  ExpectSilent("int x = u[i]; if (i >= 0) x = i; o[i] = x;");
  ExpectSilent("int x = u[i]; o[i] = i < 100 ? i : x;");
  ExpectRule("int x = u[i]; o[i] = i > 3 ? i : x;", "uninitialized-value", "");
}

TEST(Definedness, VariablesThatNothingWasAssignedTo) {
  // Optimisers make anything of it: as it was written.
  const Ran run = RunBody("int x; if (i > 100) x = 1; if (x > 0) o[i] = 1;", "-cl-opt-disable");
  ASSERT_FALSE(run.result.findings.empty());
  EXPECT_EQ(NameOf(run.result.findings[0].rule), "uninitialized-value");
  EXPECT_THAT(run.result.findings[0].history, Contains(HasSubstr("variable 'x'")));
  ExpectSilent("int x; if (i < 100) x = i; else x = 2; o[i] = x;");
}

TEST(Definedness, EachWorkItemForItself) {
  for (const int width : {1, 7, 64}) {
    const Ran run = RunBody("if (i != 5) u[i] = i; o[i] = u[i];", "", width);
    ASSERT_THAT(RulesOf(run.result), ElementsAre("uninitialized-value"));
    EXPECT_EQ(run.result.findings[0].global_id[0], 5u);
    EXPECT_EQ(run.result.findings[0].count, 1u);
  }
}

// What an undefined operand happens to be breaks no other rule.
TEST(Definedness, UndefinedOperandsProveNothing) {
  const Ran run = RunBody("int x, y; o[i] = x + y;", "-cl-opt-disable");
  EXPECT_THAT(RulesOf(run.result), ElementsAre("uninitialized-value"));
}

// Where there is no object there is no record either.
TEST(Definedness, OutsideOfItsObject) {
  for (const char* body : {"o[i - 100] = u[i];", "o[i + 100] = u[i];", "u[i - 3] = u[i];",
                           "int a[8]; a[i] = u[i]; a[i - 9] = u[i]; o[i] = a[7 - i] & 0;"}) {
    EXPECT_THAT(RulesOf(RunBody(body).result), Contains("memory-out-of-bounds")) << body;
  }
}

TEST(Definedness, PartOfAScalar) {
  ExpectRule("global char* c = (global char*)u; c[4 * i] = 1; o[i] = u[i] + 1;",
             "uninitialized-union", "bytes that nothing was stored to");
}

TEST(Definedness, FourthComponentOfAVectorOfThree) {
  const std::string store =
      "global int3* v = (global int3*)u; "
      "if (i < 2) v[i] = (int3)(1, 2, 3);";
  ExpectSilent(store + "if (i < 2) o[i] = v[i].x + v[i].z;");
  ExpectRule(store + "if (i < 2) o[i] = ((global int*)v)[4 * i + 3];", "uninitialized-padding", "");
}

TEST(Definedness, UndefOfTheModule) {
  const auto run = [](std::string_view text) {
    auto session = TestSession::FromText(text, {.detectors = DetectorSet::All(), .batch_width = 7});
    EXPECT_TRUE(session) << session.error().message;
    const auto result = session->Launch({session->Buffer<int>({1, 2})}, 1);
    EXPECT_TRUE(result) << result.error().message;
    return RulesOf(*result);
  };
  const std::string head = R"(
      OpEntryPoint Kernel %k "k"
      %void = OpTypeVoid
      %bool = OpTypeBool
      %uint = OpTypeInt 32 0
      %v2 = OpTypeVector %uint 2
      %one = OpConstant %uint 1
      %pair = OpConstantComposite %v2 %one %one
      %pointer = OpTypePointer CrossWorkgroup %uint
      %type = OpTypeFunction %void %pointer
      %k = OpFunction %void None %type
      %p = OpFunctionParameter %pointer
      %begin = OpLabel
      )";
  const std::string tail = "\nOpReturn\nOpFunctionEnd\n";
  EXPECT_THAT(run(head + "%u = OpUndef %uint\n OpStore %p %u" + tail),
              ElementsAre("undefined-value"));
  EXPECT_THAT(run(head +
                  "%u = OpUndef %bool\n OpBranchConditional %u %a %b\n %a = OpLabel\n"
                  "OpBranch %b\n %b = OpLabel" +
                  tail),
              ElementsAre("undefined-branch"));
  EXPECT_THAT(run(head +
                  "%v = OpVectorShuffle %v2 %pair %pair 0 0xffffffff\n"
                  "%x = OpCompositeExtract %uint %v 1\n OpStore %p %x" +
                  tail),
              ElementsAre("undefined-lane"));
  EXPECT_THAT(run(head +
                  "%v = OpVectorShuffle %v2 %pair %pair 0 0xffffffff\n"
                  "%x = OpCompositeExtract %uint %v 0\n OpStore %p %x" +
                  tail),
              IsEmpty());
}

TEST(Definedness, NothingIsLookedAtUnlessAskedFor) {
  auto session = TestSession::FromC("kernel void k(global int* o, global int* u) { o[0] = u[0]; }");
  ASSERT_TRUE(session);
  const BufferArgument nothing = session->Buffer<int>({9});
  ASSERT_TRUE(session->memory().MakeUndefined(nothing.address));
  const auto result = session->Launch({session->Buffer<int>({1}), nothing});
  ASSERT_TRUE(result);
  EXPECT_THAT(result->findings, IsEmpty());
}

}  // namespace
}  // namespace assay::interp
