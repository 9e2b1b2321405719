// What requests to a served device have in common as JSON.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace assay::oracle {

// An enumerator of 0 to `last`; another number is thrown as std::out_of_range.
template <typename Enum>
Enum EnumFrom(const nlohmann::json& value, Enum last) {
  const auto number = value.get<std::int64_t>();
  if (number < 0 || number > static_cast<std::int64_t>(last)) {
    throw std::out_of_range(fmt::format("{} is no value of its field", number));
  }
  return static_cast<Enum>(number);
}

}  // namespace assay::oracle
