#include "frontend/linked_places.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "frontend/decode.h"
#include "frontend/linker.h"
#include "frontend/loader.h"

namespace assay::frontend {
namespace {

constexpr char kHead[] =
    "OpCapability Kernel\nOpCapability Linkage\nOpCapability Addresses\n"
    "OpExtension \"SPV_KHR_non_semantic_info\"\n";
constexpr char kModel[] = "OpMemoryModel Physical64 OpenCL\n";

std::string FunctionNamed(const std::string& name, const std::string& body) {
  return "%file = OpString \"" + name + ".cl\"\nOpDecorate %f LinkageAttributes \"" + name +
         "\" Export\n%uint = OpTypeInt 32 0\n%void = OpTypeVoid\n%type = OpTypeFunction %uint\n"
         "%one = OpConstant %uint 1\n%f = OpFunction %uint None %type\n%entry = OpLabel\n" +
         body + "OpReturnValue %one\nOpFunctionEnd\n";
}

// The texts of OpString that lines name, in their order.
std::vector<std::string> FilesOfLines(const Binary& binary) {
  std::map<Id, std::string> strings;
  std::vector<std::string> files;
  ForEachInstruction(binary.words, [&](std::size_t, std::span<const Word> words) {
    if (OpcodeOf(words[0]) == Op::kString) {
      strings[words[1]] = StringAt(words.subspan(2)).value_or("");
    }
    if (OpcodeOf(words[0]) == Op::kLine) files.push_back(strings[words[1]]);
  });
  return files;
}

TEST(LinkedPlaces, LinesNameTheirOwnFiles) {
  const std::string line = "OpLine %file 7 1\n%sum = OpIAdd %uint %one %one\nOpNoLine\n";
  const Binary modules[] = {*LoadText(kHead + std::string(kModel) + FunctionNamed("a", line), "a"),
                            *LoadText(kHead + std::string(kModel) + FunctionNamed("b", line), "b")};
  const auto linked = Link(modules, "linked");
  ASSERT_TRUE(linked) << linked.error().message;
  EXPECT_EQ(FilesOfLines(*linked), (std::vector<std::string>{"a.cl", "b.cl"}));
}

TEST(LinkedPlaces, WhatIsHiddenComesBack) {
  const Binary binary =
      *LoadText(kHead + std::string(kModel) + FunctionNamed("a", "OpLine %file 7 1\n"), "a");
  LinkedPlaces places;
  const std::vector<Word> hidden = places.Hidden(binary.words);
  EXPECT_EQ(FilesOfLines({.words = hidden}), std::vector<std::string>());
  std::vector<Word> restored = places.Restored(hidden);
  restored[3] = binary.words[3];
  EXPECT_EQ(restored, binary.words);
}

// Its numbers are not ours.
TEST(LinkedPlaces, AModuleMayHaveASetOfThisName) {
  const std::string import = "%set = OpExtInstImport \"NonSemantic.Assay.Places\"\n";
  for (const char* number : {"0", "1", "99"}) {
    const std::string other = "%x = OpExtInst %void %set " + std::string(number) + " %file\n";
    const auto first =
        LoadText(kHead + import + kModel + FunctionNamed("a", "OpLine %file 7 1\n" + other), "a");
    ASSERT_TRUE(first) << first.error().message;
    const Binary modules[] = {*first,
                              *LoadText(kHead + std::string(kModel) + FunctionNamed("b", ""), "b")};
    const auto linked = Link(modules, "linked");
    ASSERT_TRUE(linked) << linked.error().message;
    for (const std::string& file : FilesOfLines(*linked)) EXPECT_EQ(file, "a.cl");
  }
}

}  // namespace
}  // namespace assay::frontend
