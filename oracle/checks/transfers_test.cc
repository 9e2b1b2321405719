#include "oracle/checks/transfers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

namespace assay::oracle {
namespace {

using numerics::image::ChannelOrder;
using numerics::image::ChannelType;
using Contents = std::vector<std::vector<std::byte>>;

std::vector<std::byte> Counted(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t k = 0; k < count; ++k) bytes[k] = static_cast<std::byte>(k);
  return bytes;
}

// The numbers of bytes that were not 0xff before a step from the first object to the second one.
std::vector<int> Written(const TransferRequest& request, const TransferStep& step) {
  Contents contents = {Counted(request.objects[0].size),
                       std::vector<std::byte>(request.objects[1].size, std::byte{0xff})};
  ApplyTransfer(request, step, &contents);
  std::vector<int> written;
  for (const std::byte byte : contents[1]) {
    if (byte != std::byte{0xff}) written.push_back(static_cast<int>(byte));
  }
  return written;
}

TransferObject ImageOf(ImageShape shape, std::array<std::uint64_t, 3> extent) {
  return {.kind = TransferObject::Kind::kImage,
          .size = extent[0] * extent[1] * extent[2] * 4,
          .element = 4,
          .shape = shape,
          .format = {.order = ChannelOrder::kRG, .type = ChannelType::kSignedInt16},
          .extent = extent};
}

TEST(Transfers, RectanglesFollowTheFormula) {
  const TransferRequest request{.objects = {{.kind = TransferObject::Kind::kBuffer, .size = 64},
                                            {.kind = TransferObject::Kind::kHost, .size = 64}}};
  TransferStep step{.command = TransferCommand::kReadBufferRect,
                    .from = {.object = 0, .origin = {1, 1, 1}, .row_pitch = 8, .slice_pitch = 24},
                    .to = {.object = 1, .origin = {0, 0, 0}},
                    .region = {2, 2, 1}};
  EXPECT_EQ(Written(request, step), (std::vector{33, 34, 41, 42}));
  EXPECT_EQ(ReachOf(request, step, step.from), 43u);
  EXPECT_EQ(ReachOf(request, step, step.to), 4u);
  step.to.row_pitch = 10;
  step.to.origin = {3, 2, 1};
  // A slice has two rows of 10 bytes.
  EXPECT_EQ(ReachOf(request, step, step.to), 20u + 20 + 3 + 10 + 2);
}

TEST(Transfers, ElementsOfImagesLieRowByRow) {
  const TransferRequest request{.objects = {ImageOf(ImageShape::k3D, {3, 2, 2}),
                                            {.kind = TransferObject::Kind::kBuffer, .size = 64}}};
  const TransferStep step{.command = TransferCommand::kCopyImageToBuffer,
                          .from = {.object = 0, .origin = {2, 0, 1}},
                          .to = {.object = 1, .origin = {5, 0, 0}},
                          .region = {1, 2, 1}};
  EXPECT_EQ(Written(request, step), (std::vector{32, 33, 34, 35, 44, 45, 46, 47}));
  EXPECT_EQ(ReachOf(request, step, step.to), 13u);
}

TEST(Transfers, FillsRepeatThePatternOrTheColor) {
  const TransferRequest request{.objects = {{.kind = TransferObject::Kind::kBuffer, .size = 8},
                                            ImageOf(ImageShape::k1DArray, {2, 3, 1})}};
  Contents contents = {Counted(8), Counted(24)};
  ApplyTransfer(request,
                {.command = TransferCommand::kFillBuffer,
                 .to = {.object = 0, .origin = {2, 0, 0}},
                 .region = {4, 1, 1},
                 .pattern = {9, 8}},
                &contents);
  const std::vector<std::byte> pattern = {std::byte{0}, std::byte{1}, std::byte{9}, std::byte{8},
                                          std::byte{9}, std::byte{8}, std::byte{6}, std::byte{7}};
  EXPECT_EQ(contents[0], pattern);
  const std::int32_t color[4] = {-2, 300, 5, 6};
  TransferStep fill{.command = TransferCommand::kFillImage,
                    .from = {.object = 1},
                    .to = {.object = 1, .origin = {1, 1, 0}},
                    .region = {1, 2, 1},
                    .pattern = std::vector<std::uint8_t>(sizeof color)};
  std::memcpy(fill.pattern.data(), color, sizeof color);
  ApplyTransfer(request, fill, &contents);
  std::vector<std::byte> due = Counted(24);
  const std::int16_t stored[2] = {-2, 300};
  for (const std::size_t at : {12u, 20u}) std::memcpy(due.data() + at, stored, sizeof stored);
  EXPECT_EQ(contents[1], due);
}

TEST(Transfers, AMappingForWritingExchanges) {
  const TransferRequest request{
      .objects = {{.kind = TransferObject::Kind::kHost, .size = 4},
                  {.kind = TransferObject::Kind::kBuffer, .size = 8},
                  {.kind = TransferObject::Kind::kSubBuffer, .size = 4, .parent = 1, .origin = 4}}};
  Contents contents = {Counted(4), Counted(8), {}};
  ApplyTransfer(request,
                {.command = TransferCommand::kMapBufferWrite,
                 .from = {.object = 0},
                 .to = {.object = 2, .origin = {1, 0, 0}},
                 .region = {2, 1, 1}},
                &contents);
  EXPECT_EQ(contents[0][0], std::byte{5});
  EXPECT_EQ(contents[1][5], std::byte{0});
  EXPECT_EQ(contents[1][7], std::byte{7});
}

// Does what is right, then something else.
struct Device final : AnswersKernels {
  std::function<void(Contents*, std::vector<std::int64_t>*)> spoil;

  Expected<void> AskKernel(const KernelRequest&, ImageInputs, ImageOutputs) override {
    return Fail(ErrorKind::kInternal, "not asked here");
  }
  Expected<void> AskTransfers(const TransferRequest& request, ImageInputs inputs,
                              ImageOutputs outputs) override {
    Contents contents;
    std::size_t next = 0;
    for (const TransferObject& object : request.objects) {
      const bool has = object.kind != TransferObject::Kind::kSubBuffer;
      contents.emplace_back();
      if (has) contents.back().assign(inputs[next].begin(), inputs[next].end());
      next += has ? 1 : 0;
    }
    std::vector<std::int64_t> statuses(request.steps.size());
    for (const TransferStep& step : request.steps) ApplyTransfer(request, step, &contents);
    if (spoil) spoil(&contents, &statuses);
    std::memcpy(outputs[0].data(), statuses.data(), outputs[0].size());
    next = 1;
    for (const std::vector<std::byte>& content : contents) {
      if (!content.empty()) std::copy(content.begin(), content.end(), outputs[next++].begin());
    }
    return {};
  }
};

CheckTally Asked(Device& device, const Check& check) {
  CheckTally tally;
  CheckSession session;
  const DeviceFacts facts;
  const CheckOptions options;
  CheckRun run(device, facts, options, &session, &tally);
  EXPECT_TRUE(check.run(run).has_value()) << check.name;
  return tally;
}

std::vector<Check> Rows(bool errors) {
  std::vector<Check> checks;
  AddTransferChecks(DeviceFacts(), &checks);
  std::erase_if(checks, [errors](const Check& check) {
    return check.name.starts_with("transfers_errors") != errors;
  });
  return checks;
}

TEST(Transfers, ARightDevicePassesAndAWrongByteIsTold) {
  Device right, wrong;
  wrong.spoil = [](Contents* contents, std::vector<std::int64_t>*) {
    for (std::vector<std::byte>& content : *contents) {
      if (!content.empty()) content.back() ^= std::byte{1};
    }
  };
  for (const Check& check : Rows(false)) {
    const CheckTally passed = Asked(right, check);
    EXPECT_EQ(passed.failures, 0u) << check.name << ": " << passed.recorded[0].input;
    EXPECT_GE(passed.answers, 24u) << check.name;
    const CheckTally told = Asked(wrong, check);
    EXPECT_GE(told.failures, 12u) << check.name;
    EXPECT_NE(told.recorded[0].observed.find("byte "), std::string::npos) << check.name;
  }
}

TEST(Transfers, AnErrorIsToldWhereNoneIsDueAndTheOtherWay) {
  Device refuses;
  refuses.spoil = [](Contents*, std::vector<std::int64_t>* statuses) { statuses->back() = -30; };
  const CheckTally refused = Asked(refuses, Rows(false).front());
  EXPECT_EQ(refused.failures, 12u);
  EXPECT_EQ(refused.recorded[0].observed, "CL_INVALID_VALUE (-30)");
  for (const Check& check : Rows(true)) {
    // A device that is not asked does nothing, and says that all is well.
    struct Idle final : AnswersKernels {
      std::int64_t status = 0;
      bool changes = false;
      Expected<void> AskKernel(const KernelRequest&, ImageInputs, ImageOutputs) override {
        return {};
      }
      Expected<void> AskTransfers(const TransferRequest&, ImageInputs inputs,
                                  ImageOutputs outputs) override {
        std::memcpy(outputs[0].data(), &status, sizeof status);
        for (std::size_t k = 0; k < inputs.size(); ++k) {
          std::copy(inputs[k].begin(), inputs[k].end(), outputs[k + 1].begin());
        }
        if (changes) outputs.back()[0] ^= std::byte{1};
        return {};
      }
    } idle;
    CheckTally tally, changed;
    CheckSession session;
    const DeviceFacts facts;
    const CheckOptions options;
    CheckRun run(idle, facts, options, &session, &tally);
    ASSERT_TRUE(check.run(run).has_value());
    EXPECT_EQ(tally.failures, tally.answers) << check.name;
    EXPECT_GE(tally.failures, 2u) << check.name;
    // CL_INVALID_VALUE is the right error of most, and then a changed byte is told.
    idle.status = -30;
    idle.changes = true;
    CheckRun again(idle, facts, options, &session, &changed);
    ASSERT_TRUE(check.run(again).has_value());
    EXPECT_GE(changed.failures, 1u) << check.name;
  }
}

TEST(Transfers, RequestsTravelAsJson) {
  TransferMaker maker(1, "row", 2);
  maker.AddHost(3);
  maker.AddImage(ImageShape::k2DArray, maker.Format());
  maker.request().steps.push_back({.command = TransferCommand::kMapImageWrite,
                                   .from = {.object = 0, .origin = {1, 2, 3}, .row_pitch = 4},
                                   .to = {.object = 1, .slice_pitch = 5},
                                   .region = {6, 7, 8},
                                   .pattern = {9},
                                   .blocking = false});
  const nlohmann::json json = ToJson(maker.request());
  const auto read = TransferRequestFromJson(json);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(ToJson(*read), json);
  nlohmann::json wrong = json;
  wrong["steps"][0]["to"][0] = 2;
  EXPECT_FALSE(TransferRequestFromJson(wrong).has_value());
  wrong = json;
  wrong["objects"][0]["size"] = std::uint64_t{1} << 40;
  EXPECT_FALSE(TransferRequestFromJson(wrong).has_value());
  EXPECT_FALSE(TransferRequestFromJson(nlohmann::json::array()).has_value());
}

TEST(Transfers, AFormatThatTheDeviceLacksIsNotAsked) {
  Device device;
  device.spoil = [](Contents*, std::vector<std::int64_t>* statuses) {
    std::fill(statuses->begin(), statuses->end(), kFormatNotSupported);
  };
  EXPECT_EQ(Asked(device, Rows(false).back()).answers, 0u);
}

}  // namespace
}  // namespace assay::oracle
