// Any text as a job file or as an argument of a command line: a job or an error, and never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "interp/job/job.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::interp;
  constexpr std::uint64_t kMaxBytes = 1 << 16;  // so that no input is slow
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ParseJob(text, "fuzz.json", kMaxBytes);
  Job job{.max_bytes = kMaxBytes};
  (void)ParseArgument(text, &job);
  return 0;
}
