#include "frontend/opencl_c.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/digest.h"
#include "base/file.h"
#include "base/run_tool.h"
#include "frontend/clang_debug_info.h"
#include "frontend/clang_dump.h"
#include "frontend/compile_cache.h"
#include "frontend/compile_job.h"
#include "frontend/decode.h"
#include "frontend/device_macros.h"
#include "frontend/llvm_address_spaces.h"
#include "frontend/llvm_dimensions.h"
#include "frontend/llvm_freeze.h"
#include "frontend/preprocess.h"
#include "frontend/private_globals.h"

namespace assay::frontend {
namespace {

namespace fs = std::filesystem;

struct Tools {
  const char* clang;
  const char* translator;  // bitcode to SPIR-V; null where clang writes SPIR-V itself
  const char* packages;    // Debian's
};

constexpr Tools kTools[] = {
    {"clang-15", "llvm-spirv-15", "clang-15 libclang-common-15-dev llvm-spirv-15"},
    {"clang-22", nullptr, "clang-22 libclang-common-22-dev"},
};

const Tools& ToolsOf(Compiler compiler) { return kTools[static_cast<int>(compiler)]; }

Expected<std::string> Locate(const char* program, const Tools& tools) {
  std::string path = base::FindProgram(program);
  if (!path.empty()) return path;
  return Fail(ErrorKind::kUsage,
              fmt::format("{} is not installed; on Debian: apt install {} (in a clone of assay "
                          "./dev setup does it)",
                          program, tools.packages));
}

// Identifies a program by properties of its file: starting it to print its version would take as
// long as compiling a small kernel.
std::string Identity(const std::string& program) {
  std::error_code failure;
  const fs::path path = fs::canonical(program, failure);
  struct stat facts = {};
  if (failure || stat(path.c_str(), &facts) != 0) return program;
  return fmt::format("{} {} {}.{}", path.string(), facts.st_size, facts.st_mtim.tv_sec,
                     facts.st_mtim.tv_nsec);
}

// The parts of the compiler to run: all, the front end up to IR, or the rest from IR on.
enum class Stage : std::uint8_t { kWhole, kFrontEnd, kBackEnd };

// SPIR-V extensions that the compilers may use: those that are executed, and those without which a
// module could not be written of whose kernels only some need them.
constexpr std::string_view kTranslatorExtensions =
    "+SPV_KHR_integer_dot_product,+SPV_KHR_bit_instructions,+SPV_EXT_shader_atomic_float_add,"
    "+SPV_EXT_shader_atomic_float_min_max,+SPV_KHR_uniform_group_instructions,"
    "+SPV_KHR_subgroup_rotate,+SPV_INTEL_subgroups,+SPV_INTEL_function_pointers,"
    "+SPV_INTEL_variable_length_array,+SPV_INTEL_inline_assembly";
constexpr std::string_view kClang22Extension = ",+SPV_EXT_shader_atomic_float16_add";

// The driver's line.  -O0, so that the optimizer hides no bug before it is seen.
std::vector<std::string> ClangLine(const CompileJob& job, const base::TemporaryFolder& temporary,
                                   bool dumps, Stage stage = Stage::kWhole) {
  const bool is_front_end = stage == Stage::kFrontEnd;
  const bool is_back_end = stage == Stage::kBackEnd;
  std::vector<std::string> line = {
      job.clang, is_front_end ? "-S" : "-c", "-x", is_back_end ? "ir" : "cl", "-O0", "-g"};
  const std::vector<std::string> language = LanguageOptions(job);
  line.insert(line.end(), language.begin(), language.end());
  if (!job.translator.empty()) {
    line.insert(line.end(), {"-emit-llvm", "-o", temporary.File("module.bc")});
  } else if (is_front_end) {
    // The order of uses decides the order in which the optimizer comes by.
    line.insert(line.end(), {"-emit-llvm", "-Xclang", "-disable-llvm-passes", "-Xclang",
                             "-emit-llvm-uselists", "-o", temporary.File("module.ll")});
  } else {
    line.insert(line.end(), {"-o", temporary.File("module.spv")});
    // LLVM takes the option once.
    const bool own = std::ranges::any_of(job.user_options, [](const std::string& option) {
      return option.find("-spirv-ext") != option.npos;
    });
    if (!own) {
      line.insert(line.end(), {"-mllvm", fmt::format("-spirv-ext={}{}", kTranslatorExtensions,
                                                     kClang22Extension)});
    }
  }
  line.insert(line.end(),
              {"-fno-discard-value-names", "-fno-crash-diagnostics", "-fno-color-diagnostics"});
  // The scopes of variables, which clang marks by itself with optimization only.
  if (!is_back_end) line.insert(line.end(), {"-Xclang", "-fsanitize-address-use-after-scope"});
  if (dumps) line.insert(line.end(), std::begin(kClangDumpOptions), std::end(kClangDumpOptions));
  line.insert(line.end(), job.user_options.begin(), job.user_options.end());
  if (is_back_end) {
    // A variable that stays in memory is declared to be there, for which the back end has words;
    // it has none for assignments that are tracked.
    line.insert(line.end(), {"-Xclang", "-fexperimental-assignment-tracking=disabled",
                             "-Wno-unused-command-line-argument", temporary.File("module.ll")});
    return line;
  }
  AddSource(job, temporary, &line);
  return line;
}

// The dump of a kernel with 54000 blocks has 100 MB.
constexpr std::size_t kMaxDump = std::size_t{1} << 30;

// Not where the user asks for dumps, some of whose options LLVM takes only once, or for a module
// without debug information.
bool WantsDump(const CompileJob& job) {
  bool debug = true;
  for (const std::string_view option : job.user_options) {
    if (option.find("-print-") != option.npos || option.find("-filter-print") != option.npos) {
      return false;
    }
    if (option.starts_with("-g")) debug = option != "-g0";
  }
  return job.translator.empty() && debug;
}

bool Optimizes(const CompileJob& job) {
  bool optimizes = false;
  for (const std::string_view option : job.user_options) {
    if (option.starts_with("-O")) optimizes = option != "-O0";
    if (option == "-cl-opt-disable") optimizes = false;
  }
  return optimizes;
}

// Makes IR of the program in which the optimizer can follow variables; what the front end said.
// Nothing where that does not work.
std::optional<base::ToolResult> RunFrontEnd(const CompileJob& job,
                                            const base::TemporaryFolder& temporary) {
  auto result = RunConfined(ClangLine(job, temporary, false, Stage::kFrontEnd), job, temporary,
                            job.LimitsNow(0.5));
  if (!result || (result->exit_status != 0 && result->exit_status != 1)) return std::nullopt;
  if (result->exit_status != 0) return std::move(*result);
  const std::string path = temporary.File("module.ll");
  const auto ir = base::ReadWholeFile(path);
  if (!ir) return std::nullopt;
  std::ofstream stream(path, std::ios::binary);
  stream << WithoutAddressSpaceExpressions(*ir);
  if (!stream.flush()) return std::nullopt;
  return std::move(*result);
}

// Runs clang-22 so that it says where its instructions come from; `dump` views `output`.  Nothing
// where that does not work, or takes so long that the rest of the time is better spent without it.
std::optional<Expected<std::string>> RunDumping(const CompileJob& job,
                                                const base::TemporaryFolder& temporary, Stage stage,
                                                std::string* output, ClangDump* dump) {
  std::string messages;
  if (stage == Stage::kBackEnd) {
    auto front = RunFrontEnd(job, temporary);
    if (!front) return std::nullopt;
    if (front->exit_status != 0) return CheckExit(job.clang, std::move(*front), job);
    messages = std::move(front->output);
  }
  auto result = RunConfined(ClangLine(job, temporary, true, stage), job, temporary,
                            job.LimitsNow(0.5), kMaxDump);
  if (!result) return std::nullopt;
  *output = std::move(result->output);
  result->output = std::move(messages);
  *dump = SplitClangOutput(*output, &result->output);
  if (result->output.size() > base::kMaxToolOutput) result->output.resize(base::kMaxToolOutput);
  // Errors in the program are 1, and so are options that the compiler does not know.
  const bool is_of_program = stage == Stage::kWhole && result->exit_status == 1 &&
                             result->output.find("(LLVM option parsing)") == std::string::npos;
  if (result->exit_status != 0 && !is_of_program) {
    *dump = {};
    return std::nullopt;
  }
  return CheckExit(job.clang, std::move(*result), job);
}

// The module's bytes with debug information, or as they are where there is nothing to add.
std::string WithDebugInfo(std::string bytes, const ClangDump& dump) {
  if (dump.module.empty()) return bytes;
  const auto binary = LoadBytes(std::as_bytes(std::span(bytes)), "module");
  if (!binary) return bytes;
  const std::vector<Word> words = AddClangDebugInfo(*binary, dump);
  if (words.empty()) return bytes;
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word));
}

// Bitcode to SPIR-V.
Expected<std::string> Translate(const CompileJob& job, const base::TemporaryFolder& temporary) {
  // Without the third option the translator ends itself over what -O2 leaves in DIExpressions.
  return RunCompiler({job.translator, fmt::format("--spirv-ext={}", kTranslatorExtensions),
                      "--spirv-debug-info-version=ocl-100", "--spirv-allow-extra-diexpressions",
                      temporary.File("module.bc"), "-o", temporary.File("module.spv")},
                     job, temporary);
}

bool TakesAnyDimensionIn(const base::TemporaryFolder& temporary) {
  const auto module = base::ReadWholeFile(temporary.File("module.spv"));
  if (!module) return false;  // the next reader reports it
  std::vector<Word> words(module->size() / sizeof(Word));
  std::memcpy(words.data(), module->data(), words.size() * sizeof(Word));
  return TakesAnyDimension(words);
}

// Says in the bitcode by other instructions what the translator does not know, or gets wrong.
Expected<void> CureBitcode(const CompileJob& job, const base::TemporaryFolder& temporary) {
  const std::string bitcode = temporary.File("module.bc"), text = temporary.File("module.ll");
  const auto convert = [&](const std::string& from, const std::string& to, const char* form) {
    return RunCompiler(
        {job.clang, form, "-x", "ir", "--target=spir64-unknown-unknown", "-emit-llvm", "-Xclang",
         "-disable-llvm-passes", "-fno-discard-value-names", from, "-o", to},
        job, temporary);
  };
  if (auto good = convert(bitcode, text, "-S"); !good) return tl::unexpected(good.error());
  const auto ir = base::ReadWholeFile(text);
  if (!ir) return tl::unexpected(ir.error());
  std::ofstream stream(text, std::ios::binary);
  stream << WithGuardedDimensions(WithoutFreeze(*ir));
  if (!stream.flush()) return Fail(ErrorKind::kDevice, fmt::format("{}: cannot be written", text));
  if (auto good = convert(text, bitcode, "-c"); !good) return tl::unexpected(good.error());
  return {};
}

std::string WithoutPrivateVariables(std::string bytes) {
  const auto binary = LoadBytes(std::as_bytes(std::span(bytes)), "module");
  if (!binary) return bytes;
  const std::vector<Word> words = WithoutPrivateGlobals(*binary);
  if (words.empty()) return bytes;
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word));
}

Expected<CacheEntry> Compile(const CompileJob& job, const base::TemporaryFolder& temporary) {
  CacheEntry entry;
  std::string output;
  ClangDump dump;
  std::optional<Expected<std::string>> dumped;
  if (WantsDump(job) && Optimizes(job)) {
    dumped = RunDumping(job, temporary, Stage::kBackEnd, &output, &dump);
  }
  if (WantsDump(job) && !dumped) {
    dumped = RunDumping(job, temporary, Stage::kWhole, &output, &dump);
  }
  auto messages =
      dumped ? std::move(*dumped) : RunCompiler(ClangLine(job, temporary, false), job, temporary);
  if (!messages) return tl::unexpected(messages.error());
  entry.messages = std::move(*messages);
  if (WantsDump(job) && !dumped) {
    entry.messages += fmt::format(
        "{}: compiled without source lines: clang-22 does not write them for this program, or not "
        "in {} s; -g0 in the build options saves the time\n",
        job.name, job.limits.seconds / 2);
  }
  if (!job.translator.empty()) {
    auto more = Translate(job, temporary);
    const bool ails = more ? TakesAnyDimensionIn(temporary)
                           : more.error().message.find("freeze") != std::string::npos;
    if (ails && CureBitcode(job, temporary)) more = Translate(job, temporary);
    if (!more) return tl::unexpected(more.error());
    entry.messages += *more;
  }
  auto module = base::ReadWholeFile(temporary.File("module.spv"));
  if (!module) return tl::unexpected(module.error());
  entry.module = WithoutPrivateVariables(WithDebugInfo(std::move(*module), dump));
  return entry;
}

std::string KeyOf(const CompileJob& job, const Preprocessed& preprocessed) {
  base::Digest digest;
  std::error_code ignored;
  digest.AddField("compile/14").AddField(job.source).AddField(job.name).AddField(job.folder);
  digest.AddField(fs::current_path(ignored).string());  // debug information names it
  digest.AddField(job.standard).AddField(DeviceProlog(job.user_options));
  digest.AddField(Identity(job.clang));
  for (const auto& version : fs::directory_iterator(ResourceFolder(job.clang), ignored)) {
    digest.AddField(Identity(version.path() / "include/opencl-c.h"));
    digest.AddField(Identity(version.path() / "include/opencl-c-base.h"));
  }
  digest.AddField(job.translator.empty() ? "" : Identity(job.translator));
  for (const std::string& option : job.user_options) digest.AddField(option);
  digest.AddField("preprocessed").AddField(preprocessed.text);
  for (const FileDigest& file : preprocessed.included) {
    digest.AddField(file.path).AddField(file.sha256);
  }
  return digest.Finish();
}

// Said once: it is about the machine and not about the program.
std::string WallWarning() {
  static std::atomic<bool> said{false};
  if (base::BestWall() != base::Wall::kLimits || said.exchange(true)) return "";
  return "assay: warning: compilers run without a sandbox, since this machine has neither "
         "namespaces (install bubblewrap) nor Landlock; see docs/security.md\n";
}

Expected<CompileJob> JobOf(const std::string& source, const std::string& name,
                           const std::string& folder, const CompileOptions& options) {
  const Tools& tools = ToolsOf(options.compiler);
  CompileJob job;
  job.source = source;
  job.name = name;
  job.folder = fs::absolute(folder.empty() ? "." : folder).string();
  job.limits = options.limits;
  job.reads = options.reads;
  job.reads.Add(job.folder);
  auto clang = Locate(tools.clang, tools);
  if (!clang) return tl::unexpected(clang.error());
  job.clang = *clang;
  if (tools.translator != nullptr) {
    auto translator = Locate(tools.translator, tools);
    if (!translator) return tl::unexpected(translator.error());
    job.translator = *translator;
  }
  auto read = ReadBuildOptions(options.build_options, options.options_from, job.folder, job.reads);
  if (!read) return tl::unexpected(read.error());
  job.user_options = std::move(read->words);
  job.readable = job.reads.paths();
  job.readable.push_back(job.folder);
  for (std::string& path : read->readable) {
    job.reads.Add(path);
    job.readable.push_back(std::move(path));
  }
  return job;
}

}  // namespace

bool HasCompiler(Compiler compiler) {
  const Tools& tools = ToolsOf(compiler);
  return !base::FindProgram(tools.clang).empty() &&
         (tools.translator == nullptr || !base::FindProgram(tools.translator).empty());
}

namespace {

// One way to compile a source.  A way that failed is kept in the cache where the next one did not:
// as an entry without a module.
struct Attempt {
  CompileJob job;
  std::string key;  // empty: nothing is kept
  Expected<Compiled> result;
};

constexpr std::string_view kFailedKinds = "UT";

CacheEntry FailedEntry(const Error& error) {
  const char kind = kFailedKinds[error.kind == ErrorKind::kUnsupported ? 1 : 0];
  return {.messages = kind + error.message, .module = ""};
}

Expected<Compiled> CompileWith(Attempt* attempt, bool use_cache) {
  CompileJob& job = attempt->job;
  std::optional<base::TemporaryFolder> temporary;
  const auto prepare = [&]() -> Expected<void> {
    auto made = base::TemporaryFolder::Make();
    if (!made) return tl::unexpected(made.error());
    temporary.emplace(std::move(*made));
    return WriteSource(job, *temporary);
  };
  Preprocessed preprocessed;
  if (NeedsPreprocessing(job)) {
    if (auto good = prepare(); !good) return tl::unexpected(good.error());
    auto made = Preprocess(job, *temporary);
    if (!made) return tl::unexpected(made.error());
    preprocessed = std::move(*made);
  }
  const CompileCache cache;
  if (use_cache) attempt->key = KeyOf(job, preprocessed);
  std::optional<CacheEntry> entry;
  if (use_cache) entry = cache.Find(attempt->key);
  if (entry && entry->module.empty() && !entry->messages.empty()) {
    const bool dies = entry->messages[0] == kFailedKinds[1];
    return Fail(dies ? ErrorKind::kUnsupported : ErrorKind::kUsage, entry->messages.substr(1));
  }
  const bool found = entry.has_value();
  std::string warning;
  if (!found) {
    std::vector<std::string> paths;
    for (const FileDigest& file : preprocessed.included) paths.push_back(file.path);
    if (!temporary) {
      if (auto good = prepare(); !good) return tl::unexpected(good.error());
    }
    if (auto good = WriteOverlay(paths, *temporary, &job); !good) {
      return tl::unexpected(good.error());
    }
    auto made = Compile(job, *temporary);
    if (!made) return tl::unexpected(made.error());
    entry = std::move(*made);
    warning = WallWarning();
    // Not where a file changed between the two looks at it.
    if (use_cache && DigestsOf(paths) == preprocessed.included) cache.Store(attempt->key, *entry);
  }
  auto binary = LoadBytes(std::as_bytes(std::span(entry->module)), job.name);
  if (!binary) return tl::unexpected(binary.error());
  return Compiled{std::move(*binary), warning + entry->messages, std::move(preprocessed.included),
                  found};
}

Attempt Try(CompileJob job, bool use_cache) {
  Attempt attempt{.job = std::move(job), .key = "", .result = Fail(ErrorKind::kInternal, "")};
  attempt.result = CompileWith(&attempt, use_cache);
  return attempt;
}

void Keep(const Attempt& failed) {
  if (!failed.key.empty()) CompileCache().Store(failed.key, FailedEntry(failed.result.error()));
}

// A function of OpenCL C that the translator leaves as a call to a function that is elsewhere; its
// name, or nothing.  Only built-ins have names with types in them.
std::string UntranslatedBuiltIn(const Binary& binary) {
  std::string name;
  ForEachInstruction(binary.words, [&](std::size_t, std::span<const Word> words) {
    if (OpcodeOf(words[0]) != Op::kDecorate || words.size() < 5) return;
    if (words[2] != static_cast<Word>(Decoration::kLinkageAttributes)) return;
    if (words.back() != static_cast<Word>(LinkageType::kImport)) return;
    const auto linked = StringAt(words.subspan(3));
    if (name.empty() && linked && linked->starts_with("_Z")) name = *linked;
  });
  return name;
}

// Compiles the source with clang-15 and llvm-spirv-15, or else with clang-22.
Attempt TryBothCompilers(CompileJob job, const CompileOptions& options) {
  Attempt first = Try(std::move(job), options.use_cache);
  if (options.compiler != Compiler::kClang15) return first;
  std::string why;
  if (first.result) {
    const std::string name = UntranslatedBuiltIn(first.result->binary);
    if (name.empty()) return first;
    why = fmt::format("llvm-spirv-15 does not know {}", name);
  } else {
    if (first.result.error().kind != ErrorKind::kUnsupported) return first;
    why = first.result.error().message;
  }
  const Tools& tools = ToolsOf(Compiler::kClang22);
  CompileJob next = first.job;
  next.clang = base::FindProgram(tools.clang);
  next.translator.clear();
  next.has_overlay = false;
  if (next.clang.empty()) {
    if (!first.result) {
      first.result = Fail(ErrorKind::kUnsupported,
                          fmt::format("{}; clang-22 may: ./dev setup installs it (Debian: {})", why,
                                      tools.packages));
    }
    return first;
  }
  Attempt second = Try(std::move(next), options.use_cache);
  const bool complete = second.result && UntranslatedBuiltIn(second.result->binary).empty();
  if (complete || (second.result && !first.result)) {
    if (!first.result) Keep(first);
    second.result->messages =
        fmt::format("assay: note: {}: compiled by clang-22: {}\n", second.job.name, why) +
        second.result->messages;
    return second;
  }
  if (second.result) return first;
  Keep(second);
  if (first.result) return first;
  first.result = Fail(ErrorKind::kUnsupported, fmt::format("{}; clang-22 was tried next: {}", why,
                                                           CauseOf(second.result.error().message)));
  return first;
}

bool NamesStandard(const CompileJob& job) {
  return std::ranges::any_of(
      job.user_options, [](const std::string& option) { return option.starts_with("-cl-std="); });
}

}  // namespace

Expected<Compiled> CompileSource(const std::string& source, const std::string& name,
                                 const std::string& folder, const CompileOptions& options) {
  auto job = JobOf(source, name, folder, options);
  if (!job) return tl::unexpected(job.error());
  Attempt newest = TryBothCompilers(*job, options);
  const bool is_wrong = !newest.result && newest.result.error().kind == ErrorKind::kUsage;
  if (!is_wrong || NamesStandard(*job)) return std::move(newest.result);
  // Names that OpenCL C 2.0 and 3.0 took are free in 1.2.
  job->standard = "CL1.2";
  Attempt older = TryBothCompilers(std::move(*job), options);
  if (!older.result) {
    // As 1.2 the program has no errors; what a compiler cannot do is the cause.
    const bool is_right = older.result.error().kind == ErrorKind::kUnsupported;
    return std::move(is_right ? older.result : newest.result);
  }
  Keep(newest);
  older.result->messages =
      fmt::format(
          "assay: note: {}: compiled as OpenCL C 1.2, since it has errors as 3.0 "
          "(-cl-std=CL3.0 shows them)\n",
          name) +
      older.result->messages;
  return std::move(older.result);
}

Expected<Compiled> CompileFile(const std::string& path, const CompileOptions& options) {
  auto source = base::ReadWholeFile(path);
  if (!source) return tl::unexpected(source.error());
  return CompileSource(*source, path, fs::path(path).parent_path().string(), options);
}

}  // namespace assay::frontend
