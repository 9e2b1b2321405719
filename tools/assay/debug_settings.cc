// `set` and `show`.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tools/assay/debug_terminal.h"

namespace assay::tools {
namespace {

// What gdb's scripts set, and what nothing depends on here: nobody is asked, and nothing is paged.
struct Accepted {
  std::string_view name;
  bool is_number;
  std::string_view value;  // before it is set
};
constexpr Accepted kAccepted[] = {{"confirm", false, "off"},
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
                          "elements N, set stop-on-findings on|off; not '{}'",
                          arguments));
}

Expected<void> DebugTerminal::Show(const std::string& arguments) {
  std::string rest = arguments;
  const std::string word = TakeWord(&rest);
  if (word == "user") return ShowUser(rest);
  if (word == "convenience" || word == "conv") return ShowConveniences();
  std::vector<std::string> all = {
      fmt::format("listsize {}\n", list_size_), fmt::format("print elements {}\n", print_limit_),
      fmt::format("stop-on-findings {}\n", session_.stops_at_findings ? "on" : "off")};
  for (const Accepted& one : kAccepted) {
    const auto found = accepted_.find(std::string(one.name));
    all.push_back(fmt::format("{} {} (nothing depends on it here)\n", one.name,
                              found == accepted_.end() ? one.value : found->second));
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
