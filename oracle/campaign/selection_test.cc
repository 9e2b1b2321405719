#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "numerics/function.h"
#include "oracle/campaign/campaign.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ScalarType;
using testing::HasSubstr;

std::vector<Operation> Select(const std::vector<std::string>& names,
                              const std::vector<std::string>& formats, bool chosen = true) {
  auto operations = SelectOperations(names, formats, chosen);
  if (!operations) {
    ADD_FAILURE() << operations.error().message;
    return {};
  }
  return *operations;
}

Error Refused(const std::vector<std::string>& names, const std::vector<std::string>& formats) {
  auto operations = SelectOperations(names, formats);
  if (operations) {
    ADD_FAILURE() << operations->size() << " operations selected";
    return {};
  }
  return operations.error();
}

bool Contains(const std::vector<Operation>& operations, const Operation& operation) {
  return std::find(operations.begin(), operations.end(), operation) != operations.end();
}

TEST(SelectionTest, ANameAtEachFormat) {
  EXPECT_EQ(Select({"sin"}, {"float", "double"}),
            (std::vector<Operation>{Operation::Builtin(Function::sin, Format::kFloat),
                                    Operation::Builtin(Function::sin, Format::kDouble)}));
}

TEST(SelectionTest, TheRequestedOrderIsKeptWithoutRepeats) {
  const std::vector<Operation> operations = Select({"tan", "@math", "sin", "tan"}, {"float"});
  EXPECT_EQ(operations.front(), Operation::Builtin(Function::tan, Format::kFloat));
  std::set<std::string> names;
  for (const Operation& operation : operations) names.insert(operation.Name());
  EXPECT_EQ(names.size(), operations.size());
}

TEST(SelectionTest, HalfFunctionsExistInFloatOnly) {
  EXPECT_EQ(Select({"half_sin"}, {"half", "float", "double"}),
            std::vector<Operation>{Operation::Builtin(Function::half_sin, Format::kFloat)});
  const Error error = Refused({"half_sin"}, {"double"});
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr("half_sin"));
  EXPECT_THAT(error.message, HasSubstr("float"));
}

TEST(SelectionTest, GeometricFunctionsComeWithEveryNumberOfComponents) {
  EXPECT_EQ(Select({"dot"}, {"float"}).size(), 4u);
  EXPECT_EQ(Select({"cross"}, {"float"}).size(), 2u);
}

TEST(SelectionTest, UnknownNamesGetNearMisses) {
  const Error error = Refused({"cosin"}, {"float"});
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr("cosin"));
  EXPECT_THAT(error.message, HasSubstr("cos"));
}

TEST(SelectionTest, UnknownGroupsAndFormats) {
  EXPECT_THAT(Refused({"@trigonometric"}, {"float"}).message, HasSubstr("@unary"));
  EXPECT_EQ(Refused({"@trigonometric"}, {"float"}).kind, ErrorKind::kUsage);
  const Error error = Refused({"sin"}, {"quad"});
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr("quad"));
  EXPECT_THAT(error.message, HasSubstr("double"));
}

// One bad name does not hide behind good ones.
TEST(SelectionTest, OneBadNameRefusesAll) {
  EXPECT_EQ(Refused({"sin", "cosin"}, {"float"}).kind, ErrorKind::kUsage);
}

TEST(SelectionTest, AllCoversEveryBuiltInOnce) {
  const std::vector<Operation> all = Select({"@all"}, {"half", "float", "double"});
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    for (Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
      const int n = info.function == Function::cross ? 3 : 1;
      EXPECT_EQ(Contains(all, Operation::Builtin(info.function, format, n)), info.Supports(format))
          << info.name;
    }
  }
  EXPECT_TRUE(Contains(all, Operation::VloadHalf()));
  EXPECT_TRUE(Contains(all, Operation::VstoreHalf(ScalarType::kFloat, numerics::Rounding::kRtp)));
  EXPECT_FALSE(Contains(all, Operation::Convert(ScalarType::kFloat, ScalarType::kInt)));
}

TEST(SelectionTest, ConversionsKeepToTheFormats) {
  const std::vector<Operation> with_float = Select({"@conversions"}, {"float"});
  EXPECT_TRUE(Contains(with_float, Operation::Convert(ScalarType::kFloat, ScalarType::kInt)));
  EXPECT_TRUE(Contains(with_float, Operation::Convert(ScalarType::kChar, ScalarType::kUlong)));
  EXPECT_TRUE(Contains(with_float, Operation::VloadHalf())) << "half in memory is core";
  for (const Operation& operation : with_float) {
    for (ScalarType type : {operation.from, operation.to}) {
      EXPECT_NE(type, ScalarType::kDouble) << operation.Name();
      if (operation.kind == OperationKind::kConvert) {
        EXPECT_NE(type, ScalarType::kHalf) << operation.Name();
      }
    }
  }
  EXPECT_GT(Select({"@conversions"}, {"float", "double"}).size(), with_float.size());
}

TEST(SelectionTest, AConversionByNameSelectsEverySourceType) {
  const std::vector<Operation> operations = Select({"convert_int_sat_rte"}, {"float"}, false);
  EXPECT_TRUE(Contains(operations, Operation::Convert(ScalarType::kFloat, ScalarType::kInt,
                                                      numerics::Rounding::kRte, true)));
  EXPECT_TRUE(Contains(operations, Operation::Convert(ScalarType::kUlong, ScalarType::kInt,
                                                      numerics::Rounding::kRte, true)));
  for (const Operation& operation : operations) {
    EXPECT_EQ(operation.Name(), "convert_int_sat_rte");
    EXPECT_NE(operation.from, ScalarType::kDouble);
  }
}

// What reproduces a failure: the command names one operation.
TEST(SelectionTest, TheNameAndTheFormatOfAnOperationSelectItAlone) {
  for (const Operation& operation : Select({"@everything"}, {"half", "float", "double"})) {
    const std::vector<Operation> selected = Select({operation.Name()}, {operation.FormatName()});
    const auto one =
        SelectByOperands(selected, static_cast<std::size_t>(operation.ArgumentCount()));
    ASSERT_TRUE(one) << operation.Name() << " " << operation.FormatName() << ": "
                     << one.error().message;
    EXPECT_EQ(*one, operation) << operation.Name() << " " << operation.FormatName();
  }
  EXPECT_THAT(SelectByOperands(Select({"sin", "cos"}, {"float"}), 1).error().message,
              HasSubstr("2 of the 2 selected take 1 operand"));
}

TEST(SelectionTest, EveryGroupShownExists) {
  ASSERT_GE(OperationGroups().size(), 10u);
  for (const OperationGroup& group : OperationGroups()) {
    EXPECT_FALSE(Select({std::string(group.name)}, {"float"}).empty()) << group.name;
    EXPECT_FALSE(group.help.empty());
  }
}

TEST(SelectionTest, ArityGroupsAreDisjointAndLeaveOutGeometricFunctions) {
  std::vector<Operation> all;
  for (const char* group : {"@unary", "@binary", "@ternary"}) {
    for (const Operation& operation : Select({group}, {"double"})) {
      EXPECT_FALSE(Contains(all, operation)) << operation.Name();
      EXPECT_FALSE(numerics::Info(operation.function).IsGeometric()) << operation.Name();
      all.push_back(operation);
    }
  }
  EXPECT_TRUE(Contains(all, Operation::Builtin(Function::sin, Format::kDouble)));
  EXPECT_TRUE(Contains(all, Operation::Builtin(Function::ldexp, Format::kDouble)));
  EXPECT_TRUE(Contains(all, Operation::Builtin(Function::smoothstep, Format::kDouble)));
}

}  // namespace
}  // namespace assay::oracle
