#include "base/macros.h"

#include <algorithm>

#include "base/build_words.h"

namespace assay::base {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsOfName(char c) { return IsLetter(c) || (c >= '0' && c <= '9'); }

// The same for all compilers: C99 6.10.8 forbids the first to C; the others tell the version that
// they name, where and when they are used, or which language it is (OpenCL C, "Preprocessor
// Directives and Macros").
constexpr std::string_view kEverywhere[] = {
    "CL_VERSION_1_0", "CL_VERSION_1_1", "CL_VERSION_1_2",    "CL_VERSION_2_0",
    "CL_VERSION_3_0", "__DATE__",       "__FILE__",          "__LINE__",
    "__TIME__",       "__cplusplus",    "__ENDIAN_LITTLE__", "__OPENCL_CPP_VERSION__",
    "__STDC__",       "defined"};

std::string_view Blank(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

std::string_view NameAt(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && IsOfName(text[end])) ++end;
  return text.substr(0, end);
}

// Without comments, and with continued lines as one (C99 5.1.1.2).
std::string Plain(const std::string& source) {
  std::string joined, plain;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') continue;
    const bool is_continued = source[i] == '\\' && (source.compare(i + 1, 1, "\n") == 0 ||
                                                    source.compare(i + 1, 2, "\r\n") == 0);
    if (is_continued) {
      i += source[i + 1] == '\r' ? 2 : 1;
      continue;
    }
    joined += source[i];
  }
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (joined.compare(i, 2, "//") == 0) {
      i = std::min(joined.find('\n', i), joined.size()) - 1;
    } else if (joined.compare(i, 2, "/*") == 0) {
      const std::size_t end = joined.find("*/", i + 2);
      if (end == std::string::npos) break;
      plain += ' ';
      i = end + 1;
    } else {
      plain += joined[i];
    }
  }
  return plain;
}

std::set<std::string> NamesIn(std::string_view text) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < text.size();) {
    if (!IsOfName(text[i])) {
      ++i;
      continue;
    }
    const std::string_view name = NameAt(text.substr(i));
    if (IsLetter(name[0])) names.emplace(name);
    i += name.size();
  }
  return names;
}

class Directives {
 public:
  void Read(const std::string& source) {
    const std::string plain = Plain(source);
    for (std::size_t begin = 0; begin < plain.size();) {
      const std::size_t end = std::min(plain.find('\n', begin), plain.size());
      Line(std::string_view(plain).substr(begin, end - begin));
      begin = end + 1;
    }
  }
  void ReadOptions(std::string_view options) {
    const BuildWords words(options);
    for (const BuildWords::Word& word : words.words()) {
      const bool defines = word.text.starts_with("-D");
      if (!defines && !word.text.starts_with("-U")) continue;
      const std::string_view text = std::string_view(word.text).substr(2);
      const std::string name(NameAt(text));
      if (defines) definitions_[name].merge(NamesIn(text.substr(name.size())));
      given_.insert(name);
    }
  }
  AskedMacros Take() {
    // What a name stands for decides, too.
    std::vector<std::string> open(asked_.begin(), asked_.end());
    while (!open.empty()) {
      const auto definition = definitions_.find(open.back());
      open.pop_back();
      if (definition == definitions_.end()) continue;
      for (const std::string& name : definition->second) {
        if (asked_.insert(name).second) open.push_back(name);
      }
    }
    AskedMacros asked;
    for (const std::string& name : asked_) {
      if (given_.contains(name) || std::ranges::find(kEverywhere, name) != std::end(kEverywhere)) {
        continue;
      }
      if (definitions_.contains(name)) asked.defined.insert(name);
      asked.names.insert(name);
    }
    return asked;
  }

 private:
  void Line(std::string_view line) {
    line = Blank(line);
    if (line.empty() || line[0] != '#') return;
    line = Blank(line.substr(1));
    const std::string_view word = NameAt(line);
    line = Blank(line.substr(word.size()));
    if (word == "define") {
      const std::string_view name = NameAt(line);
      definitions_[std::string(name)].merge(NamesIn(line.substr(name.size())));
    }
    if (word != "if" && word != "ifdef" && word != "ifndef" && word != "elif") return;
    asked_.merge(NamesIn(line));
  }

  std::set<std::string> asked_, given_;
  std::map<std::string, std::set<std::string>> definitions_;  // names, and those in what they are
};

}  // namespace

AskedMacros MacrosAsked(std::span<const std::string> sources, std::string_view build_options) {
  Directives directives;
  for (const std::string& source : sources) directives.Read(source);
  directives.ReadOptions(build_options);
  return directives.Take();
}

// One line a name, with "=" and what it stands for where it is defined.
std::string MacroSource(const std::set<std::string>& names) {
  std::string source =
      "#define ASSAY_TEXT(...) #__VA_ARGS__\n"
      "#define ASSAY_VALUE(...) ASSAY_TEXT(__VA_ARGS__)\n"
      "__constant char assay_text[] =\n";
  for (const std::string& name : names) {
    source.append("#ifdef ").append(name).append("\n\"=\" ASSAY_VALUE(").append(name);
    source.append(")\n#endif\n\"\\n\"\n");
  }
  source.append("\"end\";\n__kernel void ").append(kMacroKernel);
  source.append(
      "(__global char *text, uint bytes) {\n"
      "  for (uint i = 0; i < sizeof assay_text && i < bytes; ++i) text[i] = assay_text[i];\n"
      "}\n");
  return source;
}

std::optional<MacroAnswers> ReadMacroText(std::string_view text,
                                          const std::set<std::string>& names) {
  MacroAnswers answers;
  for (const std::string& name : names) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    if (!line.empty() && line[0] != '=') return std::nullopt;
    answers[name] = line.empty() ? std::nullopt : std::optional<std::string>(line.substr(1));
    text.remove_prefix(end + 1);
  }
  return text.substr(0, 4) == std::string_view("end\0", 4) ? std::optional(answers) : std::nullopt;
}

}  // namespace assay::base
