// The detector nan: where a NaN or an infinity comes from, and nowhere behind that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/testing/findings.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::SizeIs;

constexpr float kInfinity = __builtin_inff();

DetectorSet OnlyNan() {
  DetectorSet set;
  set.Add(Detector::kNan);
  return set;
}

// Findings in a kernel with this body, and parameters o and f.
std::vector<Finding> FindingsIn(const std::string& body, float f,
                                DetectorSet detectors = OnlyNan()) {
  auto session = TestSession::FromC(
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
      "kernel void k(global float* o, float f) {\n" +
          body + "\n}",
      {.detectors = detectors, .batch_width = 20});
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto result = session->Launch({session->Buffer<float>(std::vector<float>(64)), Bytes(f)});
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->findings : std::vector<Finding>{};
}

std::vector<std::string> MessagesOf(const std::string& body, float f) {
  std::vector<std::string> messages;
  for (const Finding& finding : FindingsIn(body, f)) {
    EXPECT_EQ(NameOf(finding.rule), "nan-origin");
    EXPECT_EQ(finding.finding_class, FindingClass::kObservation);
    messages.push_back(finding.message);
  }
  return messages;
}

constexpr const char* kOfMany = "the result is inf, and no operand is a NaN or an infinity";

TEST(NanOrigin, OfOperations) {
  EXPECT_THAT(MessagesOf("o[0] = f / (f - 1);", 1), ElementsAre("the result of 1 and 0 is inf"));
  EXPECT_THAT(MessagesOf("o[0] = (f - 1) / (f - 1);", 1),
              ElementsAre("the result of 0 and 0 is nan"));
  EXPECT_THAT(MessagesOf("o[0] = f * f;", 1e30f), ElementsAre("the result of 1e+30 and 1e+30 is "
                                                              "inf"));
  EXPECT_THAT(MessagesOf("o[0] = f * f;", 1e10f), IsEmpty());
  EXPECT_THAT(MessagesOf("o[0] = (half)f;", 70000), ElementsAre(kOfMany));
  EXPECT_THAT(MessagesOf("o[0] = (half)(int)f;", 70000), ElementsAre("the result is inf"));
  EXPECT_THAT(MessagesOf("o[0] = (float)((double)f * 1e300);", 1), ElementsAre(kOfMany));
}

TEST(NanOrigin, OfFunctions) {
  EXPECT_THAT(MessagesOf("o[0] = sqrt(f);", -1), ElementsAre("the result of -1 is nan"));
  EXPECT_THAT(MessagesOf("o[0] = log(f);", 0), ElementsAre("the result of 0 is -inf"));
  EXPECT_THAT(MessagesOf("o[0] = pow(f, 0.5f);", -1), ElementsAre("the result of -1 and 0.5 is "
                                                                  "nan"));
  EXPECT_THAT(MessagesOf("o[0] = fma(f, f, 1.0f);", 1e30f), ElementsAre(kOfMany));
  EXPECT_THAT(MessagesOf("o[0] = ldexp(f, 200);", 1), ElementsAre("the result of 1 is inf"));
  EXPECT_THAT(MessagesOf("o[0] = dot((float2)(f, 1), (float2)(f, 1));", 1e30f), SizeIs(1));
  EXPECT_THAT(MessagesOf("o[0] = exp(f) + sqrt(f);", 2), IsEmpty());
}

TEST(NanOrigin, NotOfWhatIsOneAlready) {
  for (const float f : {kInfinity, -kInfinity, __builtin_nanf("")}) {
    EXPECT_THAT(MessagesOf("o[0] = sqrt(f - f) * 2 + fma(f, f, f); o[1] = (half)f;", f), IsEmpty());
    EXPECT_THAT(MessagesOf("o[0] = normalize((float2)(f, 1)).y;", f), IsEmpty());
  }
  // What follows from the first is not told.
  EXPECT_THAT(MessagesOf("float y = sqrt(f); y = y + 1; o[0] = y * y;", -1),
              ElementsAre("the result of -1 is nan"));
  // Neither is what is moved, or chosen away.
  EXPECT_THAT(MessagesOf("o[0] = f > 0 ? 1 / f : 0; o[1] = as_float(0x7fc00000);", 0), IsEmpty());
  EXPECT_THAT(MessagesOf("o[0] = INFINITY; o[1] = vload_half(0, (global half*)o);", 0), IsEmpty());
}

TEST(NanOrigin, OfStoresAsHalf) {
  for (const char* store :
       {"vstore_half(f, 0, (global half*)o);", "vstore_half_rtp(f, 0, (global half*)o);",
        "vstorea_half2((float2)(f, 1), 0, (global half*)o);"}) {
    EXPECT_THAT(MessagesOf(store, 1e6f), ElementsAre(kOfMany)) << store;
    EXPECT_THAT(MessagesOf(store, 1), IsEmpty()) << store;
    EXPECT_THAT(MessagesOf(store, kInfinity), IsEmpty()) << store;
  }
}

TEST(NanOrigin, ByComponents) {
  EXPECT_THAT(
      MessagesOf("float4 x = (float4)(f, 1, 1, 1); vstore4(x / (float4)(1, 0, 1, 1), 0, o);",
                 kInfinity),
      ElementsAre("the result of 1 and 0 is inf"));
}

TEST(NanOrigin, OnceAPlaceWithItsCount) {
  const auto findings =
      FindingsIn("for (int i = 0; i < 5; ++i) o[i] = sqrt(f - i); o[5] = log(f);", 2);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].count, 2u);
  EXPECT_THAT(findings[0].source, EndsWith("kernel.cl:3:36"));
}

TEST(NanOrigin, OnlyWhereItIsAskedFor) {
  EXPECT_THAT(FindingsIn("o[0] = sqrt(f);", -1, DetectorSet::All()), IsEmpty());
}

TEST(NanOrigin, IsTheSameAtAnyWidthAndNumberOfThreads) {
  const auto findings =
      FindingsOf({.source = "kernel void k(global int* o, int n, local int* l) {\n"
                            "  float x = (float)get_global_id(0) - n;\n"
                            "  o[get_global_id(0)] = isnan(log(x)) + isinf(1 / x);\n}",
                  .n = 3,
                  .global = {64, 1, 1},
                  .detectors = OnlyNan()});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].count, 4u) << "log of -3, -2, -1 and 0";
  EXPECT_EQ(findings[1].count, 1u);
}

}  // namespace
}  // namespace assay::interp
