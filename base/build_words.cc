#include "base/build_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace assay::base {
namespace {

// Options whose value may be a word of its own, whatever it begins with.
constexpr std::string_view kWithValue[] = {"-D",
                                           "-I",
                                           "-U",
                                           "-x",
                                           "-s",
                                           "-include",
                                           "-imacros",
                                           "-iquote",
                                           "-isystem",
                                           "-idirafter",
                                           "-include-pch",
                                           "-iprefix",
                                           "-isysroot",
                                           "-mllvm",
                                           "-cl-nv-maxrregcount",
                                           "-cl-nv-arch",
                                           "-cl-nv-opt-level"};

struct Split {
  std::vector<BuildWords::Word> words;
  bool is_closed = true;
};

Split WordsIn(std::string_view text) {
  Split split;
  BuildWords::Word word;
  bool started = false;
  char quote = '\0';
  const auto end = [&] {
    if (started) split.words.push_back(std::exchange(word, {}));
    started = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == '\0' && is_blank) {
      end();
      continue;
    }
    started = true;
    word.raw += c;
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word.text += text[++i];
      word.raw += text[i];
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else {
      word.text += c;
    }
  }
  end();
  split.is_closed = quote == '\0';
  return split;
}

}  // namespace

std::optional<std::vector<std::string>> SplitWords(std::string_view text) {
  Split split = WordsIn(text);
  if (!split.is_closed) return std::nullopt;
  std::vector<std::string> words;
  for (BuildWords::Word& word : split.words) words.push_back(std::move(word.text));
  return words;
}

BuildWords::BuildWords(std::string_view options) {
  std::vector<Word> words = WordsIn(options).words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size() &&
                           std::ranges::find(kWithValue, words[i].text) != std::end(kWithValue);
    words_.push_back(std::move(words[i]));
    if (!has_value) continue;
    words_.back().text += words[i + 1].text;
    words_.back().raw += " " + words[i + 1].raw;
    ++i;
  }
}

bool BuildWords::Has(std::string_view option) const {
  return std::ranges::find(words_, option, &Word::text) != words_.end();
}

std::optional<std::string> BuildWords::Last(std::string_view beginning) const {
  std::optional<std::string> last;
  for (const Word& word : words_) {
    if (word.text.starts_with(beginning)) last = word.text.substr(beginning.size());
  }
  return last;
}

bool BuildWords::AllowsUnsafeMath() const {
  return Has("-cl-unsafe-math-optimizations") || Has("-cl-fast-relaxed-math");
}

bool BuildWords::AssumesFiniteMath() const {
  return Has("-cl-finite-math-only") || Has("-cl-fast-relaxed-math");
}

}  // namespace assay::base
