// `set` and `show`.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

// What gdb's scripts set.  `confirm` is asked for at a prompt; nothing is paged.
struct Accepted {
  std::string_view name;
  bool is_number;
  std::string_view value;  // before it is set
};
constexpr Accepted kAccepted[] = {{"confirm", false, "on"},
                                  {"height", true, "unlimited"},
                                  {"pagination", false, "off"},
                                  {"verbose", false, "off"},
                                  {"width", true, "unlimited"}};

bool IsUnlimited(const std::string& text) { return text == "unlimited" || text == "0"; }

}  // namespace

// listsize and print elements.
Expected<void> DebugTerminal::SetNumber(const std::string& what, const std::string& value) {
  constexpr std::uint32_t kMost = 1000000;
  const bool is_all = IsUnlimited(value) && what != "listsize";
  const auto count = is_all || value == "unlimited" ? kMost : ParseCount(value, 0);
  if (!count) return tl::unexpected(count.error());
  if (*count == 0 || *count > kMost) {
    return Fail(ErrorKind::kUsage, "a number from 1 on, or unlimited");
  }
  if (what == "listsize") {
    list_size_ = static_cast<std::uint32_t>(*count);
  } else {
    print_limit_ = *count;
  }
  return {};
}

Expected<void> DebugTerminal::Set(const std::string& arguments) {
  std::string rest = arguments;
  const std::string what = TakeWord(&rest);
  if (arguments.starts_with("$")) return SetConvenience(arguments);
  if (what == "var" || what == "variable") {
    return rest.starts_with("$") ? SetConvenience(rest) : SetVariable(rest);
  }
  if (what == "listsize") return SetNumber(what, rest);
  if (what == "print" && rest.starts_with("elements")) {
    (void)TakeWord(&rest);
    return SetNumber(what, rest);
  }
  if (what == "stop-on-findings") {
    if (rest != "on" && rest != "off") return Fail(ErrorKind::kUsage, "on or off");
    session_.stops_at_findings = rest == "on";
    return {};
  }
  if (what == "logging" && !rest.starts_with("=")) return SetLogging(rest);
  const auto accepted = std::ranges::find(kAccepted, what, &Accepted::name);
  // A kernel may have a variable `width`.
  if (accepted != std::end(kAccepted) && !rest.starts_with("=")) {
    if (accepted->is_number && !IsUnlimited(rest)) {
      const auto count = ParseCount(rest, 0);
      if (!count || *count == 0) return Fail(ErrorKind::kUsage, "a number, or unlimited");
    } else if (!accepted->is_number && rest != "on" && rest != "off" && !rest.empty()) {
      return Fail(ErrorKind::kUsage, "on or off");
    }
    accepted_[what] = rest.empty() ? "on" : IsUnlimited(rest) ? "unlimited" : rest;
    return {};
  }
  if (arguments.find('=') != std::string::npos) return SetVariable(arguments);
  return Fail(ErrorKind::kUsage,
              fmt::format("set var VARIABLE = VALUE, set $NAME = VALUE, set listsize N, set print "
                          "elements N, set stop-on-findings on|off, set logging on|off; not '{}'",
                          arguments));
}

// As gdb: [enabled] on|off, file FILE, overwrite on|off, redirect on|off.
Expected<void> DebugTerminal::SetLogging(const std::string& arguments) {
  std::string rest = arguments;
  const std::string what = TakeWord(&rest);
  if (what == "file") {
    if (rest.empty()) return Fail(ErrorKind::kUsage, "set logging file FILE");
    if (log_.is_on()) return Fail(ErrorKind::kUsage, "`set logging off` first ends the other file");
    log_.path = rest;
    return {};
  }
  const bool is_switch = what == "overwrite" || what == "redirect";
  std::string value = is_switch || what == "enabled" ? rest : arguments;
  if (value.empty()) value = "on";
  if (value != "on" && value != "off") {
    return Fail(ErrorKind::kUsage,
                "set logging on|off, set logging file FILE, set logging overwrite on|off, set "
                "logging redirect on|off");
  }
  const bool is_on = value == "on";
  if (is_switch) {
    (what == "overwrite" ? log_.overwrites : log_.redirects) = is_on;
    return {};
  }
  if (is_on == log_.is_on()) {
    return Fail(ErrorKind::kUsage,
                is_on ? fmt::format("'{}' is written already", log_.path) : "nothing is logged");
  }
  if (is_on) {
    Say(fmt::format("{} output to '{}', which is written when logging ends.\n",
                    log_.redirects ? "Redirecting" : "Copying", log_.path));
    return log_.Begin();
  }
  if (auto ended = log_.End(); !ended) return ended;
  Say(fmt::format("Done logging to '{}'.\n", log_.path));
  return {};
}

std::string DebugTerminal::LoggingText() const {
  return fmt::format("logging {}: file '{}', overwrite {}, redirect {}\n",
                     log_.is_on() ? "on" : "off", log_.path, log_.overwrites ? "on" : "off",
                     log_.redirects ? "on" : "off");
}

Expected<void> DebugTerminal::Show(const std::string& arguments) {
  std::string rest = arguments;
  const std::string word = TakeWord(&rest);
  if (word == "user") return ShowUser(rest);
  if (word == "convenience" || word == "conv") return ShowConveniences();
  std::vector<std::string> all = {
      fmt::format("listsize {}\n", list_size_), fmt::format("print elements {}\n", print_limit_),
      fmt::format("stop-on-findings {}\n", session_.stops_at_findings ? "on" : "off"),
      LoggingText()};
  for (const Accepted& one : kAccepted) {
    const auto found = accepted_.find(std::string(one.name));
    all.push_back(fmt::format("{} {}{}\n", one.name,
                              found == accepted_.end() ? one.value : found->second,
                              one.name == "confirm" ? "" : " (nothing depends on it here)"));
  }
  bool any = false;
  for (const std::string& one : all) {
    if (!one.starts_with(arguments)) continue;
    Say(one);
    any = true;
  }
  if (!any)
    return Fail(ErrorKind::kUsage, fmt::format("nothing that is set is called '{}'", arguments));
  return {};
}

}  // namespace assay::tools
