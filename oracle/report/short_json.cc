#include "oracle/report/short_json.h"

#include <nlohmann/json.hpp>

namespace assay::oracle {

void LeaveOutErrorsByOperand(nlohmann::ordered_json* report) {
  for (nlohmann::ordered_json& result : (*report)["results"]) {
    result.erase("binades");
    result.erase("plane");
  }
}

}  // namespace assay::oracle
