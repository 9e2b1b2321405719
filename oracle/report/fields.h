// What the members of a report in JSON are made of: numbers, errors in ulp, operands, names.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_reader.h"
#include "numerics/operation.h"

namespace assay::oracle {

class ReportFields {
 protected:
  static constexpr std::uint64_t kMaxWidth = 16;

  explicit ReportFields(const std::string& path) : reader_(path) {}

  // A member that has to be there.  The place of the object itself stands in for one that is not:
  // after the error, whatever is read is empty.
  base::JsonPlace Member(const base::JsonPlace& object, std::string_view key);
  std::string Text(const base::JsonPlace& object, std::string_view key) {
    return reader_.String(Member(object, key));
  }
  std::uint64_t Number(const base::JsonPlace& object, std::string_view key,
                       std::uint64_t highest = std::numeric_limits<std::uint64_t>::max()) {
    return reader_.Unsigned(Member(object, key), highest);
  }
  std::uint64_t NumberOr(const base::JsonPlace& object, std::string_view key,
                         std::uint64_t otherwise);
  int Width(const base::JsonPlace& place) {
    return static_cast<int>(reader_.Unsigned(place, kMaxWidth));
  }
  bool Flag(const base::JsonPlace& object, std::string_view key);
  double Ulp(const base::JsonPlace& place);
  numerics::Bits Bits(const base::JsonPlace& place, numerics::ScalarType type);
  // One of a few names; the first value of its type after an error.
  template <typename T>
  T Choice(const base::JsonPlace& place,
           std::initializer_list<std::pair<std::string_view, T>> choices);

  base::JsonReader reader_;
};

template <typename T>
T ReportFields::Choice(const base::JsonPlace& place,
                       std::initializer_list<std::pair<std::string_view, T>> choices) {
  const std::string text = reader_.String(place);
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  reader_.Wrong(place, fmt::format("'{}' is none of {}", text, names));
  return T{};
}

}  // namespace assay::oracle
