// Shards of a validation as processes of this machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::tools {

struct LocalSweep {
  std::string program;
  std::vector<std::string> words;  // the shards' (ShardWords)
  std::string folder;              // exists
  std::uint64_t count = 1;         // of all shards
  std::vector<std::uint64_t> missing;
  int processes = 1;                 // at a time
  std::vector<std::string> devices;  // not empty: words that select a device; the shards take turns
  int threads = 0;                   // of each; 0: as the words say
  std::function<void(std::uint64_t finished)> progress;
};

// Starts them, and each again from its checkpoint if it is killed, twice at most.  kDevice where
// one does not end with a result: the message has its last words.  False: interrupted.
Expected<bool> RunLocally(const LocalSweep& sweep);

}  // namespace assay::tools
