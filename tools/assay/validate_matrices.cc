#include "tools/assay/validate_matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "base/installation.h"
#include "base/json_text.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "base/threads.h"
#include "tools/assay/validate_conversions.h"
#include "tools/assay/validate_kinds.h"
#include "tools/matrix/validate.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/output.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {
namespace {

constexpr std::string_view kSmallFormats = "@small";
constexpr std::size_t kSmokeTiles = 64, kStandardTiles = 1024;

int MatrixExitCode(const MatrixReport& report) {
  bool lost = false, judged = false;
  for (const MatrixRow& row : report.rows) {
    if (row.HasChanged()) return kExitNonconforming;
    switch (row.verdict) {
      case MatrixVerdict::kFail:
        return kExitNonconforming;
      case MatrixVerdict::kNotDeterministic:
      case MatrixVerdict::kNotMeasured:
        lost = true;
        break;
      case MatrixVerdict::kPass:
      case MatrixVerdict::kOpen:
        judged = true;
    }
  }
  if (lost) return kExitDevice;
  return judged ? kExitConforming : kExitUnsupported;
}

int ConversionExitCode(const ConversionReport& report) {
  bool lost = false;
  for (const ConversionRow& row : report.rows) {
    if (row.wrong > 0) return kExitNonconforming;
    lost |= !row.message.empty();
  }
  if (lost) return kExitDevice;
  return report.rows.empty() ? kExitUnsupported : kExitConforming;
}

// A program of docs/pipe-protocol.md, "Matrix devices".
Expected<std::string> CommandOfDevice(const ValidateOptions& options) {
  const DeviceOptions& device = options.device;
  if (!device.pipe.empty()) return device.pipe;
  const std::string served = base::ShellWord(base::ProgramBeside(kRunProgram)) + " serve --matrix ";
  if (device.interpreter) return served + "--interpreter";
  if (device.use_opencl) return served + "--opencl=" + base::ShellWord(device.opencl);
  return Fail(
      ErrorKind::kUsage,
      "--functions @matrix and @small take a device of their protocol: --opencl, --interpreter "
      "or --pipe 'COMMAND' (docs/pipe-protocol.md, \"Matrix devices\")");
}

std::string OptionOfDevice(const DeviceOptions& device) {
  if (!device.pipe.empty()) return "--pipe " + base::ShellWord(device.pipe);
  if (device.interpreter) return "--interpreter";
  return device.opencl.empty() ? "--opencl" : "--opencl " + base::ShellWord(device.opencl);
}

Expected<std::string> TextOfFile(const std::string& path, bool is_file) {
  if (!is_file) return std::string();
  return base::ReadWholeFile(path);
}

int WriteSmallReport(const ValidateOptions& options, const std::string& table,
                     const nlohmann::ordered_json& report) {
  const std::string json = base::JsonText(report, 1) + "\n";
  if (options.json == "-") {
    PrintRaw(json);  // CloseStdout tells where that fails
    return kExitConforming;
  }
  Print(table);
  if (options.json.empty()) return kExitConforming;
  const auto written = base::WriteFileAtomically(options.json, json);
  return written ? static_cast<int>(kExitConforming) : ReportError(written.error());
}

int ValidateSmallFormats(const ValidateOptions& options, MatrixDevice& device) {
  const auto level = options.level == "smoke" ? oracle::Level::kSmoke : oracle::Level::kStandard;
  ConversionReport report =
      ValidateConversions(device, level, options.samples, options.seed, g_interrupted);
  report.option = OptionOfDevice(options.device);
  report.level = options.level;
  if (options.json != "-") {
    Print(fmt::format("device: {}{}{}; level {}, seed {}\n", base::Printable(report.device),
                      report.driver.empty() ? "" : "; driver ", base::Printable(report.driver),
                      report.level, report.seed));
  }
  const int written =
      WriteSmallReport(options, ConversionTable(report), ConversionReportToJson(report));
  if (written != kExitConforming) return written;
  return g_interrupted ? static_cast<int>(kExitInterrupted) : ConversionExitCode(report);
}

}  // namespace

Expected<bool> AsksForMatrices(const ValidateOptions& options) {
  const auto& names = options.functions;
  const bool is_small = names == std::vector<std::string>{std::string(kSmallFormats)};
  if (!is_small && !std::any_of(names.begin(), names.end(), IsMatrixName)) {
    if (options.matrix.empty()) return false;
    return Fail(ErrorKind::kUsage, "--matrix goes with --functions @matrix");
  }
  if (!is_small && !std::all_of(names.begin(), names.end(), IsMatrixName)) {
    return Fail(ErrorKind::kUsage,
                "--functions: matrix instructions and functions are asked in runs of their own");
  }
  const auto kind = is_small ? ValidationKind::kSmall : ValidationKind::kMatrices;
  if (auto checked = CheckTaken(kind, options); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  return true;
}

int ValidateMatrixDevice(const ValidateOptions& options) {
  const auto command = CommandOfDevice(options);
  if (!command) return ReportError(command.error());
  const auto model = TextOfFile(options.matrix, options.matrix.ends_with(".json"));
  if (!model) return ReportError(model.error());
  const auto baseline = TextOfFile(options.baseline, !options.baseline.empty());
  if (!baseline) return ReportError(baseline.error());
  HandleInterrupts();
  const double timeout = options.timeout > 0 ? options.timeout : kAnswerSeconds;
  const auto device = MatrixDevice::Open(*command, timeout);
  if (!device) return ReportError(device.error());
  if (options.functions.front() == kSmallFormats) return ValidateSmallFormats(options, **device);
  const std::size_t tiles = options.level == "smoke" ? kSmokeTiles : kStandardTiles;
  auto report = ValidateMatrices(
      **device,
      {.names = options.functions,
       .seed = options.seed,
       .tiles = options.samples > 0 ? static_cast<std::size_t>(options.samples) : tiles,
       .model = options.matrix,
       .model_text = *model,
       .baseline = *baseline,
       .threads = base::ThreadCount(options.threads),
       .timeout = timeout},
      g_interrupted);
  if (!report) return ReportError(report.error());
  report->option = OptionOfDevice(options.device);
  if (options.json != "-") {
    Print(fmt::format("device: {}{}{}; {} tiles, seed {}\n", base::Printable((*device)->name()),
                      report->driver.empty() ? "" : "; driver ", base::Printable(report->driver),
                      report->tiles, report->seed));
  }
  const int written = WriteSmallReport(options, MatrixTable(*report), MatrixReportToJson(*report));
  if (written != kExitConforming) return written;
  return report->interrupted ? static_cast<int>(kExitInterrupted) : MatrixExitCode(*report);
}

}  // namespace assay::tools
