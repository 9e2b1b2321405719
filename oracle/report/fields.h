// What the members of a report in JSON are made of: numbers, errors in ulp, operands, names.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "interp/job/json_reader.h"
#include "numerics/operation.h"

namespace assay::oracle {

class ReportFields {
 protected:
  static constexpr std::uint64_t kMaxWidth = 16;

  explicit ReportFields(const std::string& path) : reader_(path) {}

  // A member that has to be there.  The place of the object itself stands in for one that is not:
  // after the error, whatever is read is empty.
  interp::JsonPlace Member(const interp::JsonPlace& object, std::string_view key);
  std::string Text(const interp::JsonPlace& object, std::string_view key) {
    return reader_.String(Member(object, key));
  }
  std::uint64_t Number(const interp::JsonPlace& object, std::string_view key,
                       std::uint64_t highest = std::numeric_limits<std::uint64_t>::max()) {
    return reader_.Unsigned(Member(object, key), highest);
  }
  std::uint64_t NumberOr(const interp::JsonPlace& object, std::string_view key,
                         std::uint64_t otherwise);
  int Width(const interp::JsonPlace& place) {
    return static_cast<int>(reader_.Unsigned(place, kMaxWidth));
  }
  bool Flag(const interp::JsonPlace& object, std::string_view key);
  double Ulp(const interp::JsonPlace& place);
  numerics::Bits Bits(const interp::JsonPlace& place, numerics::ScalarType type);
  // One of a few names; the first value of its type after an error.
  template <typename T>
  T Choice(const interp::JsonPlace& place,
           std::initializer_list<std::pair<std::string_view, T>> choices);

  interp::JsonReader reader_;
};

template <typename T>
T ReportFields::Choice(const interp::JsonPlace& place,
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
