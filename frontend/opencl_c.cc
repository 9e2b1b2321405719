#include "frontend/opencl_c.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "base/digest.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/run_tool.h"
#include "frontend/compile_cache.h"
#include "frontend/compile_job.h"
#include "frontend/decode.h"
#include "frontend/empty_copies.h"
#include "frontend/finite_math.h"
#include "frontend/preprocess.h"
#include "frontend/run_compilers.h"

namespace assay::frontend {
namespace {

namespace fs = std::filesystem;

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

std::string KeyOf(const CompileJob& job, const Preprocessed& preprocessed) {
  base::Digest digest;
  std::error_code ignored;
  digest.AddField("compile/19").AddField(job.source).AddField(job.name).AddField(job.folder);
  digest.AddField(fs::current_path(ignored).string());  // debug information names it
  digest.AddField(job.standard).AddField(PrologOf(job));
  digest.AddField(Identity(job.clang));
  for (const auto& version : fs::directory_iterator(ResourceFolder(job.clang), ignored)) {
    digest.AddField(Identity(version.path() / "include/opencl-c.h"));
    digest.AddField(Identity(version.path() / "include/opencl-c-base.h"));
  }
  digest.AddField(job.translator.empty() ? "" : Identity(job.translator));
  for (const std::string& option : job.user_options) digest.AddField(option);
  if (job.argument_info) digest.AddField("argument info/1");
  if (!job.headers.empty()) digest.AddField("headers");
  for (const EmbeddedHeader& header : job.headers) {
    digest.AddField(header.name).AddField(header.source);
  }
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
  const auto compiler = options.compiler ? *options.compiler : DefaultCompiler();
  if (!compiler) return tl::unexpected(compiler.error());
  auto programs = FindPrograms(*compiler);
  if (!programs) return tl::unexpected(programs.error());
  CompileJob job;
  job.version = programs->version;
  job.clang = std::move(programs->clang);
  job.translator = std::move(programs->translator);
  job.source = source;
  job.name = name;
  if (!folder.empty()) job.folder = fs::absolute(folder).string();
  job.headers = options.headers;
  job.argument_info = options.argument_info;
  job.limits = options.limits;
  job.reads = options.reads;
  if (!folder.empty()) job.reads.Add(job.folder);
  auto read = options.read_options ? Expected<BuildOptions>(*options.read_options)
                                   : ReadBuildOptions(options.build_options, options.options_from,
                                                      job.folder, job.reads);
  if (!read) return tl::unexpected(read.error());
  job.user_options = std::move(read->words);
  job.readable = job.reads.paths();
  if (!folder.empty()) job.readable.push_back(job.folder);
  for (std::string& path : read->readable) {
    job.reads.Add(path);
    job.readable.push_back(std::move(path));
  }
  return job;
}

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

bool AssumesFiniteMath(const CompileJob& job) {
  return std::ranges::any_of(job.user_options, [](const std::string& option) {
    return option == "-cl-finite-math-only" || option == "-cl-fast-relaxed-math";
  });
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
    auto made = RunCompilers(job, *temporary);
    if (!made) return tl::unexpected(made.error());
    entry = std::move(*made);
    warning = WallWarning();
    // Not where a file changed between the two looks at it.
    if (use_cache && DigestsOf(paths) == preprocessed.included) cache.Store(attempt->key, *entry);
  }
  entry->module = WithoutEmptyCopies(std::move(entry->module));
  if (AssumesFiniteMath(job)) entry->module = WithFiniteMath(std::move(entry->module));
  auto binary = LoadBytes(std::as_bytes(std::span(entry->module)), job.name);
  if (!binary) return tl::unexpected(binary.error());
  binary->compiler = ProgramName(job.clang);
  if (!job.translator.empty()) binary->compiler += " with " + ProgramName(job.translator);
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

// Compiles the source by way of a translator, or else with a clang that has a SPIR-V target.
Attempt TryBothCompilers(CompileJob job, const CompileOptions& options) {
  const bool has_another = !job.translator.empty();
  Attempt first = Try(std::move(job), options.use_cache);
  if (!has_another) return first;
  std::string why;
  if (first.result) {
    const std::string name = UntranslatedBuiltIn(first.result->binary);
    if (name.empty()) return first;
    why = fmt::format("{} does not know {}", ProgramName(first.job.translator), name);
  } else {
    if (first.result.error().kind != ErrorKind::kUnsupported) return first;
    why = first.result.error().message;
  }
  const auto another = SecondCompiler();
  const auto programs = FindPrograms(another.value_or(Compiler::kClang22));
  if (!programs) {
    if (!first.result) {
      first.result = Fail(ErrorKind::kUnsupported,
                          fmt::format("{}; clang-22 may: {}", why, programs.error().message));
    }
    return first;
  }
  CompileJob next = first.job;
  next.version = programs->version;
  next.clang = programs->clang;
  next.translator.clear();
  next.has_overlay = false;
  const std::string name = ProgramName(next.clang);
  Attempt second = Try(std::move(next), options.use_cache);
  const bool complete = second.result && UntranslatedBuiltIn(second.result->binary).empty();
  if (complete || (second.result && !first.result)) {
    if (!first.result) Keep(first);
    second.result->messages =
        fmt::format("assay: note: {}: compiled by {}: {}\n", second.job.name, name, why) +
        second.result->messages;
    return second;
  }
  if (second.result) return first;
  Keep(second);
  if (first.result) return first;
  first.result = Fail(ErrorKind::kUnsupported, fmt::format("{}; {} was tried next: {}", why, name,
                                                           CauseOf(second.result.error().message)));
  return first;
}

// Whether it makes a module of a small kernel.  The cache keeps the answer.
bool Works(Compiler compiler) {
  constexpr const char* kSource = "kernel void works(global int* p) { *p = 1; }\n";
  auto job = JobOf(kSource, "works.cl", "", {.compiler = compiler});
  return job && Try(std::move(*job), true).result;
}

bool NamesStandard(const CompileJob& job) {
  return std::ranges::any_of(
      job.user_options, [](const std::string& option) { return option.starts_with("-cl-std="); });
}

}  // namespace

Expected<Compiler> DefaultCompiler() {
  // One answer for each search path, on which the programs are looked for.
  static std::mutex mutex;
  static std::map<std::string, Compiler> known;
  const std::lock_guard lock(mutex);
  const std::string path = base::EnvironmentText("PATH");
  if (const auto found = known.find(path); found != known.end()) return found->second;
  const std::vector<Compiler> installed = InstalledCompilers();
  if (installed.empty()) return Fail(ErrorKind::kUsage, NoCompilerMessage());
  // Not every clang was built with the target.
  const auto is_taken = [](Compiler compiler) {
    const auto programs = FindPrograms(compiler);
    return programs && (!programs->translator.empty() || Works(compiler));
  };
  const auto works =
      installed.size() == 1 ? installed.begin() : std::ranges::find_if(installed, is_taken);
  return known[path] = works == installed.end() ? installed.front() : *works;
}

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
  const std::string folder = fs::path(path).parent_path().string();
  return CompileSource(*source, path, folder.empty() ? "." : folder, options);
}

}  // namespace assay::frontend
