#include "frontend/debug_types.h"

#include <gtest/gtest.h>

#include "frontend/module.h"
#include "frontend/opencl_c.h"

namespace assay::frontend {
namespace {

constexpr const char* kSource =
    R"(typedef struct Node { int value; float3 at; struct Node* next; } Node;
typedef union { uint bits; float number; } Either;
enum Mode { kFast = -1, kSlow = 5 };
constant short table[2][3] = {{1, 2, 3}, {4, 5, 6}};
kernel void k(global float4* out, local uchar* scratch) {
  Node node = {1, (float3)(1.0f, 2.0f, 3.0f), 0};
  Either either;
  enum Mode mode = kSlow;
  either.number = 1.0f;
  out[0] = (float4)(node.value + either.bits + mode + table[1][2] + scratch[0]);
}
)";

std::shared_ptr<const Module> Load(const char* source, Compiler compiler) {
  const auto compiled = CompileSource(source, "kernel.cl", "", {.compiler = compiler});
  EXPECT_TRUE(compiled) << compiled.error().message;
  const auto module = BuildModule(compiled->binary);
  EXPECT_TRUE(module) << module.error().message;
  return *module;
}

TypeRef TypeOf(const Module& module, SourceTypes* types, const std::string& name) {
  for (const DebugVariable& variable : module.debug_info.variables) {
    if (variable.name == name) {
      return types->OfDebug(module.WordsOf(*module.Definition(variable.variable))[6]);
    }
  }
  return 0;
}

class SourceTypesOf : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    if (!HasCompiler(GetParam())) GTEST_SKIP() << "the compiler is not installed (./dev setup)";
  }
};

TEST_P(SourceTypesOf, LayOutStructuresAsTheCompilerDoes) {
  const auto module = Load(kSource, GetParam());
  SourceTypes types(*module);
  const SourceType node = types.At(TypeOf(*module, &types, "node"));
  EXPECT_EQ(node.kind, SourceKind::kStruct);
  EXPECT_EQ(node.name, "Node");
  EXPECT_EQ(node.bytes, 48u);
  ASSERT_EQ(node.members.size(), 3u);
  EXPECT_EQ(node.members[1].name, "at");
  EXPECT_EQ(node.members[1].offset, 16u);
  EXPECT_EQ(types.At(node.members[1].type).name, "float3");
  EXPECT_EQ(types.At(node.members[1].type).bytes, 16u);
  // The pointer leads back to the structure.
  const SourceType next = types.At(node.members[2].type);
  EXPECT_EQ(next.kind, SourceKind::kPointer);
  EXPECT_EQ(types.At(next.element).members.size(), 3u);
}

TEST_P(SourceTypesOf, KnowUnionsEnumerationsAndAddressSpaces) {
  const auto module = Load(kSource, GetParam());
  SourceTypes types(*module);
  const SourceType either = types.At(TypeOf(*module, &types, "either"));
  EXPECT_EQ(either.kind, SourceKind::kUnion);
  EXPECT_EQ(either.bytes, 4u);
  EXPECT_EQ(either.members[1].offset, 0u);
  const SourceType mode = types.At(TypeOf(*module, &types, "mode"));
  EXPECT_EQ(mode.kind, SourceKind::kEnum);
  EXPECT_EQ(mode.enumerators[0], (std::pair<std::int64_t, std::string>(-1, "kFast")));
  EXPECT_EQ(mode.enumerators[1], (std::pair<std::int64_t, std::string>(5, "kSlow")));
  EXPECT_EQ(types.At(TypeOf(*module, &types, "out")).name, "global float4*");
  EXPECT_EQ(types.At(TypeOf(*module, &types, "scratch")).name, "local uchar*");
}

TEST_P(SourceTypesOf, TellArraysOfArrays) {
  const auto module = Load(kSource, GetParam());
  SourceTypes types(*module);
  for (const SourceGlobal& global : ReadSourceGlobals(*module, &types)) {
    if (global.name != "table") continue;
    EXPECT_NE(global.variable, 0u);
    const SourceType table = types.At(global.type);
    EXPECT_EQ(table.name, "short[2][3]");
    EXPECT_EQ(table.count, 2u);
    EXPECT_EQ(table.bytes, 12u);
    return;
  }
  FAIL() << "no global variable 'table'";
}

TEST_P(SourceTypesOf, FindTypesByName) {
  const auto module = Load(kSource, GetParam());
  SourceTypes types(*module);
  EXPECT_EQ(types.At(types.Named("float4").value()).bytes, 16u);
  EXPECT_EQ(types.At(types.Named("ushort3").value()).bytes, 8u);
  EXPECT_EQ(types.At(types.Named("size_t").value()).bytes, 8u);
  EXPECT_EQ(types.At(types.Named("Node").value()).bytes, 48u);
  EXPECT_EQ(types.At(types.Named("struct Node").value()).bytes, 48u);
  EXPECT_FALSE(types.Named("float5"));
  EXPECT_FALSE(types.Named("half1"));
  EXPECT_FALSE(types.Named("Nodes"));
}

// The typedef is read while the structure's members are.
TEST_P(SourceTypesOf, TypedefsOfStructuresHaveTheirMembersEverywhere) {
  const auto module = Load(
      "typedef struct Link Link;\nstruct Link { global Link* next; int value; };\n"
      "kernel void k(global Link* first, global int* out) {\n"
      "  global Link* at = first;\n  out[0] = at->next->value;\n}\n",
      GetParam());
  SourceTypes types(*module);
  TypeRef at = TypeOf(*module, &types, "at");
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(types.At(at).kind, SourceKind::kPointer);
    const SourceType& link = types.At(types.At(at).element);
    ASSERT_EQ(link.members.size(), 2u) << i;
    EXPECT_EQ(link.members[1].name, "value");
    at = link.members[0].type;
  }
}

TEST_P(SourceTypesOf, OfSpirvAreThereWithoutDebugInformation) {
  const auto module = Load(kSource, GetParam());
  SourceTypes types(*module);
  for (const Type& type : module->types.All()) {
    if (type.kind != TypeKind::kStruct || type.count != 3) continue;
    const SourceType made = types.At(types.OfSpirv(type.id));
    EXPECT_EQ(made.bytes, type.size);
    EXPECT_EQ(made.members[1].offset, module->types.Offsets(type)[1]);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SourceTypesOf);
INSTANTIATE_TEST_SUITE_P(Installed, SourceTypesOf, testing::ValuesIn(InstalledCompilers()));

}  // namespace
}  // namespace assay::frontend
