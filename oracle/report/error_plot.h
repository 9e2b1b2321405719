// The plot of `assay report --plot`: the largest error of one function by the magnitude of its
// first operand, one line a report, on a logarithmic scale, with the limits that the reports judged
// by.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/report/error_steps.h"
#include "oracle/report/input.h"
#include "oracle/report/rows.h"

namespace assay::oracle {

// Smaller errors, in ulp, are drawn on the lower edge; larger ones, and answers of the wrong class,
// in a band above the scale.
inline constexpr double kLowestPlotted = 0.01, kHighestPlotted = 1e4;

struct PlotSeries {
  std::size_t index = 0;  // of the report, which gives its letter and its color
  const InputReport* input = nullptr;
  const FunctionResult* result = nullptr;
};

struct PlotLimit {
  std::string text;           // as reports have it: "4", "correctly rounded"
  std::string of;             // the letters of its reports, where reports differ: "A, C"
  std::optional<double> ulp;  // nothing: no one number for all operands, and not drawn
};

struct ErrorPlot {
  numerics::Operation operation;
  std::vector<PlotSeries> series;  // at least one
  std::vector<PlotLimit> limits;
  std::vector<std::string> notes;  // reports without a line, and why
};

// kUsage where no report has errors of the function, or where a report has errors without their
// places: then the message has the command that makes a report with them.
Expected<ErrorPlot> PlotOf(const ReportRow& row, std::span<const InputReport> reports);

// "sin float".
std::string PlotTitle(const ErrorPlot& plot);
// "limit 4 ulp", "limit correctly rounded", with the letters of its reports where they differ.
std::string PlotLimitText(const PlotLimit& limit);
// "magnitude of the first operand"; with negative operands "first operand".
std::string PlotOperandText(const ErrorPlot& plot, bool is_signed);
// "A pocl-3.1".
std::string PlotSeriesText(const PlotSeries& series);

// A document of its own, light, 720 by some 430 pixels.
std::string PlotToSvg(const ErrorPlot& plot);
// A line for every report, sign and binade that was asked: all digits that the report has.
std::string PlotToCsv(const ErrorPlot& plot);
// A tikzpicture for \input; it needs the package pgfplots.
std::string PlotToLatex(const ErrorPlot& plot);

// Where things are drawn.  Places go from 0 to 1, or from -1 to 1 with negative operands.
class PlotAxes {
 public:
  explicit PlotAxes(const ErrorPlot& plot);

  bool IsSigned() const { return is_signed_; }
  double Highest() const { return highest_; }  // of the scale, a power of ten
  bool HasBeyond() const { return has_beyond_; }
  bool IsBeyond(double ulp) const { return ulp > highest_; }
  double Place(int exponent, int sign) const;

  struct Tick {
    double place;
    int exponent, sign;
  };
  // Powers of two at equal distances, some five on either side of zero.
  std::vector<Tick> Ticks() const;

  // A part of a line without a gap, from left to right: errors[i] from places[i] to places[i + 1].
  struct Piece {
    bool beyond = false;
    std::vector<double> places, errors;
  };
  std::vector<Piece> PiecesOf(const PlotSeries& series) const;

 private:
  ErrorSteps StepsOfSeries(const PlotSeries& series) const;
  void AddPieces(const std::vector<ErrorAt>& steps, const ErrorSteps& of, int sign,
                 std::vector<Piece>* pieces) const;

  bool is_signed_ = false, has_beyond_ = false;
  int first_ = 0, end_ = 0;  // exponents
  double highest_ = 1;
};

}  // namespace assay::oracle
