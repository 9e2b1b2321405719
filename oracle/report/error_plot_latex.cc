#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oracle/report/error_plot.h"
#include "oracle/report/latex.h"
#include "oracle/report/series_style.h"

namespace assay::oracle {
namespace {

constexpr double kUnit = 100;  // of the horizontal axis; TeX's numbers have five digits

std::string ColorName(const PlotSeries& series) { return fmt::format("assay{}", series.index); }

// The dashes of stroke-dasharray, as TikZ has them.
std::string DashOf(std::string_view dash) {
  if (dash == "none") return "solid";
  std::string pattern = "dash pattern={";
  bool on = true;
  for (std::size_t begin = 0; begin < dash.size();) {
    const std::size_t end = std::min(dash.find(' ', begin), dash.size());
    pattern += fmt::format("{} {}pt ", on ? "on" : "off", dash.substr(begin, end - begin));
    on = !on;
    begin = end + 1;
  }
  pattern.back() = '}';
  return pattern;
}

std::string TicksOf(const PlotAxes& axes) {
  std::string places, labels;
  for (const PlotAxes::Tick& tick : axes.Ticks()) {
    const std::string_view comma = places.empty() ? "" : ",";
    places += fmt::format("{}{:.2f}", comma, kUnit * tick.place);
    labels += fmt::format("{}${}2^{{{}}}$", comma, tick.sign < 0 ? "-" : "", tick.exponent);
  }
  return fmt::format("  xtick={{{}}}, xticklabels={{{}}},\n", places, labels);
}

// Errors beyond the scale stand in the middle of the decade above it.
double BeyondOf(const PlotAxes& axes) { return axes.Highest() * std::sqrt(10.0); }

std::string DecadesOf(const PlotAxes& axes) {
  std::string places, labels;
  const int highest = static_cast<int>(std::lround(std::log10(axes.Highest())));
  for (int decade = -2; decade <= highest; ++decade) {
    const std::string_view comma = places.empty() ? "" : ",";
    places += fmt::format("{}1e{}", comma, decade);
    labels += fmt::format("{}${}10^{{{}}}$", comma, decade == -2 ? "\\leq" : "", decade);
  }
  if (axes.HasBeyond()) {
    places += fmt::format(",{:.6g}", BeyondOf(axes));
    labels += fmt::format(",$>10^{{{}}}$", highest);
  }
  return fmt::format("  ytick={{{}}}, yticklabels={{{}}}, ymin=1e-2, ymax={:g},\n", places, labels,
                     axes.Highest() * (axes.HasBeyond() ? 10 : 1));
}

std::string CoordinatesOf(const PlotAxes& axes, const PlotSeries& series) {
  std::string text;
  for (const PlotAxes::Piece& piece : axes.PiecesOf(series)) {
    const auto add = [&](double place, double error) {
      const double shown = piece.beyond ? BeyondOf(axes) : std::max(error, kLowestPlotted);
      text += fmt::format("({:.3f},{:.6g})", kUnit * place, shown);
    };
    for (std::size_t i = 0; i < piece.errors.size(); ++i) add(piece.places[i], piece.errors[i]);
    add(piece.places.back(), piece.errors.back());
    text += fmt::format("({:.3f},nan)\n", kUnit * piece.places.back());
  }
  return text;
}

}  // namespace

std::string PlotToLatex(const ErrorPlot& plot) {
  const PlotAxes axes(plot);
  const double from = axes.IsSigned() ? -kUnit : 0;
  std::string text = fmt::format(
      "% Largest error of {} in ulp, by operand.  In the preamble:\n"
      "%   \\usepackage{{pgfplots}} \\pgfplotsset{{compat=1.17}}\n",
      PlotTitle(plot));
  for (const PlotSeries& series : plot.series) {
    text += fmt::format("% {}: {}\n", EscapedLatex(PlotSeriesText(series)),
                        EscapedLatex(DeviceText(series.input->report.device)));
  }
  text += "\\begin{tikzpicture}\n";
  for (const PlotSeries& series : plot.series) {
    text += fmt::format("\\definecolor{{{}}}{{HTML}}{{{}}}\n", ColorName(series),
                        StyleOfSeries(series.index).light.substr(1));
  }
  text += fmt::format(
      "\\begin{{semilogyaxis}}[width=0.92\\linewidth, height=0.55\\linewidth, xmin={}, xmax={},\n"
      "  xlabel={{{}}}, ylabel={{largest error in ulp}}, title={{{}}},\n{}{}"
      "  ymajorgrids, grid style={{black!12}}, unbounded coords=jump, log origin=infty,\n"
      "  legend cell align=left, legend columns=2,\n"
      "  legend style={{at={{(0.5,-0.24)}}, anchor=north, draw=none, font=\\footnotesize,\n"
      "    /tikz/every even column/.append style={{column sep=1em}}}}]\n",
      from, kUnit, PlotOperandText(plot, axes.IsSigned()), EscapedLatex(PlotTitle(plot)),
      TicksOf(axes), DecadesOf(axes));
  for (const PlotSeries& series : plot.series) {
    text +=
        fmt::format("\\addplot[const plot, {}, {}] coordinates {{\n{}}};\n\\addlegendentry{{{}}}\n",
                    ColorName(series), DashOf(StyleOfSeries(series.index).dash),
                    CoordinatesOf(axes, series), EscapedLatex(PlotSeriesText(series)));
  }
  for (const PlotLimit& limit : plot.limits) {
    if (!limit.ulp) {
      text += fmt::format("% {}: no one number of ulp, and not drawn\n",
                          EscapedLatex(PlotLimitText(limit)));
      continue;
    }
    text += fmt::format(
        "\\addplot[red!70!black, densely dotted, thick, forget plot] coordinates "
        "{{({},{:g}) ({},{:g})}}\n  node[pos=0, anchor=south west, font=\\footnotesize] {{{}}};\n",
        from, *limit.ulp, kUnit, *limit.ulp, EscapedLatex(PlotLimitText(limit)));
  }
  return text + "\\end{semilogyaxis}\n\\end{tikzpicture}\n";
}

}  // namespace assay::oracle
