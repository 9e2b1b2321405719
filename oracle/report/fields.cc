#include "oracle/report/fields.h"

#include <charconv>

#include "numerics/literal.h"

namespace assay::oracle {

using base::JsonTree;
using numerics::JsonPlace;
using numerics::ScalarType;

JsonPlace ReportFields::Member(const JsonPlace& object, std::string_view key) {
  if (reader_.Failed()) return object;
  if (object.tree->kind != JsonTree::Kind::kObject) {
    reader_.Wrong(object, "an object is wanted here");
    return object;
  }
  if (auto found = reader_.Find(object, key)) return *found;
  reader_.Wrong(object, fmt::format("'{}' is missing; was the file edited?", key));
  return object;
}

std::uint64_t ReportFields::NumberOr(const JsonPlace& object, std::string_view key,
                                     std::uint64_t otherwise) {
  const auto found = reader_.Find(object, key);
  return found ? reader_.Unsigned(*found) : otherwise;
}

bool ReportFields::Flag(const JsonPlace& object, std::string_view key) {
  const JsonPlace place = Member(object, key);
  if (reader_.Failed()) return false;
  if (place.tree->kind != JsonTree::Kind::kBool)
    reader_.Wrong(place, "true or false is wanted here");
  return place.tree->text == "true";
}

// An error in ulp: a number that is not negative, "inf" for a wrong class, null where there is
// none.
double ReportFields::Ulp(const JsonPlace& place) {
  if (reader_.Failed()) return 0;
  const JsonTree& tree = *place.tree;
  if (tree.kind == JsonTree::Kind::kNull) return std::numeric_limits<double>::quiet_NaN();
  if (tree.kind == JsonTree::Kind::kString && tree.text == "inf") {
    return std::numeric_limits<double>::infinity();
  }
  double value = -1;
  const char* const end = tree.text.data() + tree.text.size();
  if (tree.kind == JsonTree::Kind::kNumber &&
      std::from_chars(tree.text.data(), end, value).ptr == end && value >= 0) {
    return value;
  }
  reader_.Wrong(place,
                fmt::format("'{}' is no error in ulp (a number from 0 on, or \"inf\")", tree.text));
  return 0;
}

numerics::Bits ReportFields::Bits(const JsonPlace& place, ScalarType type) {
  return reader_.Value(place, numerics::ParseLiteral(type, reader_.String(place)));
}

}  // namespace assay::oracle
