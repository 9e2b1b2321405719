#include "base/json_text.h"

#include <istream>
#include <nlohmann/json.hpp>

namespace assay::base {

using Json = nlohmann::ordered_json;

Json ParseJson(std::string_view text) { return Json::parse(text, nullptr, false); }

Json ParseJson(std::istream& text) { return Json::parse(text, nullptr, false); }

std::string JsonText(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace assay::base
