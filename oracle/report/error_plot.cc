#include "oracle/report/error_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "oracle/report/csv.h"
#include "oracle/report/profiles.h"

namespace assay::oracle {
namespace {

// Lines have at most this many steps on either side of zero: more are no wider than a pixel.
constexpr int kDrawnSteps = 256;

// Negative and positive operands stand apart from zero by this share of their side.
constexpr double kGap = 0.015;

Error Unplottable(const InputReport& input, const FunctionResult& result) {
  return {ErrorKind::kUsage,
          fmt::format("{}: the report has no errors by operand of {} {} (it was written without "
                      "--full); make one that has them:\n    {}",
                      input.path, result.operation.Name(), result.operation.FormatName(),
                      CommandForBinades(input.report.run, result.operation))};
}

std::string WhyAbsent(const FunctionResult* result) {
  if (result == nullptr) return "does not have it";
  if (result->verdict == Verdict::kUnsupported) return "has it as unsupported";
  return "has no error of it";
}

std::vector<PlotLimit> LimitsOf(const std::vector<PlotSeries>& series) {
  std::vector<PlotLimit> limits;
  for (const PlotSeries& one : series) {
    const std::string text = one.result->limit;
    const std::optional<double> ulp = PlottedLimit(one.input->report, *one.result);
    auto same = std::find_if(limits.begin(), limits.end(), [&](const PlotLimit& limit) {
      return limit.text == text && limit.ulp == ulp;
    });
    if (same == limits.end()) {
      same = limits.insert(limits.end(), {.text = text, .of = "", .ulp = ulp});
    }
    same->of += (same->of.empty() ? "" : ", ") + ReportLetter(one.index);
  }
  if (limits.size() == 1) limits.front().of.clear();
  return limits;
}

}  // namespace

Expected<ErrorPlot> PlotOf(const ReportRow& row, std::span<const InputReport> reports) {
  ErrorPlot plot{.operation = row.operation, .series = {}, .limits = {}, .notes = {}};
  const std::string title = PlotTitle(plot);
  for (std::size_t i = 0; i < row.results.size(); ++i) {
    const FunctionResult* result = row.results[i];
    if (result != nullptr && LacksBinades(*result)) {
      return tl::unexpected<Error>(Unplottable(reports[i], *result));
    }
    if (result == nullptr || result->statistics.binades.empty()) {
      plot.notes.push_back(fmt::format("{} has no line in the plot of {}: the report {}",
                                       base::Printable(reports[i].label), title,
                                       WhyAbsent(result)));
      continue;
    }
    plot.series.push_back({.index = i, .input = &reports[i], .result = result});
  }
  if (plot.series.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--plot {}: none of the reports has errors of it in ulp", title));
  }
  plot.limits = LimitsOf(plot.series);
  return plot;
}

std::string PlotTitle(const ErrorPlot& plot) {
  return fmt::format("{} {}", plot.operation.Name(), plot.operation.FormatName());
}

std::string PlotLimitText(const PlotLimit& limit) {
  const bool number =
      !limit.text.empty() && limit.text.find_first_not_of("0123456789.") == std::string::npos;
  return fmt::format("limit {}{}{}", limit.text.empty() ? "none" : base::Printable(limit.text),
                     number ? " ulp" : "", limit.of.empty() ? "" : fmt::format(" ({})", limit.of));
}

std::string PlotSeriesText(const PlotSeries& series) {
  return fmt::format("{} {}", ReportLetter(series.index), base::Printable(series.input->label));
}

std::string PlotOperandText(const ErrorPlot& plot, bool is_signed) {
  const bool several = plot.operation.ArgumentTypes().size() > 1;
  if (is_signed) return several ? "first operand" : "operand";
  return several ? "magnitude of the first operand" : "magnitude of the operand";
}

std::string PlotToCsv(const ErrorPlot& plot) {
  std::string csv = CsvLine({"report", "device", "function", "format", "sign", "exponent", "inputs",
                             "max_ulp", "width", "limit", "limit_ulp"});
  for (const PlotSeries& series : plot.series) {
    const Report& report = series.input->report;
    const std::optional<double> limit = PlottedLimit(report, *series.result);
    const auto add = [&](std::string_view sign, int exponent, const ErrorAt& at) {
      if (at.inputs == 0) return;
      csv += CsvLine({CsvText(series.input->label), CsvText(DeviceText(report.device)),
                      plot.operation.Name(), plot.operation.FormatName(), std::string(sign),
                      std::to_string(exponent), std::to_string(at.inputs), CsvNumber(at.max_ulp),
                      at.width == 0 ? "" : std::to_string(at.width), CsvText(series.result->limit),
                      limit ? CsvNumber(*limit) : ""});
    };
    for (const auto& [exponent, binade] : series.result->statistics.binades) {
      if (binade.signs[0].IsEmpty() && binade.signs[1].IsEmpty()) {
        add("both", exponent, {.inputs = binade.inputs, .max_ulp = binade.max_ulp});
        continue;
      }
      add("positive", exponent, binade.signs[0]);
      add("negative", exponent, binade.signs[1]);
    }
  }
  return csv;
}

ErrorSteps PlotAxes::StepsOfSeries(const PlotSeries& series) const {
  ErrorSteps steps = StepsOf(series.result->statistics.binades, kDrawnSteps);
  if (is_signed_ || !steps.IsSigned()) return steps;
  // Beside a report that does not tell the signs apart, and without negative operands.
  for (std::size_t i = 0; i < steps.positive.size(); ++i) {
    steps.positive[i].Merge(steps.negative[i]);
  }
  steps.negative.clear();
  return steps;
}

PlotAxes::PlotAxes(const ErrorPlot& plot) {
  bool all_signed = true, any_negative = false, begun = false;
  double largest = 1;
  for (const PlotSeries& series : plot.series) {
    const ErrorSteps steps = StepsOf(series.result->statistics.binades, kDrawnSteps);
    first_ = begun ? std::min(first_, steps.first) : steps.first;
    end_ = begun ? std::max(end_, steps.End()) : steps.End();
    begun = true;
    all_signed = all_signed && steps.IsSigned();
    for (const ErrorAt& at : steps.negative) any_negative = any_negative || at.inputs > 0;
    for (const auto* side : {&steps.positive, &steps.negative}) {
      for (const ErrorAt& at : *side) {
        if (std::isfinite(at.max_ulp)) largest = std::max(largest, at.max_ulp);
        has_beyond_ = has_beyond_ || at.max_ulp > kHighestPlotted;
      }
    }
  }
  // A limit has room above it.
  for (const PlotLimit& limit : plot.limits) largest = std::max(largest, 2 * limit.ulp.value_or(0));
  is_signed_ = all_signed && any_negative;
  highest_ = std::min(kHighestPlotted, std::pow(10.0, std::ceil(std::log10(largest))));
}

double PlotAxes::Place(int exponent, int sign) const {
  const double share = static_cast<double>(exponent - first_) / (end_ - first_);
  return is_signed_ ? sign * (kGap + (1 - kGap) * share) : share;
}

std::vector<PlotAxes::Tick> PlotAxes::Ticks() const {
  int step = 1;
  while ((end_ - first_) / step > 5) step *= 2;
  // The first multiple of the step at or above the first exponent.
  const int begin = first_ + (first_ % step == 0 ? 0 : (first_ > 0 ? step : 0) - first_ % step);
  std::vector<Tick> ticks;
  for (const int sign : {-1, 1}) {
    if (sign < 0 && !is_signed_) continue;
    for (int exponent = begin; exponent <= end_; exponent += step) {
      ticks.push_back({.place = Place(exponent, sign), .exponent = exponent, .sign = sign});
    }
  }
  std::sort(ticks.begin(), ticks.end(),
            [](const Tick& a, const Tick& b) { return a.place < b.place; });
  return ticks;
}

void PlotAxes::AddPieces(const std::vector<ErrorAt>& steps, const ErrorSteps& of, int sign,
                         std::vector<Piece>* pieces) const {
  bool drawing = false;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    // On the left the largest magnitude comes first.
    const std::size_t i = sign < 0 ? steps.size() - 1 - n : n;
    if (steps[i].inputs == 0) {
      drawing = false;
      continue;
    }
    const int begin = of.first + static_cast<int>(i) * of.step;
    const double inner = Place(begin, sign), outer = Place(begin + of.step, sign);
    const double error = steps[i].max_ulp;
    if (!drawing || pieces->back().beyond != IsBeyond(error)) {
      pieces->push_back(
          {.beyond = IsBeyond(error), .places = {std::min(inner, outer)}, .errors = {}});
    }
    drawing = true;
    pieces->back().places.push_back(std::max(inner, outer));
    pieces->back().errors.push_back(error);
  }
}

std::vector<PlotAxes::Piece> PlotAxes::PiecesOf(const PlotSeries& series) const {
  const ErrorSteps steps = StepsOfSeries(series);
  std::vector<Piece> pieces;
  AddPieces(steps.negative, steps, -1, &pieces);
  AddPieces(steps.positive, steps, 1, &pieces);
  return pieces;
}

}  // namespace assay::oracle
