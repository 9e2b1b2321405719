#include "interp/debug/codec.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace assay::interp::debug {
namespace {

using testing::ElementsAre;

template <typename Variant>
Expected<Variant> Decoded(const std::string& text) {
  if constexpr (std::is_same_v<Variant, Request>) {
    return DecodeRequest(text);
  } else {
    return DecodeMessage(text);
  }
}

// Each of the types as it is without any value.
template <typename Variant, std::size_t... I>
void ReadsWhatItWrites(std::index_sequence<I...> /*places*/) {
  const auto check = [](const Variant& message) {
    const std::string text = Encode(message);
    const auto again = Decoded<Variant>(text);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->index(), message.index()) << "two types have the same name: " << text;
    EXPECT_EQ(Encode(*again), text);
  };
  (check(Variant(std::in_place_index<I>)), ...);
}

template <typename T>
T Again(const T& message) {
  const auto again = DecodeMessage(Encode(Message(message)));
  if (again) return std::get<T>(*again);
  ADD_FAILURE() << again.error().message;
  return {};
}

std::string ErrorOf(const std::string& request) {
  const auto decoded = DecodeRequest(request);
  if (decoded) return "";
  EXPECT_EQ(decoded.error().kind, ErrorKind::kInternal);
  return decoded.error().message;
}

TEST(DebugCodec, ReadsEveryTypeThatItWrites) {
  ReadsWhatItWrites<Request>(std::make_index_sequence<std::variant_size_v<Request>>());
  ReadsWhatItWrites<Message>(std::make_index_sequence<std::variant_size_v<Message>>());
}

TEST(DebugCodec, KeepsEveryKindOfMember) {
  RunRequest run;
  run.goal.kind = DebugGoal::Kind::kNextInstruction;
  run.goal.item = {~std::uint64_t{0}, 3};
  run.goal.checkpoint_at = {5, 7};
  run.breakpoints = {{.number = -1, .location = "k", .global_id = Ids{1, 2, 3}}};
  run.watchpoints = {{.number = 2,
                      .kind = DebugWatchKind::kAccess,
                      .frame = ValueFrame{.site = 4, .function = "f", .inlined_at = 9}}};
  run.catches = {"race"};
  const auto decoded = DecodeRequest(Encode(Request(run)));
  ASSERT_TRUE(decoded) << decoded.error().message;
  const auto& again = std::get<RunRequest>(*decoded);
  EXPECT_EQ(again.goal.kind, DebugGoal::Kind::kNextInstruction);
  EXPECT_EQ(again.goal.item, run.goal.item);
  EXPECT_THAT(again.goal.checkpoint_at, ElementsAre(5, 7));
  ASSERT_EQ(again.breakpoints.size(), 1u);
  EXPECT_EQ(again.breakpoints[0], run.breakpoints[0]);
  ASSERT_EQ(again.watchpoints.size(), 1u);
  EXPECT_EQ(again.watchpoints[0].kind, DebugWatchKind::kAccess);
  EXPECT_FALSE(again.watchpoints[0].item);
  ASSERT_TRUE(again.watchpoints[0].frame);
  EXPECT_EQ(again.watchpoints[0].frame->function, "f");
  EXPECT_THAT(again.catches, ElementsAre("race"));

  Stopped stopped{.reason = DebugStopReason::kFinding, .has_lines = false};
  stopped.where.frame = Frame{.function = "square", .line = 3};
  EXPECT_EQ(Again(stopped).reason, DebugStopReason::kFinding);
  EXPECT_EQ(Again(stopped).has_lines, false);
  EXPECT_EQ(Again(stopped).where.frame->line, 3u);
}

TEST(DebugCodec, KeepsNumbersThatJsonDoesNotHave) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Loss loss{.lost = 0.1, .own_error = kInfinity, .error = std::nan("")};
  loss.lost_in_chain = -kInfinity;
  const ShadowReportAnswer again = Again(ShadowReportAnswer{.losses = {loss}});
  EXPECT_EQ(again.losses[0].lost, 0.1);
  EXPECT_EQ(again.losses[0].own_error, kInfinity);
  EXPECT_EQ(again.losses[0].lost_in_chain, -kInfinity);
  EXPECT_TRUE(std::isnan(again.losses[0].error));
}

TEST(DebugCodec, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(Again(Failure{"a\xff!"}).message, "a\xef\xbf\xbd!");
}

TEST(DebugCodec, SaysWhichMemberIsWrong) {
  EXPECT_EQ(ErrorOf("{"), "a message that is no JSON");
  EXPECT_EQ(ErrorOf("[]"), "a message: an object with one member is expected");
  EXPECT_EQ(ErrorOf(R"({"dance": {}})"), "a message: no 'dance' is known");
  EXPECT_EQ(ErrorOf(R"({"check": {}})"), "a message: check: 'condition' is missing");
  EXPECT_EQ(ErrorOf(R"({"check": {"condition": 3}})"),
            "a message: check.condition: a text is expected");
  EXPECT_EQ(ErrorOf(R"({"find_item": {"id": [1, 2], "is_group": true}})"),
            "a message: find_item.id: a list of three integers is expected");
  EXPECT_EQ(ErrorOf(R"({"find_item": {"id": [1, -2, 3], "is_group": true}})"),
            "a message: find_item.id[1]: an integer of this range is expected");
  EXPECT_EQ(ErrorOf(R"({"where": {"item": {"group": 1}, "later": false}})"),
            "a message: where.item: 'local' is missing");
  EXPECT_EQ(ErrorOf(R"({"where": {"later": "yes"}})"),
            "a message: where.later: true or false is expected");
  EXPECT_EQ(ErrorOf(R"({"variables": {"kind": "all"}})"),
            R"(a message: variables.kind: no such name: "all")");
}

}  // namespace
}  // namespace assay::interp::debug
