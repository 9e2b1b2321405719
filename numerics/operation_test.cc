#include "numerics/operation.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "numerics/function.h"

namespace assay::numerics {
namespace {

std::vector<Operation> Everything() {
  std::vector<Operation> all = AllConversions();
  for (const FunctionInfo& info : AllFunctions()) {
    for (Format format : kAllFormats) {
      if (!info.Supports(format)) continue;
      const int most = info.IsGeometric() ? 4 : 1;
      for (int n = 1; n <= most; ++n) all.push_back(Operation::Builtin(info.function, format, n));
    }
  }
  return all;
}

TEST(Operation, NamesAreInvertible) {
  for (const Operation& operation : Everything()) {
    const auto parsed = OperationFromName(operation.Name(), operation.FormatName());
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    EXPECT_EQ(*parsed, operation) << operation.Name() << " " << operation.FormatName();
  }
}

TEST(Operation, SlotsFollowTheSignature) {
  const auto slots = [](Function function, Format format, int n = 1) {
    return Operation::Builtin(function, format, n).Inputs();
  };
  EXPECT_EQ(slots(Function::ldexp, Format::kHalf),
            (std::vector<Slot>{{ScalarType::kHalf, 1}, {ScalarType::kInt, 1}}));
  EXPECT_EQ(slots(Function::nan, Format::kHalf), (std::vector<Slot>{{ScalarType::kUshort, 1}}));
  EXPECT_EQ(slots(Function::nan, Format::kDouble), (std::vector<Slot>{{ScalarType::kUlong, 1}}));
  EXPECT_EQ(slots(Function::dot, Format::kFloat, 3),
            (std::vector<Slot>{{ScalarType::kFloat, 3}, {ScalarType::kFloat, 3}}));
  const Operation frexp = Operation::Builtin(Function::frexp, Format::kDouble);
  EXPECT_EQ(frexp.Outputs(), (std::vector<Slot>{{ScalarType::kDouble, 1}, {ScalarType::kInt, 1}}));
  EXPECT_EQ(frexp.ResultCount(), 2);
  EXPECT_EQ(Operation::Builtin(Function::cross, Format::kFloat).ArgumentCount(), 6);
  EXPECT_EQ(Operation::VstoreHalf(ScalarType::kDouble).Outputs(),
            (std::vector<Slot>{{ScalarType::kHalf, 1}}));
}

TEST(Operation, NothingExceedsTheFixedArrays) {
  for (const Operation& operation : Everything()) {
    EXPECT_LE(operation.ArgumentCount(), kMaxArguments) << operation.Name();
    EXPECT_LE(operation.ResultCount(), kMaxResults) << operation.Name();
  }
}

// 11 types of OpenCL C 6.4.3.1: 88 pairs to integers with 2 x 5 forms, 33 to floating point with 5.
TEST(Operation, AllConversionsAreThereOnce) {
  std::set<std::string> seen;
  for (const Operation& operation : AllConversions()) {
    EXPECT_TRUE(seen.insert(operation.Name() + " " + operation.FormatName()).second);
    EXPECT_FALSE(operation.saturate && IsFloating(operation.to));
  }
  EXPECT_EQ(seen.size(), 88u * 10 + 33 * 5 + 1 + 2 * 5);
}

TEST(Operation, UnknownNamesGetNearMisses) {
  const auto message = [](std::string_view name, std::string_view format) {
    const auto parsed = OperationFromName(name, format);
    EXPECT_FALSE(parsed.has_value()) << name;
    if (parsed) return std::string();
    EXPECT_EQ(parsed.error().kind, ErrorKind::kUsage);
    return parsed.error().message;
  };
  EXPECT_NE(message("sine", "float").find("'sin'"), std::string::npos);
  EXPECT_NE(message("sine", "float").find("assay list"), std::string::npos);
  EXPECT_NE(message("convert_int_rtx", "float").find("'convert_int_rte'"), std::string::npos);
  EXPECT_NE(message("zzzzzzzzzzz", "float").find("assay list"), std::string::npos);
  EXPECT_NE(message("half_sin", "double").find("float"), std::string::npos);
  EXPECT_NE(message("sin", "quad").find("double"), std::string::npos);
  EXPECT_NE(message("convert_float_sat", "int").find("6.4.3.3"), std::string::npos);
  EXPECT_NE(message("convert_int", "").find("source type"), std::string::npos);
  EXPECT_NE(message("vload_half", "float").find("half"), std::string::npos);
  EXPECT_NE(message("vstore_half_rtx", "float").find("'vstore_half_rte'"), std::string::npos);
  EXPECT_NE(message("dot", "float5").find("float4"), std::string::npos);
  EXPECT_NE(message("cross", "float2").find("3 to 4"), std::string::npos);
}

}  // namespace
}  // namespace assay::numerics
