#include "oracle/campaign/origin.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

namespace assay::oracle {
namespace {

std::time_t Now() {
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (epoch == nullptr) return std::time(nullptr);
  std::time_t seconds = 0;
  const char* const end = epoch + std::strlen(epoch);
  const auto [read, error] = std::from_chars(epoch, end, seconds);
  return error == std::errc() && read == end && read != epoch ? seconds : std::time(nullptr);
}

}  // namespace

Origin OriginOf(std::string command) {
  const std::time_t now = Now();
  std::tm parts{};
  std::array<char, 64> text{};
  if (gmtime_r(&now, &parts) != nullptr) {
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  }
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return {.date = text.data(), .host = host.data(), .command = std::move(command)};
}

std::string OriginText(const Origin& origin) {
  if (origin.host.empty()) return origin.date;
  return origin.date + (origin.date.empty() ? "on " : " on ") + origin.host;
}

}  // namespace assay::oracle
