#include "tools/judge/macros.h"

#include <algorithm>
#include <vector>

#include "base/build_words.h"
#include "base/file.h"
#include "frontend/device_macros.h"

namespace assay::tools {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsOfName(char c) { return IsLetter(c) || (c >= '0' && c <= '9'); }

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
    const base::BuildWords words(options);
    for (const base::BuildWords::Word& word : words.words()) {
      if (!word.text.starts_with("-D")) continue;
      defined_.insert(std::string(NameAt(std::string_view(word.text).substr(2))));
    }
  }
  std::set<std::string> Open() const {
    std::set<std::string> open;
    std::ranges::set_difference(asked_, defined_, std::inserter(open, open.end()));
    return open;
  }

 private:
  void Line(std::string_view line) {
    line = Blank(line);
    if (line.empty() || line[0] != '#') return;
    line = Blank(line.substr(1));
    const std::string_view word = NameAt(line);
    line = Blank(line.substr(word.size()));
    if (word == "define") defined_.insert(std::string(NameAt(line)));
    if (word != "if" && word != "ifdef" && word != "ifndef" && word != "elif") return;
    for (std::size_t i = 0; i < line.size();) {
      if (!IsOfName(line[i])) {
        ++i;
        continue;
      }
      const std::string_view name = NameAt(line.substr(i));
      if (IsLetter(name[0]) && name != "defined") asked_.insert(std::string(name));
      i += name.size();
    }
  }

  std::set<std::string> asked_;
  // The names of the versions are the same everywhere (OpenCL C, 6.12).
  std::set<std::string> defined_ = {"CL_VERSION_1_0",        "CL_VERSION_1_1", "CL_VERSION_1_2",
                                    "CL_VERSION_2_0",        "CL_VERSION_3_0", "__ENDIAN_LITTLE__",
                                    "__OPENCL_CPP_VERSION__"};
};

bool HasWord(std::string_view words, std::string_view word) {
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

Macros MacrosOf(std::span<const std::string> sources, std::string_view build_options,
                std::string_view extensions, std::string_view version) {
  Directives directives;
  for (const std::string& source : sources) directives.Read(source);
  directives.ReadOptions(build_options);
  Macros macros{.open = directives.Open()};
  // assay's own is 300.
  if (version.starts_with("OpenCL 3.0")) macros.open.erase("__OPENCL_VERSION__");
  const auto executed = frontend::ExecutedMacros();
  std::erase_if(macros.open, [&](const std::string& name) {
    if (!name.starts_with("cl_")) return false;
    const bool is_ours = std::ranges::find(executed, name) != executed.end();
    const bool is_the_devices = HasWord(extensions, name);
    if (is_ours && !is_the_devices) macros.options += " -U " + name;
    if (is_the_devices && !is_ours) macros.options += " -D " + name + "=1";
    return true;
  });
  return macros;
}

// The code that is compiled is to be the driver's.
std::set<std::string> TakeMacros(const Capture& capture, interp::Job* job) {
  std::vector<std::string> sources;
  for (const std::string& path : job->modules) {
    if (!path.ends_with(".cl")) continue;
    if (auto source = base::ReadWholeFile(path)) sources.push_back(std::move(*source));
  }
  std::string& options = job->load.compile.build_options;
  Macros macros = MacrosOf(sources, options, capture.extensions, capture.device_version);
  options += macros.options;
  return std::move(macros.open);
}

}  // namespace assay::tools
