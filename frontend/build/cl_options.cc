#include "frontend/build/cl_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace assay::frontend {
namespace {

namespace fs = std::filesystem;

// The compiler knows these.
constexpr std::string_view kCompilerOptions[] = {
    "-cl-denorms-are-zero",
    "-cl-fast-relaxed-math",
    "-cl-finite-math-only",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-kernel-arg-info",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-opt-disable",
    "-cl-single-precision-constant",
    "-cl-strict-aliasing",
    "-cl-uniform-work-group-size",
    "-cl-unsafe-math-optimizations",
    "-w",
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-O",
    "-Os",
    "-g",
};

// Options of OpenCL and of other drivers that change no result here.
constexpr std::string_view kIgnored[] = {
    "-cl-no-subgroup-ifp",
    "-cl-nv-verbose",
    "-cl-intel-greater-than-4GB-buffer-required",
    "-cl-intel-has-buffer-offset-arg",
    "-cl-intel-no-prera-scheduling",
    "-cl-intel-256-GRF-per-thread",
    "-cl-intel-128-GRF-per-thread",
    "-cl-intel-enable-auto-large-GRF-mode",
    "-save-temps",
};
constexpr std::string_view kIgnoredBeginnings[] = {
    "-cl-nv-maxrregcount=", "-cl-nv-opt-level=", "-cl-nv-arch=", "-save-temps="};
// The next word belongs to them.  -s: where a debugger finds the source.
constexpr std::string_view kIgnoredWithValue[] = {"-cl-nv-maxrregcount", "-cl-nv-opt-level",
                                                  "-cl-nv-arch", "-s"};

constexpr std::string_view kStandards[] = {"CL1.0", "CL1.1", "CL1.2",    "CL2.0",
                                           "CL3.0", "CLC++", "CLC++1.0", "CLC++2021"};
// Valid ones that this device does not have.
constexpr std::string_view kOtherStandards[] = {"CL2.1", "CL2.2", "CL3.1"};

constexpr std::string_view kLinkerOptions[] = {
    "-cl-denorms-are-zero", "-cl-fast-relaxed-math",         "-cl-finite-math-only",
    "-cl-no-signed-zeros",  "-cl-unsafe-math-optimizations", "-cl-no-subgroup-ifp"};

constexpr std::string_view kStandardOption = "-cl-std=";
constexpr std::string_view kExtensionOption = "-cl-ext=";

template <typename List>
bool Contains(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

tl::unexpected<Error> Refuse(std::string_view which, std::string_view word, std::string_view why) {
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: '{}' {}", which, base::Printable(word.substr(0, 200)), why));
}

// -W and a name; no comma: -Wp, -Wa and -Wl hand options on to other programs.
bool IsWarning(std::string_view word) {
  return word.starts_with("-W") && std::all_of(word.begin() + 2, word.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '=' || c == '+' || c == '_' || c == '#';
         });
}

// "+cl_khr_fp64,-cl_khr_fp16"
bool IsExtensionList(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '+' || c == '-' || c == ',';
  });
}

class Reader {
 public:
  explicit Reader(const std::string& folder) : folder_(folder) {}

  Expected<CompilerOptions> Read(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      const bool takes_value = word == "-D" || word == "-I" || word == "-U" || word == "-x" ||
                               Contains(kIgnoredWithValue, word);
      const bool is_last = i + 1 == words.size();
      if (takes_value && is_last) return Refuse(kWhich, word, "stands last without its value");
      const std::string value = takes_value ? words[++i] : "";
      if (auto good = Add(word, value); !good) return tl::unexpected(good.error());
    }
    // OpenCL API, 5.8.6.5: without the option it is the newest 1.x.
    if (!has_standard_) Push("-cl-std=CL1.2");
    return std::move(options_);
  }

 private:
  static constexpr std::string_view kWhich = "build options";

  void Push(std::string word) { options_.words.words.push_back(std::move(word)); }

  Expected<void> Add(const std::string& word, const std::string& value) {
    if (word.starts_with("-D") || word.starts_with("-U")) return AddMacro(word + value);
    if (word.starts_with("-I")) {
      const std::string path = (fs::path(folder_) / (word.substr(2) + value)).string();
      Push("-I" + path);
      options_.words.readable.push_back(path);
      return {};
    }
    if (word.starts_with(kStandardOption)) return AddStandard(word);
    if (Contains(kCompilerOptions, word) || IsWarning(word) ||
        (word.starts_with(kExtensionOption) &&
         IsExtensionList(std::string_view(word).substr(kExtensionOption.size())))) {
      Push(word);
      return {};
    }
    const bool ignored = Contains(kIgnored, word) || Contains(kIgnoredWithValue, word) ||
                         (word == "-x" && value == "cl") ||
                         std::ranges::any_of(kIgnoredBeginnings, [&](std::string_view begin) {
                           return word.starts_with(begin);
                         });
    if (ignored) return {};
    if (word == "-create-library" || word == "-enable-link-options") {
      return Refuse(kWhich, word, "is an option of clLinkProgram only");
    }
    return Refuse(
        kWhich, word,
        "is no option of OpenCL C (OpenCL API, 5.8.6); clang's own options are not taken");
  }

  Expected<void> AddMacro(std::string word) {
    // The preprocessor takes what stands before a newline.
    word = word.substr(0, word.find_first_of(std::string_view("\r\n\0", 3)));
    const bool begins_name =
        word.size() > 2 && (std::isalpha(static_cast<unsigned char>(word[2])) != 0 ||
                            word[2] == '_' || (word[2] & 0x80) != 0);
    if (!begins_name) return Refuse(kWhich, word, "does not name a macro");
    Push(std::move(word));
    return {};
  }

  Expected<void> AddStandard(const std::string& word) {
    const std::string_view value = std::string_view(word).substr(kStandardOption.size());
    has_standard_ = true;
    if (Contains(kStandards, value)) {
      Push(word);
      return {};
    }
    if (!Contains(kOtherStandards, value)) {
      return Refuse(kWhich, word,
                    "names no version; there are CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, CLC++1.0 and "
                    "CLC++2021");
    }
    options_.unknown_value = fmt::format(
        "{}: this device has OpenCL C 1.0, 1.1, 1.2, 2.0 and 3.0 "
        "(CL_DEVICE_OPENCL_C_ALL_VERSIONS)",
        word);
    return {};
  }

  std::string folder_;
  CompilerOptions options_;
  bool has_standard_ = false;
};

Expected<std::vector<std::string>> WordsOf(const std::string& text, std::string_view which) {
  auto words = SplitOptions(text.substr(0, text.find('\0')));
  if (words) return words;
  return Fail(ErrorKind::kUsage, fmt::format("{}: a quote is not closed", which));
}

}  // namespace

Expected<CompilerOptions> ReadCompilerOptions(const std::string& text, const std::string& folder) {
  auto words = WordsOf(text, "build options");
  if (!words) return tl::unexpected(words.error());
  return Reader(folder.empty() ? "/" : folder).Read(*words);
}

Expected<LinkerOptions> ReadLinkerOptions(const std::string& text) {
  constexpr std::string_view kWhich = "linker options";
  auto words = WordsOf(text, kWhich);
  if (!words) return tl::unexpected(words.error());
  LinkerOptions options;
  bool enables = false;
  for (const std::string& word : *words) {
    if (word == "-create-library") {
      options.creates_library = true;
    } else if (word == "-enable-link-options") {
      enables = true;
    } else if (!Contains(kLinkerOptions, word)) {
      return Refuse(kWhich, word, "is no option of clLinkProgram (OpenCL API, 5.8.7)");
    }
  }
  if (enables && !options.creates_library) {
    return Refuse(kWhich, "-enable-link-options", "needs -create-library");
  }
  return options;
}

}  // namespace assay::frontend
