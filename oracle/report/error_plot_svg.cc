#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "oracle/report/error_plot.h"
#include "oracle/report/series_style.h"

namespace assay::oracle {
namespace {

constexpr double kWidth = 720, kLeft = 76, kRight = 664, kTop = 64, kScaleHeight = 260;
constexpr double kBand = 30;     // above the scale, for what is beyond it
constexpr double kLaneStep = 3;  // between the reports' lines in that band
constexpr double kEntryHeight = 20;
constexpr double kLetterWidth = 7.2;  // of the legend's text, about

constexpr std::string_view kStyle =
    "text{font:12px 'DejaVu Sans',Verdana,Arial,sans-serif;fill:#444}"
    ".title{font-size:15px;font-weight:bold;fill:#111}.entry{fill:#111}.limit{fill:#b01f17}"
    ".grid{stroke:#d8dde3}.line{fill:none;stroke-width:1.5}.beyond{fill:none;stroke-width:3}";

// 2 with a raised exponent, and the operand's sign.
std::string PowerText(int base, int exponent, int sign = 1) {
  return fmt::format("{}{}<tspan dy=\"-5\" font-size=\"9\">{}{}</tspan>", sign < 0 ? "−" : "", base,
                     exponent < 0 ? "−" : "", std::abs(exponent));
}

std::string DecadeText(int decade) {
  if (decade > 2) return PowerText(10, decade);
  return fmt::format("{}{:g}", decade == -2 ? "≤ " : "", std::pow(10.0, decade));
}

std::string Text(double x, double y, std::string_view anchor, std::string_view attributes,
                 std::string_view content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}{}>{}</text>\n", x, y,
                     anchor, attributes.empty() ? "" : " ", attributes, content);
}

class Svg {
 public:
  explicit Svg(const ErrorPlot& plot) : plot_(plot), axes_(plot) {
    top_ = kTop + (axes_.HasBeyond() ? kBand : 0);
    bottom_ = top_ + kScaleHeight;
  }

  std::string Document();

 private:
  double X(double place) const {
    const double share = axes_.IsSigned() ? (place + 1) / 2 : place;
    return kLeft + share * (kRight - kLeft);
  }
  double Y(double ulp) const {
    const double at = std::clamp(ulp, kLowestPlotted, axes_.Highest());
    return bottom_ - std::log10(at / kLowestPlotted) /
                         std::log10(axes_.Highest() / kLowestPlotted) * (bottom_ - top_);
  }
  std::string Axes() const;
  std::string Limits() const;
  std::string Lines() const;
  std::string Legend(double* end) const;

  const ErrorPlot& plot_;
  PlotAxes axes_;
  double top_ = 0, bottom_ = 0;
};

std::string Svg::Axes() const {
  std::string svg;
  for (int decade = -2; decade <= std::lround(std::log10(axes_.Highest())); ++decade) {
    const double y = Y(std::pow(10.0, decade));
    svg += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>\n", kLeft, y, kRight);
    svg += Text(kLeft - 6, y + 4, "end", "", DecadeText(decade));
  }
  if (axes_.HasBeyond()) {
    const std::string beyond =
        DecadeText(static_cast<int>(std::lround(std::log10(axes_.Highest()))));
    svg += Text(kLeft - 6, top_ - kBand + 12, "end", "", "&gt; " + beyond);
  }
  for (const PlotAxes::Tick& tick : axes_.Ticks()) {
    const double x = X(tick.place);
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}v5\"/>\n", x, bottom_);
    svg += Text(x, bottom_ + 20, "middle", "", PowerText(2, tick.exponent, tick.sign));
  }
  if (axes_.IsSigned()) {
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", X(0), top_, bottom_);
  }
  svg += Text((kLeft + kRight) / 2, bottom_ + 40, "middle", "",
              PlotOperandText(plot_, axes_.IsSigned()));
  const double middle = (top_ + bottom_) / 2;
  svg += Text(16, middle, "middle", fmt::format("transform=\"rotate(-90 16 {:.1f})\"", middle),
              "largest error in ulp");
  return svg;
}

std::string Svg::Limits() const {
  std::string svg;
  double above = 0;  // the place of the last label
  for (const PlotLimit& limit : plot_.limits) {
    if (!limit.ulp) continue;
    const double y = Y(*limit.ulp);
    svg += fmt::format(
        "<path d=\"M{} {:.1f}H{}\" stroke=\"#b01f17\" stroke-width=\"1.5\" "
        "stroke-dasharray=\"2 3\"/>\n",
        kLeft, y, kRight);
    // In the margin, where no line is; labels of near limits do not touch.
    above = above == 0 || std::abs(above - y) >= 14 ? y : above - 14;
    const std::string value = fmt::format("{:g} ulp", *limit.ulp);
    svg += Text(kRight + 4, above + 4, "start", "class=\"limit\"", value);
  }
  return svg;
}

std::string Svg::Lines() const {
  std::string svg;
  for (std::size_t n = 0; n < plot_.series.size(); ++n) {
    const SeriesStyle style = StyleOfSeries(plot_.series[n].index);
    std::string line, beyond;
    for (const PlotAxes::Piece& piece : axes_.PiecesOf(plot_.series[n])) {
      const double from = X(piece.places.front());
      if (piece.beyond) {
        const double y = top_ - kBand + 6 + kLaneStep * static_cast<double>(n);
        // A single step is seen, too.
        beyond += fmt::format("M{:.1f} {:.1f}H{:.1f}", from, y,
                              std::max(from + 2, X(piece.places.back())));
        continue;
      }
      line += fmt::format("M{:.1f} {:.1f}", from, Y(piece.errors.front()));
      for (std::size_t i = 0; i < piece.errors.size(); ++i) {
        line += fmt::format("V{:.1f}H{:.1f}", Y(piece.errors[i]), X(piece.places[i + 1]));
      }
    }
    const auto path = [&](std::string_view name, const std::string& d, std::string_view dash) {
      if (d.empty()) return;
      svg += fmt::format("<path class=\"{}\" stroke=\"{}\" stroke-dasharray=\"{}\" d=\"{}\"/>\n",
                         name, style.light, dash, d);
    };
    path("line", line, style.dash);
    path("beyond", beyond, "none");
  }
  return svg;
}

// A sample of each line with its report, in rows; a longer label has a row of its own.
std::string Svg::Legend(double* end) const {
  std::string svg;
  double x = kLeft, y = bottom_ + 66;
  for (const PlotSeries& series : plot_.series) {
    const std::string label = PlotSeriesText(series);
    const double width = 44 + kLetterWidth * static_cast<double>(label.size());
    if (x > kLeft && x + width > kWidth - 8) {
      x = kLeft;
      y += kEntryHeight;
    }
    const SeriesStyle style = StyleOfSeries(series.index);
    svg += fmt::format(
        "<path class=\"line\" stroke=\"{}\" stroke-dasharray=\"{}\" d=\"M{:.1f} {:.1f}h24\"/>\n",
        style.light, style.dash, x, y - 4);
    svg += Text(x + 30, y, "start", "class=\"entry\"", base::EscapedXml(label));
    x += width;
  }
  *end = y + 16;
  return svg;
}

std::string Svg::Document() {
  std::string limits, devices;
  for (const PlotLimit& limit : plot_.limits) {
    limits += (limits.empty() ? "" : "; ") + PlotLimitText(limit);
    if (!limit.ulp) limits += ", which is no one number of ulp and is not drawn";
  }
  for (const PlotSeries& series : plot_.series) {
    devices += fmt::format("{}: {}\n", PlotSeriesText(series),
                           base::Printable(DeviceText(series.input->report.device)));
  }
  double height = 0;
  const std::string legend = Legend(&height);
  const std::string title = base::EscapedXml(PlotTitle(plot_));
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
             "height=\"{1:.0f}\" role=\"img\">\n<title>Largest error of {2} in ulp, by operand"
             "</title>\n<desc>{3}</desc>\n<style>{4}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
             kWidth, height, title, base::EscapedXml(devices), kStyle) +
         Text(kLeft, 24, "start", "class=\"title\"", title) +
         Text(kLeft, 44, "start", "", base::EscapedXml(limits)) + Axes() + Limits() + Lines() +
         legend + "</svg>\n";
}

}  // namespace

std::string PlotToSvg(const ErrorPlot& plot) { return Svg(plot).Document(); }

}  // namespace assay::oracle
