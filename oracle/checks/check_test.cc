#include "oracle/checks/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_text.h"
#include "oracle/checks/run.h"

namespace assay::oracle {
namespace {

DeviceFacts Facts() {
  DeviceFacts facts;
  facts.version = facts.c_standard = 300;
  facts.numbers[DeviceQuery::kType] = 2;  // a CPU: one kernel with cases
  return facts;
}

Check Named(const std::string& name) {
  for (const Check& check : AllChecks(Facts())) {
    if (check.name == name) return check;
  }
  ADD_FAILURE() << name;
  return {};
}

// A device that computes add_sat of char, by a clamp of integers; item `wrong` of width 4 is not.
class AddSat : public AnswersKernels {
 public:
  explicit AddSat(std::size_t wrong) : wrong_(wrong) {}
  Expected<void> AskKernel(const KernelRequest& request, ImageInputs inputs,
                           ImageOutputs outputs) override {
    std::uint32_t which = 0;
    std::memcpy(&which, request.arguments[0].value.data(), sizeof which);
    const std::span<std::byte> out = outputs[0];
    for (std::size_t k = 0; k < out.size(); ++k) {
      const int sum =
          static_cast<std::int8_t>(inputs[0][k]) + static_cast<std::int8_t>(inputs[1][k]);
      const int value = std::clamp(sum, -128, 127);
      out[k] = static_cast<std::byte>(which % 32 == 4 && k == wrong_ ? value ^ 1 : value);
    }
    return {};
  }

 private:
  std::size_t wrong_;
};

CheckTally Asked(AnswersKernels& device, const std::string& name,
                 const CheckOptions& options = {}) {
  const DeviceFacts facts = Facts();
  CheckTally tally;
  CheckSession session;
  CheckRun run(device, facts, options, &session, &tally);
  EXPECT_TRUE(Named(name).run(run).has_value());
  return tally;
}

TEST(Checks, NamesAreUnique) {
  std::set<std::string> names;
  for (const Check& check : AllChecks(Facts())) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
    EXPECT_TRUE(IsCheckName(check.name)) << check.name;
    EXPECT_FALSE(check.clause.empty()) << check.name;
  }
}

TEST(Checks, AreSelectedByListNameAndPattern) {
  const auto checks = AllChecks(Facts());
  const auto chosen = SelectChecks(checks, {"@limits", "integer_add_sat_char", "integer_hadd_*"});
  ASSERT_TRUE(chosen.has_value());
  const auto count = [&](std::string_view begin) {
    return std::count_if(chosen->begin(), chosen->end(),
                         [&](const Check& check) { return check.name.starts_with(begin); });
  };
  EXPECT_EQ(count("integer_"), 9);
  EXPECT_GT(count("limits_"), 5);
  EXPECT_FALSE(SelectChecks(checks, {"integer_no_such_row"}).has_value());
  EXPECT_FALSE(IsCheckName("sin"));
  EXPECT_FALSE(IsCheckName("@all"));
}

TEST(Checks, AskEveryPairOfBytesInEveryWidth) {
  AddSat device(std::string::npos);
  const CheckTally tally = Asked(device, "integer_add_sat_char");
  EXPECT_GE(tally.answers, 6u << 16);
  EXPECT_EQ(tally.failures, 0u);
}

TEST(Checks, TellOneWrongAnswerWithItsLane) {
  AddSat device(256 * 3 + 2);  // a = 2, b = 3
  const CheckTally tally = Asked(device, "integer_add_sat_char");
  ASSERT_EQ(tally.failures, 1u);
  EXPECT_EQ(tally.recorded[0].observed, "4");
  EXPECT_EQ(tally.recorded[0].expected, "5");
  EXPECT_EQ(tally.recorded[0].options, "--width 4 --at 0,3 --at 1,3 --at 2,3 --at 3,3");
  EXPECT_NE(tally.recorded[0].input.find("a = 2, b = 3, lane 2 of width 4"), std::string::npos);
}

TEST(Checks, AskOneInputInItsWidth) {
  AddSat device(2);
  const CheckTally tally = Asked(device, "integer_add_sat_char",
                                 {.widths = {4}, .at = {"1,1", "-128,-1", "100,100", "0,0"}});
  EXPECT_EQ(tally.failures, 1u);
  EXPECT_EQ(tally.recorded[0].expected, "127");
}

// Nothing is written: the poison that is there is no answer.
TEST(Checks, TellAnswersThatAreNotWritten) {
  class Idle : public AnswersKernels {
    Expected<void> AskKernel(const KernelRequest&, ImageInputs, ImageOutputs) override {
      return {};
    }
  } device;
  EXPECT_GT(Asked(device, "integer_add_int").failures, 0u);
  EXPECT_GT(Asked(device, "groups_numbers").failures, 0u);
  EXPECT_GT(Asked(device, "atomics_older_add_int_global").failures, 0u);
  EXPECT_GT(Asked(device, "layout_struct_0").failures, 0u);
}

// Eight numbers a work-item, in the order of the kernel; OpenCL C 6.15.1.
TEST(Checks, TellWhatIsSaidOfDimensionsThatThereAreNot) {
  class Numbers : public AnswersKernels {
   public:
    explicit Numbers(std::array<std::uint64_t, 8> numbers) : numbers_(numbers) {}
    Expected<void> AskKernel(const KernelRequest&, ImageInputs, ImageOutputs outputs) override {
      for (std::size_t at = 0; at < outputs[0].size(); at += sizeof numbers_) {
        std::memcpy(&outputs[0][at], numbers_.data(), sizeof numbers_);
      }
      return {};
    }

   private:
    std::array<std::uint64_t, 8> numbers_;
  };
  Numbers right({1, 0, 1, 0, 1, 0, 0, 1}), wrong({0, 0, 1, 0, 1, 0, 0, 1});
  for (const char* row : {"groups_numbers_out_of_range", "groups_numbers_out_of_range_constant"}) {
    EXPECT_EQ(Asked(right, row).failures, 0u);
    const CheckTally tally = Asked(wrong, row);
    EXPECT_EQ(tally.failures * 8, tally.answers);
    EXPECT_EQ(tally.recorded[0].expected, "1");
  }
}

// Each of the locks is found by one work-item, and none stays set.
TEST(Checks, TellLocksThatFail) {
  class Locks : public AnswersKernels {
   public:
    explicit Locks(std::uint32_t last, std::uint32_t state) : last_(last), state_(state) {}
    Expected<void> AskKernel(const KernelRequest&, ImageInputs, ImageOutputs outputs) override {
      for (std::uint32_t k = 0; k < outputs[0].size() / 4; ++k) {
        const std::uint32_t visitor = k % 64 == 63 ? last_ : k % 64;
        std::memcpy(&outputs[0][k * 4], &visitor, 4);
        std::memcpy(&outputs[1][k * 4], &state_, 4);
      }
      return {};
    }

   private:
    std::uint32_t last_, state_;
  };
  Locks right(63, 0), twice(0, 0), nobody(64, 0), set(63, 1);
  EXPECT_EQ(Asked(right, "atomics_flag_locks_local").failures, 0u);
  EXPECT_GT(Asked(twice, "atomics_flag_locks_local").failures, 0u);
  EXPECT_GT(Asked(nobody, "atomics_flag_locks_local").failures, 0u);
  EXPECT_GT(Asked(set, "atomics_flag_locks_local").failures, 0u);
}

TEST(KernelRequest, IsReadBack) {
  KernelRequest request{.source = "kernel void ask() {}",
                        .options = "-cl-std=CL3.0",
                        .kernel = "ask",
                        .arguments = {ValueOf(7), InputOf(16), OutputOf(32), LocalOf(64)},
                        .dimensions = 2,
                        .global = {4, 2, 1},
                        .tolerant = true};
  const auto read = KernelRequestFromJson(ToJson(request));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(ToJson(*read), ToJson(request));
  EXPECT_EQ(OperandsOf(*read).outputs, (std::vector<std::size_t>{32, kStatusSize}));
  nlohmann::json bad = ToJson(request);
  bad["dimensions"] = 4;
  EXPECT_FALSE(KernelRequestFromJson(bad).has_value());
  bad.erase("dimensions");
  EXPECT_FALSE(KernelRequestFromJson(bad).has_value());
}

TEST(CheckReport, IsComparedWithABaseline) {
  CheckReport before;
  before.results = {{.name = "integer_a", .verdict = CheckVerdict::kPass},
                    {.name = "integer_b", .verdict = CheckVerdict::kFail},
                    {.name = "integer_c", .verdict = CheckVerdict::kFail}};
  before.results[2].tally.failures = 3;
  const std::string text = base::JsonText(CheckReportToJson(before));
  CheckReport after = before;
  after.results[0].verdict = CheckVerdict::kFail;
  after.results[1].verdict = CheckVerdict::kPass;
  after.results[2].tally.failures = 4;
  const auto changes = CompareChecks("b.json", text, after);
  ASSERT_TRUE(changes.has_value());
  EXPECT_EQ(changes->worse, (std::vector<std::string>{"integer_a", "integer_c"}));
  EXPECT_EQ(changes->better, std::vector<std::string>{"integer_b"});
  after.run.level = "standard";
  EXPECT_FALSE(CompareChecks("b.json", text, after).has_value());
  EXPECT_FALSE(CompareChecks("b.json", "{}", before).has_value());
}

}  // namespace
}  // namespace assay::oracle
