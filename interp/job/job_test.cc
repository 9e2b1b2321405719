#include "interp/job/job.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "interp/job/buffer_content.h"
#include "numerics/literal.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

template <typename T, typename Bytes>
std::vector<T> As(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// The job of one text, which has to be good.
Job Good(const std::string& json) {
  Expected<Job> job = ParseJob(json, "folder/job.json");
  EXPECT_TRUE(job) << json << "\n" << job.error().message;
  return job ? *job : Job{};
}

// A job with one buffer, described by `buffer`.
std::string WithBuffer(const std::string& buffer) {
  return R"({"module": "k.cl", "global": 4, "args": [{"buffer": )" + buffer + "}]}";
}
JobBuffer Buffer(const std::string& buffer) {
  const Job job = Good(WithBuffer(buffer));
  return job.buffers.size() == 1 ? job.buffers[0] : JobBuffer{};
}

void ExpectError(const std::string& json, const std::string& message,
                 ErrorKind kind = ErrorKind::kUsage) {
  const Expected<Job> job = ParseJob(json, "job.json");
  ASSERT_FALSE(job) << json;
  EXPECT_THAT(job.error().message, StartsWith("job.json: ")) << json;
  EXPECT_THAT(job.error().message, HasSubstr(message)) << json;
  EXPECT_EQ(job.error().kind, kind) << json;
}

TEST(ElementTypeTest, SizesAreThoseOfTheSpecification) {
  struct Row {
    const char* name;
    const char* component;
    int components;
    std::uint32_t bytes;
  };
  for (const Row& row :
       {Row{"char", "char", 1, 1}, Row{"bool", "bool", 1, 1}, Row{"uchar3", "uchar", 3, 4},
        Row{"half", "half", 1, 2}, Row{"bfloat16", "bfloat16", 1, 2},
        Row{"bfloat162", "bfloat16", 2, 4}, Row{"half16", "half", 16, 32},
        Row{"int4", "int", 4, 16}, Row{"float3", "float", 3, 16}, Row{"ulong8", "ulong", 8, 64},
        Row{"double16", "double", 16, 128}}) {
    const auto type = ParseElementType(row.name);
    ASSERT_TRUE(type) << row.name;
    EXPECT_EQ(type->name, row.name);
    EXPECT_EQ(type->component, row.component) << row.name;
    EXPECT_EQ(type->components, row.components) << row.name;
    EXPECT_EQ(type->bytes, row.bytes) << row.name;
  }
  for (const char* name : {"", "flaot", "float5", "float32", "bool2", "4", "float4 ", "size_t"}) {
    EXPECT_FALSE(ParseElementType(name)) << name;
  }
  EXPECT_THAT(ParseElementType("flaot").error().message, HasSubstr("'float'"));
  EXPECT_THAT(ParseElementType("unit4").error().message, HasSubstr("'uint4'"));
}

TEST(ElementTypeTest, ElementsAsText) {
  const auto type = ParseElementType("float2");
  const auto content = DataContent(*type, std::vector<std::string>{"1.5", "-inf", "0", "nan"});
  ASSERT_TRUE(content);
  EXPECT_EQ(FormatElement(*type, ComponentsOf(*type, *content, 0)),
            "(1.5, -inf) (0x3fc00000, 0xff800000)");
  EXPECT_EQ(FormatElement(*ParseElementType("char"), std::vector<numerics::Bits>{0xff}),
            "-1 (0xff)");
}

TEST(JobTest, TheExampleOfTheDocumentation) {
  const Job job = Good(R"(
    {"module": "saxpy.cl", "build_options": "-O2", "compiler": "clang-22", "kernel": "saxpy",
     "global": [1024], "local": [64], "offset": [0], "spec_constants": {"0": 4, "7": "float:2.5"},
     "args": [{"buffer": {"type": "float", "count": 1024, "init": {"range": [0, 1]}}},
              {"buffer": {"type": "float", "count": 1024, "init": {"fill": 0}}},
              {"scalar": {"type": "float", "value": 2.5}},
              {"local": 256}, {"null": true}, {"bytes": "00ff"}],
     "expect": {"findings": [], "buffers": {"1": {"fill": 2}}, "output": "x\n"}})");
  EXPECT_THAT(job.modules, ElementsAre("folder/saxpy.cl"));
  EXPECT_EQ(job.load.compile.build_options, "-O2");
  EXPECT_EQ(job.load.compile.compiler, frontend::Compiler::kClang22);
  EXPECT_EQ(job.load.specialization, (frontend::Specialization{{0, 4}, {7, 0x40200000}}));
  ASSERT_EQ(job.launches.size(), 1u);
  const JobLaunch& launch = job.launches[0];
  EXPECT_EQ(launch.kernel, "saxpy");
  EXPECT_EQ(launch.range.dimensions, 1);
  EXPECT_THAT(launch.range.global, ElementsAre(1024, 1, 1));
  ASSERT_TRUE(launch.range.local);
  EXPECT_THAT(*launch.range.local, ElementsAre(64, 1, 1));
  ASSERT_EQ(launch.arguments.size(), 6u);
  EXPECT_EQ(std::get<JobBufferUse>(launch.arguments[1]).buffer, 1u);
  EXPECT_THAT(As<float>(std::get<BytesArgument>(launch.arguments[2]).bytes), ElementsAre(2.5f));
  EXPECT_EQ(std::get<LocalArgument>(launch.arguments[3]).bytes, 256u);
  EXPECT_TRUE(std::holds_alternative<JobNull>(launch.arguments[4]));
  EXPECT_THAT(As<std::uint8_t>(std::get<BytesArgument>(launch.arguments[5]).bytes),
              ElementsAre(0, 255));
  ASSERT_EQ(job.buffers.size(), 2u);
  EXPECT_EQ(job.buffers[1].name, "1");
  EXPECT_EQ(As<float>(job.buffers[0].bytes)[1023], 1023.0f);
  EXPECT_TRUE(job.expected_findings && job.expected_findings->empty());
  EXPECT_EQ(job.expected_output, "x\n");
  ASSERT_EQ(job.expected_buffers.size(), 1u);
  EXPECT_EQ(job.expected_buffers[0].buffer, 1u);
  EXPECT_EQ(As<float>(*job.expected_buffers[0].bytes), std::vector<float>(1024, 2.0f));
}

TEST(JobTest, SeveralLaunchesShareBuffers) {
  const Job job = Good(R"(
    {"modules": ["a.spv", "sub/b.spv"], "kernel": "step", "global": [8, 2],
     "buffers": {"data": {"type": "int", "count": 8, "init": {"range": [7, -1]}},
                 "out": {"type": "uchar", "count": 2, "init": "uninitialized"}},
     "launches": [{"args": [{"buffer": "data"}, {"scalar": {"type": "int", "value": 1}}]},
                  {"kernel": "other", "global": 3, "local": 3, "repeat": 2,
                   "args": [{"buffer": "out"}, {"buffer": "data"}]}],
     "expect": {"buffers": {"data": {"data": [0, 1, 2, 3, 4, 5, 6, 7]}}}})");
  EXPECT_THAT(job.modules, ElementsAre("folder/a.spv", "folder/sub/b.spv"));
  ASSERT_EQ(job.launches.size(), 3u);
  EXPECT_EQ(job.launches[0].kernel, "step");
  EXPECT_THAT(job.launches[0].range.global, ElementsAre(8, 2, 1));
  EXPECT_EQ(job.launches[0].range.dimensions, 2);
  EXPECT_FALSE(job.launches[0].range.local);
  EXPECT_EQ(job.launches[2].kernel, "other");
  EXPECT_EQ(std::get<JobBufferUse>(job.launches[2].arguments[1]).buffer, 0u);
  EXPECT_THAT(As<int>(job.buffers[0].bytes), ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
  EXPECT_TRUE(job.buffers[1].uninitialized);
  EXPECT_EQ(job.expected_buffers[0].buffer, 0u);
}

TEST(JobTest, Contents) {
  EXPECT_THAT(
      As<float>(Buffer(R"({"type": "float", "count": 3, "init": {"range": [0.5, 0.25]}})").bytes),
      ElementsAre(0.5f, 0.75f, 1.0f));
  EXPECT_THAT(
      As<float>(Buffer(R"({"type": "float2", "count": 2, "init": {"range": [0, 1]}})").bytes),
      ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(As<int>(Buffer(R"({"type": "int3", "count": 2, "init": {"range": [1, 1]}})").bytes),
              ElementsAre(1, 2, 3, 0, 4, 5, 6, 0))
      << "three components take the place of four (6.1.5)";
  EXPECT_THAT(As<std::uint8_t>(
                  Buffer(R"({"type": "uchar", "count": 3, "init": {"range": [255, -127]}})").bytes),
              ElementsAre(255, 128, 1));
  EXPECT_THAT(
      As<int>(Buffer(R"({"type": "int4", "count": 2, "init": {"fill": [1, 2, 3, 4]}})").bytes),
      ElementsAre(1, 2, 3, 4, 1, 2, 3, 4));
  EXPECT_THAT(
      As<int>(
          Buffer(R"({"type": "int2", "count": 2, "init": {"data": [[1, 2], ["0xffffffff", -4]]}})")
              .bytes),
      ElementsAre(1, 2, -1, -4));
  const JobBuffer data = Buffer(R"({"type": "uint", "init": {"data": [4294967295, "0x10"]}})");
  EXPECT_EQ(data.count, 2u);
  EXPECT_THAT(As<std::uint32_t>(data.bytes), ElementsAre(0xffffffffu, 16u));
  EXPECT_THAT(
      As<std::uint8_t>(
          Buffer(R"({"type": "bool", "count": 3, "init": {"data": [true, false, 1]}})").bytes),
      ElementsAre(1, 0, 1));
}

// A JSON number is a literal of its type, not a double that is converted a second time.
TEST(JobTest, NumbersAreRoundedOnce) {
  const auto bits = As<std::uint32_t>(Buffer(R"({"type": "float", "init": {"data":
               [1.00000005960464477539062500000000000000001, 0.1, -0, -0.0, "0x1.8p+0", "nan", "-inf",
                "0x7fc00001", 1e-45]}})")
                                          .bytes);
  EXPECT_THAT(bits, ElementsAre(0x3f800001, 0x3dcccccd, 0x80000000, 0x80000000, 0x3fc00000,
                                0x7fc00000, 0xff800000, 0x7fc00001, 1));
  EXPECT_THAT(As<std::uint64_t>(Buffer(R"({"type": "ulong", "init": {"data":
                [18446744073709551615]}})")
                                    .bytes),
              ElementsAre(0xffffffffffffffffu));
}

TEST(JobTest, RandomContentsAreTheSameEverywhere) {
  // The first numbers of splitmix64, as published with its source.
  EXPECT_EQ(RandomBits(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(RandomBits(1234567, 1), 3203168211198807973u);
  EXPECT_THAT(As<std::uint16_t>(Buffer(R"({"type": "ushort", "count": 4, "init":
                {"random": {"seed": 7}}})")
                                    .bytes),
              ElementsAre(0x63cb, 0x44c, 0xe698, 0x953a));
  EXPECT_THAT(As<float>(Buffer(R"({"type": "float", "count": 4, "init":
                {"random": {"seed": 7, "min": -1, "max": 1}}})")
                            .bytes),
              ElementsAre(-0x1.c341e2p-3f, -0x1.eecf0cp-1f, 0x1.9a6102p-1f, 0x1.53aeb8p-3f));
  EXPECT_THAT(As<std::int8_t>(Buffer(R"({"type": "char2", "count": 4, "init":
                {"random": {"seed": 7, "min": 10, "max": 20}}})")
                                  .bytes),
              ElementsAre(14, 10, 19, 16, 14, 12, 15, 13));
  const auto all = As<std::int64_t>(Buffer(R"({"type": "long", "count": 2, "init": {"random":
      {"seed": 7, "min": -9223372036854775808, "max": 9223372036854775807}}})")
                                        .bytes);
  EXPECT_EQ(static_cast<std::uint64_t>(all[1]), RandomBits(7, 1) ^ (std::uint64_t{1} << 63));
  for (const std::uint8_t value : As<std::uint8_t>(
           Buffer(R"({"type": "bool", "count": 64, "init": {"random": {"seed": 1}}})").bytes)) {
    EXPECT_LE(value, 1);
  }
}

TEST(JobTest, FilesAreRelativeToTheJobs) {
  const std::filesystem::path folder = testing::TempDir();
  std::ofstream(folder / "job_test.bin", std::ios::binary) << std::string("\1\0\0\0\2\0\0\0", 8);
  const auto parse = [&](const std::string& count) {
    return ParseJob(WithBuffer(fmt::format(R"({{"type": "int", {} "init": {{"file":
                                               "job_test.bin"}}}})",
                                           count)),
                    (folder / "job.json").string());
  };
  const auto job = parse(R"("count": 2,)");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(As<int>(job->buffers[0].bytes), ElementsAre(1, 2));
  EXPECT_EQ(parse("")->buffers[0].count, 2u);
  EXPECT_THAT(parse(R"("count": 3,)").error().message,
              HasSubstr("has 8 bytes, but 3 of int take 12"));
  ExpectError(WithBuffer(R"({"type": "int", "init": {"file": "/nonexistent"}})"), "/nonexistent");
}

TEST(JobTest, ErrorsNameThePlace) {
  const std::string begin = R"({"module": "k.cl", "global": 4, )";
  ExpectError("{", "line 1");
  ExpectError("", "a job is written in JSON: the file is empty");
  ExpectError("kernel void k() {}", "a job is written in JSON: parse error at line 1");
  ExpectError(begin + R"("args": [], "expect": {"findings": ["race-nonatmic"]}})",
              "/expect/findings/0: unknown rule 'race-nonatmic': did you mean 'race-nonatomic'?");
  ExpectError("[]", "an object is wanted here, not an array");
  ExpectError("{}", "'module'");
  ExpectError(R"({"module": "k.cl"})", "'global'");
  ExpectError(R"({"module": "k.cl", "global": "4"})",
              "/global: 'global' wants a whole number (64), or an array of one to three of them "
              "([64, 2]), not a string");
  ExpectError(R"({"module": "k.cl", "global": 4, "local": {}})", "/local: 'local' wants a whole");
  ExpectError(R"({"module": "k.cl", "global": ["4"]})",
              "/global/0: a number is wanted here, not a string");
  ExpectError(R"({"module": "k.cl", "modules": []})", "exactly one of");
  ExpectError(R"({"modules": []})", "no module");
  ExpectError(begin + R"("modle": 1})", "unknown key 'modle': did you mean 'module'?");
  ExpectError(begin + R"("kernel": 1})", "/kernel: a string is wanted here, not a number");
  ExpectError(begin + R"("global": 8})", "the key 'global' is given twice");
  ExpectError(begin + R"("compiler": "gcc"})", "/compiler: unknown compiler 'gcc'");
  ExpectError(begin + R"("local": [1, 2]})", "the local size has 2 dimensions");
  ExpectError(begin + R"("offset": [1, 2, 3, 4]})", "/offset: one to three");
  ExpectError(begin + R"("offset": [-1]})", "/offset/0: -1 is no whole number");
  ExpectError(begin + R"("offset": [1.5]})", "/offset/0: 1.5 is no whole number");
  ExpectError(begin + R"("spec_constants": {"a": 1}})", "/spec_constants/a: 'a' is no SpecId");
  ExpectError(begin + R"("spec_constants": {"1": 2.5}})", "float:2.5");
  ExpectError(begin + R"("args": [{}]})", "/args/0: one of these keys");
  ExpectError(begin + R"("args": [{"buffer": {}, "local": 1}]})", "/args/0: exactly one");
  ExpectError(begin + R"("args": [{"bufer": {}}]})", "/args/0: unknown key 'bufer'");
  ExpectError(begin + R"("args": [{"scalar": {"type": "flaot", "value": 1}}]})",
              "/args/0/scalar/type: unknown type 'flaot'");
  ExpectError(begin + R"("args": [{"scalar": {"type": "int", "value": 2147483648}}]})",
              "/args/0/scalar/value: '2147483648' does not fit int");
  ExpectError(begin + R"("args": [{"scalar": {"type": "int4", "value": [1, 2]}}]})",
              "/args/0/scalar/value: int4 has 4 components, but 2 numbers");
  ExpectError(begin + R"("args": [{"scalar": {"type": "int"}}]})", "'type' and 'value'");
  ExpectError(begin + R"("args": [{"null": false}]})", "/args/0/null");
  ExpectError(begin + R"("args": [{"bytes": "0g"}]})", "/args/0/bytes: '0g'");
  ExpectError(begin + R"("args": [{"buffer": "x"}]})", "/args/0/buffer: there is no buffer 'x'");
  ExpectError(begin + R"("expect": {"buffers": {"0": {"sha256": ""}}}})",
              "/expect/buffers/0: there is no buffer '0'");
  ExpectError(begin + R"("buffers": {"0": {}}})", "/buffers/0: a buffer's name");
  ExpectError(begin + R"("launches": []})", "/launches: there is no launch");
  ExpectError(begin + R"("launches": [{"repeat": 1000000000000}]})", "/launches/0/repeat");
  ExpectError(begin + R"("launches": [{"args": [{"buffer": {}}]}]})", "/launches/0/args/0/buffer");
  ExpectError(begin + R"("launches": [{}], "args": []})", "/args: a job with 'launches'");
  ExpectError(std::string(100000, '['), "nested more than");
}

TEST(JobTest, ErrorsOfContents) {
  const auto error = [](const std::string& buffer, const std::string& message) {
    ExpectError(WithBuffer(buffer), message);
  };
  ExpectError(WithBuffer(R"({"type": "int", "count": 1152921504606846976, "init": {"fill": 0}})"),
              "/args/0/buffer/count: 1152921504606846976 elements of int do not fit",
              ErrorKind::kDevice);
  error(R"({"type": "int", "count": 18446744073709551616, "init": {"fill": 0}})",
        "/args/0/buffer/count");
  error(R"({"type": "int", "init": {"fill": 0}})", "the number of elements is missing");
  error(R"({"type": "int", "count": 4})", "'init' is missing");
  error(R"({"type": "int", "count": 0, "init": {"fill": 0}})", "at least one element");
  error(R"({"type": "int", "init": {"data": []}})", "at least one element");
  error(R"({"type": "int", "count": 4, "init": {"data": [1, 2, 3]}})",
        "3 numbers are given, but 4 elements of int are 4");
  error(R"({"type": "int2", "init": {"data": [1, 2, 3]}})", "no whole elements");
  error(R"({"type": "int", "init": {"data": [1, "x"]}})", "number 1: 'x' is no int");
  error(R"({"type": "uchar", "init": {"data": [256]}})", "'256' does not fit uchar");
  error(R"({"type": "int", "init": {"data": [1.0]}})", "'1.0' is no int");
  error(R"({"type": "int", "init": {"data": [null]}})", "/args/0/buffer/init/data/0");
  error(R"({"type": "bool", "init": {"data": [2]}})", "'2' is no bool");
  error(R"({"type": "uchar", "count": 257, "init": {"range": [0, 1]}})", "leaves uchar");
  error(R"({"type": "int", "count": 3, "init": {"range": [0, 18446744073709551615]}})",
        "leaves int");
  error(R"({"type": "half", "count": 3, "init": {"range": [0, 40000]}})",
        "leaves half at number 2");
  error(R"({"type": "float", "count": 3, "init": {"range": [0, "inf"]}})", "finite");
  error(R"({"type": "float", "count": 3, "init": {"range": [0]}})", "two numbers");
  error(R"({"type": "int", "count": 3, "init": {"random": {}}})", "'seed'");
  error(R"({"type": "int", "count": 3, "init": {"random": {"seed": 1, "min": 1}}})", "both");
  error(R"({"type": "int", "count": 3, "init": {"random": {"seed": 1, "min": 1, "max": 0}}})",
        "minimum 1 is above");
  error(R"({"type": "int", "count": 3, "init": {"flil": 0}})", "did you mean 'fill'?");
}

TEST(JobTest, MemoryIsLimitedOverAllBuffers) {
  const std::string json = R"({"module": "k.cl", "global": 1, "args": [
      {"buffer": {"type": "int", "count": 100, "init": {"fill": 0}}},
      {"buffer": {"type": "int", "count": 100, "init": {"fill": 0}}}]})";
  EXPECT_TRUE(ParseJob(json, "job.json", 800));
  const auto job = ParseJob(json, "job.json", 799);
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().message, HasSubstr("the 399 bytes that are left"));
}

TEST(ArgumentTest, EveryForm) {
  Job job;
  job.launches.emplace_back();
  const auto parse = [&](const char* text) {
    auto argument = ParseArgument(text, &job);
    EXPECT_TRUE(argument) << text << ": " << argument.error().message;
    job.launches[0].arguments.push_back(argument.value_or(JobNull{}));
    return job.launches[0].arguments.back();
  };
  const auto buffer = [&](const char* text) {
    const JobArgument argument = parse(text);
    return job.buffers.at(std::get<JobBufferUse>(argument).buffer);
  };
  const auto scalar = [&](const char* text) { return std::get<BytesArgument>(parse(text)).bytes; };
  EXPECT_EQ(buffer("float[1024]=range(0,1)").count, 1024u);
  EXPECT_THAT(As<float>(buffer("float[2]=0x1.8p+1").bytes), ElementsAre(3, 3));
  EXPECT_EQ(job.buffers.back().name, "1") << "the argument's place";
  EXPECT_THAT(As<float>(scalar("float=2.5")), ElementsAre(2.5f));
  EXPECT_THAT(As<int>(scalar("int4=1,2,3,4")), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(As<int>(scalar("int3=7")), ElementsAre(7, 7, 7, 0));
  EXPECT_THAT(As<int>(buffer("int[4]=1, 2,3,4").bytes), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(job.buffers.back().name, "5");
  EXPECT_THAT(As<int>(buffer("int[]=5,6").bytes), ElementsAre(5, 6));
  EXPECT_THAT(As<int>(buffer("int2[2]=5,6").bytes), ElementsAre(5, 6, 5, 6));
  EXPECT_THAT(As<int>(buffer("int2[2]=5,6,7,8").bytes), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(As<float>(buffer("float[2]=random(7,-1,1)").bytes),
              ElementsAre(-0x1.c341e2p-3f, -0x1.eecf0cp-1f));
  EXPECT_EQ(As<std::uint64_t>(buffer("ulong[1]=random(7)").bytes)[0], RandomBits(7, 0));
  EXPECT_TRUE(buffer("uchar[8]=uninitialized").uninitialized);
  EXPECT_EQ(std::get<LocalArgument>(parse("local(256)")).bytes, 256u);
  EXPECT_TRUE(std::holds_alternative<JobNull>(parse("null")));
  EXPECT_EQ(scalar("bytes(00FF10)").size(), 3u);
}

TEST(ArgumentTest, Errors) {
  struct Row {
    const char* text;
    const char* message;
  };
  for (const Row& row : {Row{"", "it has to look like"},
                         Row{"float", "it has to look like"},
                         Row{"float[4", "it has to look like"},
                         Row{"float[4=1", "']'"},
                         Row{"float[4]=", "0 numbers are given"},
                         Row{"int[]=", "at least one"},
                         Row{"int[0]=1", "at least one"},
                         Row{"float[x]=1", "'x'"},
                         Row{"float[-1]=1", "'-1'"},
                         Row{"float[4]=1,2", "2 numbers are given"},
                         Row{"float[4]=range(1)", "range(START,STEP)"},
                         Row{"float[4]=random()", "random(SEED)"},
                         Row{"float[4]=random(1,2)", "random(SEED,MIN,MAX)"},
                         Row{"float[4]=one", "'one'"},
                         Row{"float[4]=file(/nonexistent)", "/nonexistent"},
                         Row{"float[]=range(0,1)", "missing"},
                         Row{"uchar=256", "does not fit"},
                         Row{"int4=1,2", "4 components"},
                         Row{"flaot=1", "did you mean 'float'?"},
                         Row{"local(x)", "'x'"},
                         Row{"bytes()", "pairs"},
                         Row{"bytes(0)", "pairs"}}) {
    Job job;
    const auto argument = ParseArgument(row.text, &job);
    ASSERT_FALSE(argument) << row.text;
    EXPECT_EQ(argument.error().kind, ErrorKind::kUsage) << row.text;
    EXPECT_THAT(argument.error().message, StartsWith(fmt::format("argument '{}'", row.text)));
    EXPECT_THAT(argument.error().message, HasSubstr(row.message)) << row.text;
  }
  {
    Job job;
    const auto argument = ParseArgument("float[9223372036854775807]=0", &job);
    ASSERT_FALSE(argument);
    EXPECT_EQ(argument.error().kind, ErrorKind::kDevice);
    EXPECT_THAT(argument.error().message, HasSubstr("--max-memory"));
  }
}

TEST(ArgumentTest, Queues) {
  Job job;
  const auto number = [&](const char* text) {
    const auto argument = ParseArgument(text, &job);
    const auto* queue = argument ? std::get_if<QueueArgument>(&*argument) : nullptr;
    return queue == nullptr ? -1 : static_cast<int>(queue->queue);
  };
  EXPECT_EQ(number("queue"), 1);
  EXPECT_EQ(number("queue(0)"), 0);
  EXPECT_EQ(number("queue(1023)"), 1023);
  EXPECT_EQ(number("queue(1024)"), -1);
  EXPECT_EQ(number("queue(x)"), -1);
  EXPECT_EQ(number("queue=3"), -1);
  const auto parsed = ParseJob(
      R"({"module": "k.cl", "global": 1, "args": [{"queue": 0}, {"queue": 7}]})", "job.json");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(std::get<QueueArgument>(parsed->launches[0].arguments[1]).queue, 7u);
  EXPECT_FALSE(ParseJob(R"({"module": "k.cl", "global": 1, "args": [{"queue": 1024}]})", "j"));
}

TEST(JobPartsTest, SpecializationConstants) {
  frontend::Specialization constants;
  EXPECT_TRUE(AddSpecConstant("1", "4", &constants));
  EXPECT_TRUE(AddSpecConstant("2", "-1", &constants));
  EXPECT_TRUE(AddSpecConstant("3", "0xff", &constants));
  EXPECT_TRUE(AddSpecConstant("4", "true", &constants));
  EXPECT_TRUE(AddSpecConstant("5", "double:0.5", &constants));
  EXPECT_EQ(constants,
            (frontend::Specialization{
                {1, 4}, {2, ~std::uint64_t{0}}, {3, 255}, {4, 1}, {5, 0x3fe0000000000000}}));
  EXPECT_THAT(AddSpecConstant("1", "5", &constants).error().message, HasSubstr("given twice"));
  EXPECT_THAT(AddSpecConstant("-1", "5", &constants).error().message, HasSubstr("no SpecId"));
  EXPECT_THAT(AddSpecConstant("6", "float4:5", &constants).error().message, HasSubstr("float4"));
  EXPECT_THAT(AddSpecConstant("6", "1.5", &constants).error().message, HasSubstr("float:2.5"));
}

}  // namespace
}  // namespace assay::interp
