// Checks of option values for CLI11's check(), which puts the option's name before the message.
// Each takes a text and returns an error message for the user, or an empty text.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace CLI {
class Validator;
}  // namespace CLI

namespace assay::tools {

using OptionCheck = std::function<std::string(const std::string&)>;

// One of these names, which live as long as the program.  Help's JSON, man pages and completion
// have them, too (tools/option_table).
CLI::Validator OneOf(std::vector<std::string_view> values);
// Refuses nothing: completion offers these names, for a list also behind commas.
CLI::Validator Suggest(const std::vector<std::string_view>& values);
CLI::Validator SuggestForList(const std::vector<std::string_view>& values);

// The names of these checks.
inline constexpr const char* kValuesCheck = "values";
inline constexpr const char* kSuggestionsCheck = "suggestions";
inline constexpr const char* kListSuggestionsCheck = "suggestions for a list";

// CLI11 by itself takes -1 for the largest number that there is, and one that is too large, too.
OptionCheck WholeNumber(std::uint64_t least = 0,
                        std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// Of options that are kept as int.
OptionCheck SmallNumber(int least = 0, int most = std::numeric_limits<int>::max());

// Finite ones, such as seconds.
OptionCheck NumberFromZero();
OptionCheck NumberAboveZero();

// "64", "4K", "512M", "8G": bytes.
Expected<std::uint64_t> ParseByteSize(const std::string& text);

}  // namespace assay::tools
