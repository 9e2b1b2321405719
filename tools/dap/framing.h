// Messages of the Debug Adapter Protocol on two descriptors: a header with their length, an empty
// line, and JSON (microsoft.github.io/debug-adapter-protocol/overview, "Base Protocol").
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace assay::tools::dap {

// Objects are maps: a hostile one with a million keys is read in no time.
using Json = nlohmann::json;
// Messages to the client keep the order of their keys.
using OrderedJson = nlohmann::ordered_json;

inline constexpr std::size_t kMostHeaderBytes = 4096;
inline constexpr std::size_t kMostBodyBytes = std::size_t{16} << 20;
inline constexpr int kMostNesting = 64;

// Takes bytes as they come and gives the bodies that are complete.
class FrameReader {
 public:
  // kUsage where no message can begin: there is no way to find the next one.
  Expected<void> Feed(std::string_view bytes);
  std::deque<std::string>& bodies() { return bodies_; }
  // Whether a message has begun that is not there yet.
  bool IsInside() const { return !buffer_.empty(); }

 private:
  Expected<bool> TakeOne();

  std::string buffer_;
  std::deque<std::string> bodies_;
};

// kUsage if it is not JSON, or is nested deeper than any request.
Expected<Json> ParseBody(std::string_view body);

// The header and the body; text that is no UTF-8 is replaced.
std::string Framed(const OrderedJson& message);

}  // namespace assay::tools::dap
