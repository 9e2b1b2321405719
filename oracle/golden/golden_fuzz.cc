// Any bytes as a file of golden vectors, in each of its formats: vectors or an error, and never a
// crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "oracle/golden/encoding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::oracle;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  (void)ReadJson(content);
  (void)ReadBinary(content);
  (void)ReadCsv(content);
  (void)ReadTestFloat(content);
  (void)ReadHeader(content);
  return 0;
}
