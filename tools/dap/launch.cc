#include "tools/dap/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "numerics/shadow.h"
#include "tools/assay/near_names.h"

namespace assay::tools::dap {
namespace {

// Reports are `assay run`'s affair, and printing is what scopes are for.
constexpr std::array<std::string_view, 8> kNotHere = {"help", "counts", "print", "print-all",
                                                      "save", "json",   "sarif", "quiet"};

// Of editors: where they keep what they know about a configuration.
constexpr std::array<std::string_view, 12> kEditors = {"type",
                                                       "name",
                                                       "request",
                                                       "preLaunchTask",
                                                       "postDebugTask",
                                                       "presentation",
                                                       "internalConsoleOptions",
                                                       "serverReadyAction",
                                                       "debugServer",
                                                       "suppressMultipleSessionWarning",
                                                       "console",
                                                       "consoleName"};

// "buildOptions" as "build-options"; its plural attributes are options that may be repeated.
std::string OptionName(const std::string& attribute) {
  if (attribute == "args") return "arg";
  if (attribute == "specConstants") return "spec-constant";
  std::string name;
  for (const char c : attribute) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) name += '-';
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string AsText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool IsScalar(const Json& value) { return value.is_string() || value.is_number(); }

// The words of a command line that say the same.
Expected<std::vector<std::string>> WordsOf(const std::string& attribute, const Json& value) {
  const std::string name = OptionName(attribute);
  const bool is_module = attribute == "module";
  const bool is_size = name == "global" || name == "local" || name == "offset";
  const auto wrong = [&](const char* kind) {
    return Fail(ErrorKind::kUsage, fmt::format("launch: '{}' must be {}", attribute, kind));
  };
  std::vector<std::string> words;
  const auto add = [&](const std::string& text) {
    // With '=' a value that begins with a dash is no option.
    words.push_back(is_module ? text : fmt::format("--{}={}", name, text));
  };
  if (value.is_boolean()) {
    if (name != "ftz") return wrong("a string or a number");
    if (value.get<bool>()) words.push_back("--ftz");
  } else if (name == "ftz") {
    return wrong("true or false");
  } else if (IsScalar(value)) {
    // "" is the default; as a word it would take the next one for its value.
    if (!AsText(value).empty()) add(AsText(value));
  } else if (value.is_array()) {
    std::vector<std::string> texts;
    for (const Json& one : value) {
      if (!IsScalar(one) || AsText(one).empty()) {
        return wrong("an array of strings, none of them empty, or numbers");
      }
      texts.push_back(AsText(one));
    }
    if (is_size || name == "choices" || name == "detect") {
      add(fmt::format("{}", fmt::join(texts, ",")));
    } else {
      for (const std::string& text : texts) add(text);
    }
  } else if (value.is_object() && attribute == "specConstants") {
    for (const auto& [id, constant] : value.items()) {
      if (!IsScalar(constant) && !constant.is_boolean()) return wrong("an object of numbers");
      add(fmt::format("{}={}", id, AsText(constant)));
    }
  } else {
    return wrong("a string, a number or an array of them");
  }
  return words;
}

Expected<void> ReadOwn(const Arguments& arguments, LaunchOptions* options) {
  const auto entry = arguments.Flag("stopOnEntry", false);
  const auto end = arguments.Flag("stopAtEnd", false);
  const auto plain = arguments.Flag("noDebug", false);
  const auto cwd = arguments.Text("cwd", "");
  const auto most = arguments.Integer("maxThreads", 64);
  const auto shadow = arguments.Integer("shadow", 0);
  for (const auto* flag : {&entry, &end, &plain}) {
    if (!*flag) return tl::unexpected(flag->error());
  }
  if (!cwd) return tl::unexpected(cwd.error());
  if (!most) return tl::unexpected(most.error());
  if (!shadow) return tl::unexpected(shadow.error());
  if (*most < 1 || *most > 10000) {
    return Fail(ErrorKind::kUsage, "launch: 'maxThreads' must be from 1 to 10000");
  }
  if (*shadow != 0 &&
      (*shadow < numerics::kLeastShadowPrecision || *shadow > numerics::kMostShadowPrecision)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("launch: 'shadow' must be 0 or from {} to {} bits",
                            numerics::kLeastShadowPrecision, numerics::kMostShadowPrecision));
  }
  options->stop_on_entry = *entry;
  options->stop_at_end = *end;
  options->no_debug = *plain;
  options->shadow_bits = static_cast<int>(*shadow);
  options->cwd = *cwd;
  options->most_threads = static_cast<std::uint64_t>(*most);
  return {};
}

}  // namespace

Expected<void> ReadLaunch(const Arguments& arguments, LaunchOptions* options) {
  constexpr std::array<std::string_view, 6> kOwn = {"stopOnEntry", "stopAtEnd",  "noDebug",
                                                    "cwd",         "maxThreads", "shadow"};
  if (auto own = ReadOwn(arguments, options); !own) return own;
  CLI::App command("", "launch");
  AddRunOptions(&command, &options->run);
  std::vector<std::string> known = {"module"};
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (std::ranges::find(kNotHere, name) == kNotHere.end()) known.push_back(name);
    }
  }
  std::vector<std::string> words;
  for (const auto& [attribute, value] : arguments.json().items()) {
    if (attribute.starts_with("__") || value.is_null() ||
        std::ranges::find(kEditors, attribute) != kEditors.end() ||
        std::ranges::find(kOwn, attribute) != kOwn.end()) {
      continue;
    }
    if (std::ranges::find(known, OptionName(attribute)) == known.end()) {
      options->not_known.push_back(attribute);
      continue;
    }
    auto more = WordsOf(attribute, value);
    if (!more) return tl::unexpected(more.error());
    words.insert(words.end(), more->begin(), more->end());
  }
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    command.parse(words);
  } catch (const CLI::ParseError& error) {
    return Fail(ErrorKind::kUsage, std::string("launch: ") + error.what());
  }
  return {};
}

}  // namespace assay::tools::dap
