#include "numerics/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "numerics/literal.h"
#include "numerics/near_names.h"

namespace assay::numerics {
namespace {

std::string_view KindName(base::JsonTree::Kind kind) {
  constexpr std::string_view kNames[] = {"null",     "true or false", "a number",
                                         "a string", "an array",      "an object"};
  return kNames[static_cast<int>(kind)];
}

// RFC 6901, 3.
std::string Escaped(std::string_view key) {
  std::string escaped;
  for (char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return escaped;
}

}  // namespace

void JsonReader::Wrong(const JsonPlace& place, std::string_view message, ErrorKind kind) {
  if (error_) return;
  const std::string pointer = place.pointer.empty() ? "" : place.pointer + ": ";
  error_ = Error{kind, fmt::format("{}: {}{}", file_, pointer, message)};
}

void JsonReader::WrongKind(const JsonPlace& place, std::string_view wanted) {
  Wrong(place, fmt::format("{}, not {}", wanted, KindName(place.tree->kind)));
}

JsonPlace JsonReader::Child(const JsonPlace& parent, std::size_t index) {
  const bool object = parent.tree->kind == Kind::kObject;
  return {&parent.tree->items[index],
          fmt::format("{}/{}", parent.pointer,
                      object ? Escaped(parent.tree->keys[index]) : std::to_string(index))};
}

bool JsonReader::GoesOn() {
  if (!error_ && budget_.IsExceeded()) error_ = budget_.Reached().value();
  return !error_;
}

bool JsonReader::Is(const JsonPlace& place, Kind kind) {
  if (Failed()) return false;
  if (place.tree->kind == kind) return true;
  WrongKind(place, fmt::format("{} is wanted here", KindName(kind)));
  return false;
}

bool JsonReader::IsObject(const JsonPlace& place, std::initializer_list<std::string_view> keys) {
  if (!Is(place, Kind::kObject)) return false;
  for (const std::string& key : place.tree->keys) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const std::vector<std::string> known(keys.begin(), keys.end());
    const std::string near = NearNames(key, known);
    Wrong(place, near.empty() ? fmt::format("unknown key '{}'; the keys here are {}", key,
                                            fmt::join(known, ", "))
                              : fmt::format("unknown key '{}': did you mean {}?", key, near));
    return false;
  }
  return true;
}

std::optional<JsonPlace> JsonReader::Find(const JsonPlace& object, std::string_view key) const {
  if (Failed() || object.tree->kind != Kind::kObject) return std::nullopt;
  const base::JsonTree* found = object.tree->Find(key);
  if (found == nullptr) return std::nullopt;
  return Child(object, static_cast<std::size_t>(found - object.tree->items.data()));
}

std::string JsonReader::OnlyKey(const JsonPlace& object,
                                std::initializer_list<std::string_view> keys) {
  if (!IsObject(object, keys)) return "";
  if (object.tree->keys.size() == 1) return object.tree->keys[0];
  Wrong(object,
        fmt::format("{} of these keys is wanted here: {}",
                    object.tree->keys.empty() ? "one" : "exactly one", fmt::join(keys, ", ")));
  return "";
}

std::vector<JsonPlace> JsonReader::Items(const JsonPlace& array) {
  std::vector<JsonPlace> items;
  if (!Is(array, Kind::kArray)) return items;
  for (std::size_t i = 0; i < array.tree->items.size() && GoesOn(); ++i) {
    items.push_back(Child(array, i));
  }
  return items;
}

std::vector<JsonPlace> JsonReader::Members(const JsonPlace& object) {
  std::vector<JsonPlace> members;
  if (!Is(object, Kind::kObject)) return members;
  for (std::size_t i = 0; i < object.tree->items.size() && GoesOn(); ++i) {
    members.push_back(Child(object, i));
  }
  return members;
}

std::string JsonReader::String(const JsonPlace& place) {
  return Is(place, Kind::kString) ? place.tree->text : "";
}

std::vector<std::string> JsonReader::Strings(const JsonPlace& place) {
  std::vector<std::string> strings;
  for (const JsonPlace& item : Items(place)) strings.push_back(String(item));
  return strings;
}

std::uint64_t JsonReader::Unsigned(const JsonPlace& place, std::uint64_t highest) {
  if (!Is(place, Kind::kNumber)) return 0;
  const auto value = ParseLiteral(ScalarType::kUlong, place.tree->text);
  if (value && *value <= highest) return *value;
  Wrong(place, fmt::format("{} is no whole number from 0 to {}", place.tree->text, highest));
  return 0;
}

std::string JsonReader::Literal(const JsonPlace& place) {
  if (Failed()) return "";
  const Kind kind = place.tree->kind;
  if (kind == Kind::kNumber || kind == Kind::kString || kind == Kind::kBool) {
    return place.tree->text;
  }
  WrongKind(place, "a number is wanted here");
  return "";
}

void JsonReader::AddLiterals(const JsonPlace& place, std::vector<std::string>* literals) {
  if (place.tree->kind != Kind::kArray) {
    literals->push_back(Literal(place));
    return;
  }
  for (std::size_t i = 0; i < place.tree->items.size() && GoesOn(); ++i) {
    const base::JsonTree& item = place.tree->items[i];
    // The usual case without a pointer for each of a million numbers.
    if (item.kind == Kind::kNumber) {
      literals->push_back(item.text);
    } else {
      AddLiterals(Child(place, i), literals);
    }
  }
}

std::vector<std::string> JsonReader::Literals(const JsonPlace& place) {
  std::vector<std::string> literals;
  if (!Failed()) AddLiterals(place, &literals);
  return literals;
}

}  // namespace assay::numerics
