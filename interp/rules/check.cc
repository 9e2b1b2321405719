#include "interp/rules/check.h"

#include <cstddef>

namespace assay::interp {
namespace {

#define INTEGERS false
#define FLOATS true
constexpr CheckRow kRows[] = {
#define CHECK(name, detector, rule, kinds, arity, condition, message) \
  {#name, Detector::detector, rule, kinds, arity, message},
#define OBJECT_CHECK(name, detector, rule) {#name, Detector::detector, rule, INTEGERS, 0, ""},
#include "interp/rules/checks.def"
#undef CHECK
};
#undef INTEGERS
#undef FLOATS

}  // namespace

const CheckRow& RowOf(Check check) { return kRows[static_cast<std::size_t>(check)]; }

}  // namespace assay::interp
