#include "interp/rules/detector_list.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace assay::interp {
namespace {

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// "races", or "race" as `catch` and --ignore take it, too.
std::optional<Detector> DetectorNamed(const std::string& name) {
  const auto detector = FindDetector(name);
  return detector ? detector : FindDetector(name + "s");
}

}  // namespace

tl::expected<DetectorSet, DetectorListError> ParseDetectorList(std::string_view text) {
  if (text == "none") return DetectorSet{};
  std::vector<std::string> words = WordsOf(text);
  DetectorSet set;
  bool from_all = words[0] == "all";
  if (from_all) {
    words.erase(words.begin());
  } else {
    from_all = words[0].starts_with('-');
  }
  if (from_all) set = DetectorSet::All();
  for (const std::string& word : words) {
    const bool removes = word.starts_with('-');
    const std::string name = word.substr(removes ? 1 : 0);
    const auto detector = DetectorNamed(name);
    if (!detector) return tl::unexpected(DetectorListError{.unknown = name});
    // Detectors that `all` does not include may be named beside it.
    if (removes != from_all && !(from_all && IsOptIn(*detector))) {
      return tl::unexpected(DetectorListError{.is_mixed = true});
    }
    if (removes) {
      set.bits &= ~(std::uint32_t{1} << static_cast<int>(*detector));
    } else {
      set.Add(*detector);
    }
  }
  return set;
}

}  // namespace assay::interp
