// The colors and dashes of reports that are shown together: in the page, in the plots.  A report
// has the same in all of them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace assay::oracle {

struct SeriesStyle {
  std::string_view light, dark;  // the color on a light and on a dark ground, "#rrggbb"
  std::string_view dash;         // as SVG's stroke-dasharray has it
};

inline constexpr std::array<SeriesStyle, 12> kSeriesStyles = {{
    {"#1d56b3", "#86b4ff", "none"},
    {"#b4480c", "#ff9d5c", "7 3"},
    {"#1b7f5c", "#5fd0a5", "3 3"},
    {"#8b3fa8", "#d59bf0", "10 3 2 3"},
    {"#a8871a", "#e0c45a", "none"},
    {"#c02b66", "#ff85b0", "7 3"},
    {"#2f8aa8", "#6fc6e2", "3 3"},
    {"#5f6670", "#aeb6c0", "10 3 2 3"},
    {"#7b4b2a", "#c99a76", "none"},
    {"#6f8f00", "#b7d84b", "7 3"},
    {"#16325c", "#5b86d6", "3 3"},
    {"#b08ad0", "#f0e0ff", "10 3 2 3"},
}};

// Of the reports after the last color, which begin with the first one again.
inline constexpr std::string_view kDashAgain = "14 3 2 3 2 3";

constexpr SeriesStyle StyleOfSeries(std::size_t index) {
  SeriesStyle style = kSeriesStyles[index % kSeriesStyles.size()];
  if (index >= kSeriesStyles.size()) style.dash = kDashAgain;
  return style;
}

}  // namespace assay::oracle
