// Every violation and every worst case of the kept surveys, confirmed by the independent oracle:
// 300 bits and rounding code that the product does not share.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "numerics/operation.h"
#include "testsuites/independent/oracle.h"

namespace assay {
namespace {

using Json = nlohmann::json;
using independent::Answer;
using independent::Kind;

std::uint64_t FromHex(const std::string& text) { return std::stoull(text, nullptr, 16); }

bool IsNan(const independent::Layout& layout, std::uint64_t bits) {
  const std::uint64_t infinity = ((std::uint64_t{1} << layout.exponent_width) - 1)
                                 << layout.FractionWidth();
  const std::uint64_t sign = std::uint64_t{1} << (layout.width - 1);
  return (bits & (sign - 1)) > infinity;
}

// Does the oracle's answer round to `bits`?
bool Agrees(const Answer& answer, const std::string& format, std::uint64_t bits) {
  const independent::Layout layout = independent::LayoutOf(format);
  switch (answer.kind) {
    case Kind::kAnything:
      return true;
    case Kind::kNan:
      return IsNan(layout, bits);
    case Kind::kInteger: {
      const auto value = static_cast<std::int32_t>(bits);
      return value == answer.integer || (answer.has_second && value == answer.second);
    }
    case Kind::kInfinity:
    case Kind::kReal:
      break;
  }
  const std::uint64_t nearest =
      independent::Encode(layout, answer.truth)[independent::kNearestEven];
  const std::uint64_t sign = std::uint64_t{1} << (layout.width - 1);
  return bits == nearest || (answer.either_zero && ((bits | nearest) & ~sign) == 0);
}

void Confirm(const Json& result, const Json& sighting, bool is_failure) {
  const std::string function = result.at("function");
  const auto operation =
      numerics::OperationFromName(function, result.at("format").get<std::string>());
  ASSERT_TRUE(operation) << operation.error().message;
  if (operation->kind != numerics::OperationKind::kBuiltin) return;
  std::vector<std::uint64_t> args;
  for (const Json& arg : sighting.at("args")) args.push_back(FromHex(arg));
  const std::string format(numerics::Traits(operation->format).name);
  const std::vector<Answer> answers =
      independent::Ask(function, format, operation->components, args);
  const auto index = sighting.value("result", std::size_t{0});
  ASSERT_LT(index, answers.size());
  const std::string where = function + " " + sighting.dump();
  EXPECT_TRUE(Agrees(answers[index], format, FromHex(sighting.at("expected")))) << where;
  if (!is_failure) return;
  EXPECT_NE(answers[index].kind, Kind::kAnything) << where;
  EXPECT_FALSE(Agrees(answers[index], format, FromHex(sighting.at("observed")))) << where;
}

TEST(Surveys, ViolationsAreConfirmedIndependently) {
  const std::filesystem::path folder =
      std::filesystem::path(ASSAY_SOURCE_DIR) / "testsuites" / "surveys";
  std::size_t reports = 0, failures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++reports;
    const Json report = Json::parse(std::ifstream(entry.path()));
    for (const Json& result : report.at("results")) {
      if (result.contains("worst")) Confirm(result, result.at("worst"), false);
      for (const Json& failure : result.at("failures")) Confirm(result, failure, true);
      failures += result.at("failures").size();
    }
  }
  EXPECT_GT(reports, 0u);
  EXPECT_GT(failures, 0u);
}

}  // namespace
}  // namespace assay
