#include "tools/assay/report_plot.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "base/text.h"
#include "oracle/report/rows.h"
#include "tools/shared/near_names.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

using oracle::ReportRow;

std::string KeyOf(const ReportRow& row) {
  return fmt::format("{}:{}", row.operation.Name(), row.operation.FormatName());
}

std::string Listed(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    list += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  }
  return list;
}

Error Unknown(const std::string& function, const std::vector<ReportRow>& rows) {
  const std::string name = function.substr(0, function.find(':'));
  std::vector<std::string> keys, of_name;
  for (const ReportRow& row : rows) {
    keys.push_back(KeyOf(row));
    if (row.operation.Name() == name) of_name.push_back(keys.back());
  }
  const std::vector<std::string_view> candidates(keys.begin(), keys.end());
  const std::vector<std::string> near = of_name.empty() ? NearNames(function, candidates) : of_name;
  return {ErrorKind::kUsage,
          fmt::format("--plot {}: the reports do not have it{}", base::Printable(function),
                      near.empty() ? "" : fmt::format("; did you mean {}?", Listed(near)))};
}

}  // namespace

void AddPlotOptions(CLI::App* command, PlotOptions* options) {
  command
      ->add_option(
          "--plot", options->function,
          "Plot the errors of one function by operand (sin:float), one line per report; needs "
          "--svg, --latex or --csv")
      ->type_name("FUNCTION");
  AddOutput(command, "--svg", &options->svg, "Write the plot as a picture");
  AddOutput(command, "--latex", &options->latex, "Write the plot for LaTeX (pgfplots)");
}

Expected<void> CheckPlot(const PlotOptions& options, const std::string& csv) {
  if (options.function.empty()) {
    if (options.svg.empty() && options.latex.empty()) return {};
    return Fail(ErrorKind::kUsage, fmt::format("{} needs a function to plot: --plot sin:float",
                                               options.svg.empty() ? "--latex" : "--svg"));
  }
  if (options.svg.empty() && options.latex.empty() && csv.empty()) {
    return Fail(ErrorKind::kUsage,
                "--plot needs a file for the plot: --svg FILE, --latex FILE or --csv FILE");
  }
  return {};
}

Expected<oracle::ErrorPlot> PlotFor(const PlotOptions& options,
                                    std::span<const oracle::InputReport> reports) {
  const std::vector<ReportRow> rows = oracle::AlignRows(reports);
  std::vector<const ReportRow*> found;
  std::vector<std::string> keys;
  for (const ReportRow& row : rows) {
    if (options.function != row.operation.Name() && options.function != KeyOf(row)) continue;
    found.push_back(&row);
    keys.push_back("--plot " + KeyOf(row));
  }
  if (found.empty()) return tl::unexpected<Error>(Unknown(options.function, rows));
  if (found.size() > 1) {
    return Fail(ErrorKind::kUsage, fmt::format("--plot {}: the reports have it at several formats; "
                                               "choose one: {}",
                                               options.function, Listed(keys)));
  }
  return oracle::PlotOf(*found.front(), reports);
}

}  // namespace assay::tools
