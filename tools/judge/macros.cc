#include "tools/judge/macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/run_tool.h"
#include "frontend/device_macros.h"
#include "tools/run/job_run.h"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;

bool HasWord(std::string_view words, std::string_view word) {
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

// The program's sources and headers: all files of its folder.
std::vector<std::string> SourcesOf(const interp::Job& job) {
  std::vector<std::string> sources;
  const bool is_text = std::ranges::any_of(
      job.modules, [](const std::string& path) { return path.ends_with(".cl"); });
  if (!is_text) return sources;
  std::error_code error;
  fs::recursive_directory_iterator entry(fs::path(job.modules[0]).parent_path(), error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (!entry->is_regular_file() || entry->path().extension() == ".spv") continue;
    if (auto source = base::ReadWholeFile(entry->path().string())) {
      sources.push_back(std::move(*source));
    }
  }
  return sources;
}

// What assay's compiler predefines of the names with the job's build options; nothing where it does
// not say.
std::optional<base::MacroAnswers> OwnAnswers(const std::set<std::string>& names,
                                             const RunOptions& options, const interp::Job& job) {
  const auto folder = base::TemporaryFolder::Make();
  if (!folder) return std::nullopt;
  const std::string path = folder->File("macros.cl");
  if (!base::WriteFileAtomically(path, base::MacroSource(names))) return std::nullopt;
  interp::Job question;
  question.modules = {path};
  question.load = job.load;
  const auto text =
      interp::ParseArgument(fmt::format("char[{}]=0", base::kMacroTextBytes), &question);
  const auto bytes =
      interp::ParseArgument(fmt::format("uint={}", base::kMacroTextBytes), &question);
  const std::uint64_t one[] = {1};
  const auto range = interp::MakeRange(one, one, {});
  if (!text || !bytes || !range) return std::nullopt;
  question.launches = {
      {.kernel = std::string(base::kMacroKernel), .range = *range, .arguments = {*text, *bytes}}};
  const auto prepared = PrepareRun(question, options);
  if (!prepared) return std::nullopt;
  const auto report = RunOnce(std::move(question), *prepared,
                              {.budget = job.load.budget, .threads = 1, .shows_output = false});
  if (!report || report->end != interp::LaunchEnd::kCompleted || report->buffers.empty()) {
    return std::nullopt;
  }
  const auto written = std::span(report->buffers[0].buffer.bytes);
  return base::ReadMacroText({reinterpret_cast<const char*>(written.data()), written.size()},
                             names);
}

// A value as a word of the build options.
std::string Quoted(const std::string& value) {
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

Macros MacrosByDevice(const base::AskedMacros& asked, std::string_view extensions,
                      std::string_view version) {
  Macros macros;
  const auto executed = frontend::ExecutedMacros();
  for (const std::string& name : asked.names) {
    if (asked.defined.contains(name)) continue;
    // assay's own is 300.
    if (name == "__OPENCL_VERSION__" && version.starts_with("OpenCL 3.0")) continue;
    if (!name.starts_with("cl_")) {
      macros.open.insert(name);
      continue;
    }
    const bool is_ours = std::ranges::find(executed, name) != executed.end();
    const bool is_the_devices = HasWord(extensions, name);
    if (is_ours && !is_the_devices) macros.options += " -U " + name;
    if (is_the_devices && !is_ours) macros.options += " -D " + name + "=1";
  }
  return macros;
}

Macros MacrosByAnswers(const base::MacroAnswers& driver, const base::MacroAnswers& own) {
  Macros macros;
  for (const auto& [name, value] : driver) {
    const auto ours = own.find(name);
    if (ours != own.end() && ours->second == value) {
      // A name that stands for itself may be a macro with parameters, which does not say what it
      // is.
      if (value == name) macros.open.insert(name);
      continue;
    }
    macros.open.insert(name);
    macros.options += " -U " + name;
    if (value) macros.options += " -D " + name + "=" + Quoted(*value);
  }
  return macros;
}

std::set<std::string> TakeMacros(const Capture& capture, const RunOptions& options,
                                 interp::Job* job) {
  std::string& build_options = job->load.compile.build_options;
  const base::AskedMacros asked = base::MacrosAsked(SourcesOf(*job), build_options);
  if (asked.names.empty()) return {};
  const bool is_answered = std::ranges::all_of(
      asked.names, [&](const std::string& name) { return capture.macros.contains(name); });
  if (!is_answered) {
    Macros macros = MacrosByDevice(asked, capture.extensions, capture.device_version);
    build_options += macros.options;
    return std::move(macros.open);
  }
  base::MacroAnswers driver;
  for (const std::string& name : asked.names) driver[name] = capture.macros.at(name);
  // Once more with the options that are to make both alike: they may not.
  Macros macros{.open = asked.names};
  for (int round = 0; round < 2 && !macros.open.empty(); ++round) {
    const auto own = OwnAnswers(asked.names, options, *job);
    if (!own) break;
    macros = MacrosByAnswers(driver, *own);
    if (round == 0) build_options += macros.options;
  }
  return std::move(macros.open);
}

}  // namespace assay::tools
