#include "interp/rules/check.h"

#include <cstddef>

#include "interp/rules/rule.h"

namespace assay::interp {
namespace {

#define INTEGERS false
#define FLOATS true
constexpr CheckRow kRows[] = {
#define CHECK(name, rule, kinds, arity, condition, message) \
  {#name, Rule::k##rule, kinds, arity, message},
#define OBJECT_CHECK(name, rule) {#name, Rule::k##rule, INTEGERS, 0, ""},
#include "interp/rules/checks.def"
#undef CHECK
};
#undef INTEGERS
#undef FLOATS

}  // namespace

const CheckRow& RowOf(Check check) { return kRows[static_cast<std::size_t>(check)]; }

Detector DetectorOf(Check check) { return RowOf(RowOf(check).rule).detector.value(); }

}  // namespace assay::interp
