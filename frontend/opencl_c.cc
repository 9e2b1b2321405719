#include "frontend/opencl_c.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "frontend/clang_debug_info.h"
#include "frontend/clang_dump.h"
#include "frontend/compile_cache.h"
#include "frontend/digest.h"
#include "frontend/llvm_address_spaces.h"
#include "frontend/run_tool.h"

namespace assay::frontend {
namespace {

namespace fs = std::filesystem;

struct Tools {
  const char* clang;
  const char* translator;  // bitcode to SPIR-V; null where clang writes SPIR-V itself
  const char* packages;    // Debian's
};

constexpr Tools kTools[] = {
    {"clang-15", "llvm-spirv-15", "clang-15, libclang-common-15-dev and llvm-spirv-15"},
    {"clang-22", nullptr, "clang-22 and libclang-common-22-dev"},
};

const Tools& ToolsOf(Compiler compiler) { return kTools[static_cast<int>(compiler)]; }

Expected<std::string> Locate(const char* program, const Tools& tools) {
  std::string path = FindProgram(program);
  if (!path.empty()) return path;
  return Fail(ErrorKind::kUsage,
              fmt::format("{} is not installed; ./dev setup installs it (Debian: {})", program,
                          tools.packages));
}

// What changes when a program is exchanged: asking it for its version would take as long as
// compiling a small kernel.
std::string Identity(const std::string& program) {
  std::error_code failure;
  const fs::path path = fs::canonical(program, failure);
  struct stat facts = {};
  if (failure || stat(path.c_str(), &facts) != 0) return program;
  return fmt::format("{} {} {}.{}", path.string(), facts.st_size, facts.st_mtim.tv_sec,
                     facts.st_mtim.tv_nsec);
}

struct Job {
  std::string source;
  std::string name;
  std::string folder;
  std::string clang;
  std::string translator;  // empty: none
  std::vector<std::string> user_options;
  double seconds;
};

// -I and relative folders: the compiler runs in the caller's folder, and the source is a copy.
std::vector<std::string> ResolveIncludes(std::vector<std::string> options,
                                         const std::string& folder) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (!options[i].starts_with("-I")) continue;
    const bool separate = options[i] == "-I";
    if (separate && i + 1 == options.size()) break;
    const std::string path = separate ? options[++i] : options[i].substr(2);
    options[i] = (separate ? "" : "-I") + (fs::path(folder) / path).string();
  }
  return options;
}

// What of the compiler is run: all of it, or its front end to IR and the rest from there on.
enum class Stage : std::uint8_t { kWhole, kFrontEnd, kBackEnd };

// The driver's line.  -O0, so that the optimizer hides no bug before it is seen.  Functions that
// are `inline` and no more have bodies, as drivers' compilers and most sources take it.
std::vector<std::string> ClangLine(const Job& job, const TemporaryFolder& temporary, bool dumps,
                                   Stage stage = Stage::kWhole) {
  const bool is_front_end = stage == Stage::kFrontEnd;
  const bool is_back_end = stage == Stage::kBackEnd;
  std::vector<std::string> line = {job.clang,
                                   is_front_end ? "-S" : "-c",
                                   "-x",
                                   is_back_end ? "ir" : "cl",
                                   "-cl-std=CL3.0",
                                   "-O0",
                                   "-g",
                                   "-fgnu89-inline"};
  if (!job.translator.empty()) {
    line.insert(line.end(), {"--target=spir64-unknown-unknown", "-emit-llvm", "-Xclang",
                             "-finclude-default-header", "-o", temporary.File("module.bc")});
  } else if (is_front_end) {
    // The order of uses decides the order in which the optimizer comes by.
    line.insert(line.end(), {"--target=spirv64-unknown-unknown", "-emit-llvm", "-Xclang",
                             "-disable-llvm-passes", "-Xclang", "-emit-llvm-uselists", "-o",
                             temporary.File("module.ll")});
  } else {
    line.insert(line.end(),
                {"--target=spirv64-unknown-unknown", "-o", temporary.File("module.spv")});
  }
  line.insert(line.end(),
              {"-fno-discard-value-names", "-fno-crash-diagnostics", "-fno-color-diagnostics"});
  if (!is_back_end) line.insert(line.end(), {"-MMD", "-MF", temporary.File("included")});
  if (dumps) line.insert(line.end(), std::begin(kClangDumpOptions), std::end(kClangDumpOptions));
  for (std::string& option : ResolveIncludes(job.user_options, job.folder)) {
    line.push_back(std::move(option));
  }
  if (is_back_end) {
    // A variable that stays in memory is declared to be there, for which the back end has words;
    // it has none for assignments that are tracked.
    line.insert(line.end(), {"-Xclang", "-fexperimental-assignment-tracking=disabled",
                             "-Wno-unused-command-line-argument", temporary.File("module.ll")});
    return line;
  }
  // The same source gives the same module, whatever the temporary folder is called.
  line.push_back(fmt::format("-fdebug-prefix-map={}={}", temporary.File("source.cl"), job.name));
  // The source's own folder is what #include "x" looks in first.
  line.insert(line.end(), {"-iquote", job.folder, temporary.File("source.cl")});
  return line;
}

Expected<std::string> CheckExit(const std::string& path, ToolResult result, const Job& job) {
  if (result.exit_status == 0) return std::move(result.output);
  const std::string program = fs::path(path).filename();
  // 1: errors in the program; a crash of clang is 70 (its own report) or a signal.
  if (result.exit_status == 1) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} refuses {}:\n{}", program, job.name, result.output));
  }
  return Fail(ErrorKind::kDevice, fmt::format("{} failed on {} with exit status {}:\n{}", program,
                                              job.name, result.exit_status, result.output));
}

Expected<std::string> RunCompiler(const std::vector<std::string>& line, const Job& job) {
  auto result = RunTool(line, job.seconds);
  if (!result) return tl::unexpected(result.error());
  return CheckExit(line[0], std::move(*result), job);
}

// The dump of a kernel with 54000 blocks has 100 MB.
constexpr std::size_t kMaxDump = std::size_t{1} << 30;

// Not where the user asks for dumps, some of whose options LLVM takes only once, or for a module
// without debug information.
bool WantsDump(const Job& job) {
  bool debug = true;
  for (const std::string_view option : job.user_options) {
    if (option.find("-print-") != option.npos || option.find("-filter-print") != option.npos) {
      return false;
    }
    if (option.starts_with("-g")) debug = option != "-g0";
  }
  return job.translator.empty() && debug;
}

bool Optimizes(const Job& job) {
  bool optimizes = false;
  for (const std::string_view option : job.user_options) {
    if (option.starts_with("-O")) optimizes = option != "-O0";
    if (option == "-cl-opt-disable") optimizes = false;
  }
  return optimizes;
}

// Makes IR of the program in which the optimizer can follow variables; what the front end said.
// Nothing where that does not work.
std::optional<ToolResult> RunFrontEnd(const Job& job, const TemporaryFolder& temporary) {
  auto result = RunTool(ClangLine(job, temporary, false, Stage::kFrontEnd), job.seconds / 2);
  if (!result || (result->exit_status != 0 && result->exit_status != 1)) return std::nullopt;
  if (result->exit_status != 0) return std::move(*result);
  const std::string path = temporary.File("module.ll");
  const auto ir = ReadWholeFile(path);
  if (!ir) return std::nullopt;
  std::ofstream stream(path, std::ios::binary);
  stream << WithoutAddressSpaceExpressions(*ir);
  if (!stream.flush()) return std::nullopt;
  return std::move(*result);
}

// Runs clang-22 so that it says where its instructions come from; `dump` views `output`.  Nothing
// where that does not work, or takes so long that the rest of the time is better spent without it.
std::optional<Expected<std::string>> RunDumping(const Job& job, const TemporaryFolder& temporary,
                                                Stage stage, std::string* output, ClangDump* dump) {
  std::string messages;
  if (stage == Stage::kBackEnd) {
    auto front = RunFrontEnd(job, temporary);
    if (!front) return std::nullopt;
    if (front->exit_status != 0) return CheckExit(job.clang, std::move(*front), job);
    messages = std::move(front->output);
  }
  auto result = RunTool(ClangLine(job, temporary, true, stage), job.seconds / 2, kMaxDump);
  if (!result) return std::nullopt;
  *output = std::move(result->output);
  result->output = std::move(messages);
  *dump = SplitClangOutput(*output, &result->output);
  if (result->output.size() > kMaxToolOutput) result->output.resize(kMaxToolOutput);
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

// The prerequisites of a make rule, as -MMD writes it: "module.bc: a.cl \<newline> b.h", spaces in
// names behind backslashes and dollars doubled.
std::vector<std::string> Prerequisites(const std::string& rule) {
  std::vector<std::string> files;
  std::string name;
  const auto flush = [&] {
    if (!name.empty()) files.push_back(name);
    name.clear();
  };
  const std::size_t colon = rule.find(": ");
  for (std::size_t i = colon == rule.npos ? rule.size() : colon + 2; i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (rule[i] == '\\' && (next == ' ' || next == '#')) {
      name += next;
      ++i;
    } else if (rule[i] == '$' && next == '$') {
      name += '$';
      ++i;
    } else if (rule[i] == '\\' && next == '\n') {
      flush();
      ++i;
    } else if (rule[i] == ' ' || rule[i] == '\n') {
      flush();
    } else {
      name += rule[i];
    }
  }
  flush();
  return files;
}

Expected<CacheEntry> Compile(const Job& job) {
  auto temporary = TemporaryFolder::Make();
  if (!temporary) return tl::unexpected(temporary.error());
  const std::string copy = temporary->File("source.cl");
  {
    std::ofstream stream(copy, std::ios::binary);
    // Messages, __FILE__ and debug information name the file that the user wrote.
    std::string quoted;
    for (const char c : job.name)
      quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    stream << "#line 1 \"" << quoted << "\"\n" << job.source;
    if (!stream.flush()) {
      return Fail(ErrorKind::kDevice, fmt::format("{}: cannot be written", copy));
    }
  }
  CacheEntry entry;
  std::string output;
  ClangDump dump;
  std::optional<Expected<std::string>> dumped;
  if (WantsDump(job) && Optimizes(job)) {
    dumped = RunDumping(job, *temporary, Stage::kBackEnd, &output, &dump);
  }
  if (WantsDump(job) && !dumped) {
    dumped = RunDumping(job, *temporary, Stage::kWhole, &output, &dump);
  }
  auto messages = dumped ? std::move(*dumped) : RunCompiler(ClangLine(job, *temporary, false), job);
  if (!messages) return tl::unexpected(messages.error());
  entry.messages = std::move(*messages);
  if (WantsDump(job) && !dumped) {
    entry.messages += fmt::format(
        "{}: compiled without source lines: clang-22 does not write them for this program, or not "
        "in {} s; -g0 in the build options saves the time\n",
        job.name, job.seconds / 2);
  }
  if (!job.translator.empty()) {
    // Without the second option the translator ends itself over what -O2 leaves in DIExpressions.
    auto more = RunCompiler(
        {job.translator, "--spirv-debug-info-version=ocl-100", "--spirv-allow-extra-diexpressions",
         temporary->File("module.bc"), "-o", temporary->File("module.spv")},
        job);
    if (!more) return tl::unexpected(more.error());
    entry.messages += *more;
  }
  auto module = ReadWholeFile(temporary->File("module.spv"));
  if (!module) return tl::unexpected(module.error());
  entry.module = WithDebugInfo(std::move(*module), dump);
  auto rule = ReadWholeFile(temporary->File("included"));
  if (!rule) return tl::unexpected(rule.error());
  for (std::string& file : Prerequisites(*rule)) {
    if (file != copy) entry.included.push_back(fs::absolute(file).string());
  }
  return entry;
}

std::string KeyOf(const Job& job) {
  Digest digest;
  digest.AddField("compile/11").AddField(job.source).AddField(job.name).AddField(job.folder);
  digest.AddField(Identity(job.clang));
  digest.AddField(job.translator.empty() ? "" : Identity(job.translator));
  for (const std::string& option : job.user_options) digest.AddField(option);
  return digest.Finish();
}

}  // namespace

bool HasCompiler(Compiler compiler) {
  const Tools& tools = ToolsOf(compiler);
  return !FindProgram(tools.clang).empty() &&
         (tools.translator == nullptr || !FindProgram(tools.translator).empty());
}

Expected<std::vector<std::string>> SplitOptions(const std::string& text) {
  std::vector<std::string> options;
  std::string option;
  bool started = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      option += text[++i];
      started = true;
    } else if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        option += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      started = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (started) options.push_back(std::exchange(option, ""));
      started = false;
    } else {
      option += c;
      started = true;
    }
  }
  if (quote != '\0') {
    return Fail(ErrorKind::kUsage, fmt::format("build options: no closing {} in: {}", quote, text));
  }
  if (started) options.push_back(option);
  return options;
}

Expected<Compiled> CompileSource(const std::string& source, const std::string& name,
                                 const std::string& folder, const CompileOptions& options) {
  const Tools& tools = ToolsOf(options.compiler);
  Job job;
  job.source = source;
  job.name = name;
  job.folder = fs::absolute(folder.empty() ? "." : folder).string();
  job.seconds = options.seconds;
  auto clang = Locate(tools.clang, tools);
  if (!clang) return tl::unexpected(clang.error());
  job.clang = *clang;
  if (tools.translator != nullptr) {
    auto translator = Locate(tools.translator, tools);
    if (!translator) return tl::unexpected(translator.error());
    job.translator = *translator;
  }
  auto words = SplitOptions(options.build_options);
  if (!words) return tl::unexpected(words.error());
  job.user_options = std::move(*words);

  const CompileCache cache;
  const std::string key = options.use_cache ? KeyOf(job) : "";
  std::optional<CacheEntry> entry;
  if (options.use_cache) entry = cache.Find(key);
  const bool found = entry.has_value();
  if (!found) {
    auto made = Compile(job);
    if (!made) return tl::unexpected(made.error());
    entry = std::move(*made);
    if (options.use_cache) cache.Store(key, *entry);
  }
  auto binary = LoadBytes(std::as_bytes(std::span(entry->module)), name);
  if (!binary) return tl::unexpected(binary.error());
  return Compiled{std::move(*binary), std::move(entry->messages), found};
}

Expected<Compiled> CompileFile(const std::string& path, const CompileOptions& options) {
  auto source = ReadWholeFile(path);
  if (!source) return tl::unexpected(source.error());
  return CompileSource(*source, path, fs::path(path).parent_path().string(), options);
}

}  // namespace assay::frontend
