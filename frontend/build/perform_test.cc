#include "frontend/build/perform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "frontend/kernel_info.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kSmall[] = "kernel void k(global int* p) { p[0] = 1; }\n";

class Perform : public testing::Test {
 protected:
  void SetUp() override {
    if (!DefaultCompiler()) GTEST_SKIP() << "no compiler (./dev setup)";
  }
  BuildAnswer Ask(CompileRequest request, RequestKind kind = RequestKind::kBuild) const {
    return frontend::Perform({.kind = kind, .compile = std::move(request)}, options_);
  }
  BuildAnswer Compile(const std::string& source) const {
    return Ask({.source = source}, RequestKind::kCompile);
  }
  BuildAnswer Link(LinkRequest request) const {
    return frontend::Perform({.kind = RequestKind::kLink, .link = std::move(request)}, options_);
  }
  BuildAnswer CheckIl(IlRequest request) const {
    return frontend::Perform({.kind = RequestKind::kCheckIl, .il = std::move(request)}, options_);
  }
  static std::shared_ptr<const Module> ModuleOf(const BuildAnswer& answer) {
    auto binary = LoadWords(answer.words, "answer");
    if (!binary) return nullptr;
    auto module = BuildModule(*binary);
    return module ? *module : nullptr;
  }
  static std::string BytesOf(const std::vector<Word>& words) {
    return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word)};
  }
  ScratchFolder scratch_;
  PerformOptions options_;
};

TEST_F(Perform, BuildsAndAnswersFromTheCache) {
  const BuildAnswer first = Ask({.source = kSmall, .name = "program 7"});
  ASSERT_EQ(first.status, BuildStatus::kSuccess) << first.log;
  EXPECT_EQ(first.log, "");
  EXPECT_FALSE(first.from_cache);
  const BuildAnswer second = Ask({.source = kSmall, .name = "program 7"});
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.words, second.words);
  const auto module = ModuleOf(first);
  ASSERT_NE(module, nullptr);
  const KernelInfo info = ReadKernelInfo(*module, *module->FindKernel("k"));
  ASSERT_EQ(info.arguments.size(), 1u);
  EXPECT_EQ(info.arguments[0].type_name, "int*");
  EXPECT_EQ(info.arguments[0].name, "p");
}

TEST_F(Perform, TheLogHasTheCompilersWordsAndTheProgramsName) {
  const BuildAnswer wrong =
      Ask({.source = "kernel void k() {\n  return nothing;\n}\n", .name = "program 3"});
  EXPECT_EQ(wrong.status, BuildStatus::kFailure);
  EXPECT_THAT(wrong.log, AllOf(HasSubstr("program 3:2:10: error:"), HasSubstr("return nothing;")));
  EXPECT_THAT(wrong.words, IsEmpty());
  const BuildAnswer warned = Ask({.source = "#warning look\n" + std::string(kSmall)});
  EXPECT_EQ(warned.status, BuildStatus::kSuccess);
  EXPECT_THAT(warned.log, HasSubstr("program:1:2: warning: look"));
  const BuildAnswer error =
      Ask({.source = "#warning look\n" + std::string(kSmall), .options = "-Werror"});
  EXPECT_EQ(error.status, BuildStatus::kFailure);
  const BuildAnswer silent =
      Ask({.source = "#warning look\n" + std::string(kSmall), .options = "-w"});
  EXPECT_EQ(silent.status, BuildStatus::kSuccess);
  EXPECT_EQ(silent.log, "");
}

TEST_F(Perform, BadOptionsAreNamed) {
  const BuildAnswer answer = Ask({.source = kSmall, .options = "-w -nonsense"});
  EXPECT_EQ(answer.status, BuildStatus::kInvalidOptions);
  EXPECT_THAT(answer.log, HasSubstr("'-nonsense'"));
  EXPECT_EQ(Ask({.source = kSmall, .options = "-cl-std=CL3.1"}).status, BuildStatus::kFailure);
}

TEST_F(Perform, TheVersionIs12WhereNoneIsNamed) {
  const auto version = [&](const std::string& options) {
    for (const std::string number : {"100", "110", "120", "200", "300"}) {
      const std::string source = "#if __OPENCL_C_VERSION__ != " + number +
                                 "\n#error other\n#endif\n#if __OPENCL_VERSION__ != 300\n#error "
                                 "device\n#endif\n#ifndef __ENDIAN_LITTLE__\n#error endian\n#endif"
                                 "\n#ifndef __IMAGE_SUPPORT__\n#error images\n#endif\n";
      if (Ask({.source = source + kSmall, .options = options}).status == BuildStatus::kSuccess) {
        return number;
      }
    }
    return std::string("none");
  };
  EXPECT_EQ(version(""), "120");
  EXPECT_EQ(version("-cl-std=CL1.1"), "110");
  EXPECT_EQ(version("-cl-std=CL2.0"), "200");
  EXPECT_EQ(version("-cl-std=CL3.0"), "300");
}

TEST_F(Perform, MacrosWithQuotesAndLongOptions) {
  const BuildAnswer answer = Ask(
      {.source = "constant char t[] = TEXT;\n"
                 "kernel void k(global int* p) { p[0] = sizeof t == 4 ? ADD(1, 2) : nothing; }\n"
                 "int check[sizeof(TEXT) == 4 ? 1 : -1];\n",
       .options = "-cl-std=CL2.0 -D TEXT=\\\"a\\ b\\\" \"-DADD(x, y)=x + y\" -D nothing=0"});
  EXPECT_EQ(answer.status, BuildStatus::kSuccess) << answer.log;
  std::string options;
  while (options.size() < 100 << 10) {
    options += " -D NAME_" + std::to_string(options.size()) + "=1";
  }
  const BuildAnswer all = Ask({.source = kSmall, .options = options});
  EXPECT_EQ(all.status, BuildStatus::kSuccess) << all.log;
}

TEST_F(Perform, EmbeddedHeadersComeBeforeFiles) {
  scratch_.Write("inc/sub/x.h", "#error the file\n");
  scratch_.Write("inc/y.h", "#define FROM_FILE 5\n");
  CompileRequest request;
  request.source =
      "#include <sub/x.h>\n#include \"../up.h\"\n#include \"y.h\"\n"
      "kernel void k(global int* p) { p[0] = X + UP + FROM_FILE + BESIDE; }\n";
  request.options = "-I inc";
  request.working_folder = scratch_.path();
  request.headers = {{"sub/x.h", "#include \"z.h\"\n#define X 1\n"},
                     {"sub/x.h", "#error the second of one name\n"},
                     {"sub/z.h", "#define BESIDE 3\n"},
                     {"../up.h", "#define UP 2\n"}};
  const BuildAnswer first = Ask(request);
  ASSERT_EQ(first.status, BuildStatus::kSuccess) << first.log;
  EXPECT_TRUE(Ask(request).from_cache);
  CompileRequest changed = request;
  changed.headers[2].source = "#define BESIDE 4\n";
  const BuildAnswer second = Ask(changed);
  EXPECT_FALSE(second.from_cache) << "the cache knows what headers have";
  EXPECT_NE(first.words, second.words);
  scratch_.Write("inc/y.h", "#define FROM_FILE 6\n");
  EXPECT_FALSE(Ask(request).from_cache) << "and what files have";
}

TEST_F(Perform, TheModuleDoesNotDependOnTheTemporaryFolder) {
  options_.use_cache = false;
  CompileRequest request;
  request.source = "#include \"x.h\"\nkernel void k(global int* p) { p[0] = f(); }\n";
  request.headers = {{"x.h", "int f(void) { return 3; }\n"}};
  const BuildAnswer first = Ask(request);
  const BuildAnswer second = Ask(request);
  ASSERT_EQ(first.status, BuildStatus::kSuccess) << first.log;
  EXPECT_EQ(first.words, second.words);
}

TEST_F(Perform, MessagesNameEmbeddedHeadersAsTheyAreIncluded) {
  const BuildAnswer answer = Ask({.source = "#include \"sub/x.h\"\n",
                                  .headers = {{"sub/x.h", "\nint f() { return nothing; }\n"}}});
  EXPECT_EQ(answer.status, BuildStatus::kFailure);
  EXPECT_THAT(answer.log, AllOf(HasSubstr("sub/x.h:2:18: error:"), Not(HasSubstr("/tmp")),
                                HasSubstr("from program:1")));
  for (const std::string name : {"/etc/x.h", "", "..", "a/"}) {
    const BuildAnswer bad =
        Ask({.source = kSmall, .headers = {{name, "int a;\n"}, {"good.h", "int b;\n"}}});
    EXPECT_EQ(bad.status, BuildStatus::kFailure) << name;
    EXPECT_THAT(bad.log, HasSubstr("the header name '" + name + "'"));
  }
}

TEST_F(Perform, IncludesWhatTheApplicationMayRead) {
  scratch_.Write("x.h", "#define X 1\n");
  scratch_.Write("other/x.h", "#define X 2\n#define OTHER\n");
  CompileRequest request;
  request.source = "#include \"x.h\"\nkernel void k(global int* p) { p[0] = X; }\n";
  EXPECT_EQ(Ask(request).status, BuildStatus::kFailure);
  request.working_folder = "/";
  const BuildAnswer missing = Ask(request);
  EXPECT_EQ(missing.status, BuildStatus::kFailure);
  EXPECT_THAT(missing.log, HasSubstr("x.h"));
  request.working_folder = scratch_.path();
  const BuildAnswer found = Ask(request);
  EXPECT_EQ(found.status, BuildStatus::kSuccess) << found.log;
  request.source += "#ifndef OTHER\n#error\n#endif\n";
  EXPECT_EQ(Ask(request).status, BuildStatus::kFailure);
  request.options = "-Iother";
  EXPECT_EQ(Ask(request).status, BuildStatus::kSuccess) << "-I comes first";
  request.working_folder = "/";
  request.options = "";
  request.source =
      "#include \"" + scratch_.path() + "/x.h\"\nkernel void k(global int* p) { p[0] = X; }\n";
  const BuildAnswer whole = Ask(request);
  EXPECT_EQ(whole.status, BuildStatus::kSuccess) << whole.log;
}

TEST_F(Perform, LinksProgramsAndLibraries) {
  const BuildAnswer caller =
      Compile("int f(int);\nkernel void k(global int* p) { p[0] = f(p[0]); }\n");
  ASSERT_EQ(caller.status, BuildStatus::kSuccess) << caller.log;
  const BuildAnswer callee = Compile("int g(int);\nint f(int x) { return g(x) + 1; }\n");
  ASSERT_EQ(callee.status, BuildStatus::kSuccess) << callee.log;
  const BuildAnswer last = Compile("int g(int x) { return x * 2; }\n");

  const BuildAnswer open = Link({.modules = {caller.words, callee.words}});
  EXPECT_EQ(open.status, BuildStatus::kFailure);
  EXPECT_THAT(open.log, HasSubstr("unresolved symbol g:"));
  const BuildAnswer library =
      Link({.modules = {callee.words, last.words}, .options = "-create-library"});
  ASSERT_EQ(library.status, BuildStatus::kSuccess) << library.log;
  const BuildAnswer program = Link({.modules = {caller.words, library.words}});
  ASSERT_EQ(program.status, BuildStatus::kSuccess) << program.log;
  const auto module = ModuleOf(program);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ReadKernelInfo(*module, *module->FindKernel("k")).arguments[0].type_name, "int*");
  EXPECT_EQ(Link({.modules = {caller.words, library.words, last.words}}).status,
            BuildStatus::kFailure)
      << "two programs define g";
  EXPECT_EQ(Link({.modules = {caller.words}, .options = "-D A"}).status,
            BuildStatus::kInvalidOptions);
  EXPECT_EQ(Link({.modules = {{1, 2, 3}}}).status, BuildStatus::kInvalidModule);
  EXPECT_EQ(Link({}).status, BuildStatus::kFailure);
}

// SPV_KHR_linkonce_odr: definitions of one name are merged, and declarations mean the merged one.
TEST_F(Perform, LinksDefinitionsThatOccurOnce) {
  const auto part = [](const std::string& name, const std::string& linkage,
                       const std::string& variable, const std::string& body) {
    auto binary = LoadText(
        "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n"
        "OpExtension \"SPV_KHR_linkonce_odr\"\nOpMemoryModel Physical64 OpenCL\n" +
            (name.empty() ? "" : "OpEntryPoint Kernel %k \"" + name + "\"\n") +
            "OpDecorate %twice LinkageAttributes \"twice\" " + linkage +
            "\nOpDecorate %v LinkageAttributes \"v\" " + linkage +
            "\n%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%two = OpConstant %uint 2\n"
            "%p = OpTypePointer CrossWorkgroup %uint\n%f = OpTypeFunction %uint %uint\n"
            "%n = OpTypeFunction %void %p\n%v = OpVariable %p CrossWorkgroup" +
            variable + "\n%twice = OpFunction %uint None %f\n%x = OpFunctionParameter %uint\n" +
            body + "OpFunctionEnd\n" +
            (name.empty() ? ""
                          : "%k = OpFunction %void None %n\n%to = OpFunctionParameter %p\n"
                            "%l = OpLabel\n%old = OpLoad %uint %v\n"
                            "%new = OpFunctionCall %uint %twice %old\nOpStore %v %new\n"
                            "OpStore %to %new\nOpReturn\nOpFunctionEnd\n"),
        name + ".spvasm");
    EXPECT_TRUE(binary) << binary.error().message;
    return binary ? binary->words : std::vector<Word>();
  };
  const std::string body = "%e = OpLabel\n%y = OpIMul %uint %x %two\nOpReturnValue %y\n";
  const auto first = part("first", "LinkOnceODR", " %two", body);
  const auto second = part("second", "LinkOnceODR", " %two", body);
  const auto user = part("user", "Import", "", "");
  const auto variables = [](const BuildAnswer& answer) {
    std::size_t count = 0;
    if (const auto module = ModuleOf(answer)) count = module->globals.size();
    return count;
  };
  const BuildAnswer two = Link({.modules = {first, second}});
  ASSERT_EQ(two.status, BuildStatus::kSuccess) << two.log;
  EXPECT_EQ(variables(two), 1u) << "both kernels change one variable";
  const BuildAnswer declared = Link({.modules = {user, first}});
  ASSERT_EQ(declared.status, BuildStatus::kSuccess) << declared.log;
  EXPECT_EQ(variables(declared), 1u);
  EXPECT_EQ(Link({.modules = {user}}).status, BuildStatus::kFailure);
  // A library is linked once more, with another definition.
  const BuildAnswer library = Link({.modules = {user, first}, .options = "-create-library"});
  ASSERT_EQ(library.status, BuildStatus::kSuccess) << library.log;
  const BuildAnswer all = Link({.modules = {library.words, second}});
  ASSERT_EQ(all.status, BuildStatus::kSuccess) << all.log;
  EXPECT_EQ(variables(all), 1u);
}

TEST_F(Perform, ABuiltProgramHasNothingUnresolved) {
  const BuildAnswer used =
      Ask({.source = "int f(int);\nkernel void k(global int* p) { p[0] = f(p[0]); }\n"});
  EXPECT_EQ(used.status, BuildStatus::kFailure);
  EXPECT_THAT(used.log, HasSubstr("unresolved symbol f:"));
  EXPECT_EQ(Ask({.source = "int f(int);\nint g() { return f(1); }\n" + std::string(kSmall)}).status,
            BuildStatus::kSuccess)
      << "no kernel reaches it";
  const BuildAnswer variable =
      Ask({.source = "extern constant int c;\nkernel void k(global int* p) { p[0] = c; }\n"});
  EXPECT_EQ(variable.status, BuildStatus::kFailure);
  EXPECT_THAT(variable.log, HasSubstr("unresolved symbol c:"));
  EXPECT_EQ(Ask({.source = "kernel void k(global int* p) { p[get_global_id(0)] = 1; }\n"}).status,
            BuildStatus::kSuccess)
      << "built-in variables are imports, too";
}

TEST_F(Perform, ChecksModules) {
  const BuildAnswer built = Ask({.source = kSmall});
  ASSERT_EQ(built.status, BuildStatus::kSuccess) << built.log;
  const BuildAnswer good = CheckIl({.bytes = BytesOf(built.words)});
  EXPECT_EQ(good.status, BuildStatus::kSuccess) << good.log;
  EXPECT_EQ(good.words, built.words);
  EXPECT_THAT(good.spec_constants, IsEmpty());
  for (const std::string& bytes :
       {std::string(), std::string("text"), BytesOf(built.words).substr(0, 100),
        BytesOf(built.words).substr(0, 101)}) {
    const BuildAnswer bad = CheckIl({.bytes = bytes, .name = "program 9"});
    EXPECT_EQ(bad.status, BuildStatus::kInvalidModule);
    EXPECT_THAT(bad.log, HasSubstr("program 9"));
  }
}

TEST_F(Perform, ListsSpecializationConstants) {
  const auto binary = LoadText(
      "OpCapability Kernel\nOpCapability Addresses\nOpCapability Int64\nOpCapability Int8\n"
      "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %f \"k\"\n"
      "OpDecorate %a SpecId 7\nOpDecorate %b SpecId 3\nOpDecorate %c SpecId 5\n"
      "%void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n"
      "%a = OpSpecConstant %uint 1\n%b = OpSpecConstantTrue %bool\n%c = OpSpecConstant %ulong 2\n"
      "%t = OpTypeFunction %void\n%f = OpFunction %void None %t\n%l = OpLabel\nOpReturn\n"
      "OpFunctionEnd\n",
      "spec");
  ASSERT_TRUE(binary) << binary.error().message;
  const BuildAnswer answer = CheckIl({.bytes = BytesOf(binary->words)});
  ASSERT_EQ(answer.status, BuildStatus::kSuccess) << answer.log;
  ASSERT_THAT(answer.spec_constants, SizeIs(3));
  EXPECT_EQ(answer.spec_constants[0].id, 3u);
  EXPECT_EQ(answer.spec_constants[0].bytes, 1u);
  EXPECT_EQ(answer.spec_constants[1].id, 5u);
  EXPECT_EQ(answer.spec_constants[1].bytes, 8u);
  EXPECT_EQ(answer.spec_constants[2].id, 7u);
  EXPECT_EQ(answer.spec_constants[2].bytes, 4u);
  EXPECT_EQ(CheckIl({.bytes = BytesOf(binary->words), .specialization = {{7, 5}}}).status,
            BuildStatus::kSuccess);
  EXPECT_EQ(CheckIl({.bytes = BytesOf(binary->words), .specialization = {{8, 5}}}).status,
            BuildStatus::kInvalidModule);
}

TEST_F(Perform, SourcesOfAllSortsOfBytes) {
  std::string source(kSmall);
  source.insert(source.find("{") + 1, std::string(1, '\0'));
  EXPECT_EQ(Ask({.source = source}).status, BuildStatus::kSuccess);
  EXPECT_EQ(
      Ask({.source = "#define A \\\r\n 1\r\nkernel void k(global int* p)\r\n{ p[0] = A; }\r\n"})
          .status,
      BuildStatus::kSuccess);
  std::string large = "/* " + std::string(std::size_t{1} << 20, 'x') + " */\n";
  for (int i = 0; i < 100; ++i) large += "int f" + std::to_string(i) + "(int x) { return x; }\n";
  EXPECT_EQ(Ask({.source = large + kSmall}).status, BuildStatus::kSuccess);
  EXPECT_EQ(Ask({.source = ""}).status, BuildStatus::kSuccess);
}

TEST_F(Perform, HostileSourcesEnd) {
  options_.limits.seconds = 20;
  const BuildAnswer endless =
      Ask({.source = "#include \"x.h\"\n", .headers = {{"x.h", "#include \"x.h\"\n"}}});
  EXPECT_EQ(endless.status, BuildStatus::kFailure);
  std::string bomb = "#define A0 1+1+1+1+1+1+1+1+1+1\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "A" + std::to_string(i - 1) + " ";
    bomb += "#define A" + std::to_string(i);
    for (int j = 0; j < 10; ++j) bomb += (j == 0 ? " " : "+ ") + before;
    bomb += "\n";
  }
  options_.limits.seconds = 3;
  const BuildAnswer many = Ask({.source = bomb + "int a = A9;\n"});
  EXPECT_EQ(many.status, BuildStatus::kFailure);
  EXPECT_NE(many.log, "");
}

}  // namespace
}  // namespace assay::frontend
