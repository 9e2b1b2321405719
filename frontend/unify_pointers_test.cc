#include <gmock/gmock.h>

#include "frontend/linker.h"
#include "frontend/loader.h"
#include "frontend/testing_modules.h"
#include "frontend/validate.h"

namespace assay::frontend {
namespace {

constexpr std::string_view kHead = R"(OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpCapability Int16
OpMemoryModel Physical64 OpenCL
)";

// A kernel that gives a pointer to a structure to a function of another module.
constexpr std::string_view kImporter = R"(OpEntryPoint Kernel %k "k"
OpDecorate %f LinkageAttributes "f" Import
OpDecorate %p Alignment 2
%void = OpTypeVoid
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%box = OpTypeStruct %ushort
%pbox = OpTypePointer CrossWorkgroup %box
%of_f = OpTypeFunction %ushort %pbox %uint
%of_k = OpTypeFunction %void %pbox
%u1 = OpConstant %uint 1
%f = OpFunction %ushort None %of_f
%p = OpFunctionParameter %pbox
%n = OpFunctionParameter %uint
OpFunctionEnd
%k = OpFunction %void None %of_k
%a = OpFunctionParameter %pbox
%entry = OpLabel
%r = OpFunctionCall %ushort %f %a %u1
OpReturn
OpFunctionEnd
)";

// It takes a pointer to its member, and calls itself.
constexpr std::string_view kExporter = R"(OpDecorate %f LinkageAttributes "f" Export
OpDecorate %p Alignment 2
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%pushort = OpTypePointer CrossWorkgroup %ushort
%pvar = OpTypePointer Function %uint
%of_f = OpTypeFunction %ushort %pushort %uint
%u0 = OpConstant %uint 0
%f = OpFunction %ushort None %of_f
%p = OpFunctionParameter %pushort
%n = OpFunctionParameter %uint
%entry = OpLabel
%var = OpVariable %pvar Function
%ends = OpIEqual %bool %n %u0
OpBranchConditional %ends %last %more
%last = OpLabel
%v = OpLoad %ushort %p Aligned 2
OpReturnValue %v
%more = OpLabel
%r = OpFunctionCall %ushort %f %p %u0
OpReturnValue %r
OpFunctionEnd
)";

Expected<Binary> Linked(std::string_view importer, std::string_view exporter) {
  const ScratchFolder folder;
  std::vector<Binary> binaries;
  int number = 0;
  for (const std::string_view text : {importer, exporter}) {
    auto loaded = LoadFile(
        folder.Write(std::to_string(number++) + ".spvasm", std::string(kHead) + std::string(text)),
        {});
    if (!loaded) return tl::unexpected(loaded.error());
    if (auto valid = Validate(*loaded); !valid) return tl::unexpected(valid.error());
    binaries.push_back(std::move(*loaded));
  }
  return Link(binaries, "linked");
}

TEST(UnifyPointers, LinksPointersToDifferentTypes) {
  const auto linked = Linked(kImporter, kExporter);
  ASSERT_TRUE(linked) << linked.error().message;
  const auto valid = Validate(*linked);
  EXPECT_TRUE(valid) << valid.error().message;
  const auto module = BuildModule(*linked);
  ASSERT_TRUE(module) << module.error().message;
  int casts = 0;
  for (const Instruction& instruction : (*module)->instructions) {
    casts += instruction.opcode == Op::kBitcast ? 1 : 0;
  }
  EXPECT_EQ(casts, 3) << "two calls, one body";
}

// Of a list with two pointers to itself each path is one that can be gone; the difference lies
// behind all of them.
constexpr std::string_view kList = R"(OpDecorate %f LinkageAttributes "f" LINKAGE
OpTypeForwardPointer %pnode CrossWorkgroup
%void = OpTypeVoid
%last = OpTypeInt WIDTH 0
%node = OpTypeStruct %pnode %pnode %last
%pnode = OpTypePointer CrossWorkgroup %node
%of_f = OpTypeFunction %void %pnode
%f = OpFunction %void None %of_f
%p = OpFunctionParameter %pnode
BODY
OpFunctionEnd
)";

TEST(UnifyPointers, ComparesStructuresThatPointToThemselvesOnce) {
  const auto list = [](std::string_view linkage, std::string_view width, std::string_view body) {
    std::string text(kList);
    for (const auto& [from, to] :
         {std::pair<std::string_view, std::string_view>{"LINKAGE", linkage},
          {"WIDTH", width},
          {"BODY", body}}) {
      text.replace(text.find(from), from.size(), to);
    }
    return text;
  };
  const auto linked =
      Linked(list("Import", "16", ""), list("Export", "32", "%entry = OpLabel\nOpReturn"));
  EXPECT_TRUE(linked) << linked.error().message;
}

TEST(UnifyPointers, LeavesOtherDifferencesToTheLinker) {
  std::string other(kExporter);
  const std::string from = "%pushort = OpTypePointer CrossWorkgroup %ushort";
  other.replace(other.find(from), from.size(), "%pushort = OpTypePointer Workgroup %ushort");
  const auto linked = Linked(kImporter, other);
  ASSERT_FALSE(linked);
  EXPECT_THAT(linked.error().message, testing::HasSubstr("Type mismatch"));
}

}  // namespace
}  // namespace assay::frontend
