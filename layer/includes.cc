#include "layer/includes.h"

#include <algorithm>
#include <filesystem>

#include "base/build_words.h"
#include "base/file.h"

namespace assay::layer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 1000;

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
  const base::BuildWords words(build.options);
  for (const base::BuildWords::Word& word : words.words()) {
    if (word.text.starts_with("-I")) {
      if (word.text.size() > 2) folders.emplace_back(word.text.substr(2));
    } else {
      includes.options += (includes.options.empty() ? "" : " ") + word.raw;
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
