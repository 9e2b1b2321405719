#include "frontend/compile_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "frontend/device_macros.h"
#include "frontend/intel_functions.h"
#include "frontend/long_literals.h"

namespace assay::frontend {

namespace fs = std::filesystem;

Expected<base::ToolResult> RunConfined(std::vector<std::string> line, const CompileJob& job,
                                       const base::TemporaryFolder& temporary,
                                       const base::ResourceLimits& limits, std::size_t max_output) {
  base::FileView view = {.readable = job.readable, .writable = temporary.path()};
  return base::RunTool({.argv = std::move(line),
                        .limits = limits,
                        .view = std::move(view),
                        .max_output = max_output});
}

namespace {

std::string_view Trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == line.npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

// As C and YAML write text.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// Where a file is not seen.
std::string_view HintOf(const CompileJob& job) {
  return job.folder.empty()
             ? "assay shows the compiler the folders that -I names in the build options, "
               "and no others\n"
             : "assay shows the compiler the source's folder only; --allow-read DIR shows "
               "it DIR as well\n";
}

}  // namespace

std::string ProgramName(const std::string& path) { return fs::path(path).filename(); }

std::string CauseOf(std::string_view output) {
  constexpr std::size_t kMaxCause = 300;
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    const std::string_view line = Trimmed(output.substr(at, end - at));
    at = end + 1;
    if (line.starts_with("Stack dump") || line.starts_with("PLEASE ")) break;
    if (!line.empty() && line.find("warning:") == line.npos) lines.push_back(line);
  }
  if (lines.empty()) return "";
  // The last of these says why the compiler ended itself; else the first error is the cause.
  const auto has = [](std::string_view mark) {
    return [mark](std::string_view line) { return line.find(mark) != line.npos; };
  };
  std::size_t at = 0;
  if (const auto error = std::ranges::find_if(lines, has("error:")); error != lines.end()) {
    at = static_cast<std::size_t>(error - lines.begin());
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string_view mark : {"fatal error:", "LLVM ERROR:", "Assertion `"}) {
      if (has(mark)(lines[i])) at = i;
    }
  }
  std::string cause(lines[at]);
  if (cause.ends_with(':') && at + 1 < lines.size()) cause.append(" ").append(lines[at + 1]);
  for (const std::string_view mark : {"Assertion `", "error in backend: "}) {
    if (const std::size_t place = cause.find(mark); place != cause.npos) cause.erase(0, place);
  }
  if (const std::size_t place = cause.find(" [Src: "); place != cause.npos) cause.resize(place);
  if (cause.size() > kMaxCause) cause.resize(kMaxCause);
  if (cause.find("bit width in input: 128") != cause.npos) {
    cause += " (long long is reserved in OpenCL C, for 128 bits; use long)";
  }
  return base::Printable(cause);
}

std::vector<std::string> LanguageOptions(const CompileJob& job) {
  std::vector<std::string> options = {"-cl-std=" + job.standard};
  const bool is_cxx = std::ranges::any_of(job.user_options, [](const std::string& option) {
    return option.starts_with("-cl-std=clc++") || option.starts_with("-cl-std=CLC++");
  });
  // Functions that are `inline` and no more have bodies, as drivers' compilers and most sources
  // take it.  In C++ they have.
  if (!is_cxx) options.emplace_back("-fgnu89-inline");
  if (job.translator.empty()) {
    options.emplace_back("--target=spirv64-unknown-unknown");
  } else {
    options.insert(options.end(),
                   {"--target=spir64-unknown-unknown", "-Xclang", "-finclude-default-header"});
  }
  return options;
}

Expected<std::string> CheckExit(const std::string& path, base::ToolResult result,
                                const CompileJob& job) {
  if (result.exit_status == 0) return std::move(result.output);
  const std::string program = ProgramName(path);
  // 1: errors in the program; a crash of clang is 70 (its own report) or a signal.
  const bool is_clang = path == job.clang;
  if (result.exit_status == 1 && is_clang) {
    const bool unseen = result.output.find("file not found") != std::string::npos ||
                        result.output.find("Permission denied") != std::string::npos;
    return Fail(ErrorKind::kUsage, fmt::format("{} refuses {}:\n{}{}", program, job.name,
                                               result.output, unseen ? HintOf(job) : ""));
  }
  const std::string cause = CauseOf(result.output);
  if (result.exit_status == 128 + SIGKILL) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{} was killed while it compiled {}; is there enough memory?", program,
                            job.name));
  }
  // A limit ended it: that is no fault of the compiler's, and another one would do the same.
  if (result.exit_status == 128 + SIGXFSZ || result.exit_status == 128 + SIGXCPU) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{} was ended while it compiled {}: it {}", program, job.name,
                            result.exit_status == 128 + SIGXFSZ ? "wrote too large a file"
                                                                : "took too much time"));
  }
  // The shell's numbers, which the dynamic linker and bubblewrap use too.
  if (result.exit_status == 126 || result.exit_status == 127) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{} cannot be started to compile {}: {}", program, job.name,
                            cause.empty() ? "no reason is given" : cause));
  }
  if (base::SaysNoMemory(result.output)) {
    return Fail(ErrorKind::kDevice, fmt::format("{} had too little memory to compile {}: {}",
                                                program, job.name, cause));
  }
  return Fail(
      ErrorKind::kUnsupported,
      fmt::format("{} cannot compile {}: {}", program, job.name,
                  cause.empty() ? fmt::format("exit status {}", result.exit_status) : cause));
}

Expected<std::string> RunCompiler(const std::vector<std::string>& line, const CompileJob& job,
                                  const base::TemporaryFolder& temporary) {
  auto result = RunConfined(line, job, temporary, job.LimitsNow());
  if (!result) {
    return Fail(result.error().kind, fmt::format("{}: {}", job.name, result.error().message));
  }
  return CheckExit(line[0], std::move(*result), job);
}

namespace {

// "a/../b.h" as "b.h"; nothing for a name that no folder can hold.
std::optional<fs::path> PathOf(const std::string& name) {
  if (name.empty() || name.find('\0') != name.npos) return std::nullopt;
  const fs::path path = fs::path(name).lexically_normal();
  if (path.is_absolute() || !path.has_filename() || path.filename() == "..") return std::nullopt;
  return path;
}

// The folder in which names are looked up.  It is so deep that all of "../../x.h" is in the
// temporary one.
std::string HeaderFolder(const CompileJob& job, const base::TemporaryFolder& temporary) {
  std::ptrdiff_t depth = 0;
  for (const EmbeddedHeader& header : job.headers) {
    const auto path = PathOf(header.name);
    if (path) depth = std::max(depth, std::count(path->begin(), path->end(), ".."));
  }
  std::string folder = temporary.File("headers");
  for (; depth > 0; --depth) folder += "/in";
  return folder;
}

Expected<void> WriteHeaders(const CompileJob& job, const base::TemporaryFolder& temporary) {
  if (job.headers.empty()) return {};
  const fs::path folder = HeaderFolder(job, temporary);
  std::error_code failure;
  fs::create_directories(folder, failure);
  for (const EmbeddedHeader& header : job.headers) {
    const auto path = PathOf(header.name);
    const std::string name = base::Printable(header.name);
    if (!path) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: the header name '{}' is none that is relative to a folder of "
                              "headers; give it one such as sub/x.h",
                              job.name, name));
    }
    const fs::path copy = (folder / *path).lexically_normal();
    fs::create_directories(copy.parent_path(), failure);
    if (!failure && fs::is_regular_file(copy)) continue;
    std::string_view source = header.source;
    if (source.starts_with("\xef\xbb\xbf")) source.remove_prefix(3);
    std::ofstream stream(copy, std::ios::binary);
    stream << "# 1 " << Quoted(name) << "\n" << WithLongLiterals(source);
    if (stream.flush()) continue;
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{}: the header '{}' cannot be stored: its name is too long, or another "
                    "header's is a folder of it",
                    job.name, name));
  }
  return {};
}

}  // namespace

std::string PrologOf(const CompileJob& job) {
  std::string all = job.source;
  for (const EmbeddedHeader& header : job.headers) all += header.source;
  return DeviceProlog(job.user_options) + IntelFunctions(all);
}

Expected<void> WriteSource(const CompileJob& job, const base::TemporaryFolder& temporary) {
  const std::string copy = temporary.File("source.cl");
  std::ofstream stream(copy, std::ios::binary);
  // A compiler's messages begin with this name: it must not be able to make lines of its own.
  const std::string quoted = Quoted(base::Printable(job.name));
  std::string_view source = job.source;
  if (source.starts_with("\xef\xbb\xbf")) source.remove_prefix(3);  // a byte order mark
  stream << PrologOf(job) << "# 1 " << quoted << "\n" << WithLongLiterals(source);
  if (!stream.flush()) return Fail(ErrorKind::kDevice, fmt::format("{}: cannot be written", copy));
  return WriteHeaders(job, temporary);
}

Expected<void> WriteOverlay(const std::vector<std::string>& headers,
                            const base::TemporaryFolder& temporary, CompileJob* job) {
  std::string roots;
  int copies = 0;
  for (const std::string& header : headers) {
    const auto text = base::ReadWholeFile(header);
    if (!text) return tl::unexpected(text.error());
    const std::string changed = WithLongLiterals(*text);
    if (changed == *text) continue;
    const std::string copy = temporary.File(fmt::format("header{}", copies++));
    std::ofstream(copy, std::ios::binary) << changed;
    roots += fmt::format("{}{{\"type\": \"file\", \"name\": {}, \"external-contents\": {}}}",
                         roots.empty() ? "" : ",\n", Quoted(fs::absolute(header).string()),
                         Quoted(copy));
  }
  if (roots.empty()) return {};
  // Names are those of the headers themselves, in messages and in debug information.
  const std::string path = temporary.File("overlay.yaml");
  std::ofstream stream(path, std::ios::binary);
  stream << "{\"version\": 0, \"use-external-names\": false, \"roots\": [\n" << roots << "]}\n";
  if (!stream.flush()) return Fail(ErrorKind::kDevice, fmt::format("{}: cannot be written", path));
  job->has_overlay = true;
  return {};
}

void AddHeaders(const CompileJob& job, const base::TemporaryFolder& temporary,
                std::vector<std::string>* line) {
  if (job.headers.empty()) return;
  const std::string folder = HeaderFolder(job, temporary);
  line->insert(line->end(), {"-iquote", folder, "-I" + folder});
}

void AddSource(const CompileJob& job, const base::TemporaryFolder& temporary,
               std::vector<std::string>* line) {
  // The same source gives the same module, whatever the temporary folder is called.
  line->push_back(fmt::format("-fdebug-prefix-map={}={}", temporary.File("source.cl"), job.name));
  std::error_code ignored;
  line->push_back("-fdebug-compilation-dir=" + fs::current_path(ignored).string());
  if (job.has_overlay) line->insert(line->end(), {"-ivfsoverlay", temporary.File("overlay.yaml")});
  // The system's headers are not for devices.  The source's own folder is what #include "x" looks
  // in first.
  // clang-15 knows no #embed.
  const bool has_folder = !job.folder.empty();
  if (job.translator.empty() && has_folder) line->push_back("--embed-dir=" + job.folder);
  line->emplace_back("-nostdlibinc");
  if (has_folder) line->insert(line->end(), {"-iquote", job.folder});
  line->push_back(temporary.File("source.cl"));
}

}  // namespace assay::frontend
