#include "tools/hunt/batch.h"

#include <gtest/gtest.h>

namespace assay::tools {
namespace {

// Phis, operands and conditions are the first three forms.
constexpr HuntFormSet kPhis = 1, kOperands = 2, kConditions = 4, kOthers = 1 << 8;

// A driver that is wrong of modules with all of one set of forms or another.
class WrongForms : public HuntTrier {
 public:
  explicit WrongForms(std::vector<HuntFormSet> wrong) : wrong_(std::move(wrong)) {}
  std::vector<HuntResult> Try(const std::vector<HuntProgram>& candidates,
                              const HuntSetting& setting) override {
    ++tries;
    HuntResult result;
    for (const HuntFormSet forms : wrong_) {
      if (setting.spirv && (setting.spirv->forms & forms) == forms)
        result.verdict = HuntVerdict::kDiffers;
    }
    return std::vector<HuntResult>(candidates.size(), result);
  }
  int tries = 0;

 private:
  std::vector<HuntFormSet> wrong_;
};

struct LeftOut {
  std::string group;
  std::optional<HuntFormSet> forms;
  bool is_wrong;
  int tries;
  bool operator==(const LeftOut&) const = default;
};

LeftOut LeaveOut(const std::vector<std::string>& known, std::optional<HuntFormSet> forms,
                 std::vector<HuntFormSet> wrong) {
  WrongForms driver(std::move(wrong));
  HuntSetting setting;
  if (forms) setting.spirv = {"-O2", *forms};
  HuntResult result;
  result.verdict = HuntVerdict::kDiffers;
  const std::string group = LeaveOutKnownForms(known, {}, &driver, &setting, &result);
  if (setting.spirv) forms = setting.spirv->forms;
  return {group, forms, result.IsBug(), driver.tries};
}

TEST(HuntKnownForms, AreTheCauseWhereTheDriverIsRightWithoutThem) {
  EXPECT_EQ(LeaveOut({"rotate", "form_operands"}, kPhis | kOperands, {kOperands}),
            (LeftOut{"form_operands", kPhis, false, 1}));
  // One group after the other, until it is right.
  EXPECT_EQ(LeaveOut({"form_phis", "form_operands", "form_conditions"},
                     kPhis | kOperands | kConditions, {kOperands}),
            (LeftOut{"form_operands", kConditions, false, 2}));
}

TEST(HuntKnownForms, AreLeftOutWhereTheDriverStaysWrong) {
  EXPECT_EQ(LeaveOut({"form_phis", "form_operands"}, kPhis | kOperands | kOthers, {kOthers}),
            (LeftOut{"", kOthers, true, 2}));
  // The program has two causes, one of which is new.
  EXPECT_EQ(LeaveOut({"form_phis"}, kPhis | kOthers, {kPhis, kOthers}),
            (LeftOut{"", kOthers, true, 1}));
}

TEST(HuntKnownForms, AreAskedOnlyWhereAllOfAGroupAreThere) {
  EXPECT_EQ(LeaveOut({"form_phis+form_conditions"}, kPhis | kOthers, {kPhis}),
            (LeftOut{"", kPhis | kOthers, true, 0}));
  EXPECT_EQ(LeaveOut({"form_phis+form_conditions"}, kPhis | kConditions, {kPhis}),
            (LeftOut{"form_phis+form_conditions", 0, false, 1}));
  EXPECT_EQ(LeaveOut({"form_phis"}, std::nullopt, {}), (LeftOut{"", std::nullopt, true, 0}));
  EXPECT_EQ(LeaveOut({}, kPhis, {kPhis}), (LeftOut{"", kPhis, true, 0}));
}

}  // namespace
}  // namespace assay::tools
