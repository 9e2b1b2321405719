// `assay run` as its users meet it: real kernels, every exit code, and what is printed where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "frontend/opencl_c.h"
#include "interp/job/buffer_content.h"
#include "oracle/testing/device_columns.h"
#include "tools/testing/shell.h"

namespace assay::tools {
namespace {

using oracle::TestPath;
using testing::HasSubstr;
using testing::Not;

class CommandRunTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  }

  // A file for this test, quoted for the shell.
  static std::string Write(const std::string& name, const std::string& text) {
    const std::string path = TestPath(name);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static std::string Saxpy() {
    return Write("saxpy.cl", R"(
kernel void saxpy(global const float* x, global float* y, float a) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
)");
  }
  static std::string Endless() {
    return Write("endless.cl", R"(
kernel void endless(global volatile int* go) {
  while (*go != 0) {}
}
)");
  }
};

constexpr char kSaxpyArguments[] =
    " -a 'float[64]=range(0,1)' -a 'float[64]=1' -a float=2.5 -l 16 ";

TEST_F(CommandRunTest, ACompletedRunPrintsItsBuffers) {
  const Finished finished =
      Shell("{assay} run " + Saxpy() + " -g 64" + kSaxpyArguments + "--print 1 --print-all");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("buffer 1: float[64]\n  0: 1 (0x3f800000)\n"
                                         "  1: 3.5 (0x40600000)\n  2: 6 (0x40c00000)\n"));
  EXPECT_THAT(finished.output, HasSubstr("  63: 158.5 (0x431e8000)\n"));
  EXPECT_THAT(finished.output, HasSubstr("assay: completed: 64 work-items"));
  EXPECT_THAT(finished.output, HasSubstr("work-groups of 16; seed 0, rounding rte"));
}

TEST_F(CommandRunTest, SavedBytesAndJsonAreTheSame) {
  const std::string saved = TestPath("y.bin"), json_path = TestPath("run.json");
  const Finished finished = Shell("{assay} run " + Saxpy() + " -g 64" + kSaxpyArguments +
                                  "--counts --quiet --save 1=" + saved + " --json " + json_path);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(finished.output, Not(HasSubstr("completed"))) << "quiet";
  EXPECT_THAT(finished.output, HasSubstr("instructions by opcode"));
  const std::string bytes = Contents(saved);
  EXPECT_EQ(bytes.size(), 256u);
  const nlohmann::json json = Json(json_path);
  EXPECT_EQ(json["schema"], "assay-run/1");
  EXPECT_EQ(json["end"], "completed");
  EXPECT_EQ(json["buffers"][1]["sha256"], base::Sha256(bytes));
  EXPECT_EQ(json["launches"][0]["local_size"], nlohmann::json({16}));
  EXPECT_GT(json["counts"]["OpLoad"].get<int>(), 0);
  std::uint64_t counted = 0;
  for (const auto& count : json["counts"]) counted += count.get<std::uint64_t>();
  EXPECT_EQ(json["instructions"], counted);
}

TEST_F(CommandRunTest, JsonOnStdoutIsAlone) {
  const Finished finished = Shell("{assay} run " + Saxpy() + " -g 64" + kSaxpyArguments +
                                  "--print 1 --json - 2>/dev/null");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  const nlohmann::json json = nlohmann::json::parse(finished.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << finished.output;
  EXPECT_EQ(json["buffers"][1]["data"][1], "0x40600000");
}

TEST_F(CommandRunTest, JsonSaysWhatMadeTheSpirv) {
  const std::string function = std::string(ASSAY_SOURCE_DIR) + "/testsuites/opcodes/silent/hints";
  const std::string json_path = TestPath("compilers.json");
  const auto compilers_of = [&](const std::string& what) {
    EXPECT_EQ(Shell("{assay} run " + what + " --quiet --json " + json_path).exit_code, 0);
    return Json(json_path)["compilers"];
  };
  EXPECT_EQ(compilers_of("--job '" + function + ".json'"), nlohmann::json({nullptr}));
  const auto compiler = frontend::DefaultCompiler();
  ASSERT_TRUE(compiler);
  const nlohmann::json said = compilers_of(Saxpy() + " -g 64" + kSaxpyArguments);
  ASSERT_EQ(said.size(), 1u);
  // "clang-22+llvm-spirv" is clang-22 with a translator.
  const std::string name = frontend::CompilerName(*compiler);
  const std::string clang = name.substr(0, name.find('+'));
  EXPECT_EQ(said[0].get<std::string>().substr(0, clang.size()), clang);
}

TEST_F(CommandRunTest, TheResultHasTheSameBitsAtAnyWidthAndNumberOfThreads) {
  std::string first;
  for (const char* how : {"--width 64 --threads 1", "--width 1 --threads 2", "--width 5"}) {
    const std::string json_path = TestPath("same.json");
    EXPECT_EQ(
        Shell("{assay} run " + Saxpy() + " -g 64" + kSaxpyArguments + how + " --json " + json_path)
            .exit_code,
        0)
        << how;
    const nlohmann::json json = Json(json_path);
    const std::string digest = json["buffers"][1]["sha256"];
    if (first.empty()) first = digest;
    EXPECT_EQ(digest, first) << how;
  }
}

TEST_F(CommandRunTest, AJobWithItsExpectations) {
  const std::string saxpy = Saxpy();
  const auto job = [&](const std::string& expect) {
    return Write("job.json", R"({"module": ")" + saxpy + R"(", "global": 4,
      "args": [{"buffer": {"type": "float", "count": 4, "init": {"range": [0, 1]}}},
               {"buffer": {"type": "float", "count": 4, "init": {"fill": 1}}},
               {"scalar": {"type": "float", "value": 2.5}}],
      "expect": )" + expect + "}");
  };
  const Finished good =
      Shell("{assay} run --job " +
            job(R"({"findings": [], "output": "", "buffers": {"1": {"data": [1, 3.5, 6, 8.5]}}})"));
  EXPECT_EQ(good.exit_code, 0) << good.output;
  EXPECT_THAT(good.output, HasSubstr("3 of 3 expectations met"));
  const Finished bad =
      Shell("{assay} run --job " + job(R"({"buffers": {"1": {"data": [1, 3.5, 7, 8.5]}}})"));
  EXPECT_EQ(bad.exit_code, 1) << bad.output;
  EXPECT_THAT(bad.output, HasSubstr("1 of 4 elements differ, first [2]: expected 7 (0x40e00000), "
                                    "observed 6 (0x40c00000)"));
  const Finished contradiction = Shell("{assay} run --job " + job("{}") + " -g 8");
  EXPECT_EQ(contradiction.exit_code, 2);
  EXPECT_THAT(contradiction.output, HasSubstr("--global contradicts it"));
}

TEST_F(CommandRunTest, LaunchesShareTheirBuffers) {
  const std::string module = Write("add.cl", R"(
kernel void add(global int* data, int amount) { data[get_global_id(0)] += amount; }
kernel void twice(global int* data) { data[get_global_id(0)] *= 2; }
)");
  const std::string job = Write("launches.json", R"({"module": ")" + module + R"(", "global": 4,
      "buffers": {"data": {"type": "int", "count": 4, "init": {"range": [0, 1]}}},
      "launches": [{"kernel": "add", "args": [{"buffer": "data"},
                                              {"scalar": {"type": "int", "value": 10}}]},
                   {"kernel": "twice", "args": [{"buffer": "data"}], "repeat": 3}],
      "expect": {"findings": [], "buffers": {"data": {"data": [80, 88, 96, 104]}}}})");
  const Finished finished = Shell("{assay} run --print data --job " + job);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("4 of 4 launches"));
  EXPECT_THAT(finished.output, HasSubstr("  3: 104 (0x00000068)"));
}

TEST_F(CommandRunTest, ABitonicSortInManyLaunches) {
  constexpr std::uint32_t kKeys = 256;
  const std::string module = Write("sort.cl", R"(
kernel void step(global uint* keys, uint j, uint k) {
  uint i = get_global_id(0), other = i ^ j;
  if (other < i) return;
  uint a = keys[i], b = keys[other];
  if (((i & k) == 0) == (a > b)) {
    keys[i] = b;
    keys[other] = a;
  }
}
)");
  nlohmann::json job{{"module", module}, {"global", kKeys}, {"launches", nlohmann::json::array()}};
  job["buffers"]["keys"] = {
      {"type", "uint"}, {"count", kKeys}, {"init", {{"random", {{"seed", 7}}}}}};
  const auto scalar = [](std::uint32_t value) {
    return nlohmann::json{{"scalar", {{"type", "uint"}, {"value", value}}}};
  };
  for (std::uint32_t k = 2; k <= kKeys; k *= 2) {
    for (std::uint32_t j = k / 2; j > 0; j /= 2) {
      job["launches"].push_back({{"args", {{{"buffer", "keys"}}, scalar(j), scalar(k)}}});
    }
  }
  std::vector<std::uint32_t> sorted;
  for (std::uint32_t i = 0; i < kKeys; ++i) {
    sorted.push_back(static_cast<std::uint32_t>(interp::RandomBits(7, i) >> 32));
  }
  std::sort(sorted.begin(), sorted.end());
  job["expect"] = {{"findings", nlohmann::json::array()},
                   {"buffers", {{"keys", {{"data", sorted}}}}}};
  const Finished finished = Shell("{assay} run --job " + Write("sort.json", job.dump()));
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("36 of 36 launches, 2 of 2 expectations met"));
}

TEST_F(CommandRunTest, OutputThatIsNotUtf8StillGivesJson) {
  const std::string module = Write("bytes.cl", R"(kernel void k() { printf("a%cb", 255); })");
  const Finished text = Shell("{assay} run " + module + " -g 1 2>/dev/null");
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.output,
            "a\xff"
            "b");
  const Finished counted = Shell("{assay} run " + module + " -g 1 --counts 2>/dev/null");
  EXPECT_THAT(counted.output, HasSubstr("b\ninstructions by opcode\n")) << "a line of its own";
  const Finished json = Shell("{assay} run " + module + " -g 1 --json - 2>/dev/null");
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(json.output, nullptr, false)["output"],
            "a\xef\xbf\xbd"
            "b");
}

TEST_F(CommandRunTest, LimitsAreTheWholeJobs) {
  const std::string job = Write("limits.json", R"({"module": ")" + Saxpy() + R"(", "global": 4,
      "buffers": {"y": {"type": "float", "count": 4, "init": {"fill": 1}}},
      "launches": [{"repeat": 1000000, "args": [{"buffer": "y"}, {"buffer": "y"},
                    {"scalar": {"type": "float", "value": 0}}]}],
      "expect": {"buffers": {"y": {"fill": 1}}}})");
  const Finished finished = Shell("{assay} run --max-instructions 500 --job " + job);
  EXPECT_EQ(finished.exit_code, 4) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("instruction-limit"));
  EXPECT_THAT(finished.output, HasSubstr("not judged: buffer y"));
}

TEST_F(CommandRunTest, AFindingOfEveryLaunchIsShownOnce) {
  const std::string module = Write("flag.cl", R"(
kernel void f(global int* p) { p[0] = get_global_id(0) & 1; }
)");
  const std::string job = Write("repeat.json", R"({"module": ")" + module + R"(", "kernel": "f",
    "buffers": {"p": {"type": "int", "count": 1, "init": {"fill": 0}}},
    "launches": [{"global": [64], "args": [{"buffer": "p"}], "repeat": 150}]})");
  const std::string json_path = TestPath("repeat.report.json");
  const Finished finished = Shell("{assay} run --job " + job + " --json " + json_path);
  EXPECT_EQ(finished.exit_code, 1) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("; in 150 launches\n"));
  EXPECT_THAT(finished.output, HasSubstr("completed: "));
  EXPECT_THAT(finished.output, HasSubstr(", 1 finding, "));
  const nlohmann::json json = Json(json_path);
  EXPECT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["launches"], 150);
  // Not more than are asked for, of different ones.
  const Finished limited = Shell("{assay} run --job " + job + " --max-findings 1");
  EXPECT_THAT(limited.output, HasSubstr("completed: "));
}

TEST_F(CommandRunTest, UndefinedBehaviorIsShownWithItsLine) {
  const std::string json_path = TestPath("ub.json");
  const Finished finished =
      Shell("{assay} run " + Saxpy() + " -g 65" +
            " -a 'float[65]=range(0,1)' -a 'float[64]=1' -a float=2.5 --json " + json_path);
  EXPECT_EQ(finished.exit_code, 1) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("error["));
  EXPECT_THAT(finished.output, HasSubstr("saxpy.cl:4:"));
  EXPECT_THAT(finished.output, HasSubstr("  |   y[i] = a * x[i] + y[i];\n"));
  EXPECT_THAT(finished.output, Not(HasSubstr("OpLoad %")));
  EXPECT_THAT(finished.output, HasSubstr("work-item (64,0,0)"));
  const nlohmann::json json = Json(json_path);
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["findings"][0]["global_id"], nlohmann::json({64, 0, 0}));
  // A job that expects just this is fulfilled.
  const std::string rule = json["findings"][0]["rule"];
  const std::string job = Write("ub-job.json", R"({"module": ")" + Saxpy() + R"(", "global": 65,
      "args": [{"buffer": {"type": "float", "count": 65, "init": {"fill": 0}}},
               {"buffer": {"type": "float", "count": 64, "init": {"fill": 0}}},
               {"scalar": {"type": "float", "value": 1}}],
      "expect": {"findings": [")" + rule + R"("]}})");
  EXPECT_EQ(Shell("{assay} run --job " + job).exit_code, 0);
}

TEST_F(CommandRunTest, PrintfComesFirst) {
  const std::string module = Write("hello.cl", R"(
kernel void hello(global int* out) {
  printf("item %d of %s\n", (int)get_global_id(0), "two");
  out[get_global_id(0)] = 1;
}
)");
  const std::string command = "{assay} run " + module + " -g 2 -a 'int[2]=0' --print 0 --threads 1";
  const Finished finished = Shell(command);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("item 0 of two\nitem 1 of two\nbuffer 0: int[2]\n"));
  const Finished quiet = Shell(command + " --quiet");
  EXPECT_THAT(quiet.output, Not(HasSubstr("item 0")));
  EXPECT_THAT(quiet.output, HasSubstr("buffer 0"));
}

TEST_F(CommandRunTest, BadInputIsNamedWithItsRemedy) {
  const std::string saxpy = Saxpy();
  const std::string two = Write("two.cl", "kernel void a() {} kernel void b() {}");
  const std::string bad = Write("bad.cl", "kernel void a() { undeclared(); }");
  struct Row {
    std::string arguments;
    const char* message;
  };
  for (const Row& row : {
           Row{"", "name a module"},
           Row{"/nonexistent.cl -g 1", "/nonexistent.cl"},
           Row{bad + " -g 1", "undeclared"},
           Row{two + " -g 1", "a, b"},
           Row{two + " -g 1 -k c", "c"},
           Row{saxpy, "-g"},
           Row{saxpy + " -g 64 -g 32", "-g"},
           Row{saxpy + " -g 64", "argument"},
           Row{saxpy + " -g 64 -a 'float[64]=0' -a 'float[64]=0' -a double=1", "argument"},
           Row{saxpy + " -g 64 --print 7" + kSaxpyArguments, "--print 7"},
           Row{saxpy + " -g 64 --width 65" + kSaxpyArguments, "--width"},
           Row{saxpy + " -g 64 --json /nonexistent/r.json" + kSaxpyArguments, "/nonexistent"},
           Row{saxpy + " -g 64 --spec-constant 9=1" + kSaxpyArguments, "9"},
           Row{"--job /nonexistent.json", "/nonexistent.json"},
           Row{"--replay /nonexistent.json", "/nonexistent.json"},
           Row{"--replay " + saxpy, "no report"},
           Row{"--replay " + saxpy + " -g 1", "name nothing beside it"},
           Row{saxpy + " -g 64 --ignore memory" + kSaxpyArguments, "RULE@FILE"},
           Row{saxpy + " -g 64 --ignore memory-nul@x" + kSaxpyArguments, "memory-null"},
           Row{saxpy + " -g 64 --explore 3" + kSaxpyArguments, "bounded:"},
           Row{saxpy + " -g 64 --choices a" + kSaxpyArguments, "--choices"},
           Row{saxpy + " -g 64 --sarif /nonexistent/s" + kSaxpyArguments, "/nonexistent"},
       }) {
    const Finished finished = Shell("{assay} run " + row.arguments);
    EXPECT_EQ(finished.exit_code, 2) << row.arguments << "\n" << finished.output;
    EXPECT_THAT(finished.output, HasSubstr(row.message)) << row.arguments;
  }
}

TEST_F(CommandRunTest, MissingFeaturesAreUnsupported) {
  for (const char* arguments : {" -g 1 --trace"}) {
    const Finished finished = Shell("{assay} run " + Saxpy() + arguments);
    EXPECT_EQ(finished.exit_code, 3) << arguments << "\n" << finished.output;
    EXPECT_THAT(finished.output, HasSubstr("not there yet")) << arguments;
  }
}

TEST_F(CommandRunTest, AKernelIsRefusedOnlyForItsOwnNeeds) {
  const std::string path = Write("two.cl", R"(
uint __attribute__((overloadable)) amd_bitalign(uint a, uint b, uint c);
kernel void plain(global int* o) { o[0] = 1; }
kernel void aligns(global uint* o) { o[0] = amd_bitalign(o[0], 1u, 2u); }
)");
  const Finished plain = Shell("{assay} run " + path + " -k plain -g 1 -a 'int[1]=0' --print 0");
  EXPECT_EQ(plain.exit_code, 0) << plain.output;
  EXPECT_THAT(plain.output, HasSubstr("  0: 1 (0x00000001)"));
  const Finished aligns = Shell("{assay} run " + path + " -k aligns -g 1 -a 'uint[1]=0'");
  EXPECT_EQ(aligns.exit_code, 3) << aligns.output;
  EXPECT_THAT(aligns.output, HasSubstr("the function amd_bitalign"));
}

TEST_F(CommandRunTest, ListsKernelsAndWhyOneCannotRun) {
  const std::string both = Write("both.cl", R"(
uint __attribute__((overloadable)) amd_bitalign(uint a, uint b, uint c);
kernel void plain(global int* o, float4 f, local int* l, read_only image2d_t i, sampler_t s) {
  o[0] = 1;
}
kernel void aligns(global uint* o) { o[0] = amd_bitalign(o[0], 1u, 2u); }
)");
  const Finished text = Shell("{assay} run --list-kernels " + both);
  EXPECT_EQ(text.exit_code, 0) << text.output;
  EXPECT_THAT(text.output, HasSubstr("plain  runs\n    o: int*, global buffer\n"
                                     "    f: float4, value\n    l: int*, local memory\n"
                                     "    i: read_only image2d_t, image\n"
                                     "    s: sampler_t, sampler\n"
                                     "aligns  cannot run\n"));
  EXPECT_THAT(text.output, HasSubstr("the function amd_bitalign"));
  const std::string json_path = TestPath("kernels.json");
  EXPECT_EQ(Shell("{assay} run --list-kernels " + both + " --json " + json_path).exit_code, 0);
  const nlohmann::json json = Json(json_path);
  EXPECT_EQ(json["schema"], "assay-kernels/1");
  EXPECT_EQ(json["kernels"][0]["name"], "plain");
  EXPECT_EQ(json["kernels"][0]["runs"], true);
  EXPECT_EQ(json["kernels"][0]["parameters"][2]["kind"], "local memory");
  EXPECT_EQ(json["kernels"][1]["runs"], false);
  EXPECT_THAT(json["kernels"][1]["reason"].get<std::string>(), HasSubstr("amd_bitalign"));

  // What a structure is called, and what a buffer of it has to have.
  const std::string pairs = Write("pairs.cl", R"(
struct pair { int a; double b; };
kernel void k(global struct pair* p, struct pair one) { p[0] = one; }
)");
  EXPECT_THAT(Shell("{assay} run --list-kernels " + pairs).output,
              HasSubstr("    p: struct pair*, global buffer; the structure has 16 bytes\n"
                        "    one: struct pair*, structure; the structure has 16 bytes\n"));
  EXPECT_EQ(Shell("{assay} run --list-kernels " + pairs + " --json " + json_path).exit_code, 0);
  EXPECT_EQ(Json(json_path)["kernels"][0]["parameters"][0]["element_bytes"], 16);
  const Finished launch = Shell("{assay} run -g 1 -a null " + pairs);
  EXPECT_EQ(launch.exit_code, 2);
  EXPECT_THAT(launch.output, HasSubstr("kernel k takes 2 arguments, and 1 is given: p struct "
                                       "pair*, one struct pair*"));

  const std::string none =
      Write("none.cl",
            "uint __attribute__((overloadable)) amd_bitalign(uint a, uint b, uint c);\n"
            "kernel void f(global uint* o) { *o = amd_bitalign(*o, 1u, 2u); }");
  EXPECT_EQ(Shell("{assay} run --list-kernels " + none).exit_code, 3);
}

// As it was typed, where the run is made in the source's folder.
TEST_F(CommandRunTest, FilesBelowThePresentFolderAreNamedAsSeenFromThere) {
  const std::string path = Write("seen.cl", R"(kernel void k(global int* o) {
  o[get_global_id(0) / 2] = (int)get_global_id(0);
}
)");
  const std::size_t slash = path.rfind('/');
  const std::string folder = path.substr(0, slash), name = path.substr(slash + 1);
  const std::string options = " -g 2 -a 'int[1]=0'";
  const Finished there = Shell("cd '" + folder + "' && {assay} run " + name + options);
  EXPECT_THAT(there.output, HasSubstr("  --> " + name + ":2:27\n"));
  EXPECT_THAT(there.output, HasSubstr("the other access: " + name + ":2:27\n"));
  const Finished elsewhere =
      Shell("cd / && {assay} run " + path + options + " --json - 2>/dev/null");
  EXPECT_EQ(nlohmann::json::parse(elsewhere.output, nullptr, false)["findings"][0]["source"],
            path + ":2:27");
}

// The version of the language is the one to judge by, unless another one is named.
TEST_F(CommandRunTest, TheCompiledLanguageVersionSelectsTheRules) {
  const std::string kernel = Write("scopes.cl", R"(kernel void count(global atomic_uint* counter) {
  if (get_local_id(0) == 0) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_device);
  } else {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_work_group);
  }
}
)");
  const std::string run = "{assay} run " + kernel + " -g 4 -l 4 -a 'uint[1]=0' ";
  EXPECT_EQ(Shell(run).exit_code, 0);
  const Finished older = Shell(run + "--build-options -cl-std=CL3.0");
  EXPECT_EQ(older.exit_code, 1) << older.output;
  EXPECT_THAT(older.output, HasSubstr("error[race-scope]"));
  EXPECT_EQ(Shell(run + "--build-options -cl-std=CL3.0 --cl-version 3.1").exit_code, 0);
  const std::string report = TestPath("scopes.json");
  EXPECT_EQ(Shell(run + "--build-options -cl-std=CLC++2021 --json " + report).exit_code, 1);
  EXPECT_EQ(Json(report)["run"]["cl_version"], "3.0");
  EXPECT_EQ(Shell("{assay} run --replay " + report).exit_code, 1);
  const std::string job = Write("scopes_job.json", R"({"module": ")" + kernel +
                                                       R"(", "build_options": "-cl-std=CL2.0",
    "global": 4, "local": 4, "args": [{"buffer": {"type": "uint", "count": 1, "init": {"fill": 0}}}]})");
  EXPECT_EQ(Shell("{assay} run --job " + job).exit_code, 1);
  EXPECT_EQ(Shell("{assay} run --cl-version 3.1 --job " + job).exit_code, 0);
}

TEST_F(CommandRunTest, NumbersThatAreNotFiniteHaveOneLineOfHowToFindThem) {
  const std::string kernel = Write("divide.cl", R"(
kernel void divide(global const float* x, global float2* y) {
  size_t i = get_global_id(0);
  y[i] = (float2)(1, 1 / x[i]);
}
)");
  const std::string run = "{assay} run " + kernel + " -g 4 -a 'float[4]=range(-2,1)' ";
  const std::string note = "note: 'y' has 1 number that is not finite; --detect all,nan";
  const Finished finished = Shell(run + "-a 'float2[4]=0'");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr(note + " says why\n"));
  EXPECT_THAT(Shell(run + "-a 'float2[4]=0' --detect all,nan").output, Not(HasSubstr(note)));
  const std::string finite = "{assay} run " + kernel + " -g 4 -a 'float[4]=1' -a 'float2[4]=0'";
  EXPECT_THAT(Shell(finite).output, Not(HasSubstr("not finite")));
}

TEST_F(CommandRunTest, RandomNeedsNoSeed) {
  const std::string run = "{assay} run " + Saxpy() + " -g 4 -a 'float[4]=0' -a float=0 --print 1 ";
  const std::string random = Shell(run + "-a 'float[4]=random'").output;
  EXPECT_EQ(random, Shell(run + "-a 'float[4]=random(0)'").output);
}

TEST_F(CommandRunTest, LimitsEndARunThatHasNoEnd) {
  const std::string command = "{assay} run " + Endless() + " -g 4 -a 'int[1]=1' ";
  const Finished instructions = Shell(command + "--max-instructions 10000");
  EXPECT_EQ(instructions.exit_code, 4) << instructions.output;
  EXPECT_THAT(instructions.output, HasSubstr("instruction-limit"));
  const auto start = std::chrono::steady_clock::now();
  const Finished timeout = Shell(command + "--timeout 0.3");
  EXPECT_EQ(timeout.exit_code, 4) << timeout.output;
  EXPECT_THAT(timeout.output, HasSubstr("time-limit"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST_F(CommandRunTest, AnInterruptedRunStillReports) {
  const std::string json_path = TestPath("interrupted.json");
  // The compiler's cache is filled, so that the signal meets the kernel and not the compiler.
  Shell("{assay} run " + Endless() + " -g 4 -a 'int[1]=0'");
  const Finished finished =
      Shell("{assay} run " + Endless() + " -g 4 -a 'int[1]=1' --print 0 --json " + json_path +
            " & child=$!; sleep 1.5; kill -TERM $child; wait $child");
  EXPECT_EQ(finished.exit_code, 130) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("assay: stopped"));
  EXPECT_THAT(finished.output, HasSubstr("buffer 0: int[1]"));
  EXPECT_EQ(Json(json_path)["end"], "stopped");
}

}  // namespace
}  // namespace assay::tools
