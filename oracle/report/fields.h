// What the members of a report in JSON are made of: numbers, errors in ulp, operands, names.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "numerics/json_reader.h"
#include "numerics/operation.h"

namespace assay::oracle {

class ReportFields {
 protected:
  static constexpr std::uint64_t kMaxWidth = 16;

  explicit ReportFields(const std::string& path) : reader_(path) {}

  // A member that has to be there.  The place of the object itself stands in for one that is not:
  // after the error, whatever is read is empty.
  numerics::JsonPlace Member(const numerics::JsonPlace& object, std::string_view key);
  std::string Text(const numerics::JsonPlace& object, std::string_view key) {
    return reader_.String(Member(object, key));
  }
  std::uint64_t Number(const numerics::JsonPlace& object, std::string_view key,
                       std::uint64_t highest = std::numeric_limits<std::uint64_t>::max()) {
    return reader_.Unsigned(Member(object, key), highest);
  }
  std::uint64_t NumberOr(const numerics::JsonPlace& object, std::string_view key,
                         std::uint64_t otherwise);
  int Width(const numerics::JsonPlace& place) {
    return static_cast<int>(reader_.Unsigned(place, kMaxWidth));
  }
  bool Flag(const numerics::JsonPlace& object, std::string_view key);
  double Ulp(const numerics::JsonPlace& place);
  numerics::Bits Bits(const numerics::JsonPlace& place, numerics::ScalarType type);
  // One of a few names; the first value of its type after an error.
  template <typename T>
  T Choice(const numerics::JsonPlace& place,
           std::initializer_list<std::pair<std::string_view, T>> choices);

  numerics::JsonReader reader_;
};

template <typename T>
T ReportFields::Choice(const numerics::JsonPlace& place,
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
