#include "frontend/text_names.h"

#include <algorithm>
#include <cstring>

#include "frontend/decode.h"
#include "frontend/loader.h"

namespace assay::frontend {
namespace {

// Words of the text, without comments; a string is one.
class TextWords {
 public:
  explicit TextWords(std::string_view text) : text_(text) {}

  std::string_view Next() {  // "" at the end
    while (place_ < text_.size() && (IsSpace(text_[place_]) || text_[place_] == ';')) {
      if (text_[place_] == ';') {
        place_ = std::min(text_.find('\n', place_), text_.size());
      } else {
        ++place_;
      }
    }
    const std::size_t start = place_;
    bool is_quoted = false;
    for (; place_ < text_.size(); ++place_) {
      const char c = text_[place_];
      if (c == '\\') {
        ++place_;
      } else if (c == '"') {
        is_quoted = !is_quoted;
      } else if (!is_quoted && (IsSpace(c) || c == ';')) {
        break;
      }
    }
    place_ = std::min(place_, text_.size());
    return text_.substr(start, place_ - start);
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  std::string_view text_;
  std::size_t place_ = 0;
};

// As the assembler decides it: OpenCL is none.
bool IsOpcode(std::string_view word) {
  return word.size() > 2 && word.starts_with("Op") && word[2] >= 'A' && word[2] <= 'Z';
}

struct NamedStatement {
  std::string_view opcode;
  std::string_view result;  // without the sign; "": none
};

std::vector<NamedStatement> NamedStatementsOf(std::string_view text) {
  std::vector<NamedStatement> statements;
  TextWords words(text);
  std::string_view before, second;  // the two words in front
  for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) {
    if (IsOpcode(word)) {
      const bool has_result = before == "=" && second.starts_with('%');
      statements.push_back({word, has_result ? second.substr(1) : std::string_view()});
    }
    second = before;
    before = word;
  }
  return statements;
}

// Where an instruction has its result's id; 0: none.
std::size_t ResultPlace(Op opcode) {
  const auto rule = FindInstruction(opcode);
  return rule && rule->HasResult() ? (rule->HasResultType() ? 2 : 1) : 0;
}

}  // namespace

std::vector<std::pair<Id, std::string>> ReadTextNames(std::string_view text,
                                                      std::span<const Word> words) {
  const std::vector<NamedStatement> statements = NamedStatementsOf(text);
  std::vector<std::pair<Id, std::string>> names;
  std::size_t place = 0;
  bool fits = true;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    fits = fits && place < statements.size() && NameOf(opcode) == statements[place].opcode;
    if (!fits) return;
    const std::string_view name = statements[place++].result;
    const std::size_t result = ResultPlace(opcode);
    const bool is_number =
        std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });  // or ""
    if (!is_number && result != 0 && result < instruction.size()) {
      names.emplace_back(instruction[result], name);
    }
  });
  if (!fits || place != statements.size()) return {};
  return names;
}

std::vector<Word> WithTextNames(std::string_view text, std::vector<Word> words) {
  bool is_named = false;
  std::size_t end = 0;  // of what stands before names (SPIR-V 2.4)
  ForEachInstruction(words, [&](std::size_t place, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    is_named = is_named || opcode == Op::kName;
    constexpr Op kBefore[] = {Op::kCapability,      Op::kExtension,      Op::kExtInstImport,
                              Op::kMemoryModel,     Op::kEntryPoint,     Op::kExecutionMode,
                              Op::kExecutionModeId, Op::kString,         Op::kSource,
                              Op::kSourceExtension, Op::kSourceContinued};
    const bool is_before = std::ranges::find(kBefore, opcode) != std::end(kBefore);
    if (end == 0 && !is_before) end = place;
  });
  if (is_named || end == 0) return words;
  std::vector<Word> names;
  constexpr std::size_t kLongest = 1000;  // an instruction has no more than 65535 words
  for (const auto& [id, name] : ReadTextNames(text, words)) {
    if (name.size() > kLongest) continue;
    const std::size_t characters = StringWords(name.size());
    names.push_back(static_cast<Word>((characters + 2) << 16) | static_cast<Word>(Op::kName));
    names.push_back(id);
    const std::size_t first = names.size();
    names.resize(first + characters);
    std::memcpy(&names[first], name.data(), name.size());
  }
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(end), names.begin(), names.end());
  return words;
}

}  // namespace assay::frontend
