// Whether words can be gone through instruction by instruction, before a module is made of them.
#pragma once

#include <span>

#include "frontend/loader.h"

namespace assay::frontend {

inline bool IsWholeModule(std::span<const Word> words) {
  if (words.size() < kHeaderWords) return false;
  for (std::size_t place = kHeaderWords; place < words.size();) {
    const std::size_t count = words[place] >> 16;
    if (count == 0 || count > words.size() - place) return false;
    place += count;
  }
  return true;
}

}  // namespace assay::frontend
