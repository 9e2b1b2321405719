// assay golden verify FILE...: everything again from nothing but the inputs; and a device's
// answers.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay_version.h"
#include "base/file.h"
#include "base/read_scope.h"
#include "base/shell_word.h"
#include "frontend/loader.h"
#include "numerics/truth_version.h"
#include "oracle/campaign/campaign.h"
#include "oracle/campaign/results_json.h"
#include "oracle/golden/answers.h"
#include "oracle/golden/conversion.h"
#include "oracle/golden/file.h"
#include "oracle/golden/job.h"
#include "oracle/golden/matrix_products.h"
#include "oracle/report/brief.h"
#include "tools/golden/golden.h"
#include "tools/report_page/output.h"
#include "tools/run/options.h"
#include "tools/shared/device_options.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

using oracle::DecodedGolden;
using oracle::GoldenFile;

constexpr double kPatienceSeconds = 120;

struct VerifyOptions {
  std::vector<std::string> files;
  DeviceOptions device;
  std::string answers;
  bool flushes = false;
  std::string profile;
  std::string math = "default";
  std::string spec;  // empty: by the device's language
  std::string json;
  int threads = 0;
  std::vector<std::string> allow_read;
  double timeout = GoldenRun().timeout;
  bool progress = false;
  bool verbose = false, wide = false;

  oracle::TableKind Kind() const { return oracle::TableKindOf(verbose, wide); }
};

struct Checked {
  std::string path;
  bool intact = false;
  bool derived = false;
  std::string difference;
  std::string kind;         // "a job"; empty: vectors of a function
  GoldenFile file;          // of a function
  std::size_t vectors = 0;  // of others
  std::size_t Count() const { return kind.empty() ? file.vectors.size() : vectors; }
};

// The files named, and all files of the folders named.
Expected<std::vector<std::string>> FilesOf(const VerifyOptions& options) {
  std::vector<std::string> files;
  for (const std::string& name : options.files) {
    std::error_code error;
    if (!std::filesystem::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : std::filesystem::directory_iterator(name, error)) {
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    }
    if (files.size() == before) {
      return Fail(ErrorKind::kUsage, fmt::format("the folder '{}' has no files", name));
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

// The job's run, made again.
Expected<Checked> CheckJob(const VerifyOptions& options, Checked checked,
                           const std::string& content, const std::string& job) {
  if (options.device.Count() > 0 || !options.answers.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is of a job: devices are judged by the vectors of functions; run "
                            "the job on them and compare with its buffers",
                            checked.path));
  }
  const auto path = std::filesystem::path(checked.path).parent_path() / job;
  base::ReadScope reads;
  reads.Add(std::filesystem::path(checked.path).parent_path().string());
  for (const std::string& folder : options.allow_read) reads.Add(folder);
  if (auto good = reads.Check(path.string(), checked.path); !good) {
    return tl::unexpected<Error>(good.error());
  }
  const auto derived = GoldenOfJob(
      path.string(), job,
      {.threads = options.threads, .allow_read = options.allow_read, .timeout = options.timeout});
  if (!derived) return tl::unexpected<Error>(derived.error());
  checked.kind = "a job";
  checked.derived = *derived == content;
  if (!checked.derived) {
    checked.difference = DescribeDifference(oracle::GoldenEncoding::kJson, content, *derived);
  }
  return checked;
}

// Made again from the operands in the file: a conversion, matrix products.
Expected<Checked> CheckAgain(const VerifyOptions& options, Checked checked,
                             const std::string& content, std::string kind,
                             const Expected<std::string>& again) {
  if (!again) {
    return Fail(again.error().kind, fmt::format("'{}', {}", checked.path, again.error().message));
  }
  if (options.device.Count() > 0 || !options.answers.empty()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("'{}' is of {}: devices are judged by the vectors of functions; compare "
                    "with its results",
                    checked.path, kind));
  }
  checked.kind = std::move(kind);
  checked.derived = *again == content;
  for (std::size_t at = content.find("\n{"); at != std::string::npos;
       at = content.find("\n{", at + 1)) {
    ++checked.vectors;  // one a line
  }
  if (!checked.derived) {
    checked.difference = DescribeDifference(oracle::GoldenEncoding::kJson, content, *again);
  }
  return checked;
}

Expected<Checked> Check(const VerifyOptions& options, const std::string& path) {
  Expected<std::string> content = base::ReadWholeFile(path);
  if (!content) return tl::unexpected<Error>(content.error());
  Checked checked{.path = path};
  const Expected<bool> intact = oracle::IsIntact(path, *content);
  if (!intact) return tl::unexpected<Error>(intact.error());
  checked.intact = *intact;
  if (!*intact) return checked;
  if (const auto job = oracle::JobOfGolden(*content)) {
    return CheckJob(options, std::move(checked), *content, *job);
  }
  if (const auto again = oracle::ConversionAgain(*content)) {
    return CheckAgain(options, std::move(checked), *content, "a conversion", *again);
  }
  if (const auto again = oracle::MatrixAgain(*content)) {
    return CheckAgain(options, std::move(checked), *content, "matrix products", *again);
  }
  Expected<DecodedGolden> decoded = oracle::DecodeGolden(path, *content);
  if (!decoded) return tl::unexpected<Error>(decoded.error());
  checked.file = std::move(decoded->file);
  if (!DeriveAll(&checked.file, options.threads, &g_interrupted)) return checked;
  const std::string derived = EncodeGolden(checked.file, decoded->encoding);
  checked.derived = derived == *content;
  if (!checked.derived) {
    checked.difference = DescribeDifference(decoded->encoding, *content, derived);
  }
  return checked;
}

std::string Describe(const Checked& checked) {
  if (!checked.intact) {
    return fmt::format(
        "CHANGED   {}\n  the content is not what its SHA-256 says: it was changed "
        "after it was made\n",
        checked.path);
  }
  if (!checked.kind.empty()) {
    const std::string count =
        checked.vectors == 0 ? "" : fmt::format(", {} vectors", checked.vectors);
    return checked.derived ? fmt::format("ok        {}: {}{}\n", checked.path, checked.kind, count)
                           : fmt::format("DIFFERENT {}: {}\n", checked.path, checked.difference);
  }
  if (!checked.derived) {
    return fmt::format("DIFFERENT {}: {}\n  made by {} with {}; derived by assay {} with {}\n",
                       checked.path, checked.difference, checked.file.head.tool,
                       checked.file.head.truth, ASSAY_VERSION, numerics::TruthVersion());
  }
  return fmt::format("ok        {}: {} vectors\n", checked.path, checked.file.vectors.size());
}

oracle::SweepOptions ToSweepOptions(const VerifyOptions& options,
                                    const oracle::DeviceDescription& device,
                                    const GoldenFile& file) {
  oracle::SweepOptions sweep;
  sweep.widths = device.widths;
  sweep.profile = device.profile;
  if (options.profile == "embedded") sweep.profile = oracle::Profile::kEmbedded;
  if (options.profile == "full") sweep.profile = oracle::Profile::kFull;
  if (options.math == "relaxed") sweep.math = oracle::MathMode::kRelaxed;
  sweep.rounding = file.head.rounding;
  sweep.threads = options.threads;
  for (const oracle::GoldenVector& vector : file.vectors) {
    sweep.inputs.given.push_back(vector.args);
  }
  return sweep;
}

// The device's answers to the vectors of every file, as a report of `assay validate`.
Expected<oracle::Report> Judge(const VerifyOptions& options, const std::vector<Checked>& files) {
  oracle::Report report;
  OpenedDevice opened;
  if (options.answers.empty()) {
    auto device = OpenDevice(options.device, "", oracle::Patience::Of(kPatienceSeconds));
    if (!device) return tl::unexpected<Error>(device.error());
    opened = std::move(*device);
  }
  Progress progress(options.progress);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const GoldenFile& file = files[i].file;
    if (!options.answers.empty()) {
      auto device = oracle::OpenAnswers(options.answers, file, options.flushes);
      if (!device) return tl::unexpected<Error>(device.error());
      opened.device = std::move(*device);
    }
    oracle::SweepOptions sweep = ToSweepOptions(options, opened.device->Description(), file);
    const auto reading = ReadingFor(options.spec, opened.device->Description());
    if (!reading) return tl::unexpected<Error>(reading.error());
    sweep.reading = *reading;
    if (i == 0) {
      report.device = opened.device->Description();
      report.run = {.tool_version = ASSAY_VERSION,
                    .truth = numerics::TruthVersion(),
                    .device_option = opened.option,
                    .level = "golden",
                    .options = sweep};
      report.run.options.inputs.given.clear();
      if (!options.answers.empty()) {
        report.run.reproduce =
            fmt::format("assay golden verify {} --answers {}{}", base::ShellWord(files[i].path),
                        base::ShellWord(options.answers), options.flushes ? " --flushes" : "");
      }
      if (options.json != "-") Print(TableBegin(options.Kind()));
    }
    progress.Begin(i, files.size(), file.head.operation.Name());
    report.results.push_back(oracle::SweepOperation(*opened.device, file.head.operation, sweep,
                                                    {.stop = &g_interrupted, .progress = {}}));
    progress.Clear();
    if (options.json != "-") Print(TableLine(options.Kind(), report.results.back()));
    report.interrupted = g_interrupted;
    if (report.interrupted) break;
  }
  return report;
}

Expected<void> CheckOptions(const VerifyOptions& options, std::size_t files) {
  const bool device = options.device.Count() > 0;
  const auto usage = [](std::string text) { return Fail(ErrorKind::kUsage, std::move(text)); };
  if (device && !options.answers.empty()) {
    return usage("--answers and a device exclude each other: judge one after the other");
  }
  if (!options.answers.empty() && files != 1) {
    return usage(fmt::format("--answers are those to one file, and {} are named", files));
  }
  if (!options.answers.empty() && !base::Exists(options.answers)) {
    return usage(fmt::format("--answers '{}': there is no such file", options.answers));
  }
  if (options.answers.empty() && options.flushes) {
    return usage("--flushes says something of --answers; a device declares it itself");
  }
  if (!device && options.answers.empty() &&
      (!options.profile.empty() || options.math != "default" || !options.spec.empty())) {
    return usage("--profile, --math and --spec are for judging: name a device, or --answers FILE");
  }
  return {};
}

int Verify(const VerifyOptions& options) {
  const auto names = FilesOf(options);
  if (!names) return ReportError(names.error());
  if (auto good = CheckOptions(options, names->size()); !good) return ReportError(good.error());
  HandleInterrupts();
  nlohmann::ordered_json json{{"schema", "assay-golden-verify/1"},
                              {"files", nlohmann::ordered_json::array()}};
  Progress progress(options.progress);
  std::vector<Checked> files;
  std::string text;
  std::size_t vectors = 0, wrong = 0;
  int unreadable = kExitConforming;  // the exit code of the last file that could not be checked
  for (std::size_t i = 0; i < names->size(); ++i) {
    progress.Begin(i, names->size(), (*names)[i]);
    Expected<Checked> checked = Check(options, (*names)[i]);
    progress.Clear();
    if (!checked) {  // the others are worth looking at all the same
      unreadable = ReportError(checked.error());
      continue;
    }
    if (g_interrupted) {
      std::fprintf(stderr, "assay: interrupted after %zu of %zu files\n", i, names->size());
      return kExitInterrupted;
    }
    const bool good = checked->intact && checked->derived;
    wrong += good ? 0 : 1;
    vectors += checked->Count();
    if (options.json != "-") Print(Describe(*checked));
    json["files"].push_back({{"file", checked->path},
                             {"vectors", checked->Count()},
                             {"intact", checked->intact},
                             {"derived", checked->derived},
                             {"difference", checked->difference}});
    files.push_back(std::move(*checked));
    if (options.device.Count() == 0 && options.answers.empty()) files.back().file = {};
  }
  if (!files.empty()) {
    text = fmt::format(
        "{} vectors in {} file{}; {}\n", vectors, files.size(), files.size() == 1 ? "" : "s",
        wrong == 0 ? "all are what the inputs give"
                   : fmt::format("{} of them {} wrong", wrong, wrong == 1 ? "is" : "are"));
  }
  int code = wrong == 0 ? unreadable : kExitNonconforming;
  if (code == kExitConforming && (options.device.Count() > 0 || !options.answers.empty())) {
    Expected<oracle::Report> report = Judge(options, files);
    if (!report) return ReportError(report.error());
    text += TableEnd(options.Kind(), *report);
    json["report"] = ReportToJson(*report);
    code = report->interrupted ? kExitInterrupted : VerdictExitCode(*report);
  }
  const int written = WriteResult(text, json, options.json);
  return written != kExitConforming ? written : code;
}

}  // namespace

CLI::App* AddGoldenVerify(CLI::App* golden, int* exit_code) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = golden->add_subcommand(
      "verify", "Compute files again from their inputs, and judge a device by them");
  command->add_option("files", options->files, "Golden files, and folders of them")->required();
  AddDeviceOptions(command, &options->device);
  command->add_option("--answers", options->answers,
                      "Judge these answers to the file's vectors, one a line (docs/golden.md)");
  command->add_flag("--flushes", options->flushes,
                    "The answers are of a device that flushes subnormals");
  command
      ->add_option("--profile", options->profile, "Whose error limits hold; default: the device's")
      ->check(OneOf({"full", "embedded"}));
  command
      ->add_option("--math", options->math,
                   "Whose error limits hold; relaxed: -cl-fast-relaxed-math")
      ->check(OneOf({"default", "relaxed"}))
      ->capture_default_str();
  AddSpecOption(command, &options->spec);
  AddTableKind(command, &options->verbose, &options->wide);
  AddOutput(command, "--json", &options->json, "Write the result as JSON ('-': stdout)");
  AddAllowRead(command, &options->allow_read);
  AddGoldenTimeout(command, &options->timeout);
  AddProgress(command, &options->progress);
  command->add_option("--threads", options->threads, "Number of threads; 0: one per core")
      ->check(SmallNumber())
      ->capture_default_str();
  command->footer(
      "Example: assay golden verify vectors\n"
      "         assay golden verify vectors/sin.float.rte.json --answers answers.txt");
  command->callback([options, exit_code] { *exit_code = Verify(*options); });
  return command;
}

}  // namespace assay::tools
