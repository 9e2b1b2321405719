#include "tools/shared/option_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/byte_size.h"
#include "base/text.h"
#include "numerics/literal.h"
#include "tools/shared/near_names.h"

namespace assay::tools {
namespace {

// Below zero where the text is no finite number.
double NumberOf(const std::string& text) {
  constexpr double kNone = -1;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool whole = !text.empty() && *end == '\0';
  return whole && std::isfinite(number) ? number : kNone;
}

}  // namespace

CLI::Validator OneOf(std::vector<std::string_view> values) {
  std::string names = fmt::format("{}", fmt::join(values, ","));
  return {[values = std::move(values)](const std::string& text) {
            const bool known = std::find(values.begin(), values.end(), text) != values.end();
            return known ? std::string() : UnknownValue(text, values);
          },
          std::move(names), kValuesCheck};
}

CLI::Validator Suggest(const std::vector<std::string_view>& values) {
  return {[](const std::string&) { return std::string(); },
          fmt::format("{}", fmt::join(values, ",")), kSuggestionsCheck};
}

CLI::Validator SuggestForList(const std::vector<std::string_view>& values) {
  return Suggest(values).name(kListSuggestionsCheck);
}

OptionCheck WholeNumber(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& text) -> std::string {
    const auto number = numerics::ParseLiteral(numerics::ScalarType::kUlong, text);
    if (number && *number >= least && *number <= most) return "";
    const bool any = most == std::numeric_limits<std::uint64_t>::max();
    return fmt::format("'{}' is no whole number from {} to {}", base::Printable(text), least,
                       any ? "2^64 - 1" : fmt::to_string(most));
  };
}

OptionCheck SmallNumber(int least, int most) {
  return WholeNumber(static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most));
}

OptionCheck NumberFromZero() {
  return [](const std::string& text) -> std::string {
    if (NumberOf(text) >= 0) return "";
    return fmt::format("'{}' is no number from 0 on", base::Printable(text));
  };
}

OptionCheck NumberAboveZero() {
  return [](const std::string& text) -> std::string {
    if (NumberOf(text) > 0) return "";
    return fmt::format("'{}' is no number above 0", base::Printable(text));
  };
}

Expected<std::uint64_t> ParseByteSize(const std::string& text) { return base::ParseByteSize(text); }

}  // namespace assay::tools
