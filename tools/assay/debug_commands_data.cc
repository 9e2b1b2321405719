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
  const std::string format = text->substr(1, end - 1);
  *text = Trimmed(text->substr(end));
  return format;
}

Expected<void> CheckLetter(const std::string& format) {
  if (format.empty() || (format.size() == 1 &&
                         std::string_view("xduotbcfa").find(format[0]) != std::string_view::npos)) {
    return {};
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("no format '{}'; there are x, d, u, o, t, c, f and a", format));
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
    std::size_t end = i + 1;
    while (end < expression.size() &&
           std::isdigit(static_cast<unsigned char>(expression[end])) != 0) {
      ++end;
    }
    const bool is_name =
        end < expression.size() && std::isalpha(static_cast<unsigned char>(expression[end])) != 0;
    std::size_t number = history_.size();  // $ alone is the last one
    if (end > i + 1)
      number = std::stoul(expression.substr(i + 1, std::min<std::size_t>(end - i - 1, 9)));
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
  if (auto runs = NeedRun(); !runs) return tl::unexpected(runs.error());
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
  if (auto good = CheckLetter(format); !good) return good;
  displays_.push_back({next_display_++, format, rest});
  if (session_.state() != DebugSession::State::kStopped) return {};
  const Displayed& one = displays_.back();
  const auto value = Value(one.expression, one.format);
  if (!value) {
    displays_.pop_back();
    return tl::unexpected(value.error());
  }
  Say(fmt::format("{}: {} = {}\n", one.number, one.expression, TextOf(*value, "value")));
  return {};
}

void DebugTerminal::ShowDisplays() {
  if (session_.state() != DebugSession::State::kStopped) return;
  for (const Displayed& one : displays_) {
    // Elsewhere there may be no such variable: then it is left out, as in gdb.
    const auto value = Value(one.expression, one.format);
    if (!value) continue;
    Say(fmt::format("{}: {} = {}\n", one.number, one.expression, TextOf(*value, "value")));
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
  if (auto runs = NeedRun(); !runs) return runs;
  std::string rest = arguments;
  const std::string format = TakeFormat(&rest);
  if (rest.empty()) return Fail(ErrorKind::kUsage, "x[/NFU] EXPRESSION");
  std::uint64_t count = 1;
  std::uint32_t size = 4;
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
    } else if (auto good = CheckLetter(std::string(1, c)); !good) {
      return good;
    } else {
      letter = c;
    }
  }
  constexpr std::uint64_t kMost = 65536;
  if (count > kMost) return Fail(ErrorKind::kUsage, fmt::format("at most {} units", kMost));
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

Expected<void> DebugTerminal::WhatIs(const std::string& arguments) {
  const auto value = Value(arguments, "");
  if (!value) return tl::unexpected(value.error());
  Say(fmt::format("type = {}\n", TextOf(*value, "type")));
  return {};
}

Expected<void> DebugTerminal::PrintType(const std::string& arguments) {
  const auto value = Value(arguments, "");
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
  Say(text + "\n");
  return {};
}

Expected<void> DebugTerminal::SetVariable(const std::string& arguments) {
  if (arguments.empty()) return Fail(ErrorKind::kUsage, "set var VARIABLE = VALUE");
  const auto value = Value(arguments, "", true);
  if (!value) return tl::unexpected(value.error());
  return {};
}

// --- info -------------------------------------------------------------------------------------

Expected<void> DebugTerminal::InfoVariables(const std::string& which) {
  if (which != "globals") {
    if (auto runs = NeedRun(); !runs) return runs;
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
    text += fmt::format("{}{} = {}\n", TextOf(one, "name"),
                        called.empty() ? "" : fmt::format(" ({})", called),
                        one.contains("missing") ? fmt::format("<{}>", TextOf(one, "missing"))
                                                : TextOf(one, "value"));
  }
  Say(text.empty() ? fmt::format("No {}.\n", which == "args" ? "arguments" : which) : text);
  return {};
}

Expected<void> DebugTerminal::InfoFrame() {
  if (auto runs = NeedRun(); !runs) return runs;
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
  if (auto runs = NeedRun(); !runs) return runs;
  const auto answer = session_.Ask({{"do", "items"}, {"all", all}});
  if (!answer) return tl::unexpected(answer.error());
  std::string text;
  for (const DebugMessage& one : answer->at("items")) {
    const bool selected = item_
                              ? one.at("group") == item_->first && one.at("local") == item_->second
                              : one.at("selected").get<bool>();
    text +=
        fmt::format("{} {:<12} group {:<10} {}\n", selected ? "*" : " ",
                    IdText(one.at("global_id")), IdText(one.at("group_id")), TextOf(one, "state"));
  }
  Say(text);
  return {};
}

Expected<void> DebugTerminal::InfoGroups() {
  if (auto runs = NeedRun(); !runs) return runs;
  const auto answer = session_.Ask({{"do", "groups"}});
  if (!answer) return tl::unexpected(answer.error());
  std::string text = fmt::format("{} work-groups of {}\n", answer->at("count").get<std::uint64_t>(),
                                 IdText(answer->at("local_size")));
  for (const DebugMessage& one : answer->at("groups")) {
    text += fmt::format("{} {:<12} {}\n", one.at("selected").get<bool>() ? "*" : " ",
                        IdText(one.at("group_id")), TextOf(one, "state"));
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

Expected<void> DebugTerminal::Info(const std::string& arguments) {
  std::string rest = arguments;
  const std::string word = TakeWord(&rest);
  constexpr std::string_view kAll[] = {
      "breakpoints", "locals", "args",    "globals", "registers",   "frame",     "source",
      "line",        "items",  "threads", "groups",  "objects",     "files",     "functions",
      "checkpoints", "time",   "display", "rules",   "watchpoints", "all-items", "shadow"};
  std::string what;
  for (const std::string_view one : kAll) {
    if (!word.empty() && one.starts_with(word) && (what.empty() || one == word)) what = one;
  }
  if (what == "breakpoints" || what == "watchpoints")
    return Say(InfoBreakpoints()), Expected<void>();
  if (what == "locals" || what == "args" || what == "globals" || what == "registers") {
    return InfoVariables(what);
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
    for (const auto& [number, time] : marks_) text += fmt::format("{:<4} time {}\n", number, time);
    Say(text.empty() ? "No checkpoints.\n" : text);
    return {};
  }
  if (what == "time") {
    if (auto runs = NeedRun(); !runs) return runs;
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
              "info breakpoints, locals, args, globals, registers, frame, source, "
              "line PLACE, items, all-items, groups, objects, files, functions, "
              "checkpoints, time, display or rules");
}

}  // namespace assay::tools
