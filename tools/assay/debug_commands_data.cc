// Commands that show and change values.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interp/rule.h"
#include "tools/assay/debug_terminal.h"

namespace assay::tools {
namespace {

// Takes "/x" or "/4fw" off.
std::string TakeFormat(std::string* text) {
  if (!text->starts_with("/")) return "";
  const std::size_t end = std::min(text->find_first_of(" \t"), text->size());
  std::string format = text->substr(1, end - 1);
  *text = Trimmed(text->substr(end));
  return format;
}

Expected<void> CheckLetter(const std::string& format) {
  if (format.empty() || (format.size() == 1 && std::string_view("xduotbcfas").find(format[0]) !=
                                                   std::string_view::npos)) {
    return {};
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("no format '{}'; there are x, d, u, o, t, c, f, a and s", format));
}

// A line each; many of a group in the same state, one behind the other, have one line.
template <typename IsSelected, typename Line>
std::string Folded(const DebugMessage& all, IsSelected is_selected, Line line, const char* id) {
  constexpr std::size_t kFold = 4;
  std::string text;
  for (std::size_t i = 0; i < all.size();) {
    const bool selected = is_selected(all[i]);
    std::size_t end = i + 1;
    while (
        !selected && end < all.size() && !is_selected(all[end]) &&
        all[end].at("state") == all[i].at("state") &&
        (std::string_view(id) == "group_id" || all[end].at("group_id") == all[i].at("group_id"))) {
      ++end;
    }
    const bool folds = end - i >= kFold;
    if (!folds) end = i + 1;
    std::string ids = IdText(all[i].at(id));
    if (folds) ids += " to " + IdText(all[end - 1].at(id));
    text += (selected ? "* " : "  ") + line(all[i], std::move(ids));
    i = end;
  }
  return text;
}

}  // namespace

// $1 and the like: what stands for the values that `print` showed.
std::string DebugTerminal::WithHistory(const std::string& expression) const {
  std::string text;
  for (std::size_t i = 0; i < expression.size();) {
    if (expression[i] != '$') {
      text += expression[i++];
      continue;
    }
    // $$ counts back from the last one.
    const bool is_back = i + 1 < expression.size() && expression[i + 1] == '$';
    const std::size_t first = i + (is_back ? 2 : 1);
    std::size_t end = first;
    while (end < expression.size() &&
           std::isdigit(static_cast<unsigned char>(expression[end])) != 0) {
      ++end;
    }
    const bool is_name =
        end < expression.size() && std::isalpha(static_cast<unsigned char>(expression[end])) != 0;
    const std::size_t digits = std::min<std::size_t>(end - first, 9);
    std::size_t number = digits == 0 ? 0 : std::stoul(expression.substr(first, digits));
    if (is_back) {
      const std::size_t back = digits == 0 ? 1 : number;
      number = history_.size() - std::min(back, history_.size());
    } else if (digits == 0) {
      number = history_.size();  // $ alone is the last one
    }
    if (is_name && !is_back) {
      while (end < expression.size() &&
             (std::isalnum(static_cast<unsigned char>(expression[end])) != 0 ||
              expression[end] == '_')) {
        ++end;
      }
      const auto found = conveniences_.find(expression.substr(first, end - first));
      text += found == conveniences_.end() ? expression.substr(i, end - i) : found->second;
      i = end;
      continue;
    }
    if (is_name || number == 0 || number > history_.size() || history_[number - 1].empty()) {
      text += expression.substr(i, end - i);
    } else {
      text += history_[number - 1];
    }
    i = end;
  }
  return text;
}

Expected<DebugMessage> DebugTerminal::Value(const std::string& expression,
                                            const std::string& format, bool assign) {
  if (auto good = CheckLetter(format); !good) return tl::unexpected(good.error());
  if (auto runs = assign ? NeedRun() : NeedPlace(); !runs) return tl::unexpected(runs.error());
  DebugMessage request = About("evaluate");
  request["expression"] = WithHistory(expression);
  request["format"] = format;
  request["limit"] = print_limit_;
  if (!assign) return session_.Ask(request);
  request["assign"] = true;
  return session_.Change(request);
}

Expected<void> DebugTerminal::Print(const std::string& arguments) {
  std::string rest = arguments;
  const std::string format = TakeFormat(&rest);
  if (rest.empty()) rest = "$";
  const auto value = Value(rest, format);
  if (!value) return tl::unexpected(value.error());
  history_.push_back(TextOf(*value, "again"));
  Say(fmt::format("${} = {}\n", history_.size(), TextOf(*value, "value")));
  return {};
}

Expected<void> DebugTerminal::Display(const std::string& arguments) {
  std::string rest = arguments;
  const std::string format = TakeFormat(&rest);
  if (rest.empty()) {
    ShowDisplays();
    return {};
  }
  if (format != "i") {
    if (auto good = CheckLetter(format); !good) return good;
  }
  displays_.push_back({next_display_++, format, rest});
  if (session_.state() != DebugSession::State::kStopped) return {};
  auto shown = ShowDisplay(displays_.back());
  if (!shown) displays_.pop_back();
  return shown;
}

Expected<void> DebugTerminal::ShowDisplay(const Displayed& one) {
  if (one.format == "i") return ExamineCode(one.expression, 1);
  const auto value = Value(one.expression, one.format);
  if (!value) return tl::unexpected(value.error());
  Say(fmt::format("{}: {} = {}\n", one.number, one.expression, TextOf(*value, "value")));
  return {};
}

void DebugTerminal::ShowDisplays() {
  if (session_.state() != DebugSession::State::kStopped) return;
  for (const Displayed& one : displays_) {
    // Elsewhere there may be no such variable: then it is left out, as in gdb.
    (void)ShowDisplay(one);
  }
}

Expected<void> DebugTerminal::Undisplay(const std::string& arguments) {
  std::string rest = arguments;
  if (rest.empty()) displays_.clear();
  while (!rest.empty()) {
    const std::string word = TakeWord(&rest);
    const auto number = ParseCount(word, 0);
    if (!number) return tl::unexpected(number.error());
    if (std::erase_if(displays_, [&](const Displayed& one) {
          return one.number == static_cast<int>(*number);
        }) == 0) {
      return Fail(ErrorKind::kUsage, fmt::format("no display {}", word));
    }
  }
  return {};
}

// x/NFU, as gdb writes it.
Expected<void> DebugTerminal::Examine(const std::string& arguments) {
  if (auto runs = NeedPlace(); !runs) return runs;
  std::string rest = arguments;
  const std::string format = TakeFormat(&rest);
  if (rest.empty()) return Fail(ErrorKind::kUsage, "x[/NFU] EXPRESSION");
  std::uint64_t count = 1;
  std::uint32_t size = 0;  // as the format and the expression say
  std::string letter = "x";
  std::size_t digits = 0;
  while (digits < format.size() && std::isdigit(static_cast<unsigned char>(format[digits])) != 0) {
    ++digits;
  }
  if (digits != 0) count = std::stoull(format.substr(0, std::min<std::size_t>(digits, 9)));
  for (const char c : format.substr(digits)) {
    const std::size_t unit = std::string_view("bhwg").find(c);
    // b is a unit here, and t the binary format.
    if (unit != std::string_view::npos) {
      size = 1u << unit;
      continue;
    }
    if (c != 'i') {
      if (auto good = CheckLetter(std::string(1, c)); !good) return good;
    }
    letter = c;
  }
  constexpr std::uint64_t kMost = 65536;
  if (count > kMost) return Fail(ErrorKind::kUsage, fmt::format("at most {} units", kMost));
  if (letter == "i") return ExamineCode(rest, count);
  DebugMessage request = About("examine");
  request["expression"] = WithHistory(rest);
  request["format"] = letter;
  request["count"] = count;
  request["size"] = size;
  const auto answer = session_.Ask(request);
  if (!answer) return tl::unexpected(answer.error());
  for (const DebugMessage& row : answer->at("rows")) {
    std::string text =
        fmt::format("{:#x} <{}>:", row.at("address").get<std::uint64_t>(), TextOf(row, "object"));
    for (const DebugMessage& value : row.at("values")) text += "\t" + value.get<std::string>();
    Say(text + "\n");
  }
  return {};
}

// x/Ni: instructions of SPIR-V from the one on that the expression counts, as $pc does.
Expected<void> DebugTerminal::ExamineCode(const std::string& expression, std::uint64_t count) {
  const auto start = Value(expression, "d");
  if (!start) return tl::unexpected(start.error());
  const auto answer = session_.Ask(About("disassemble"));
  if (!answer) return tl::unexpected(answer.error());
  const auto first = ParseCount(TextOf(*start, "value"), 0);
  std::string text;
  for (const DebugMessage& one : answer->at("instructions")) {
    if (!first || one.at("origin").get<std::uint64_t>() < *first || count == 0) continue;
    --count;
    text += fmt::format("{} *{}\t{}\n", one.at("here").get<bool>() ? "=>" : "  ",
                        one.at("origin").get<std::uint32_t>(), TextOf(one, "text"));
  }
  if (text.empty()) {
    return Fail(ErrorKind::kUsage, "no instruction of this function from there on; try x/4i $pc");
  }
  Say(text);
  return {};
}

Expected<DebugMessage> DebugTerminal::TypeOf(const std::string& expression) {
  if (expression.empty()) return Fail(ErrorKind::kUsage, "an expression or a type is missing");
  if (session_.state() == DebugSession::State::kEnded) {
    if (auto runs = NeedPlace(); !runs) return tl::unexpected(runs.error());
  }
  DebugMessage request = About("evaluate");
  request["expression"] = WithHistory(expression);
  request["type"] = true;
  return session_.Ask(request);
}

Expected<void> DebugTerminal::WhatIs(const std::string& arguments) {
  const auto value = TypeOf(arguments);
  if (!value) return tl::unexpected(value.error());
  Say(fmt::format("type = {}\n", TextOf(*value, "type")));
  return {};
}

Expected<void> DebugTerminal::PrintType(const std::string& arguments) {
  const auto value = TypeOf(arguments);
  if (!value) return tl::unexpected(value.error());
  std::string text = fmt::format("type = {}", TextOf(*value, "type"));
  if (value->contains("members")) {
    text += " {\n";
    for (const DebugMessage& member : value->at("members")) {
      text += fmt::format("    {} {};  // offset {}\n", TextOf(member, "type"),
                          TextOf(member, "name"), member.at("offset").get<std::uint64_t>());
    }
    text += fmt::format("}}  // {} bytes", value->at("size").get<std::uint64_t>());
  }
  if (value->contains("enumerators")) {
    text += " {";
    for (const DebugMessage& one : value->at("enumerators")) {
      text += fmt::format("{}{} = {}", text.ends_with('{') ? "" : ", ", TextOf(one, "name"),
                          one.at("value").get<std::int64_t>());
    }
    text += "}";
  }
  Say(text + "\n");
  return {};
}

// set $name = EXPRESSION: a name for a value, as $1 is one.
Expected<void> DebugTerminal::SetConvenience(const std::string& arguments) {
  const std::size_t sign = arguments.find('=');
  const std::string name = Trimmed(arguments.substr(1, std::max<std::size_t>(sign, 1) - 1));
  const bool is_name =
      !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
      std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  constexpr std::string_view kTaken[] = {"time", "pc", "line", "group", "item"};
  if (sign == std::string::npos || !is_name ||
      std::ranges::find(kTaken, name) != std::end(kTaken)) {
    return Fail(ErrorKind::kUsage,
                "set $NAME = EXPRESSION, with a name other than $item, $group, $time, $pc, $line");
  }
  const auto value = Value(Trimmed(arguments.substr(sign + 1)), "");
  if (!value) return tl::unexpected(value.error());
  const std::string again = TextOf(*value, "again");
  if (again.empty()) {
    return Fail(ErrorKind::kUsage, "only scalars and pointers that are defined can have a name");
  }
  conveniences_[name] = again;
  return {};
}

Expected<void> DebugTerminal::SetVariable(const std::string& arguments) {
  if (arguments.empty()) return Fail(ErrorKind::kUsage, "set var VARIABLE = VALUE");
  const auto value = Value(arguments, "", true);
  if (!value) return tl::unexpected(value.error());
  return {};
}

// --- info -------------------------------------------------------------------------------------

// With a name only the one that is called so.
Expected<void> DebugTerminal::InfoVariables(const std::string& which, const std::string& name) {
  if (which != "globals" || session_.state() == DebugSession::State::kEnded) {
    if (auto runs = NeedPlace(); !runs) return runs;
  }
  DebugMessage request = About(which == "registers" ? "registers"
                               : which == "globals" ? "globals"
                                                    : "variables");
  request["limit"] = print_limit_;
  const auto answer = session_.Ask(request);
  if (!answer) return tl::unexpected(answer.error());
  std::string text;
  for (const DebugMessage& one : answer->at("variables")) {
    if (one.contains("argument") && one.at("argument").get<bool>() != (which == "args")) continue;
    const std::string called = TextOf(one, "called");
    if (!name.empty() && name != TextOf(one, "name") && name != called) continue;
    text += fmt::format("{}{} = {}\n", TextOf(one, "name"),
                        called.empty() ? "" : fmt::format(" ({})", called),
                        one.contains("missing") ? fmt::format("<{}>", TextOf(one, "missing"))
                                                : TextOf(one, "value"));
  }
  if (text.empty() && !name.empty()) {
    return Fail(ErrorKind::kUsage, fmt::format("no '{}' among the {} here", name,
                                               which == "args" ? "arguments" : which));
  }
  Say(text.empty() ? fmt::format("No {}.\n", which == "args" ? "arguments" : which) : text);
  return {};
}

Expected<void> DebugTerminal::InfoFrame() {
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto answer = session_.Ask(About("frames"));
  if (!answer) return tl::unexpected(answer.error());
  const DebugMessage& frames = answer->at("frames");
  const DebugMessage& frame = frames.at(frame_);
  std::string text =
      fmt::format("Frame {} of {}: {}\n", frame_, frames.size(), TextOf(frame, "function"));
  if (frame.contains("line")) {
    text +=
        fmt::format("  at {}:{}:{}\n", TextOf(frame, "file"), frame.at("line").get<std::uint32_t>(),
                    frame.at("column").get<std::uint32_t>());
  }
  text += fmt::format("  *{}  {}\n", frame.at("origin").get<std::uint32_t>(),
                      TextOf(frame, "instruction"));
  if (frame.at("inlined").get<bool>()) text += "  inlined by the compiler\n";
  const DebugMessage where = session_.stop().value("where", DebugMessage::object());
  if (where.contains("global_id") && !item_) {
    text += fmt::format("  work-item {}, work-group {}\n", IdText(where.at("global_id")),
                        IdText(where.at("group_id")));
  }
  Say(text);
  return {};
}

Expected<void> DebugTerminal::InfoItems(bool all) {
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto answer = session_.Ask({{"do", "items"}, {"all", all}});
  if (!answer) return tl::unexpected(answer.error());
  const auto is_selected = [&](const DebugMessage& one) {
    return item_ ? one.at("group") == item_->first && one.at("local") == item_->second
                 : one.at("selected").get<bool>();
  };
  Say(Folded(
      answer->at("items"), is_selected,
      [](const DebugMessage& one, std::string ids) {
        return fmt::format("{:<12} group {:<10} {}\n", ids, IdText(one.at("group_id")),
                           TextOf(one, "state"));
      },
      "global_id"));
  return {};
}

Expected<void> DebugTerminal::InfoGroups() {
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto answer = session_.Ask({{"do", "groups"}});
  if (!answer) return tl::unexpected(answer.error());
  std::string text = fmt::format("{} work-groups of {}\n", answer->at("count").get<std::uint64_t>(),
                                 IdText(answer->at("local_size")));
  const DebugMessage& groups = answer->at("groups");
  text += Folded(
      groups, [](const DebugMessage& one) { return one.at("selected").get<bool>(); },
      [](const DebugMessage& one, std::string ids) {
        return fmt::format("{:<12} {}\n", ids, TextOf(one, "state"));
      },
      "group_id");
  if (groups.size() < answer->at("count").get<std::uint64_t>()) {
    text += fmt::format("  and those behind the first {}\n", groups.size());
  }
  Say(text);
  return {};
}

Expected<void> DebugTerminal::InfoObjects() {
  const auto answer = session_.Ask({{"do", "objects"}});
  if (!answer) return tl::unexpected(answer.error());
  std::string text;
  for (const DebugMessage& one : answer->at("objects")) {
    text += fmt::format("{:#x}  {:<8} {:>8} bytes  {}{}\n", one.at("address").get<std::uint64_t>(),
                        TextOf(one, "space"), one.at("bytes").get<std::uint64_t>(),
                        TextOf(one, "name"), one.at("writable").get<bool>() ? "" : "  (read-only)");
  }
  Say(text.empty() ? "No objects.\n" : text);
  return {};
}

Expected<void> DebugTerminal::InfoSource() {
  const auto answer = session_.Ask({{"do", "functions"}});
  if (!answer) return tl::unexpected(answer.error());
  const std::uint32_t file =
      list_file_ != 0 ? list_file_ : answer->at("main_file").get<std::uint32_t>();
  if (file == 0) {
    Say("The module says nothing about its source.\n");
    return {};
  }
  Say(fmt::format("{}, {} lines\n", session_.module().debug_info.files[file].path,
                  lines_.Count(file)));
  return {};
}

std::span<const std::string_view> DebugTerminal::InfoWords() {
  static constexpr std::string_view kWords[] = {
      "breakpoints", "locals", "args",    "globals", "registers",   "frame",     "source",
      "line",        "items",  "threads", "groups",  "objects",     "files",     "functions",
      "checkpoints", "time",   "display", "rules",   "watchpoints", "all-items", "shadow"};
  return kWords;
}

Expected<void> DebugTerminal::Info(const std::string& arguments) {
  std::string rest = arguments;
  const std::string word = TakeWord(&rest);
  std::string what;
  for (const std::string_view one : InfoWords()) {
    if (!word.empty() && one.starts_with(word) && (what.empty() || one == word)) what = one;
  }
  if (what == "breakpoints" || what == "watchpoints")
    return Say(InfoBreakpoints()), Expected<void>();
  if (what == "locals" || what == "args" || what == "globals" || what == "registers") {
    return InfoVariables(what, rest);
  }
  if (what == "frame") return InfoFrame();
  if (what == "source") return InfoSource();
  if (what == "items" || what == "threads") return InfoItems(false);
  if (what == "all-items") return InfoItems(true);
  if (what == "groups") return InfoGroups();
  if (what == "shadow") return InfoShadow();
  if (what == "objects") return InfoObjects();
  if (what == "files" || what == "functions") {
    const auto answer = session_.Ask({{"do", "functions"}});
    if (!answer) return tl::unexpected(answer.error());
    std::string text;
    for (const DebugMessage& one : answer->at(what)) text += one.get<std::string>() + "\n";
    Say(text.empty() ? fmt::format("No {}.\n", what) : text);
    return {};
  }
  if (what == "line") {
    DebugMessage question{{"do", "resolve"}, {"location", rest}, {"file", list_file_}};
    const auto answer = session_.Ask(question);
    if (!answer) return tl::unexpected(answer.error());
    Say(fmt::format("{}: {} place{}\n", TextOf(*answer, "text"),
                    answer->at("places").get<std::size_t>(), answer->at("places") == 1 ? "" : "s"));
    return {};
  }
  if (what == "checkpoints") {
    std::string text;
    for (const auto& [number, mark] : marks_) {
      text += fmt::format("{:<4} time {}\n", number, mark.time);
    }
    Say(text.empty() ? "No checkpoints.\n" : text);
    return {};
  }
  if (what == "time") {
    if (auto runs = NeedPlace(); !runs) return runs;
    Say(fmt::format("Time {}: instructions that were begun, over all work-items\n",
                    session_.time()));
    return {};
  }
  if (what == "display") {
    std::string text;
    for (const Displayed& one : displays_)
      text += fmt::format("{:<4} {}\n", one.number, one.expression);
    Say(text.empty() ? "No displays.\n" : text);
    return {};
  }
  if (what == "rules") {
    std::string text;
    for (const interp::Rule& rule : interp::Rules()) text += std::string(rule.id) + "\n";
    Say(text);
    return {};
  }
  return Fail(ErrorKind::kUsage,
              "info breakpoints, locals, args, globals, registers [%ID], frame, source, "
              "line PLACE, items, all-items, groups, objects, files, functions, "
              "checkpoints, time, display, rules or shadow");
}

}  // namespace assay::tools
