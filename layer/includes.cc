#include "layer/includes.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace assay::layer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 1000;

// Words as clBuildProgram takes them: quotes keep blanks together, and stay.
std::vector<std::string> WordsOf(const std::string& options) {
  std::vector<std::string> words(1);
  char quote = '\0';
  for (const char letter : options) {
    if (quote == '\0' && (letter == ' ' || letter == '\t')) {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    if (letter == quote) {
      quote = '\0';
    } else if (quote == '\0' && (letter == '"' || letter == '\'')) {
      quote = letter;
    }
    words.back() += letter;
  }
  return words;
}

std::string Unquoted(std::string word) {
  std::erase_if(word, [](char letter) { return letter == '"' || letter == '\''; });
  return word;
}

class Search {
 public:
  explicit Search(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

  void Read(const std::string& text, const fs::path& beside, const fs::path& name) {
    for (std::size_t at = text.find("#"); at != std::string::npos; at = text.find('#', at + 1)) {
      std::size_t begin = text.find_first_not_of(" \t", at + 1);
      if (begin == std::string::npos || text.compare(begin, 7, "include") != 0) continue;
      begin = text.find_first_not_of(" \t", begin + 7);
      if (begin == std::string::npos || (text[begin] != '"' && text[begin] != '<')) continue;
      const std::size_t end = text.find_first_of("\">\n", begin + 1);
      if (end == std::string::npos) continue;
      Find(text.substr(begin + 1, end - begin - 1), beside, name);
    }
  }
  std::vector<std::pair<std::string, std::string>> Take() { return std::move(files_); }

 private:
  void Find(const std::string& include, const fs::path& beside, const fs::path& name) {
    if (!beside.empty() && Add(beside / include, name.parent_path() / include)) return;
    for (const fs::path& folder : folders_) {
      if (Add(folder / include, include)) return;
    }
  }
  bool Add(const fs::path& file, const fs::path& as) {
    const fs::path plain = as.lexically_normal();
    if (plain.is_absolute() || plain.empty() || *plain.begin() == "..") return false;
    const std::string known = plain.string();
    const auto is_known = [&](const auto& one) { return one.first == known; };
    if (std::ranges::any_of(files_, is_known)) return true;
    std::error_code error;
    if (files_.size() == kMaxFiles || !fs::is_regular_file(file, error)) return false;
    auto text = base::ReadWholeFile(file.string());
    if (!text) return false;
    files_.emplace_back(known, *text);
    Read(*text, file.parent_path(), plain);
    return true;
  }

  std::vector<fs::path> folders_;
  std::vector<std::pair<std::string, std::string>> files_;
};

}  // namespace

Includes TakeIncludes(const Build& build) {
  Includes includes;
  std::vector<fs::path> folders;
  const std::vector<std::string> words = WordsOf(build.options);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("-I")) {
      if (!words[i].empty()) includes.options += (includes.options.empty() ? "" : " ") + words[i];
    } else if (words[i] != "-I") {
      folders.emplace_back(Unquoted(words[i].substr(2)));
    } else if (i + 1 < words.size()) {
      folders.emplace_back(Unquoted(words[++i]));
    }
  }
  if (folders.empty()) return {.options = build.options, .files = {}};
  Search search(std::move(folders));
  for (const Module& module : build.modules) {
    if (!module.is_il) search.Read(module.bytes, "", "");
  }
  for (const auto& [name, text] : build.headers) search.Read(text, "", "");
  includes.files = search.Take();
  return includes;
}

}  // namespace assay::layer
