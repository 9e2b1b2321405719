#include "tools/run/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tools/page/document.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;
using numerics::ScalarType;

constexpr std::int64_t kNan = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

// Values in the order of numbers, with both zeros one place.
std::int64_t IndexOf(ScalarType type, std::uint64_t bits) {
  if (numerics::IsFloating(type)) {
    const numerics::Format format = numerics::FormatOf(type);
    return numerics::IsNan(format, bits) ? kNan : numerics::OrderedIndex(format, bits);
  }
  const int unused = 64 - numerics::WidthOf(type);
  if (numerics::IsSigned(type)) {
    return static_cast<std::int64_t>(bits << unused) >> unused;
  }
  return numerics::WidthOf(type) == 64 ? static_cast<std::int64_t>(bits ^ kSign)
                                       : static_cast<std::int64_t>(bits);
}
std::uint64_t BitsAt(ScalarType type, std::int64_t index) {
  if (numerics::IsFloating(type)) {
    const numerics::Format format = numerics::FormatOf(type);
    return index == kNan ? numerics::QuietNan(format) : numerics::FromOrderedIndex(format, index);
  }
  const auto bits = static_cast<std::uint64_t>(index);
  if (!numerics::IsSigned(type) && numerics::WidthOf(type) == 64) return bits ^ kSign;
  return bits & (~std::uint64_t{0} >> (64 - numerics::WidthOf(type)));
}

std::vector<std::int64_t> IndicesOf(const interp::JobBuffer& buffer) {
  std::vector<std::int64_t> indices;
  const ScalarType type = interp::ScalarOf(buffer.type);
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    for (const numerics::Bits bits : interp::ComponentsOf(buffer.type, buffer.bytes, i)) {
      indices.push_back(IndexOf(type, bits));
    }
  }
  return indices;
}

bool IsCompared(const interp::JobBuffer& buffer) {
  return !buffer.image && buffer.max_packets == 0 && !buffer.bytes.empty();
}

std::uint64_t StepsBetween(std::int64_t low, std::int64_t high) {
  if (low == high) return 0;
  if (low == kNan || high == kNan) return kMost;
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}
std::uint64_t StepsOf(const SpreadOfBuffer& one, std::size_t i) {
  return one.has_nan[i] != 0 && one.low[i] != kNan ? kMost : StepsBetween(one.low[i], one.high[i]);
}

struct Widest {
  std::uint64_t vary = 0, steps = 0;
  std::size_t component = 0;
};
Widest WidestOf(const SpreadOfBuffer& one) {
  Widest widest;
  for (std::size_t i = 0; i < one.low.size(); ++i) {
    const std::uint64_t steps = StepsOf(one, i);
    widest.vary += steps != 0 ? 1 : 0;
    if (steps > widest.steps) {
      widest.steps = steps;
      widest.component = i;
    }
  }
  return widest;
}

std::string PlaceOf(const interp::ElementType& type, std::uint64_t component) {
  const auto width = static_cast<std::uint64_t>(type.components);
  if (width == 1) return fmt::format("[{}]", component);
  return fmt::format("[{}].s{:x}", component / width, component % width);
}
std::string StepsText(std::uint64_t steps) {
  return steps == kMost ? "a NaN in some runs" : Times(steps, "step");
}
std::string ValueText(const interp::ElementType& type, std::int64_t index) {
  const auto component = interp::ParseElementType(type.component);
  const std::vector<numerics::Bits> bits = {BitsAt(interp::ScalarOf(type), index)};
  return interp::FormatElement(component ? *component : type, bits);
}

std::string WorstText(const RunReport& report) {
  const ReportedWorst& worst = *report.worst;
  std::string text = fmt::format("worst of {}: ", Times(worst.runs, "run"));
  if (worst.steps == 0) return text + "nothing differs from correctly rounded results\n";
  text +=
      fmt::format("{} {} {} from correctly rounded results, with {}\n",
                  base::Printable(worst.buffer), worst.place, StepsText(worst.steps), worst.how);
  return text;
}

}  // namespace

void Spread::Add(std::span<const ReportedBuffer> buffers) {
  const bool is_first = spread_.runs++ == 0;
  std::size_t place = 0;
  for (const ReportedBuffer& reported : buffers) {
    if (!IsCompared(reported.buffer)) continue;
    const std::vector<std::int64_t> indices = IndicesOf(reported.buffer);
    if (is_first) {
      spread_.buffers.push_back({.name = reported.buffer.name,
                                 .type = reported.buffer.type,
                                 .low = indices,
                                 .high = indices,
                                 .has_nan = std::vector<std::uint8_t>(indices.size())});
    }
    SpreadOfBuffer& one = spread_.buffers[place++];
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] == kNan) {
        one.has_nan[i] = 1;
        continue;
      }
      if (one.low[i] == kNan) one.low[i] = one.high[i] = indices[i];
      one.low[i] = std::min(one.low[i], indices[i]);
      one.high[i] = std::max(one.high[i], indices[i]);
    }
  }
}

Distance DistanceOf(std::span<const ReportedBuffer> one, std::span<const ReportedBuffer> other) {
  Distance most;
  for (std::size_t b = 0; b < std::min(one.size(), other.size()); ++b) {
    if (!IsCompared(one[b].buffer)) continue;
    const auto first = IndicesOf(one[b].buffer), second = IndicesOf(other[b].buffer);
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
      const auto [low, high] = std::minmax(first[i], second[i]);
      const std::uint64_t steps = StepsBetween(low, high);
      if (steps > most.steps) most = {steps, b, i};
    }
  }
  return most;
}

std::string SpreadText(const RunReport& report) {
  std::string text;
  if (report.worst) text += WorstText(report);
  if (!report.spread) return text;
  for (const SpreadOfBuffer& one : report.spread->buffers) {
    const Widest widest = WidestOf(one);
    if (widest.vary == 0) continue;
    const std::size_t at = widest.component;
    text += fmt::format("spread of {} over {}: {} of {} vary; the widest: {} {} to {}, {}\n",
                        base::Printable(one.name), Times(report.spread->runs, "run"), widest.vary,
                        Times(one.low.size(), "value"), PlaceOf(one.type, at),
                        ValueText(one.type, one.low[at]), ValueText(one.type, one.high[at]),
                        StepsText(widest.steps));
  }
  if (text.empty()) text = "spread: all runs leave the same values\n";
  return text;
}

ordered_json SpreadJson(const RunReport& report) {
  ordered_json json = {{"runs", report.spread->runs}, {"buffers", ordered_json::array()}};
  for (const SpreadOfBuffer& one : report.spread->buffers) {
    const Widest widest = WidestOf(one);
    ordered_json buffer = {{"name", one.name}, {"values", one.low.size()}, {"vary", widest.vary}};
    ordered_json ranges = ordered_json::array();
    for (std::size_t i = 0; i < one.low.size(); ++i) {
      if (StepsOf(one, i) == 0) continue;
      ranges.push_back({{"component", i},
                        {"low", ValueText(one.type, one.low[i])},
                        {"high", ValueText(one.type, one.high[i])},
                        {"steps", StepsOf(one, i)}});
    }
    buffer["ranges"] = std::move(ranges);
    json["buffers"].push_back(std::move(buffer));
  }
  if (!report.worst) return json;
  const ReportedWorst& worst = *report.worst;
  json["worst"] = {{"runs", worst.runs},   {"buffer", worst.buffer}, {"place", worst.place},
                   {"steps", worst.steps}, {"how", worst.how},       {"choices", worst.choices}};
  return json;
}

namespace {

// Bars: how many steps each value varies by, on a scale of powers of two.  Of many values each bar
// is the widest of some.
std::string Plot(const SpreadOfBuffer& one) {
  constexpr double kWidth = 640, kHeight = 160, kLeft = 48, kBottom = 24;
  constexpr std::size_t kMostBars = 320;
  const std::size_t each = (one.low.size() + kMostBars - 1) / kMostBars;
  const std::size_t bars = (one.low.size() + each - 1) / each;
  std::vector<double> heights(bars);
  double most = 1;
  for (std::size_t i = 0; i < one.low.size(); ++i) {
    const double height = std::log2(1 + static_cast<double>(StepsOf(one, i)));
    heights[i / each] = std::max(heights[i / each], height);
    most = std::max(most, height);
  }
  std::string svg = fmt::format(
      "<figure><svg viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" fill=\"currentColor\" "
      "font-size=\"11\"><title>How far the values of {} vary</title>\n",
      kLeft + kWidth, kHeight + kBottom, kLeft + kWidth, base::XmlText(one.name));
  for (std::size_t i = 0; i < bars; ++i) {
    const double width = kWidth / static_cast<double>(bars);
    const double height = heights[i] / most * (kHeight - 12);
    if (height <= 0) continue;
    svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>\n",
                       kLeft + width * static_cast<double>(i), kHeight - height,
                       std::max(width * 0.9, 0.5), height);
  }
  svg += fmt::format("<path d=\"M{0} 0V{1}H{2}\" fill=\"none\" stroke=\"currentColor\"/>\n", kLeft,
                     kHeight, kLeft + kWidth);
  svg += fmt::format("<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}</text>\n", kLeft - 4, 12,
                     most >= 64 ? "NaN" : fmt::format("{:.0f}", std::exp2(most) - 1));
  svg +=
      fmt::format("<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">0</text>\n", kLeft - 4, kHeight);
  svg += fmt::format("<text x=\"{0}\" y=\"{1}\">0</text>\n", kLeft, kHeight + 16);
  svg += fmt::format("<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}</text>\n", kLeft + kWidth,
                     kHeight + 16, one.low.size() - 1);
  return svg + fmt::format(
                   "</svg><figcaption>{}: steps between the lowest and the highest value, by "
                   "place, on a logarithmic scale</figcaption></figure>\n",
                   base::XmlText(one.name));
}

constexpr std::string_view kSpreadHeads[] = {"Buffer", "Values",  "Vary", "The widest",
                                             "Lowest", "Highest", "Steps"};

}  // namespace

std::string SpreadPage(const RunReport& report) {
  if (!report.spread) return "";
  std::vector<std::vector<std::string>> rows;
  std::string plots;
  for (const SpreadOfBuffer& one : report.spread->buffers) {
    const Widest widest = WidestOf(one);
    std::vector<std::string> row = {one.name, std::to_string(one.low.size()),
                                    std::to_string(widest.vary)};
    if (widest.vary != 0) {
      const std::size_t at = widest.component;
      row.insert(row.end(), {PlaceOf(one.type, at), ValueText(one.type, one.low[at]),
                             ValueText(one.type, one.high[at]), StepsText(widest.steps)});
      plots += Plot(one);
    } else {
      row.resize(std::size(kSpreadHeads));
    }
    rows.push_back(std::move(row));
  }
  return fmt::format("<h2>Spread over {}</h2>\n", Times(report.spread->runs, "run")) +
         PageTable(kSpreadHeads, rows) + plots;
}

}  // namespace assay::tools
