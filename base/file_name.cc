#include "base/file_name.h"

namespace assay::base {

std::string PlainFileName(std::string name) {
  constexpr std::size_t kMost = 100;
  for (char& letter : name) {
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9') || letter == '_';
    if (!is_plain) letter = '_';
  }
  return name.substr(0, kMost);
}

}  // namespace assay::base
