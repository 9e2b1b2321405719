#include "tools/dap/hits.h"

#include <fmt/format.h>

#include <charconv>

#include "tools/debug/terminal.h"

namespace assay::tools::dap {

bool HitCondition::Holds(std::uint64_t hits) const {
  switch (kind) {
    case Kind::kFrom:
      return hits >= count;
    case Kind::kEqual:
      return hits == count;
    case Kind::kUpTo:
      return hits <= count;
    case Kind::kEvery:
      return hits % count == 0;
    case Kind::kAlways:
      break;
  }
  return true;
}

std::uint64_t HitCondition::Ignored() const {
  const bool waits = kind == Kind::kFrom || kind == Kind::kEqual || kind == Kind::kEvery;
  return waits && count > 0 ? count - 1 : 0;
}

Expected<HitCondition> ParseHitCondition(const std::string& text) {
  std::string rest = Trimmed(text);
  if (rest.empty()) return HitCondition{};
  std::string sign;
  while (!rest.empty() && std::string_view("<>=%").find(rest[0]) != std::string_view::npos) {
    sign += rest[0];
    rest.erase(0, 1);
  }
  rest = Trimmed(rest);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  using Kind = HitCondition::Kind;
  if (error == std::errc() && end == rest.data() + rest.size() && number < UINT64_MAX) {
    if (sign.empty() || sign == ">=") return HitCondition{Kind::kFrom, number};
    if (sign == ">") return HitCondition{Kind::kFrom, number + 1};
    if (sign == "==" || sign == "=") return HitCondition{Kind::kEqual, number};
    if (sign == "<=") return HitCondition{Kind::kUpTo, number};
    if (sign == "<" && number > 0) return HitCondition{Kind::kUpTo, number - 1};
    if (sign == "%" && number > 0) return HitCondition{Kind::kEvery, number};
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("hit condition '{}': write 5 or >=5, >5, ==5, <5, <=5 or %5", text));
}

}  // namespace assay::tools::dap
