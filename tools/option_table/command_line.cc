#include "tools/option_table/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/called_as.h"
#include "base/text.h"
#include "tools/option_table/table.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/near_names.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

constexpr std::size_t kDescriptionColumn = 30;

// "-inf", "-NaN", "-.5", "-inf,1.5".  CLI11 knows by itself that -1 is no option.
bool IsNegativeOperand(std::string_view word) {
  if (!word.starts_with('-')) return false;
  std::string rest(word.substr(1));
  std::transform(rest.begin(), rest.end(), rest.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool point = rest.size() > 1 && rest[0] == '.' && std::isdigit(rest[1]) != 0;
  return point || rest.starts_with("inf") || rest.starts_with("nan");
}

std::string Line(const std::string& head, std::string said) {
  std::string line = "  " + head;
  const std::string description = base::CommandsAsCalled(std::move(said));
  if (description.empty()) return line + "\n";
  // At least two blanks between a name and its description.
  line += line.size() + 2 > kDescriptionColumn ? "\n" + std::string(kDescriptionColumn, ' ')
                                               : std::string(kDescriptionColumn - line.size(), ' ');
  return line + base::Wrapped(description, kDescriptionColumn) + "\n";
}

// The end of a word of a command; blanks in quotes are part of it.
std::size_t WordEnd(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') is_quoted = !is_quoted;
    if (text[i] == ' ' && !is_quoted) return i;
  }
  return text.size();
}

// A command that is too long goes on in the next line, as a shell takes it.
std::string Command(std::string_view line) {
  constexpr std::size_t kIndent = 13;
  constexpr std::string_view kGoesOn = " \\";
  const std::size_t start = line.find_first_not_of(' ');
  std::string text(line.substr(0, start));
  std::size_t column = text.size();
  line.remove_prefix(start);
  for (bool is_first = true; !line.empty(); is_first = false) {
    const std::size_t end = WordEnd(line);
    const std::size_t rest = end < line.size() ? kGoesOn.size() : 0;
    if (!is_first && column + 1 + end + rest > base::kColumns) {
      text += std::string(kGoesOn) + "\n" + std::string(kIndent, ' ');
      column = kIndent;
    } else if (!is_first) {
      text += ' ';
      ++column;
    }
    text += line.substr(0, end);
    column += end;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return text + "\n";
}

// Examples are commands, one a line; the lines between them are paragraphs.
std::string Footer(const std::string& footer) {
  std::string text, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) text += base::Wrapped(paragraph) + "\n";
    paragraph.clear();
  };
  for (const std::string& line : CLI::detail::split(footer, '\n')) {
    const bool is_command = line.starts_with("Example: ") || line.starts_with("    ");
    if (!is_command) {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      continue;
    }
    end_paragraph();
    text += Command(line);
  }
  end_paragraph();
  return text;
}

std::vector<const CLI::App*> CommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Puts a help together by itself: what CLI11's own class makes differs between its versions.
class Formatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode /*mode*/) const override {
    std::string text = make_description(app) + make_usage(app, std::move(name));
    text += Group("Positionals", *app, [](const CLI::Option* option) {
      return option->get_positional() && !option->get_group().empty();
    });
    for (const std::string& group : app->get_groups()) {
      if (group.empty()) continue;
      text += Group(GroupName(group), *app, [&group](const CLI::Option* option) {
        return option->nonpositional() && option->get_group() == group;
      });
    }
    return base::CommandsAsCalled(text + Commands(*app) + make_footer(app));
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string text = "Usage: " + name + " [OPTIONS]";
    for (const CLI::Option* option :
         app->get_options([](const CLI::Option* one) { return one->get_positional(); })) {
      text += " " + make_option_usage(option);
    }
    return text + (CommandsOf(*app).empty() ? "\n" : " SUBCOMMAND\n");
  }

  std::string make_description(const CLI::App* app) const override {
    return base::Wrapped(base::CommandsAsCalled(app->get_description())) + "\n";
  }

  std::string make_footer(const CLI::App* app) const override {
    return "\n" + Footer(base::CommandsAsCalled(app->get_footer()));
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return Line(make_option_name(option, is_positional) + make_option_opts(option),
                make_option_desc(option));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return Line(command->get_name(), command->get_description());
  }

  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string text = option->get_name(true) + (IsRepeatable(*option) ? "..." : "");
    return option->get_required() ? text : "[" + text + "]";
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = ValueText(*option);
    return text.empty() ? "" : " " + text;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string otherwise = DefaultText(*option);
    return option->get_description() +
           (otherwise.empty() ? "" : fmt::format(" (default: {})", otherwise));
  }

 private:
  std::string Group(const std::string& name, const CLI::App& app,
                    const std::function<bool(const CLI::Option*)>& is_in) const {
    std::string text;
    for (const CLI::Option* option : app.get_options(is_in)) {
      text += make_option(option, option->get_positional());
    }
    return text.empty() ? "" : "\n" + name + ":\n" + text;
  }

  std::string Commands(const CLI::App& app) const {
    std::vector<std::pair<std::string, std::string>> groups;  // in the order of their first command
    for (const CLI::App* command : CommandsOf(app)) {
      if (command->get_group().empty()) continue;
      const std::string name = GroupName(command->get_group());
      auto group = std::ranges::find(groups, name, &std::pair<std::string, std::string>::first);
      if (group == groups.end()) group = groups.insert(groups.end(), {name, ""});
      group->second += make_subcommand(command);
    }
    std::string text;
    for (const auto& [name, lines] : groups) text += "\n" + name + ":\n" + lines;
    return text;
  }
};

// Those that are for users: serve is for assay itself.
std::vector<std::string> NamesOf(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& names,
                       const std::string& otherwise) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::vector<std::string> near = NearNames(name, candidates);
  return near.empty() ? otherwise : fmt::format("did you mean {}?", fmt::join(near, ", "));
}

// "assay validate", "assay golden make": the command that was being read.
const CLI::App& CommandInHand(const CLI::App& app, std::string* path) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().back();
    *path += (path->empty() ? "" : " ") + command->get_name();
  }
  return *command;
}

std::string UnknownCommand(const CLI::App& app, std::string_view path, const std::string& word) {
  const std::vector<std::string> names = NamesOf(CommandsOf(app));
  return fmt::format(
      "unknown command '{}{}{}'; {}", path, path.empty() ? "" : " ", base::Printable(word),
      DidYouMean(word, names, fmt::format("the commands are {}", fmt::join(names, ", "))));
}

std::string UnknownOption(const CLI::App& command, std::string_view path, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& one : option->get_lnames()) names.push_back("--" + one);
    if (name.size() > 2) continue;
    for (const std::string& one : option->get_snames()) names.push_back("-" + one);
  }
  const std::string help =
      fmt::format("`assay help{}{}` has them all", path.empty() ? "" : " ", path);
  // Without the dashes, which all of them have.
  std::vector<std::string> near;
  if (name.size() > 2) {
    std::vector<std::string> plain;
    for (const std::string& one : names) plain.push_back(one.substr(one.find_first_not_of('-')));
    const std::vector<std::string_view> candidates(plain.begin(), plain.end());
    near = NearNames(name.substr(name.find_first_not_of('-')), candidates);
  }
  std::string meant;
  for (const std::string& one : near)
    meant += fmt::format("{}--{}", meant.empty() ? "" : ", ", one);
  return fmt::format("unknown option '{}'; {}{}", base::Printable(name),
                     meant.empty() ? "" : fmt::format("did you mean {}? ", meant), help);
}

// The first word that stands where a command should and names none; empty: all do.
std::string UnknownCommandIn(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string path;
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> commands = CommandsOf(*command);
    if (word.starts_with('-') || commands.empty()) break;
    const auto named = std::find_if(commands.begin(), commands.end(),
                                    [&](const CLI::App* one) { return one->get_name() == word; });
    if (named == commands.end()) return UnknownCommand(*command, path, word);
    command = *named;
    path += (path.empty() ? "" : " ") + word;
  }
  return "";
}

// The error in the words, with suggestions.
std::string Explained(const CLI::App& app, const CLI::ParseError& error) {
  std::string path;
  const CLI::App& command = CommandInHand(app, &path);
  const std::string prefix = path.empty() ? "" : path + ": ";
  const std::string help = fmt::format("`assay help{}{}`", path.empty() ? "" : " ", path);
  const std::vector<std::string> left = app.remaining(true);
  // An unknown option is the cause of whatever else is missing.
  for (const std::string& word : left) {
    if (word.size() > 1 && word[0] == '-' && word != "--") {
      return prefix + UnknownOption(command, path, word);
    }
  }
  if (!left.empty() && !CommandsOf(command).empty()) {
    return UnknownCommand(command, path, left.front());
  }
  // An option that is wrong (--json FILE) comes before the command that is missing.
  const bool is_option =
      error.get_name() == "RequiresError" || error.get_name() == "ValidationError";
  if (!is_option && command.get_subcommands().empty() && !CommandsOf(command).empty()) {
    const std::string names = fmt::format("{}", fmt::join(NamesOf(CommandsOf(command)), ", "));
    return fmt::format("{}name a command: {}; {} (or --help) says what they do", prefix, names,
                       help);
  }
  if (!left.empty()) {
    return fmt::format("{}'{}' is not expected here; {} says what is", prefix,
                       base::Printable(left.front()), help);
  }
  const std::string what = base::Printable(error.what());
  // "At Most" in CLI11 2.1, "At most" in 2.6.
  for (const std::string_view at_most : {": At Most 1 required", ": At most 1 required"}) {
    if (const std::size_t end = what.find(at_most); end != std::string::npos) {
      return fmt::format("{}{} is given more than once; {} says how", prefix, what.substr(0, end),
                         help);
    }
  }
  return fmt::format("{}{}; {} says how", prefix, what, help);
}

}  // namespace

std::vector<std::string> WordsOf(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) return words;
  const auto is_json = [](const std::string& word) {
    return word == "--json" || word.starts_with("--json=");
  };
  const bool is_table = std::ranges::any_of(words, is_json);  // which the command help writes
  if (words[0] == "help" && !is_table) {
    words.erase(words.begin());
    if (words.empty() || words.back() != "--help") words.emplace_back("--help");
  }
  // CLI11 takes the next word for the value of "--json=".
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (!words[i].starts_with("--") || words[i].find('=') != words[i].size() - 1) continue;
    words[i].pop_back();
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(++i), "");
  }
  if (words[0] != "eval" && words[0] != "validate") return words;
  for (std::string& word : words) {
    if (IsNegativeOperand(word)) word.insert(0, " ");
  }
  return words;
}

std::vector<std::string> TakeProgram(std::vector<std::string>* words) {
  if (words->empty()) return {};
  const bool is_exec = words->front() == "exec";
  if (!is_exec && words->front() != "sweep") return {};
  auto mark = std::ranges::find(*words, "--");
  // `exec PROGRAM`: no option is before it, so what follows is the program's, too.
  const bool is_first = is_exec && words->size() > 1 && !(*words)[1].starts_with('-');
  if (is_first) mark = words->begin();
  if (mark == words->end()) return {};
  std::vector<std::string> program(mark + 1, words->end());
  words->erase(is_first ? mark + 1 : mark, words->end());
  return program;
}

std::string Operand(std::string text) {
  if (text.starts_with(' ')) text.erase(0, 1);
  return text;
}

std::shared_ptr<CLI::FormatterBase> HelpFormatter() { return std::make_shared<Formatter>(); }

CLI::App* AddHelp(CLI::App& app, int* exit_code, HelpCompletion complete) {
  struct Options {
    std::vector<std::string> words;
    std::string json;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("help", "Show what a command does, and its options");
  command->group("Help");
  command->add_option("COMMAND", options->words, "As in `assay help golden make`")->type_name("");
  CLI::Option* json =
      AddOutput(command, "--json", &options->json,
                "Write all commands and options, or those of COMMAND ('-', or no FILE: stdout)");
  json->expected(0, 1)->default_str("-");
  command->footer("Example: assay help validate\n         assay help run --json");
  command->callback([options, json, exit_code, complete, &app] {
    if (json->count() > 0 && options->json.empty()) options->json = "-";
    const std::string unknown = UnknownCommandIn(app, options->words);
    if (!unknown.empty()) {
      *exit_code = ReportError({ErrorKind::kUsage, unknown});
      return;
    }
    nlohmann::ordered_json help =
        TableJson(TableOf(app), fmt::format("{}", fmt::join(options->words, " ")));
    const auto completed = complete == nullptr ? Expected<void>() : complete(&help);
    *exit_code = completed ? WriteResult("", help, options->json) : ReportError(completed.error());
  });
  return command;
}

int RunCommand(CLI::App& app, const std::vector<std::string>& words, const int* exit_code) {
  // Said before an option such as --help is obeyed, or another one is unknown because of it.
  if (const std::string unknown = UnknownCommandIn(app, words); !unknown.empty()) {
    return ReportError({ErrorKind::kUsage, unknown});
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp& request) {
    return app.exit(request);
  } catch (const CLI::CallForAllHelp& request) {
    return app.exit(request);
  } catch (const CLI::CallForVersion&) {
    return *exit_code;  // what it is was written
  } catch (const CLI::ParseError& error) {
    return ReportError({ErrorKind::kUsage, Explained(app, error)});
  }
  return *exit_code;
}

}  // namespace assay::tools
