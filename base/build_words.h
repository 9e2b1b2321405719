// The options of clBuildProgram as words.
//
// Whoever asks for an option asks here, so that a macro or a folder that is named like one is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::base {

// Words as a shell without expansions splits them; nothing where a quote is not closed.
std::optional<std::vector<std::string>> SplitWords(std::string_view text);

class BuildWords {
 public:
  // An option with its value: "-D A=1" and "-DA=1" have the same text.
  struct Word {
    std::string text;
    std::string raw;  // as it was written, with its quotes
  };

  // A quote that is not closed goes on to the end.
  explicit BuildWords(std::string_view options);

  const std::vector<Word>& words() const& { return words_; }
  void words() && = delete;  // a loop would outlive what it goes over
  bool Has(std::string_view option) const;
  // What follows in the last option that begins so: "CL2.0" of "-cl-std=".
  std::optional<std::string> Last(std::string_view beginning) const;

  // -cl-fast-relaxed-math is both (OpenCL API, "Optimization Options").
  bool AllowsUnsafeMath() const;
  bool AssumesFiniteMath() const;

 private:
  std::vector<Word> words_;
};

}  // namespace assay::base
