// Commands about several work-items: `thread apply` and `table`.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

// "0 2-4 (1,0,0)": a part of the list; nothing where the command begins.
std::optional<std::string> TakeIds(std::string* text) {
  if (text->empty()) return std::nullopt;
  const bool is_bracket = text->front() == '(';
  const std::size_t end = is_bracket ? std::min(text->find(')'), text->size() - 1) + 1
                                     : std::min(text->find_first_of(" \t"), text->size());
  const std::string word = text->substr(0, end);
  if (word.find_first_not_of("0123456789,-() \t") != std::string::npos) return std::nullopt;
  *text = Trimmed(text->substr(end));
  return word;
}

}  // namespace

// The work-items of the selected group, or of the one that runs.
Expected<std::vector<debug::Item>> DebugTerminal::GroupItems(bool there) {
  auto answer = session_.Ask(debug::ItemsRequest{.all = item_.has_value(), .there = there});
  if (!answer) return tl::unexpected(answer.error());
  std::erase_if(answer->items,
                [&](const debug::Item& one) { return item_ && one.id.group != item_->group; });
  return std::move(answer->items);
}

// "all", or ids and ranges of them along the first dimension.
Expected<std::vector<debug::Item>> DebugTerminal::TakeItems(std::string* text) {
  std::string rest = *text;
  if (TakeWord(&rest) == "all") {
    *text = rest;
    return GroupItems(true);
  }
  constexpr std::size_t kMost = 4096;
  std::vector<debug::Item> items;
  while (const auto word = TakeIds(text)) {
    const std::size_t dash = word->find('-', 1);
    const auto first = ParseIds(word->substr(0, dash));
    if (!first) return tl::unexpected(first.error());
    std::uint64_t last = (*first)[0];
    if (dash != std::string::npos) {
      const auto end = ParseCount(word->substr(dash + 1), last);
      if (!end) return tl::unexpected(end.error());
      last = *end;
    }
    for (std::array<std::uint64_t, 3> id = *first; id[0] <= last; ++id[0]) {
      if (items.size() == kMost) {
        return Fail(ErrorKind::kUsage, fmt::format("more than {} work-items at once", kMost));
      }
      const auto found = session_.Ask(debug::FindItemRequest{.id = id});
      if (!found) return tl::unexpected(found.error());
      items.push_back(found->item);
    }
  }
  if (items.empty()) {
    return Fail(ErrorKind::kUsage,
                "thread apply all|ID... COMMAND; ids are global: 3, 0-7 or 3,0,0");
  }
  return items;
}

Expected<void> DebugTerminal::ThreadApply(const std::string& arguments) {
  if (auto runs = NeedPlace(); !runs) return runs;
  std::string rest = arguments;
  const auto items = TakeItems(&rest);
  if (!items) return tl::unexpected(items.error());
  bool is_quiet = false;
  bool is_silent = false;
  for (; rest.starts_with("-"); (void)TakeWord(&rest)) {
    const std::string flag = rest.substr(0, rest.find(' '));
    if (flag != "-q" && flag != "-s" && flag != "-c") {
      return Fail(ErrorKind::kUsage,
                  fmt::format("no flag '{}'; there are -q: without headings, and "
                              "-s: nothing about those where it fails",
                              flag));
    }
    is_quiet |= flag == "-q";
    is_silent |= flag == "-s";
  }
  if (rest.empty()) return Fail(ErrorKind::kUsage, "thread apply all|ID... COMMAND");
  const Selected selected = item_;
  const std::uint64_t frame = frame_;
  const std::uint64_t stops = stops_;
  for (const debug::Item& one : *items) {
    item_ = one.id;
    frame_ = 0;
    const std::string heading = fmt::format("\n[work-item {}, work-group {}]\n",
                                            IdText(one.global_id), IdText(one.group_id));
    // What fails says so below its heading; -s leaves both out.
    if (!is_quiet && !is_silent) Say(heading);
    std::string said;
    auto shown = sink;
    if (is_silent) sink = [&](const std::string& text) { said += text; };
    const auto done = ExecuteText(rest);
    sink = std::move(shown);
    if (is_silent && done) Say((is_quiet ? "" : heading) + said);
    if (!done && !is_silent) Say(done.error().message + "\n");
    if (wants_to_quit_ || IsInterrupted()) break;
    if (stops_ != stops || session_.state() == DebugSession::State::kNotStarted) {
      // The others stand elsewhere now, and the stop said where.
      return {};
    }
  }
  item_ = selected;
  frame_ = frame;
  last_command_.clear();
  return {};
}

// --- a table ----------------------------------------------------------------------------------

namespace {

// Commas outside of brackets and quotes.
std::vector<std::string> Columns(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = Trimmed(part);
  return parts;
}

using Row = std::vector<std::string>;

// Columns below each other; rows that say the same are one.
std::string TableText(const std::vector<Row>& rows, const std::vector<std::string>& ends) {
  constexpr std::size_t kFold = 4;
  std::vector<Row> shown;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    const bool may_fold = i != 0 && rows[i][0].starts_with("  ");
    while (may_fold && end < rows.size() && rows[end][0].starts_with("  ") &&
           std::equal(rows[i].begin() + 1, rows[i].end(), rows[end].begin() + 1, rows[end].end()) &&
           ends[end] == ends[i]) {
      ++end;
    }
    if (end - i < kFold) end = i + 1;
    shown.push_back(rows[i]);
    if (end - i > 1) shown.back()[0] += " to " + Trimmed(rows[end - 1][0]);
    i = end;
  }
  std::vector<std::size_t> widths;
  for (const Row& row : shown) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : shown) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += fmt::format("{}{:<{}}", i == 0 ? "" : "  ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

// table[/F] EXPRESSION[, EXPRESSION...]
Expected<void> DebugTerminal::Table(const std::string& arguments) {
  if (auto runs = NeedPlace(); !runs) return runs;
  std::string rest = arguments;
  const std::string format = TakeFormat(&rest);
  if (auto good = CheckLetter(format); !good) return good;
  if (rest.empty()) return Fail(ErrorKind::kUsage, "table[/F] EXPRESSION[, EXPRESSION...]");
  const std::vector<std::string> columns = Columns(rest);
  const auto items = GroupItems(false);
  if (!items) return tl::unexpected(items.error());
  if (items->empty()) {
    return Fail(ErrorKind::kUsage, "the work-group has not begun; `step` goes to its first line");
  }
  std::vector<Row> rows(1, {"  work-item"});
  rows[0].insert(rows[0].end(), columns.begin(), columns.end());
  std::vector<std::string> states(1);
  bool any = false;
  bool is_missing = false;
  std::string why;
  for (const debug::Item& one : *items) {
    const std::string& state = one.state;
    const bool is_selected = item_ ? *item_ == one.id : one.selected;
    Row row = {(is_selected ? "* " : "  ") + IdText(one.global_id)};
    const bool is_there = state != "returned" && state != "has not begun";
    is_missing |= !is_there;
    for (const std::string& expression : columns) {
      if (!is_there) {
        row.push_back(row.size() == 1 ? state : "");
        continue;
      }
      const auto value = session_.Ask(debug::EvaluateRequest{.target = {one.id, frame_},
                                                             .expression = WithHistory(expression),
                                                             .format = format,
                                                             .limit = print_limit_});
      any |= value.has_value();
      if (!value && why.empty()) why = value.error().message;
      row.push_back(value ? base::Printable(ShortValue(value->value)) : "<not here>");
    }
    rows.push_back(std::move(row));
    states.push_back(is_there ? "" : state);
    if (IsInterrupted()) return Fail(ErrorKind::kUsage, "interrupted");
  }
  // An expression that is wrong everywhere is the person's.
  if (!any && !why.empty()) return Fail(ErrorKind::kUsage, why);
  Say(TableText(rows, states));
  if (!why.empty()) Say(fmt::format("not here: {}\n", base::Printable(why)));
  if (is_missing && any) {
    Say("Values are those of where each work-item stands; `info items` says where.\n");
  }
  return {};
}

}  // namespace assay::tools
