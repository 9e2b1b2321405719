#include "frontend/build_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/build_words.h"
#include "base/file.h"

namespace assay::frontend {
namespace {

namespace fs = std::filesystem;

// OpenCL API, 5.8.6 (compiler options), and clang's name for extensions that are switched.
constexpr std::string_view kOpenClOptions[] = {
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-opt-disable",
    "-cl-strict-aliasing",
    "-cl-uniform-work-group-size",
    "-cl-no-subgroup-ifp",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-kernel-arg-info",
};

constexpr std::string_view kOptimizations[] = {"-O",  "-O0", "-O1", "-O2",
                                               "-O3", "-Os", "-Oz", "-Og"};

// Clang computes nothing of constants itself (llvm_constrained.h).
constexpr std::string_view kConstants[] = {"-frounding-math"};

constexpr std::string_view kDebugInformation[] = {"-g",
                                                  "-g0",
                                                  "-g1",
                                                  "-g2",
                                                  "-g3",
                                                  "-ggdb",
                                                  "-gline-tables-only",
                                                  "-gline-directives-only",
                                                  "-gcolumn-info",
                                                  "-gno-column-info"};

// Options that conflict with assay's own, from any source: other outputs, other written files,
// other inputs.
constexpr std::string_view kOurs[] = {"-o",
                                      "--output",
                                      "-M",
                                      "--dependencies",
                                      "--write-",
                                      "-x",
                                      "-E",
                                      "-###",
                                      "-save-temps",
                                      "--save-temps",
                                      "-fsyntax-only",
                                      "-working-directory",
                                      "--config",
                                      "-ftime-trace",
                                      "-fcrash-diagnostics",
                                      "-gen-",
                                      "-serialize-diagnostics",
                                      "--serialize-diagnostics",
                                      "-index",
                                      "-emit-"};
constexpr std::string_view kOursWhole[] = {"-c", "-S",    "-",      "--",
                                           "-v", "-help", "--help", "--version"};

template <typename List>
bool Contains(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// Letters, digits and signs; no comma: -Wp, -Wa and -Wl hand options on.
bool IsWarningOption(std::string_view word) {
  return word.starts_with("-W") && std::all_of(word.begin() + 1, word.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '=' || c == '+' || c == '_' || c == '#';
         });
}

bool IsAllowedWord(std::string_view word) {
  return Contains(kOpenClOptions, word) || Contains(kOptimizations, word) ||
         Contains(kConstants, word) || Contains(kDebugInformation, word) || word == "-w" ||
         IsWarningOption(word) || word.starts_with("-cl-std=") || word.starts_with("-cl-ext=");
}

tl::unexpected<Error> Refuse(std::string_view word, std::string_view why) {
  return Fail(ErrorKind::kUsage, fmt::format("build options: '{}' {}", word, why));
}

tl::unexpected<Error> RefuseWithoutValue(std::string_view word) {
  return Refuse(word, "stands last; what it is about is missing");
}

// Absolute, with a folder for what is relative.
std::string Absolute(const std::string& folder, const std::string& path) {
  return (fs::absolute(folder.empty() ? "." : folder) / path).string();
}

class OptionReader {
 public:
  OptionReader(OptionsFrom from, const std::string& folder, const base::ReadScope& scope)
      : from_(from), folder_(folder), scope_(scope) {}

  Expected<BuildOptions> Read(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      // A word of its own behind these, whatever it begins with.
      const bool separate = words[i] == "-I" || words[i] == "-D" || words[i] == "-U";
      if (separate && i + 1 == words.size()) return RefuseWithoutValue(words[i]);
      const std::string word = separate ? words[i] + words[i + 1] : words[i];
      i += separate ? 1 : 0;
      if (word.starts_with("-D") || word.starts_with("-U")) {
        options_.words.push_back(word);
        continue;
      }
      if (word.starts_with("-I")) {
        if (auto good = AddFolder(word); !good) return tl::unexpected(good.error());
        continue;
      }
      const bool is_data = from_ == OptionsFrom::kData;
      auto good = is_data ? AddOfData(word) : AddOfUser(words, &i);
      if (!good) return tl::unexpected(good.error());
    }
    return std::move(options_);
  }

 private:
  Expected<void> AddFolder(const std::string& word) {
    const std::string path = Absolute(folder_, word.substr(2));
    if (from_ == OptionsFrom::kData) {
      if (auto good = scope_.Check(path, "build options: -I"); !good) return good;
    }
    options_.words.push_back("-I" + path);
    options_.readable.push_back(path);
    return {};
  }

  Expected<void> AddOfData(const std::string& word) {
    if (IsAllowedWord(word)) {
      options_.words.push_back(word);
      return {};
    }
    return Refuse(word,
                  "is not taken from a job or report, which are data: only -D, -U, -I, -O, -g, -W, "
                  "-w and the -cl- options of OpenCL are; --build-options on the command line of "
                  "`assay run MODULE` takes more");
  }

  // `*i` is the option's place, and in the end that of its last word.
  Expected<void> AddOfUser(const std::vector<std::string>& words, std::size_t* i) {
    const std::string& word = words[*i];
    if (word.starts_with('@')) {
      return Refuse(word, "is a response file; write the options that it has");
    }
    const bool ours = std::any_of(std::begin(kOurs), std::end(kOurs),
                                  [&](std::string_view name) { return word.starts_with(name); });
    if (ours || Contains(kOursWhole, word) || !word.starts_with('-')) {
      return Refuse(word, "is in the way of the options that assay compiles with");
    }
    // Words that come as they are.
    if (word == "-Xclang" || word == "-mllvm" || word == "-Xpreprocessor") {
      if (*i + 1 == words.size()) return RefuseWithoutValue(word);
      const std::string& value = words[++*i];
      if (value.starts_with('@')) return Refuse(value, "is a response file");
      options_.words.insert(options_.words.end(), {word, Named(value)});
      return {};
    }
    for (const std::string_view name : {"-include", "-imacros", "-iquote", "-isystem", "-idirafter",
                                        "-include-pch", "-iprefix", "-isysroot"}) {
      if (!word.starts_with(name) || (name == "-include" && word.starts_with("-include-")))
        continue;
      const bool separate = word == name;
      if (separate && *i + 1 == words.size()) return RefuseWithoutValue(word);
      const std::string value = separate ? words[++*i] : word.substr(name.size());
      // A missing file is searched in the folders of #include.
      const std::string path = Absolute(".", value);
      const bool exists = fs::exists(path);
      if (exists) AllowBeside(path);
      options_.words.insert(options_.words.end(), {std::string(name), exists ? path : value});
      return {};
    }
    options_.words.push_back(Named(word));
    return {};
  }

  // Files that are included may include others beside them.
  void AllowBeside(const std::string& path) {
    const fs::path whole(path);
    options_.readable.push_back(fs::is_directory(whole) ? path : whole.parent_path().string());
  }

  // "-fplugin=x.so", "-load", "x.so": a path in a word is made absolute, and may be read.
  std::string Named(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::size_t begin = equals == word.npos ? 0 : equals + 1;
    const std::string value = word.substr(begin);
    if (value.find('/') == value.npos || (begin == 0 && value.starts_with('-'))) return word;
    const std::string path = Absolute(".", value);
    if (!base::Exists(path)) return word;
    options_.readable.push_back(path);
    return word.substr(0, begin) + path;
  }

  OptionsFrom from_;
  std::string folder_;
  const base::ReadScope& scope_;
  BuildOptions options_;
};

}  // namespace

Expected<std::vector<std::string>> SplitOptions(const std::string& text) {
  auto words = base::SplitWords(text);
  if (!words) {
    return Fail(ErrorKind::kUsage, fmt::format("build options: no closing quote in: {}", text));
  }
  return std::move(*words);
}

Expected<BuildOptions> ReadBuildOptions(const std::string& text, OptionsFrom from,
                                        const std::string& folder, const base::ReadScope& scope) {
  auto words = SplitOptions(text);
  if (!words) return tl::unexpected(words.error());
  return OptionReader(from, folder, scope).Read(*words);
}

}  // namespace assay::frontend
