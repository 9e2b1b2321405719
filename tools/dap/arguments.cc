#include "tools/dap/arguments.h"

#include <fmt/format.h>

#include <charconv>

namespace assay::tools::dap {
namespace {

// What a number of JSON can hold exactly in any client; sums of such integers do not overflow.
constexpr std::int64_t kMostInteger = std::int64_t{1} << 53;

}  // namespace

Expected<std::uint64_t> ParseAddress(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is no address", text));
  }
  return number;
}

const Json* Arguments::Find(const std::string& key) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool Arguments::Has(const std::string& key) const { return Find(key) != nullptr; }

tl::unexpected<Error> Arguments::Missing(const std::string& key, const char* kind) const {
  return Fail(ErrorKind::kUsage, fmt::format("{} {} '{}', which must be {}", what_,
                                             Has(key) ? "has a wrong" : "needs", key, kind));
}

Expected<std::int64_t> Arguments::Integer(const std::string& key) const {
  const Json* value = Find(key);
  if (value == nullptr || !value->is_number_integer()) return Missing(key, "an integer");
  const bool is_small = value->is_number_unsigned()
                            ? value->get<std::uint64_t>() <= std::uint64_t{kMostInteger}
                            : value->get<std::int64_t>() >= -kMostInteger;
  if (!is_small) return Missing(key, "an integer of at most 53 bits");
  return value->get<std::int64_t>();
}

Expected<std::int64_t> Arguments::Integer(const std::string& key, std::int64_t otherwise) const {
  return Has(key) ? Integer(key) : otherwise;
}

Expected<std::string> Arguments::Text(const std::string& key) const {
  const Json* value = Find(key);
  if (value == nullptr || !value->is_string()) return Missing(key, "a string");
  return value->get<std::string>();
}

Expected<std::string> Arguments::Text(const std::string& key, const std::string& otherwise) const {
  return Has(key) ? Text(key) : otherwise;
}

Expected<bool> Arguments::Flag(const std::string& key, bool otherwise) const {
  const Json* value = Find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) return Missing(key, "true or false");
  return value->get<bool>();
}

Expected<std::string> Arguments::Format() const {
  const auto format = Object("format");
  if (!format) return tl::unexpected(format.error());
  const auto hex = format->Flag("hex", false);
  if (!hex) return tl::unexpected(hex.error());
  return std::string(*hex ? "x" : "");
}

Expected<Arguments> Arguments::Object(const std::string& key) const {
  const Json* value = Find(key);
  const std::string name = fmt::format("'{}' of {}", key, what_);
  if (value == nullptr) return Arguments(Json::object(), name);
  if (!value->is_object()) return Missing(key, "an object");
  return Arguments(*value, name);
}

Expected<const Json*> Arguments::Array(const std::string& key) const {
  static const Json kNone = Json::array();
  const Json* value = Find(key);
  if (value == nullptr) return &kNone;
  if (!value->is_array()) return Missing(key, "an array");
  return value;
}

Expected<std::vector<Arguments>> Arguments::Objects(const std::string& key) const {
  const auto array = Array(key);
  if (!array) return tl::unexpected(array.error());
  std::vector<Arguments> objects;
  for (const Json& one : **array) {
    if (!one.is_object()) return Missing(key, "an array of objects");
    objects.emplace_back(one, fmt::format("'{}' number {} of {}", key, objects.size() + 1, what_));
  }
  return objects;
}

Expected<std::vector<std::string>> Arguments::Texts(const std::string& key) const {
  const auto array = Array(key);
  if (!array) return tl::unexpected(array.error());
  std::vector<std::string> texts;
  for (const Json& one : **array) {
    if (!one.is_string()) return Missing(key, "an array of strings");
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

}  // namespace assay::tools::dap
