#include "interp/debug/codec.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

#include "interp/debug/codec_members.h"

namespace assay::interp::debug {
namespace {

using Json = nlohmann::json;

template <typename T>
concept HasMembers = !std::is_same_v<decltype(kMembers<T>), const NoTable>;
template <typename T>
concept HasNames = !std::is_same_v<decltype(kEnumNames<T>), const NoTable>;

// --- writing ----------------------------------------------------------------------------------

Json Written(bool value) { return value; }
Json Written(const std::string& value) { return value; }
template <std::integral T>
Json Written(T value) {
  return value;
}

// JSON has neither infinities nor NaNs.
Json Written(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

template <HasNames T>
Json Written(T value) {
  return kEnumNames<T>[static_cast<std::size_t>(value)];
}

template <HasMembers T>
Json Written(const T& value);
template <typename T>
Json Written(const std::vector<T>& values);

Json Written(const Ids& values) { return Json(values); }

template <typename T>
Json Written(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(Written(value));
  return list;
}

template <typename T>
void WriteMember(Json* object, const char* name, const T& value) {
  (*object)[name] = Written(value);
}
template <typename T>
void WriteMember(Json* object, const char* name, const std::optional<T>& value) {
  if (value) (*object)[name] = Written(*value);
}

template <HasMembers T>
Json Written(const T& value) {
  Json object = Json::object();
  std::apply(
      [&](const auto&... member) { (WriteMember(&object, member.name, value.*member.place), ...); },
      kMembers<T>);
  return object;
}

template <typename Variant>
std::string Text(const Variant& message) {
  return std::visit(
      []<typename T>(const T& one) {
        const Json json{{kName<T>, Written(one)}};
        return json.dump(-1, ' ', false, Json::error_handler_t::replace);
      },
      message);
}

// --- reading ----------------------------------------------------------------------------------

// Fails with the path of a member: "a message: stopped.where.marker: an integer is expected".
class Reader {
 public:
  template <typename T>
  bool Read(const Json& json, T* value) {
    if constexpr (HasMembers<T>) {
      return ReadObject(json, value);
    } else if constexpr (HasNames<T>) {
      return ReadName(json, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) return Expects("true or false");
      *value = json.get<bool>();
      return true;
    } else if constexpr (std::is_integral_v<T>) {
      return ReadInteger(json, value);
    } else if constexpr (std::is_same_v<T, double>) {
      return ReadNumber(json, value);
    } else {
      static_assert(std::is_same_v<T, std::string>);
      if (!json.is_string()) return Expects("a text");
      *value = json.get_ref<const std::string&>();
      return true;
    }
  }

  template <typename T>
  bool Read(const Json& json, std::optional<T>* value) {
    return Read(json, &value->emplace());
  }

  template <typename T>
  bool Read(const Json& json, std::vector<T>* values) {
    if (!json.is_array()) return Expects("a list");
    values->clear();
    for (const Json& one : json) {
      if (!ReadPart(fmt::format("[{}]", values->size()), one, &values->emplace_back()))
        return false;
    }
    return true;
  }

  bool Read(const Json& json, Ids* ids) {
    if (!json.is_array() || json.size() != ids->size()) return Expects("a list of three integers");
    for (std::size_t i = 0; i < ids->size(); ++i) {
      if (!ReadPart(fmt::format("[{}]", i), json[i], &(*ids)[i])) return false;
    }
    return true;
  }

  template <typename T>
  bool ReadPart(const std::string& name, const Json& json, T* value) {
    const std::size_t before = path_.size();
    path_ += path_.empty() || name.starts_with("[") ? name : "." + name;
    if (!Read(json, value)) return false;
    path_.resize(before);
    return true;
  }

  tl::unexpected<Error> Failed() const {
    return Fail(ErrorKind::kInternal, fmt::format("a message: {}: {}", path_, problem_));
  }

 private:
  bool Expects(const char* what) {
    problem_ = fmt::format("{} is expected", what);
    return false;
  }

  template <typename T>
  bool ReadInteger(const Json& json, T* value) {
    const bool is_natural = json.is_number_unsigned();
    if (!is_natural && !json.is_number_integer()) return Expects("an integer");
    const bool fits = is_natural ? std::in_range<T>(json.get<std::uint64_t>())
                                 : std::in_range<T>(json.get<std::int64_t>());
    if (!fits) return Expects("an integer of this range");
    *value = json.get<T>();
    return true;
  }

  bool ReadNumber(const Json& json, double* value) {
    using Limits = std::numeric_limits<double>;
    if (json == "nan") {
      *value = Limits::quiet_NaN();
    } else if (json == "inf" || json == "-inf") {
      *value = json == "inf" ? Limits::infinity() : -Limits::infinity();
    } else if (json.is_number()) {
      *value = json.get<double>();
    } else {
      return Expects("a number");
    }
    return true;
  }

  template <typename T>
  bool ReadName(const Json& json, T* value) {
    for (std::size_t i = 0; i < std::size(kEnumNames<T>); ++i) {
      if (json != kEnumNames<T>[i]) continue;
      *value = static_cast<T>(i);
      return true;
    }
    problem_ =
        fmt::format("no such name: {}", json.dump(-1, ' ', false, Json::error_handler_t::replace));
    return false;
  }

  template <typename T>
  bool ReadMember(const Json& object, const char* name, T* value) {
    const auto found = object.find(name);
    if (found != object.end()) return ReadPart(name, *found, value);
    problem_ = fmt::format("'{}' is missing", name);
    return false;
  }
  template <typename T>
  bool ReadMember(const Json& object, const char* name, std::optional<T>* value) {
    const auto found = object.find(name);
    return found == object.end() || ReadPart(name, *found, value);
  }

  template <typename T>
  bool ReadObject(const Json& json, T* value) {
    if (!json.is_object()) return Expects("an object");
    return std::apply(
        [&](const auto&... member) {
          return (ReadMember(json, member.name, &(value->*member.place)) && ...);
        },
        kMembers<T>);
  }

  std::string path_;
  std::string problem_;
};

template <typename T, typename Variant>
bool IsRead(const std::string& name, const Json& json, Reader* reader, Expected<Variant>* message) {
  if (name != kName<T>) return false;
  T one;
  if (reader->ReadPart(name, json, &one)) {
    *message = std::move(one);
  } else {
    *message = reader->Failed();
  }
  return true;
}

template <typename... All>
Expected<std::variant<All...>> Parsed(std::string_view text, std::variant<All...>* /*type*/) {
  using Variant = std::variant<All...>;
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Fail(ErrorKind::kInternal, "a message that is no JSON");
  if (!json.is_object() || json.size() != 1) {
    return Fail(ErrorKind::kInternal, "a message: an object with one member is expected");
  }
  const std::string& name = json.begin().key();
  Reader reader;
  Expected<Variant> message = Fail(ErrorKind::kInternal, "");
  const bool is_known = (IsRead<All>(name, json.front(), &reader, &message) || ...);
  if (!is_known)
    return Fail(ErrorKind::kInternal, fmt::format("a message: no '{}' is known", name));
  return message;
}

}  // namespace

std::string Encode(const Request& request) { return Text(request); }
std::string Encode(const Message& message) { return Text(message); }

Expected<Request> DecodeRequest(std::string_view text) {
  return Parsed(text, static_cast<Request*>(nullptr));
}
Expected<Message> DecodeMessage(std::string_view text) {
  return Parsed(text, static_cast<Message*>(nullptr));
}

}  // namespace assay::interp::debug
