#include "tools/dap/framing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace assay::tools::dap {
namespace {

constexpr std::string_view kEnd = "\r\n\r\n";

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

Expected<std::size_t> LengthOf(std::string_view header) {
  std::optional<std::size_t> length;
  while (!header.empty()) {
    const std::size_t end = std::min(header.find("\r\n"), header.size());
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 2, header.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      return Fail(ErrorKind::kUsage,
                  "a header field without a colon; a message begins with "
                  "'Content-Length: N' and an empty line");
    }
    if (!EqualsIgnoringCase(line.substr(0, colon), "Content-Length")) continue;
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    std::size_t number = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || stop != value.data() + value.size()) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("Content-Length is no number of bytes: '{}'", value.substr(0, 40)));
    }
    if (length) return Fail(ErrorKind::kUsage, "a header with two Content-Length fields");
    length = number;
  }
  if (!length) return Fail(ErrorKind::kUsage, "a header without Content-Length");
  if (*length > kMostBodyBytes) {
    return Fail(ErrorKind::kUsage, fmt::format("a message of {} bytes; at most {} are accepted",
                                               *length, kMostBodyBytes));
  }
  return *length;
}

// Deeper than requests ever are, JSON could use up the stack where it is copied.
bool IsNestedTooDeeply(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostNesting) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Expected<bool> FrameReader::TakeOne() {
  const std::size_t end = buffer_.find(kEnd);
  if (std::min(end, buffer_.size()) > kMostHeaderBytes) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a header of more than {} bytes; this is no Debug Adapter Protocol",
                            kMostHeaderBytes));
  }
  if (end == std::string::npos) return false;
  const auto length = LengthOf(std::string_view(buffer_).substr(0, end));
  if (!length) return tl::unexpected(length.error());
  const std::size_t start = end + kEnd.size();
  if (buffer_.size() - start < *length) return false;
  bodies_.push_back(buffer_.substr(start, *length));
  buffer_.erase(0, start + *length);
  return true;
}

Expected<void> FrameReader::Feed(std::string_view bytes) {
  buffer_.append(bytes);
  for (;;) {
    const auto taken = TakeOne();
    if (!taken) return tl::unexpected(taken.error());
    if (!*taken) return {};
  }
}

Expected<Json> ParseBody(std::string_view body) {
  if (IsNestedTooDeeply(body)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a message that is nested more than {} deep", kMostNesting));
  }
  Json message = Json::parse(body, nullptr, false);
  if (message.is_discarded()) return Fail(ErrorKind::kUsage, "a message that is no JSON");
  return message;
}

std::string Framed(const OrderedJson& message) {
  const std::string body = message.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

}  // namespace assay::tools::dap
