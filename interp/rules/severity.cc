#include "interp/rules/severity.h"

namespace assay::interp {

std::string_view Severity(FindingClass finding_class) {
  switch (finding_class) {
    case FindingClass::kImplementationDefined:
      return "warning";
    case FindingClass::kResourceLimit:
      return "limit";
    case FindingClass::kObservation:
      return "note";
    case FindingClass::kUndefinedBehavior:
    case FindingClass::kUndefinedValue:
      break;
  }
  return "error";
}

}  // namespace assay::interp
