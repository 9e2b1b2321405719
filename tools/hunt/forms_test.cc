#include "tools/hunt/forms.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/run_tool.h"
#include "frontend/validate.h"
#include "tools/hunt/batch.h"

namespace assay::tools {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kFormedPrograms = 3;
#else
constexpr std::uint64_t kFormedPrograms = 16;
#endif

constexpr HuntFormSet kAllForms = (HuntFormSet{1} << 14) - 1;

std::vector<HuntProgram> FormedPrograms() {
  std::vector<HuntKind> kinds;
  for (const HuntKindRow& row : HuntKinds()) kinds.push_back(row.kind);
  const HuntDevice device{.has_halves = true, .has_images = true, .has_pipes = true};
  const HuntPlan plan = PlanOf(device, kinds, 5);
  std::vector<HuntProgram> programs;
  for (std::uint64_t k = 0; k < kFormedPrograms; ++k)
    programs.push_back(GenerateProgram(device, plan, 5, k, 64));
  return programs;
}

// Each is a valid module that computes the same without a finding.
TEST(HuntForms, ComputeTheSame) {
  ASSERT_EQ(HuntForms().size(), 14u);
  auto executor =
      HuntExecutor::Make("", {.has_halves = true, .has_images = true, .has_pipes = true}, {});
  ASSERT_TRUE(executor);
  const std::vector<HuntProgram> programs = FormedPrograms();
  const HuntSetting settings[] = {{"", 16, {}}};
  const auto right = executor->Refer(programs, settings);
  ASSERT_TRUE(right);
  for (std::size_t i = 0; i <= HuntForms().size(); ++i) {
    const bool is_all = i == HuntForms().size();
    const HuntSpirv spirv{is_all ? "-cl-opt-disable" : "-O2",
                          is_all ? kAllForms : HuntFormSet{1} << i};
    const auto other = executor->Refer(programs, settings, "", spirv);
    ASSERT_TRUE(other);
    for (std::size_t k = 0; k < programs.size(); ++k) {
      EXPECT_EQ((*other)[k].refused, "") << (is_all ? "all" : HuntForms()[i].name) << "\n"
                                         << TextOf(programs[k]);
      EXPECT_TRUE((*other)[k].buffers == (*right)[k].buffers)
          << (is_all ? "all" : HuntForms()[i].name) << "\n"
          << TextOf(programs[k]);
    }
  }
}

constexpr const char* kEverything = R"(
  uint twice(uint a);
  __attribute__((noinline)) uint twice(uint a) { return a * 2u + 7u; }
  kernel void k(global uint* x, global ulong2* y) {
    const uint i = (uint)get_global_id(0);
    uint v = 0;
    for (uint n = 0; n < x[i]; ++n) v = v * 3u + (x[n] < v ? 5u : n);
    switch (x[i] & 7u) {
      case 1: v += x[1]; break;
      case 2: v ^= x[2]; break;
      case 5: x[3] = v; break;
    }
    if (v > 100u) v = twice(v);
    y[i] = y[i + 1].yx + (ulong2)(v);
    x[i] = v;
  })";

// Of a kernel that has all of what they are about.
TEST(HuntForms, EachChangesTheModule) {
  const auto folder = base::TemporaryFolder::Make();
  const std::string path = folder->File("k.cl");
  ASSERT_TRUE(base::WriteFileAtomically(path, kEverything));
  const auto plain = ModuleOf(path, "CL3.0", {"-O1", 0});
  ASSERT_TRUE(plain) << plain.error().message;
  for (std::size_t i = 0; i < HuntForms().size(); ++i) {
    const auto changed = WithForms(*plain, HuntFormSet{1} << i);
    ASSERT_TRUE(changed) << HuntForms()[i].name << ": " << changed.error().message;
    EXPECT_TRUE(changed->words != plain->words) << HuntForms()[i].name;
    const auto warnings = frontend::Validate(*changed);
    ASSERT_TRUE(warnings) << HuntForms()[i].name << ": " << warnings.error().message;
    EXPECT_EQ(*warnings, std::vector<std::string>()) << HuntForms()[i].name;
  }
  EXPECT_TRUE(WithForms(*plain, 0)->words == plain->words);
}

TEST(HuntForms, HaveNames) {
  EXPECT_EQ(NamesOf(0), std::vector<std::string>());
  EXPECT_EQ(NamesOf(5), (std::vector<std::string>{"phis", "conditions"}));
  EXPECT_EQ(NamesOf(kAllForms).size(), HuntForms().size());
  EXPECT_EQ(FormCauses(5), (std::vector<std::string>{"form_phis", "form_conditions"}));
  EXPECT_EQ(FormsOf({"form_phis", "form_conditions", "rotate"}), HuntFormSet{5});
}

}  // namespace
}  // namespace assay::tools
