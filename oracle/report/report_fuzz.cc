// Any text as a report of `assay validate --json`: a report or an error, and never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "oracle/report/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)assay::oracle::ReportFromText({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  return 0;
}
