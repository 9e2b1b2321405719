#include "tools/dap/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <span>

#include "numerics/shadow.h"
#include "tools/shared/near_names.h"

namespace assay::tools::dap {
namespace {

// Reports are `assay run`'s affair, and printing is what scopes are for.
constexpr std::array<std::string_view, 9> kNotHere = {
    "help", "counts", "print", "print-all", "save", "json", "sarif", "junit", "quiet"};

// Of editors: where they keep what they know about a configuration, and how to start an adapter.
constexpr std::array<std::string_view, 30> kEditors = {
    // VS Code, and what its other debuggers' configurations commonly have.
    "type", "name", "request", "preLaunchTask", "postDebugTask", "presentation",
    "internalConsoleOptions", "serverReadyAction", "debugServer", "suppressMultipleSessionWarning",
    "console", "consoleName", "windows", "linux", "osx", "order",
    // Emacs' dap-mode and dape.
    "dap-server-path", "debugPort", "host", "hostName", "environment-variables", "program-to-start",
    "wait-for-port", "skip-debug-session", "dap-compilation", "dap-compilation-dir", "command",
    "command-args", "command-cwd", "modes"};

// The adapter's own.
constexpr std::array<std::string_view, 6> kOwn = {"stopOnEntry", "stopAtEnd",  "noDebug",
                                                  "cwd",         "maxThreads", "shadow"};

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

// "build-options" as "buildOptions".
std::string AttributeName(const std::string& option) {
  if (option == "arg") return "args";
  if (option == "spec-constant") return "specConstants";
  std::string name;
  for (std::size_t i = 0; i < option.size(); ++i) {
    if (option[i] == '-' && i + 1 < option.size()) {
      name += static_cast<char>(std::toupper(static_cast<unsigned char>(option[++i])));
    } else {
      name += option[i];
    }
  }
  return name;
}

std::string AsText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool IsScalar(const Json& value) { return value.is_string() || value.is_number(); }

bool Holds(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// What an attribute may be.
struct Shape {
  bool is_flag = false;
  bool is_list = false;           // an array, too
  bool takes_numbers = false;     // and not only texts
  bool takes_texts = true;        // and not only numbers
  bool is_whole = false;          // numbers without a point
  std::string Described() const;  // "a string or an array of strings"
};

std::string Shape::Described() const {
  if (is_flag) return "true or false";
  if (!takes_texts) return is_whole ? "a whole number" : "a number that is not negative";
  const char* one = takes_numbers ? "a string or a number" : "a string";
  if (!is_list) return one;
  return fmt::format("{} or an array of {}", one, takes_numbers ? "them" : "strings");
}

Shape ShapeOf(const std::string& attribute, const CLI::Option& option) {
  constexpr std::string_view kNumbers[] = {"global",  "local",     "offset",
                                           "choices", "maxMemory", "subGroupSize"};
  constexpr std::string_view kLists[] = {"module",        "args",   "global", "local",   "offset",
                                         "specConstants", "ignore", "allow",  "choices", "detect"};
  const std::string type = option.get_type_name();
  Shape shape;
  shape.is_flag = option.get_items_expected_max() == 0;
  shape.is_list = Holds(kLists, attribute);
  shape.takes_texts = type.starts_with("TEXT");
  shape.takes_numbers = !shape.takes_texts || Holds(kNumbers, attribute);
  shape.is_whole = !type.starts_with("FLOAT");
  return shape;
}

// A number, or a text that is one.
bool IsNumber(const Json& value, bool is_whole) {
  if (is_whole && value.is_number()) return value.is_number_integer();
  if (value.is_number()) return value.get<double>() >= 0;
  const std::string text = AsText(value);
  const char* digits = is_whole ? "-0123456789" : "0123456789.eE+";
  return text.find_first_not_of(digits) == std::string::npos;
}

bool Fits(const Json& value, const Shape& shape) {
  if (shape.is_flag) return value.is_boolean();
  if (!IsScalar(value)) return false;
  if (!shape.takes_texts) return IsNumber(value, shape.is_whole);
  return shape.takes_numbers || value.is_string();
}

// The words of a command line that say the same.
Expected<std::vector<std::string>> WordsOf(const std::string& attribute, const Json& value,
                                           const CLI::Option& option) {
  const std::string name = OptionName(attribute);
  const Shape shape = ShapeOf(attribute, option);
  const auto wrong = [&](const std::string& kind) {
    return Fail(ErrorKind::kUsage, fmt::format("launch: '{}' must be {}", attribute, kind));
  };
  std::vector<std::string> words;
  const auto add = [&](const std::string& text) {
    // With '=' a value that begins with a dash is no option.
    words.push_back(attribute == "module" ? text : fmt::format("--{}={}", name, text));
  };
  if (shape.is_list && value.is_array()) {
    std::vector<std::string> texts;
    for (const Json& one : value) {
      if (!Fits(one, shape) || AsText(one).empty()) {
        return wrong(fmt::format("an array of strings{}, none of them empty",
                                 shape.takes_numbers ? " or numbers" : ""));
      }
      texts.push_back(AsText(one));
    }
    if (shape.takes_numbers || attribute == "detect") {
      add(fmt::format("{}", fmt::join(texts, ",")));
    } else {
      for (const std::string& text : texts) add(text);
    }
  } else if (value.is_object() && attribute == "specConstants") {
    for (const auto& [id, constant] : value.items()) {
      if (!IsScalar(constant) && !constant.is_boolean()) return wrong("an object of numbers");
      add(fmt::format("{}={}", id, AsText(constant)));
    }
  } else if (!Fits(value, shape)) {
    return wrong(shape.Described());
  } else if (shape.is_flag) {
    if (value.get<bool>()) words.push_back("--" + name);
  } else if (!AsText(value).empty()) {
    // "" is the default; as a word it would take the next one for its value.
    add(AsText(value));
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

// What a command line would be told in its own words.
Expected<void> CheckWhole(const RunOptions& run) {
  const auto fail = [](std::string why) {
    return Fail(ErrorKind::kUsage, "launch: " + std::move(why));
  };
  std::vector<std::string> beside;
  for (const std::string& option : run.describing) {
    const std::string name = option == "MODULE" ? "module" : AttributeName(option.substr(2));
    beside.push_back(fmt::format("'{}'", name));
  }
  const char* whole = run.job.empty() ? "replay" : "job";
  if (!run.replay.empty() && !run.job.empty()) beside.emplace_back("'replay'");
  if (!run.replay.empty() || !run.job.empty()) {
    if (beside.empty()) return {};
    return fail(fmt::format("'{}' says what is run; leave out {}", whole, fmt::join(beside, ", ")));
  }
  if (run.modules.empty()) {
    return fail("'module', the kernel's file, is missing; or name a 'job'");
  }
  if (run.global.empty()) {
    return fail("'global', the index space, is missing: \"global\": 1024 or [64, 64]");
  }
  return {};
}

}  // namespace

Expected<void> ReadLaunch(const Arguments& arguments, LaunchOptions* options) {
  if (auto own = ReadOwn(arguments, options); !own) return own;
  CLI::App command("", "launch");
  AddRunOptions(&command, &options->run);
  std::map<std::string, const CLI::Option*> known;  // by attribute
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) known["module"] = option;
    for (const std::string& name : option->get_lnames()) {
      if (!Holds(kNotHere, name)) known[AttributeName(name)] = option;
    }
  }
  std::vector<std::string_view> names(kOwn.begin(), kOwn.end());
  for (const auto& [name, option] : known) names.push_back(name);
  std::vector<std::string> words;
  for (const auto& [attribute, value] : arguments.json().items()) {
    if (attribute.starts_with("__") || value.is_null() || Holds(kEditors, attribute) ||
        Holds(kOwn, attribute)) {
      continue;
    }
    const auto found = known.find(attribute);
    if (found == known.end()) {
      const auto near = NearNames(attribute, names);
      options->not_known.push_back({attribute, near.empty() ? "" : near[0]});
      continue;
    }
    auto more = WordsOf(attribute, value, *found->second);
    if (!more) return tl::unexpected(more.error());
    words.insert(words.end(), more->begin(), more->end());
  }
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    command.parse(words);
  } catch (const CLI::ParseError& error) {
    return Fail(ErrorKind::kUsage, "launch: " + InAttributes(error.what()));
  }
  return CheckWhole(options->run);
}

std::string InAttributes(const std::string& message) {
  CLI::App command("", "launch");
  RunOptions ignored;
  AddRunOptions(&command, &ignored);
  const std::size_t line = std::min(message.find('\n'), message.size());
  // Options as words of their own: a path may have a dash, too.
  static const std::regex kOption(R"((^|[ (`])(-[a-z]|--[a-z-]+)(?=[ :,)`']|$))");
  const std::string head = message.substr(0, line);
  std::string said;
  auto rest = head.cbegin();
  for (std::sregex_iterator one(head.begin(), head.end(), kOption), end; one != end; ++one) {
    const CLI::Option* option = command.get_option_no_throw((*one)[2]);
    if (option == nullptr || option->get_lnames().empty()) continue;
    said.append(rest, (*one)[2].first);
    said += fmt::format("'{}'", AttributeName(option->get_lnames()[0]));
    rest = (*one)[2].second;
  }
  said.append(rest, head.cend());
  return said + message.substr(line);
}

}  // namespace assay::tools::dap
