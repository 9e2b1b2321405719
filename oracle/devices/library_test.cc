#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "numerics/function.h"
#include "oracle/devices/device.h"
#include "oracle/testing/device_columns.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::Rounding;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Device> Open(const std::string& path, Rounding rounding = Rounding::kRte) {
  auto device = OpenLibrary(path, rounding);
  EXPECT_TRUE(device) << device.error().message;
  return device ? std::move(*device) : nullptr;
}

Bits BitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }
Bits BitsOf(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(LibraryDeviceTest, DescribesItself) {
  auto device = Open("libm.so.6");
  EXPECT_EQ(device->Description().kind, "library");
  EXPECT_EQ(device->Description().name, "libm.so.6");
  EXPECT_TRUE(device->Description().supports[static_cast<int>(Format::kFloat)]);
  EXPECT_TRUE(device->Description().supports[static_cast<int>(Format::kDouble)]);
  EXPECT_FALSE(device->Description().supports[static_cast<int>(Format::kBfloat16)]);
}

TEST(LibraryDeviceTest, FabsIsExactInEveryWidth) {
  auto device = Open("libm.so.6");
  for (Format format : {Format::kFloat, Format::kDouble}) {
    const auto operation = Operation::Builtin(Function::fabs, format);
    TestColumns columns(operation, 1001);
    columns.Randomize(7);
    ASSERT_TRUE(RunTask(*device, TaskOf(operation, {16}), 16, &columns));
    for (std::size_t i = 0; i < columns.count(); ++i) {
      ASSERT_EQ(columns.Result(0, i), columns.Operand(0, i) & ~SignMask(format)) << i;
    }
  }
}

TEST(LibraryDeviceTest, SecondResults) {
  auto device = Open("libm.so.6");
  const auto frexp = Operation::Builtin(Function::frexp, Format::kFloat);
  TestColumns columns(frexp, 2);
  columns.Set(0, 0, BitsOf(12.0f));
  columns.Set(0, 1, BitsOf(-0.375f));
  ASSERT_TRUE(RunTask(*device, TaskOf(frexp), 1, &columns));
  EXPECT_EQ(columns.Result(0, 0), BitsOf(0.75f));
  EXPECT_EQ(columns.Result(1, 0), 4u);
  EXPECT_EQ(columns.Result(0, 1), BitsOf(-0.75f));
  EXPECT_EQ(columns.Result(1, 1), 0xffffffffu);

  // OpenCL's sincos returns the sine, and the cosine through the pointer.
  const auto sincos = Operation::Builtin(Function::sincos, Format::kDouble);
  TestColumns angles(sincos, 1);
  ASSERT_TRUE(RunTask(*device, TaskOf(sincos), 1, &angles));
  EXPECT_EQ(angles.Result(0, 0), BitsOf(0.0));
  EXPECT_EQ(angles.Result(1, 0), BitsOf(1.0));

  const auto remquo = Operation::Builtin(Function::remquo, Format::kDouble);
  TestColumns quotient(remquo, 1);
  quotient.Set(0, 0, BitsOf(5.0));
  quotient.Set(1, 0, BitsOf(3.0));
  ASSERT_TRUE(RunTask(*device, TaskOf(remquo), 1, &quotient));
  EXPECT_EQ(quotient.Result(0, 0), BitsOf(-1.0));
  EXPECT_EQ(quotient.Result(1, 0), 2u);

  // The suffix stands before _r: lgammaf_r.
  const auto lgamma_r = Operation::Builtin(Function::lgamma_r, Format::kFloat);
  TestColumns gamma(lgamma_r, 1);
  gamma.Set(0, 0, BitsOf(-0.5f));
  ASSERT_TRUE(RunTask(*device, TaskOf(lgamma_r), 1, &gamma));
  EXPECT_EQ(gamma.Result(1, 0), 0xffffffffu);
}

TEST(LibraryDeviceTest, IntegerOperandsKeepTheirSign) {
  auto device = Open("libm.so.6");
  const auto ldexp = Operation::Builtin(Function::ldexp, Format::kFloat);
  TestColumns columns(ldexp, 1);
  columns.Set(0, 0, BitsOf(3.0f));
  columns.Set(1, 0, static_cast<std::uint32_t>(-2));
  ASSERT_TRUE(RunTask(*device, TaskOf(ldexp), 1, &columns));
  EXPECT_EQ(columns.Result(0, 0), BitsOf(0.75f));
}

TEST(LibraryDeviceTest, RoundingIsSetAroundTheCalls) {
  const auto sqrt = Operation::Builtin(Function::sqrt, Format::kFloat);
  auto root_of_two = [&](Rounding rounding) {
    auto device = Open("libm.so.6", rounding);
    TestColumns columns(sqrt, 1);
    columns.Set(0, 0, BitsOf(2.0f));
    EXPECT_TRUE(RunTask(*device, TaskOf(sqrt), 1, &columns));
    return columns.Result(0, 0);
  };
  const Bits down = root_of_two(Rounding::kRtn);
  EXPECT_EQ(down, 0x3fb504f3u);
  EXPECT_EQ(root_of_two(Rounding::kRtz), down);
  EXPECT_EQ(root_of_two(Rounding::kRtp), down + 1);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(LibraryDeviceTest, ALibraryOfItsOwn) {
  const std::string path = CompileLibrary("own", R"(
    float cosf(float x) { return x + 1; }
    _Float16 fabsf16(_Float16 x) { return x < 0 ? -x : x; }
    double rootn(double x, long long n) { return n < 0 ? -x : x * n; }
  )");
  if (path.empty()) GTEST_SKIP() << "no C compiler with _Float16";
  auto device = Open(path);
  EXPECT_TRUE(device->Description().supports[static_cast<int>(Format::kHalf)]);

  const auto fabs = Operation::Builtin(Function::fabs, Format::kHalf);
  TestColumns halves(fabs, 1);
  halves.Set(0, 0, 0xbc00);
  ASSERT_TRUE(RunTask(*device, TaskOf(fabs), 1, &halves));
  EXPECT_EQ(halves.Result(0, 0), 0x3c00u);

  // C23 passes the degree as long long: the sign of the int must arrive.
  const auto rootn = Operation::Builtin(Function::rootn, Format::kDouble);
  TestColumns roots(rootn, 1);
  roots.Set(0, 0, BitsOf(2.0));
  roots.Set(1, 0, static_cast<std::uint32_t>(-3));
  ASSERT_TRUE(RunTask(*device, TaskOf(rootn), 1, &roots));
  EXPECT_EQ(roots.Result(0, 0), BitsOf(-2.0));

  const auto missing = device->Prepare(TaskOf(Operation::Builtin(Function::sin, Format::kFloat)));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(missing.error().message, HasSubstr(path));
  EXPECT_THAT(missing.error().message, HasSubstr("sinf"));
}

TEST(LibraryDeviceTest, SymbolsOfOtherLibrariesDoNotCount) {
  // The library is linked with libm, whose sin the dynamic linker would find through it.
  const std::string path =
      CompileLibrary("linked", "double tan(double); double cos(double x) { return tan(x); }\n");
  if (path.empty()) GTEST_SKIP() << "no C compiler";
  auto device = Open(path);
  EXPECT_FALSE(device->Prepare(TaskOf(Operation::Builtin(Function::sin, Format::kDouble))));
  EXPECT_TRUE(device->Prepare(TaskOf(Operation::Builtin(Function::cos, Format::kDouble))));
}

TEST(LibraryDeviceTest, Refusals) {
  auto device = Open("libm.so.6");
  for (const Operation& operation :
       {Operation::Builtin(Function::mad, Format::kFloat),
        Operation::Builtin(Function::dot, Format::kFloat, 3),
        Operation::Convert(numerics::ScalarType::kInt, numerics::ScalarType::kFloat),
        Operation::Builtin(Function::sin, Format::kBfloat16)}) {
    const auto prepared = device->Prepare(TaskOf(operation));
    ASSERT_FALSE(prepared) << operation.Name();
    EXPECT_EQ(prepared.error().kind, ErrorKind::kUnsupported);
  }
  const auto no_file = OpenLibrary("/nonexistent/libm.so", Rounding::kRte);
  ASSERT_FALSE(no_file);
  EXPECT_EQ(no_file.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(no_file.error().message, HasSubstr("/nonexistent/libm.so"));
  const std::string text = TestPath("text.so");
  std::ofstream(text) << "not a library";
  EXPECT_EQ(OpenLibrary(text, Rounding::kRte).error().kind, ErrorKind::kUsage);
  EXPECT_THAT(OpenLibrary("libdl.so.2", Rounding::kRte).error().message,
              HasSubstr("no C math function"));
}

TEST(LibraryDeviceTest, CallsTheFunctionThatItsUserNames) {
  auto named = OpenLibrary("libm.so.6", Rounding::kRte,
                           {.prefix = "", .symbols = {*ParseSymbol("exp:float=exp2f")}});
  ASSERT_TRUE(named) << named.error().message;
  const auto exp = Operation::Builtin(Function::exp, Format::kFloat);
  TestColumns columns(exp, 1);
  columns.Set(0, 0, BitsOf(3.0f));
  ASSERT_TRUE(RunTask(**named, TaskOf(exp), 1, &columns));
  EXPECT_EQ(columns.Result(0, 0), BitsOf(8.0f));
  // At double it is C's.
  const auto wide = Operation::Builtin(Function::exp, Format::kDouble);
  TestColumns one(wide, 1);
  one.Set(0, 0, BitsOf(0.0));
  ASSERT_TRUE(RunTask(**named, TaskOf(wide), 1, &one));
  EXPECT_EQ(one.Result(0, 0), BitsOf(1.0));
  EXPECT_EQ((*named)->Description().identity.back().value, "exp:float=exp2f");
}

TEST(LibraryDeviceTest, NamesThatAreNotThere) {
  const auto missing = OpenLibrary("libm.so.6", Rounding::kRte,
                                   {.prefix = "", .symbols = {*ParseSymbol("exp:float=exp22f")}});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("exports no exp22f; did you mean"));
  const auto prefixed = OpenLibrary("libm.so.6", Rounding::kRte, {.prefix = "my_", .symbols = {}});
  ASSERT_FALSE(prefixed);
  EXPECT_THAT(prefixed.error().message, HasSubstr("exports no C math function"));
}

TEST(LibraryNamesTest, ParsesSymbols) {
  const auto symbol = ParseSymbol("lgamma_r:double=my_lgamma_r");
  ASSERT_TRUE(symbol);
  EXPECT_EQ(symbol->function, Function::lgamma_r);
  EXPECT_EQ(symbol->format, Format::kDouble);
  EXPECT_EQ(symbol->name, "my_lgamma_r");
  const SymbolNames names{.prefix = "v_", .symbols = {*symbol}};
  EXPECT_EQ(names.Of(*FindLibraryFunction(Function::lgamma_r), Format::kDouble), "my_lgamma_r");
  EXPECT_EQ(names.Of(*FindLibraryFunction(Function::lgamma_r), Format::kFloat), "v_lgammaf_r");
  EXPECT_EQ(names.Of(*FindLibraryFunction(Function::sin), Format::kHalf), "v_sinf16");
  for (const auto& [text, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"exp", "is not FUNCTION:FORMAT=NAME"},
           {"exp=f:x", "is not FUNCTION:FORMAT=NAME"},
           {"exp:float=", "is not FUNCTION:FORMAT=NAME"},
           {"expp:float=x", "did you mean 'exp'"},
           {"exp:int=x", "no format of a library"},
           {"exp:bfloat16=x", "no format of a library"},
           {"native_exp:float=x", "no function with a counterpart in C"}}) {
    const auto wrong = ParseSymbol(text);
    ASSERT_FALSE(wrong) << text;
    EXPECT_THAT(wrong.error().message, HasSubstr(message)) << text;
  }
}

TEST(LibraryNamesTest, ListsWhatIsExportedAndTheLikelyPrefix) {
  void* const handle = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr);
  const std::vector<std::string> exported = ExportedFunctions(handle);
  for (const char* name : {"sinf", "pow", "lgammaf_r"}) EXPECT_THAT(exported, Contains(name));
  EXPECT_THAT(exported, Not(Contains("malloc")));  // it imports that
  EXPECT_THAT(NoKnownFunction({"init", "my_sinf", "my_cos"}),
              HasSubstr("it exports init, my_sinf, my_cos. Give --prefix my_"));
  EXPECT_THAT(NoKnownFunction({"init", "shutdown"}), HasSubstr("Name one with --symbol"));
  EXPECT_THAT(NoKnownFunction({}), HasSubstr("exports no function"));
}

}  // namespace
}  // namespace assay::oracle
