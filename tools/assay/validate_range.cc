#include "tools/assay/validate_range.h"

#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "oracle/inputs/number_range.h"

namespace assay::tools {
namespace {

using numerics::Operation;

tl::unexpected<Error> Refused(const std::string& message) {
  return Fail(ErrorKind::kUsage, "--range: " + message);
}

// Takes away what has no floating-point operand.
void KeepFloating(std::vector<Operation>* operations) {
  std::string first;
  const std::size_t others = std::erase_if(*operations, [&](const Operation& operation) {
    const bool floating = oracle::OperandFormat(operation).has_value();
    if (!floating && first.empty()) first = operation.Name() + " " + operation.FormatName();
    return !floating;
  });
  if (others == 0 || operations->empty()) return;
  const std::string text =
      fmt::format("assay: note: --range: not asked, because it has no floating-point operand: {}{}",
                  first, others > 1 ? fmt::format(", and {} others", others - 1) : "");
  std::fprintf(stderr, "%s\n", base::Wrapped(text, 4).c_str());
}

}  // namespace

Expected<void> CheckRange(const ValidateOptions& options) {
  if (options.range.empty()) return {};
  const std::pair<std::string_view, bool> given[] = {
      {"--at", !options.at.empty()}, {"--recorded", !options.device.recorded.empty()}};
  for (const auto& [name, is_given] : given) {
    if (is_given) return Refused(fmt::format("{} brings all inputs: leave out one of them", name));
  }
  const auto ends = oracle::RangeEndsOf(options.range);
  if (!ends) return Refused(ends.error().message);
  return {};
}

Expected<void> LimitToRange(const ValidateOptions& options, std::vector<Operation>* operations,
                            oracle::SweepOptions* sweep) {
  if (options.range.empty()) return {};
  const auto ends = oracle::RangeEndsOf(options.range);
  if (!ends) return Refused(ends.error().message);
  KeepFloating(operations);
  if (operations->empty()) {
    return Refused("none of the functions has a floating-point operand: leave out --range");
  }
  std::set<numerics::Format> formats;
  for (const Operation& operation : *operations) formats.insert(*oracle::OperandFormat(operation));
  if (formats.size() > 1 && oracle::HasRawBits(*ends)) {
    return Refused(
        fmt::format("{} are raw bits, which belong to one format: name it with "
                    "--formats, or write a number such as 0x1p-3",
                    base::Printable(options.range)));
  }
  std::string error;
  std::size_t without = 0;  // formats without a number in the range
  for (const numerics::Format format : formats) {
    const auto range = oracle::NumberRange::Of(format, *ends);
    if (range) continue;
    if (without++ == 0) error = range.error().message;
  }
  if (without > 0) {
    const bool others = without < formats.size();
    return Refused(error + (others ? "; name the formats that have, with --formats" : ""));
  }
  sweep->inputs.range = *ends;
  return {};
}

}  // namespace assay::tools
