// How what a person has typed could go on.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/text.h"
#include "interp/rules/rule.h"
#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

// Where the last word of a line begins; not before `least`.
std::size_t WordStart(std::string_view line, std::size_t least) {
  std::size_t start = line.size();
  while (start > least && IsWordCharacter(line[start - 1])) --start;
  return start;
}

// What stands before the "." or "->" at the end of a text, as far as it is a name with its parts.
std::string ObjectBefore(std::string_view text) {
  std::size_t start = text.size();
  while (start > 0 && (IsWordCharacter(text[start - 1]) ||
                       std::string_view(".>[]$%").find(text[start - 1]) != text.npos)) {
    --start;
  }
  return std::string(text.substr(start));
}

// Entries of the folder that a path has come to, less what of them was typed before the last word.
std::vector<std::string> FilesFor(const std::string& path, std::size_t word_size) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string typed = slash == std::string::npos ? path : path.substr(slash + 1);
  std::vector<std::string> found;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(typed)) found.push_back(name.substr(typed.size() - word_size));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::vector<std::string> DebugTerminal::NamesAt(const std::string& before) {
  std::vector<std::string> names;
  if (before.ends_with("$")) {
    names = {"item", "group", "time", "pc", "line"};
    for (const auto& [name, again] : conveniences_) names.push_back(name);
    return names;
  }
  const bool is_arrow = before.ends_with("->");
  if (is_arrow || before.ends_with(".")) {
    const std::string object = ObjectBefore(before.substr(0, before.size() - (is_arrow ? 2 : 1)));
    if (object.empty()) return names;
    const auto type = TypeOf(is_arrow ? fmt::format("*({})", object) : object);
    if (!type) return names;
    for (const debug::TypeMember& member : type->members) names.push_back(member.name);
    return names;
  }
  using Kind = debug::VariablesRequest::Kind;
  for (const Kind kind : {Kind::kLocals, Kind::kGlobals}) {
    const auto answer = session_.Ask(debug::VariablesRequest{.kind = kind, .target = Here()});
    if (!answer) continue;
    for (const debug::Variable& one : answer->variables) names.push_back(one.name);
  }
  if (const auto answer = session_.Ask(debug::FunctionsRequest())) {
    names.insert(names.end(), answer->functions.begin(), answer->functions.end());
  }
  for (const char* one :
       {"get_global_id", "get_local_id", "get_group_id", "get_global_size", "get_local_size",
        "get_num_groups", "get_global_offset", "get_work_dim", "get_local_linear_id",
        "get_sub_group_id", "get_sub_group_local_id", "get_sub_group_size",
        "get_max_sub_group_size", "get_num_sub_groups", "get_enqueued_num_sub_groups", "sizeof"}) {
    names.emplace_back(one);
  }
  return names;
}

std::vector<std::string> DebugTerminal::Complete(const std::string& line) {
  std::vector<std::string> names;
  const std::size_t space = line.find(' ');
  const std::size_t start = space == std::string::npos ? 0 : WordStart(line, space + 1);
  const std::string word = line.substr(start);
  const auto command = FindCommand(line.substr(0, space));
  const std::string_view name =
      space == std::string::npos || !command ? "" : std::string_view((*command)->name);
  const bool is_first =
      space != std::string::npos && Trimmed(line.substr(space, start - space)).empty();
  if (space == std::string::npos || name == "help") {
    for (const Command& one : Commands()) names.emplace_back(one.name);
    for (const auto& [defined, what] : defined_) names.push_back(defined);
    if (is_inside() && name != "help") names.insert(names.end(), {"else", "end", "silent"});
  } else if (name == "info" && is_first) {
    for (const std::string_view one : InfoWords()) names.emplace_back(one);
  } else if (name == "catch") {
    for (const interp::RuleRow& rule : interp::Rules()) names.emplace_back(rule.id);
  } else if (name == "source") {
    return FilesFor(Trimmed(line.substr(space)), word.size());
  } else if (name == "save" && is_first) {
    names = {"breakpoints"};
  } else if (name == "save") {
    return FilesFor(Trimmed(line.substr(line.rfind(' '))), word.size());
  } else if (name == "set" && is_first) {
    names = {"var",        "listsize", "print", "stop-on-findings", "confirm", "height",
             "pagination", "verbose",  "width", "logging"};
  } else {
    names = NamesAt(line.substr(0, start));
  }
  std::vector<std::string> found;
  for (const std::string& one : names) {
    // What a module calls so that a terminal would obey it is typed by nobody.
    if (base::Printable(one) != one) continue;
    if (one.starts_with(word) && std::ranges::find(found, one) == found.end()) found.push_back(one);
  }
  return found;
}

}  // namespace assay::tools
