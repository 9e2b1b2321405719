#include "tools/assay/validate_images.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "oracle/images/report.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

using oracle::ImageReport;
using oracle::ImageVerdict;

int ExitCodeOf(const ImageReport& report) {
  bool lost = false, judged = false;
  for (const oracle::ImageRowResult& row : report.rows) {
    switch (DecidingVerdict(report, row)) {
      case ImageVerdict::kFail:
        return kExitNonconforming;
      case ImageVerdict::kNotMeasured:
      case ImageVerdict::kNotDeterministic:
        lost = true;
        break;
      case ImageVerdict::kUnsupported:
        break;
      case ImageVerdict::kPass:
      case ImageVerdict::kNotDefined:
      case ImageVerdict::kNotAsked:
        judged = true;
    }
  }
  if (lost) return kExitDevice;
  return judged ? kExitConforming : kExitUnsupported;
}

int Write(const ImagesCommand& command, const ImageReport& report) {
  int code = kExitConforming;
  const auto keep = [&](Expected<void> written) {
    if (!written) code = ReportError(written.error());
  };
  const std::string json = base::JsonText(ImageReportToJson(report), 1) + "\n";
  if (command.json == "-") {
    PrintRaw(json);  // CloseStdout tells where that fails
  } else if (!command.json.empty()) {
    keep(base::WriteFileAtomically(command.json, json));
  }
  if (!command.junit.empty()) {
    keep(base::WriteFileAtomically(command.junit, ImageReportToJUnit(report)));
  }
  return code;
}

}  // namespace

int ValidateImages(const ImagesCommand& command) {
  const auto abilities = AskImageAbilities(command.device);
  if (!abilities) return ReportError(abilities.error());
  const auto rows = SelectImageRows(ImageRows(*abilities), command.names);
  if (!rows) return ReportError(rows.error());
  if (command.list) {
    for (const oracle::ImageRow& row : *rows) Print(row.Name() + "\n");
    return kExitConforming;
  }
  HandleInterrupts();
  const oracle::SweepOptions& sweep = command.run.options;
  const oracle::ImageOptions options = {
      .level = sweep.inputs.level, .seed = sweep.inputs.seed, .max_failures = sweep.max_failures};
  ImageReport report = {.device = command.device.Description(), .run = command.run};
  const bool table = command.json != "-";
  Progress progress(command.progress);
  if (table) {
    Print(fmt::format("device: {}; level {}, seed {}, spec {}\n", base::Printable(command.title),
                      command.run.level, options.seed, oracle::ReadingName(*sweep.reading)) +
          oracle::ImageTableHeader());
  }
  for (std::size_t k = 0; k < rows->size(); ++k) {
    if (g_interrupted) {
      report.interrupted = true;
      report.rows.push_back({.row = (*rows)[k], .message = "interrupted"});
      continue;
    }
    progress.Begin(k, rows->size(), (*rows)[k].Name());
    report.rows.push_back(RunImageRow(command.device, *abilities, (*rows)[k], options));
    progress.Clear();
    if (table) Print(ImageTableRow(report.rows.back()));
  }
  if (table) Print(ImageSummary(report));
  const int written = Write(command, report);
  if (written != kExitConforming) {
    if (ExitCodeOf(report) == kExitNonconforming) {
      std::fprintf(stderr, "assay: the device does not conform: %s\n",
                   oracle::ImageCounts(report).c_str());
    }
    return written;
  }
  if (report.interrupted) {
    std::fprintf(stderr, "assay: interrupted; the report holds what was measured\n");
    return kExitInterrupted;
  }
  return ExitCodeOf(report);
}

}  // namespace assay::tools
