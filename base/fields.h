// Texts in one text: each has its length in front, so they may have any bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::base {

// "5:hello".
void AppendField(std::string_view field, std::string* text);

class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}

  // Nothing at the end, and where there is no field.
  std::optional<std::string_view> Field();
  bool AtEnd() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace assay::base
