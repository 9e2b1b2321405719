// `assay report --plot`: its options, and the function that they name.
#pragma once

#include <span>
#include <string>

#include "oracle/report/error_plot.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

struct PlotOptions {
  std::string function;  // "sin:float", or "sin" where the reports have it at one format
  std::string svg, latex;
};

void AddPlotOptions(CLI::App* command, PlotOptions* options);

// A plot needs a file, and its files need a plot.
Expected<void> CheckPlot(const PlotOptions& options, const std::string& csv);

// kUsage names what the reports have instead, or the command that makes a report with what the plot
// needs.
Expected<oracle::ErrorPlot> PlotFor(const PlotOptions& options,
                                    std::span<const oracle::InputReport> reports);

}  // namespace assay::tools
