// Commands that show and change values.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

// The names in an expression, and %31 and $item; not those of numbers' types.
std::vector<std::string> NamesIn(const std::string& expression) {
  static constexpr std::string_view kTypes[] = {"char",   "short",  "int",   "long",
                                                "float",  "double", "half",  "bool",
                                                "size_t", "signed", "sizeof"};
  std::vector<std::string> names;
  const auto is_part = [&](std::size_t at) {
    const char c = at < expression.size() ? expression[at] : ' ';
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t i = 0; i < expression.size();) {
    std::size_t end = i + 1;
    const bool is_sign = expression[i] == '$' || (expression[i] == '%' && i == 0);
    if (is_part(i) || is_sign) {
      while (is_part(end)) ++end;
    }
    const std::string word = expression.substr(i, end - i);
    i = end;
    if (!is_sign && (!is_part(end - 1) || std::isdigit(static_cast<unsigned char>(word[0])) != 0)) {
      continue;
    }
    std::string_view plain = word;
    if (plain.starts_with("as_")) plain.remove_prefix(3);
    plain = plain.substr(0, plain.find_first_of("0123456789"));
    const auto is_type = [&](std::string_view type) {
      return plain == type || (plain.starts_with("u") && plain.substr(1) == type);
    };
    const bool is_suffix = end > word.size() && word.size() == 1 && expression[end - 2] == '.';
    if (plain != "unsigned" && !is_suffix && std::ranges::none_of(kTypes, is_type)) {
      names.push_back(word);
    }
  }
  return names;
}

// What means nothing where no work-item runs.
bool IsOfWorkItem(const std::string& name) {
  constexpr std::string_view kOfItems[] = {"$item", "$group", "$time", "$pc", "$line"};
  return name.starts_with("%") || name.starts_with("get_") ||
         std::ranges::find(kOfItems, name) != std::end(kOfItems);
}

}  // namespace

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
    const bool is_name = end < expression.size() &&
                         (std::isalpha(static_cast<unsigned char>(expression[end])) != 0 ||
                          (end == first && expression[end] == '_'));
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

// Before a run, and behind its end, there are constants and what was computed of them, so that a
// script can count; a name needs more.
Expected<void> DebugTerminal::NeedNames(const std::string& expression) {
  const bool is_before = session_.state() == DebugSession::State::kNotStarted;
  debug::VariablesAnswer known;
  if (is_before) {
    if (auto answer = session_.Ask(debug::VariablesRequest{.target = Here()})) known = *answer;
  }
  for (const std::string& word : NamesIn(expression)) {
    const bool is_variable =
        std::ranges::find(known.variables, word, &debug::Variable::name) != known.variables.end();
    if (!is_before || is_variable || IsOfWorkItem(word)) return NeedPlace();
  }
  return {};
}

Expected<debug::EvaluateAnswer> DebugTerminal::Value(const std::string& expression,
                                                     const std::string& format, bool assign) {
  if (auto good = CheckLetter(format); !good) return tl::unexpected(good.error());
  const std::string meant = WithHistory(expression);
  const bool is_stopped = session_.state() == DebugSession::State::kStopped;
  if (auto runs = assign ? NeedRun() : is_stopped ? Expected<void>() : NeedNames(meant); !runs) {
    return tl::unexpected(runs.error());
  }
  const debug::EvaluateRequest request{.target = Here(),
                                       .expression = meant,
                                       .format = format,
                                       .limit = print_limit_,
                                       .assigns = assign};
  if (!assign) {
    auto answer = session_.Ask(request);
    const auto names = NamesIn(meant);
    const bool is_named =
        std::ranges::any_of(names, [](const std::string& one) { return one[0] != '$'; });
    if (!answer && is_named && session_.state() == DebugSession::State::kNotStarted) {
      return tl::unexpected(NeedRun().error());
    }
    if (answer) TellWarnings(*answer);
    return answer;
  }
  return session_.Change(request);
}

// Of an element out of its array: the value is shown, and what is wrong with it.
void DebugTerminal::TellWarnings(const debug::EvaluateAnswer& value) {
  for (const std::string& one : value.warnings) Say("warning: " + base::Printable(one) + "\n");
}

Expected<void> DebugTerminal::Print(const std::string& arguments) {
  std::string rest = arguments;
  const std::string format = TakeFormat(&rest);
  if (rest.empty()) rest = "$";
  const auto value = Value(rest, format);
  if (!value) return tl::unexpected(value.error());
  history_.push_back(value->again);
  Say(fmt::format("${} = {}\n", history_.size(), base::Printable(value->value)));
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
  Say(fmt::format("{}: {} = {}\n", one.number, one.expression, base::Printable(value->value)));
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
  const auto answer = session_.Ask(debug::ExamineRequest{.target = Here(),
                                                         .expression = WithHistory(rest),
                                                         .format = letter,
                                                         .count = count,
                                                         .size = size});
  if (!answer) return tl::unexpected(answer.error());
  for (const debug::ExamineRow& row : answer->rows) {
    std::string text = fmt::format("{:#x} <{}>:", row.address, base::Printable(row.object));
    for (const std::string& value : row.values) text += "\t" + value;
    Say(text + "\n");
  }
  return {};
}

// x/Ni: instructions of SPIR-V from the one on that the expression counts, as $pc does.
Expected<void> DebugTerminal::ExamineCode(const std::string& expression, std::uint64_t count) {
  const auto start = Value(expression, "d");
  if (!start) return tl::unexpected(start.error());
  const auto answer = session_.Ask(debug::DisassembleRequest{.target = Here()});
  if (!answer) return tl::unexpected(answer.error());
  const auto first = ParseCount(start->value, 0);
  std::string text;
  for (const debug::CodeLine& one : answer->instructions) {
    if (!first || one.origin < *first || count == 0) continue;
    --count;
    text +=
        fmt::format("{} *{}\t{}\n", one.here ? "=>" : "  ", one.origin, base::Printable(one.text));
  }
  if (text.empty()) {
    return Fail(ErrorKind::kUsage, "no instruction of this function from there on; try x/4i $pc");
  }
  Say(text);
  return {};
}

Expected<debug::EvaluateAnswer> DebugTerminal::TypeOf(const std::string& expression) {
  if (expression.empty()) return Fail(ErrorKind::kUsage, "an expression or a type is missing");
  if (session_.state() == DebugSession::State::kEnded) {
    if (auto runs = NeedPlace(); !runs) return tl::unexpected(runs.error());
  }
  return session_.Ask(debug::EvaluateRequest{
      .target = Here(), .expression = WithHistory(expression), .is_type = true});
}

Expected<void> DebugTerminal::WhatIs(const std::string& arguments) {
  const auto value = TypeOf(arguments);
  if (!value) return tl::unexpected(value.error());
  Say(fmt::format("type = {}\n", value->type));
  return {};
}

Expected<void> DebugTerminal::PrintType(const std::string& arguments) {
  const auto value = TypeOf(arguments);
  if (!value) return tl::unexpected(value.error());
  std::string text = fmt::format("type = {}", value->type);
  if (!value->members.empty()) {
    text += " {\n";
    for (const debug::TypeMember& member : value->members) {
      text += fmt::format("    {} {};  // offset {}\n", member.type, base::Printable(member.name),
                          member.offset);
    }
    text += fmt::format("}}  // {} bytes", value->size);
  }
  if (!value->enumerators.empty()) {
    text += " {";
    for (const debug::Enumerator& one : value->enumerators) {
      text += fmt::format("{}{} = {}", text.ends_with('{') ? "" : ", ", base::Printable(one.name),
                          one.value);
    }
    text += "}";
  }
  Say(text + "\n");
  return {};
}

// set $name = EXPRESSION: a name for a value, as $1 is one.
Expected<void> DebugTerminal::SetConvenience(const std::string& arguments) {
  // $i += 2 and $i++ are written out.
  std::string given = arguments;
  if (given.ends_with("++") || given.ends_with("--")) {
    given = fmt::format("{} {}= 1", given.substr(0, given.size() - 2), given.back());
  }
  const std::size_t sign = given.find('=');
  std::size_t operation = sign;
  while (sign != std::string::npos && operation > 0 &&
         std::string_view("+-*/%&|^<>").find(given[operation - 1]) != std::string_view::npos) {
    --operation;
  }
  const std::string name = Trimmed(given.substr(1, std::max<std::size_t>(operation, 1) - 1));
  const bool is_name =
      !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
      std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  constexpr std::string_view kTaken[] = {"time", "pc", "line", "group", "item"};
  if (sign == std::string::npos || !is_name ||
      std::ranges::find(kTaken, name) != std::end(kTaken)) {
    return Fail(ErrorKind::kUsage,
                "set $NAME = EXPRESSION, with a name other than $item, $group, $time, $pc, $line");
  }
  std::string expression = Trimmed(given.substr(sign + 1));
  if (operation != sign) {
    expression =
        fmt::format("${} {} ({})", name, given.substr(operation, sign - operation), expression);
  }
  const auto value = Value(expression, "");
  if (!value) return tl::unexpected(value.error());
  if (value->again.empty()) {
    return Fail(ErrorKind::kUsage,
                "only scalars, vectors and pointers that are defined can have a name");
  }
  conveniences_[name] = value->again;
  return {};
}

Expected<void> DebugTerminal::ShowConveniences() {
  std::string text;
  for (const auto& [name, again] : conveniences_) {
    const auto value = Value(again, "");
    text += fmt::format("${} = {}\n", name, value ? value->value : again);
  }
  Say(text.empty() ? "No variable was set with `set $NAME = VALUE`.\n" : text);
  return {};
}

Expected<void> DebugTerminal::SetVariable(const std::string& arguments) {
  if (arguments.empty()) return Fail(ErrorKind::kUsage, "set var VARIABLE = VALUE");
  const auto value = Value(arguments, "", true);
  if (!value) return tl::unexpected(value.error());
  return {};
}

}  // namespace assay::tools
