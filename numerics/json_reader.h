// Reads a JSON document whose schema is known.  Only the first error is kept, with the file and the
// JSON pointer (RFC 6901) of its place.  Values that are read after it are empty and harmless, so a
// reader checks for an error once, at its end.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/json_tree.h"

namespace assay::numerics {

struct JsonPlace {
  const base::JsonTree* tree = nullptr;
  std::string pointer;  // "/args/2"; "" is the whole document
};

class JsonReader {
 public:
  using Kind = base::JsonTree::Kind;

  explicit JsonReader(std::string file, const base::Budget& budget = {})
      : file_(std::move(file)), budget_(budget) {}

  const std::optional<Error>& error() const { return error_; }
  bool Failed() const { return error_.has_value(); }
  void Wrong(const JsonPlace& place, std::string_view message, ErrorKind kind = ErrorKind::kUsage);
  // The error "WANTED, not a string".
  void WrongKind(const JsonPlace& place, std::string_view wanted);

  // Checks for an object that has only these keys.
  bool IsObject(const JsonPlace& place, std::initializer_list<std::string_view> keys);
  std::optional<JsonPlace> Find(const JsonPlace& object, std::string_view key) const;
  // The key of an object with exactly one key, which selects an alternative.  Empty after an error.
  std::string OnlyKey(const JsonPlace& object, std::initializer_list<std::string_view> keys);

  std::vector<JsonPlace> Items(const JsonPlace& array);     // of an array
  std::vector<JsonPlace> Members(const JsonPlace& object);  // of an object
  std::string String(const JsonPlace& place);
  std::vector<std::string> Strings(const JsonPlace& place);
  std::uint64_t Unsigned(const JsonPlace& place, std::uint64_t highest = ~std::uint64_t{0});
  // A number, bits in a string, "inf" or true: text for ParseComponent.
  std::string Literal(const JsonPlace& place);
  // One literal, or an array of literals; nested arrays are flattened in order.
  std::vector<std::string> Literals(const JsonPlace& place);

  // Returns the value of an Expected, or keeps its error with the place.
  template <typename T>
  T Value(const JsonPlace& place, Expected<T> value) {
    if (value) return std::move(*value);
    Wrong(place, value.error().message, value.error().kind);
    return T{};
  }

 private:
  static JsonPlace Child(const JsonPlace& parent, std::size_t index);
  bool Is(const JsonPlace& place, Kind kind);
  void AddLiterals(const JsonPlace& place, std::vector<std::string>* literals);

  // Whether reading continues; checked before every step that allocates.
  bool GoesOn();

  std::string file_;
  base::Budget budget_;
  std::optional<Error> error_;
};

}  // namespace assay::numerics
