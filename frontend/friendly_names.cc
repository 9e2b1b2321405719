#include "frontend/friendly_names.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "frontend/decode.h"
#include "frontend/loader.h"
#include "frontend/rewritten.h"

namespace assay::frontend {
namespace {

std::string Sanitized(std::string_view name) {
  if (name.empty()) return "_";
  std::string result(name);
  for (char& c : result) {
    const bool is_kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!is_kept) c = '_';
  }
  return result;
}

class Names {
 public:
  // Makes the suggested name unique.
  const std::string& Add(std::string_view suggested) {
    const std::string base = Sanitized(suggested);
    const auto [place, added] = used_.insert(base);
    if (added) return *place;
    // Lower numbers are taken for good.
    for (std::uint64_t& number = next_[base];; ++number) {
      const auto [numbered, is_new] = used_.insert(fmt::format("{}_{}", base, number));
      if (is_new) return *numbered;
    }
  }

 private:
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, std::uint64_t> next_;
};

}  // namespace

std::vector<Word> WithFriendlyNames(const std::vector<Word>& words) {
  constexpr std::size_t kMaxWords = 0xffff;  // of an instruction
  std::vector<Word> copy(words.begin(), words.begin() + kHeaderWords);
  copy.reserve(words.size());
  Names names;
  std::unordered_set<Word> named;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    // The first name of an id is the one that counts.
    const bool counts =
        OpcodeOf(instruction[0]) == Op::kName && named.insert(instruction[1]).second;
    const std::string name = counts ? names.Add(*StringAt(instruction.subspan(2))) : "";
    const std::size_t count = 2 + StringWords(name.size());
    if (!counts || count > kMaxWords) {
      copy.insert(copy.end(), instruction.begin(), instruction.end());
      return;
    }
    AppendText(Op::kName, instruction.subspan(1, 1), name, &copy);
  });
  return copy;
}

}  // namespace assay::frontend
