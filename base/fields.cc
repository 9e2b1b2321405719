#include "base/fields.h"

#include <fmt/format.h>

namespace assay::base {

void AppendField(std::string_view field, std::string* text) {
  *text += fmt::format("{}:", field.size());
  *text += field;
}

std::optional<std::string_view> FieldReader::Field() {
  std::size_t length = 0;
  std::size_t digits = 0;
  for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
    if (digits == 12) return std::nullopt;
    length = length * 10 + static_cast<std::size_t>(rest_[digits] - '0');
  }
  if (digits == 0 || digits >= rest_.size() || rest_[digits] != ':') return std::nullopt;
  rest_.remove_prefix(digits + 1);
  if (length > rest_.size()) return std::nullopt;
  const std::string_view field = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return field;
}

}  // namespace assay::base
