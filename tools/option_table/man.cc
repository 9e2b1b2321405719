#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "tools/option_table/generate.h"

namespace assay::tools {
namespace {

// Text for roff (groff_char(7)): a hyphen that can be copied, quotes that stay as they are, and no
// line that begins a request.
std::string Roff(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    switch (c) {
      case '\\':
        roff += "\\e";
        break;
      case '-':
        roff += "\\-";
        break;
      case '`':
        roff += "\\(ga";
        break;
      case '\'':
        roff += "\\(aq";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '~':
        roff += "\\(ti";
        break;
      default:
        roff += c;
    }
  }
  for (std::size_t at = 0; at < roff.size();) {
    if (roff[at] == '.') roff.insert(at, "\\&");
    const std::size_t end = roff.find('\n', at);
    at = end == std::string::npos ? roff.size() : end + 1;
  }
  return roff;
}

// "assay-golden-make"
std::string PageName(std::string_view path) {
  std::string name = path.empty() ? "assay" : "assay-" + std::string(path);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string Upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string Bold(std::string_view text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Roff(text) + "\\fR"; }

std::string Synopsis(const CommandRow& command) {
  std::string text = Bold(command.path.empty() ? "assay" : "assay " + command.path);
  if (!command.commands.empty()) text += " " + Italic("COMMAND");
  text += " [" + Italic("OPTIONS") + "]";
  if (RunsAProgram(command))
    text += Roff(" -- ") + Italic("PROGRAM") + " [" + Italic("ARGUMENTS") + "]";
  for (const OptionRow& option : command.options) {
    if (!option.is_operand) continue;
    const std::string one = Italic(option.names[0]) + (option.is_repeatable ? " ..." : "");
    text += option.is_required ? " " + one : " [" + one + "]";
  }
  return ".SH SYNOPSIS\n" + text + "\n";
}

std::string Head(const OptionRow& option) {
  std::string head;
  for (const std::string& name : option.names) {
    head += (head.empty() ? "" : ", ") + (option.is_operand ? Italic(name) : Bold(name));
  }
  if (option.is_operand || !option.TakesValue()) return head;
  const std::string value = Italic(option.value) + (option.is_repeatable ? " ..." : "");
  const bool has_brackets = option.value.starts_with('[');
  return head + (option.is_value_optional && !has_brackets ? " [" + value + "]" : " " + value);
}

std::string OptionText(const OptionRow& option) {
  std::string text = option.help.empty() ? "" : Roff(option.help) + "\n";
  if (!option.values.empty()) {
    text += fmt::format("{}One of {}.\n", text.empty() ? "" : ".br\n",
                        Roff(fmt::format("{}", fmt::join(option.values, ", "))));
  }
  if (!option.otherwise.empty()) {
    text += fmt::format("{}Default: {}.\n", text.empty() ? "" : ".br\n", Roff(option.otherwise));
  }
  return ".TP\n" + Head(option) + "\n" + (text.empty() ? "\\&\n" : text);
}

std::string Options(const CommandRow& command) {
  std::vector<std::string> groups;
  for (const OptionRow& option : command.options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  if (groups.empty()) return "";
  std::string text = ".SH OPTIONS\n";
  for (const std::string& group : groups) {
    if (groups.size() > 1) text += ".SS \"" + Roff(group) + "\"\n";
    for (const OptionRow& option : command.options) {
      if (option.group == group) text += OptionText(option);
    }
  }
  return text;
}

std::string Commands(const CommandRow& command, const CommandTable& table) {
  if (command.commands.empty()) return "";
  std::string text = ".SH COMMANDS\n", group;
  for (const CommandRow& other : table) {
    const std::string parent = command.path.empty() ? "" : command.path + " ";
    if (other.path.empty() || parent + std::string(other.Name()) != other.path) continue;
    if (command.path.empty() && other.group != group) text += ".SS \"" + Roff(other.group) + "\"\n";
    group = other.group;
    text += ".TP\n" + Bold(PageName(other.path)) + "(1)\n" + Roff(other.summary) + "\n";
  }
  return text;
}

// Lines that belong to an example are shown as they stand; others are paragraphs.
std::string Notes(const CommandRow& command) {
  constexpr std::string_view kExample = "Example: ";
  std::string notes, examples, rest = command.footer;
  bool is_example = false;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string line = rest.substr(0, end);
    rest.erase(0, end == std::string::npos ? rest.size() : end + 1);
    is_example = line.starts_with(kExample) || (is_example && line.starts_with(' '));
    if (is_example) {
      examples += Roff(line.substr(std::min(kExample.size(), line.find_first_not_of(' ') == 0
                                                                 ? kExample.size()
                                                                 : line.find_first_not_of(' ')))) +
                  "\n";
    } else {
      notes += Roff(line) + "\n";
    }
  }
  std::string text = notes.empty() ? "" : ".SH NOTES\n" + notes;
  return examples.empty() ? text : text + ".SH EXAMPLES\n.nf\n" + examples + ".fi\n";
}

std::string SeeAlso(const CommandRow& command, const CommandTable& table) {
  std::vector<std::string> pages;
  for (const CommandRow& other : table) {
    const bool is_near = command.path.empty() || other.path.empty() ||
                         other.path.starts_with(command.path + " ") ||
                         command.path.starts_with(other.path + " ");
    if (is_near && other.path != command.path) pages.push_back(Bold(PageName(other.path)) + "(1)");
  }
  return fmt::format(
      ".SH SEE ALSO\n{}\n.PP\nThe whole description of the command line is {} in the folder {} "
      "beside the "
      "folder of the program.\n",
      fmt::join(pages, ",\n"), Italic("docs/cli.md"), Italic("share/doc/assay"));
}

std::string Page(const CommandRow& command, const CommandTable& table, std::string_view version) {
  const std::string name = PageName(command.path);
  std::string text = fmt::format(
      ".\\\" Made by `assay generate-docs man` from the definitions of the options.\n"
      ".TH {} 1 \"\" \"assay {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
      Upper(name), version, Roff(name), Roff(command.summary));
  text += Synopsis(command) + ".SH DESCRIPTION\n" + Roff(command.summary) + ".\n";
  text += Commands(command, table) + Options(command) + Notes(command);
  return text + SeeAlso(command, table);
}

}  // namespace

std::vector<GeneratedFile> ManPages(const CommandTable& table, std::string_view version) {
  std::vector<GeneratedFile> pages;
  for (const CommandRow& command : table) {
    pages.push_back({PageName(command.path) + ".1", Page(command, table, version)});
  }
  return pages;
}

}  // namespace assay::tools
