#include "testsuites/hostile/icd/fault.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <vector>

#include "testsuites/hostile/icd/misdeeds.h"

namespace assay::hostile {
namespace {

constexpr int kOutOfResources = -5;

struct Word {
  std::string name;
  std::string place;
};

const std::vector<Word>& Words() {
  static const std::vector<Word> kWords = [] {
    std::vector<Word> words;
    const char* text = std::getenv("ASSAY_HOSTILE_ICD");
    std::string_view left = text == nullptr ? "" : text;
    while (!left.empty()) {
      const std::string_view word = left.substr(0, left.find(','));
      left.remove_prefix(std::min(word.size() + 1, left.size()));
      const std::size_t at = word.find('@');
      words.push_back({std::string(word.substr(0, at)),
                       at == std::string_view::npos ? "" : std::string(word.substr(at + 1))});
    }
    return words;
  }();
  return kWords;
}

// For a test that waits for it: an empty file of the stage's name.
void Mark(const std::string& stage) {
  const char* folder = std::getenv("ASSAY_HOSTILE_MARKS");
  if (folder == nullptr) return;
  const int file = creat((std::string(folder) + "/" + stage).c_str(), 0600);
  if (file >= 0) close(file);
}

}  // namespace

bool Has(std::string_view word) { return PlaceOf(word).has_value(); }

std::optional<std::string> PlaceOf(std::string_view word) {
  for (const Word& known : Words()) {
    if (known.name == word) return known.place;
  }
  return std::nullopt;
}

bool HasAt(std::string_view word, std::string_view place) {
  for (const Word& known : Words()) {
    if (known.name == word && known.place == place) return true;
  }
  return false;
}

std::uint64_t NumberOf(std::string_view word, std::uint64_t otherwise) {
  const auto place = PlaceOf(word);
  return place && !place->empty() ? std::strtoull(place->c_str(), nullptr, 10) : otherwise;
}

void Enter(std::string_view stage) {
  for (const Word& word : Words()) {
    if (word.place != stage) continue;
    Mark(word.place);
    Misbehave(word.name);
  }
}

int ErrorAt(std::string_view stage) {
  if (HasAt("error", stage)) return kOutOfResources;
  static std::map<std::string, std::uint64_t, std::less<>> calls;
  const auto after = PlaceOf("error_after");
  if (!after || !after->starts_with(stage) || after->find(':') != stage.size()) return 0;
  const std::uint64_t most = std::strtoull(after->c_str() + stage.size() + 1, nullptr, 10);
  return ++calls[std::string(stage)] > most ? kOutOfResources : 0;
}

}  // namespace assay::hostile
