#include "oracle/campaign/known_worst.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "numerics/literal.h"
#include "oracle/campaign/results_json.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Bits;

Expected<std::vector<Bits>> ArgumentsOf(const numerics::Operation& operation,
                                        const Json& sighting) {
  return numerics::ParseOperands(operation, sighting.at("args").get<std::vector<std::string>>());
}

Expected<void> AddResult(const Json& result, KnownWorst* known) {
  const std::string function = result.at("function"), format = result.at("format");
  Expected<numerics::Operation> operation = numerics::OperationFromName(function, format);
  if (!operation) return tl::unexpected<Error>(operation.error());
  std::vector<std::vector<Bits>>& inputs = (*known)[{function, format}];
  std::vector<Json> sightings(result.at("failures").begin(), result.at("failures").end());
  if (result.contains("worst")) sightings.insert(sightings.begin(), result.at("worst"));
  for (const Json& sighting : sightings) {
    Expected<std::vector<Bits>> args = ArgumentsOf(*operation, sighting);
    if (!args) return tl::unexpected<Error>(args.error());
    if (std::find(inputs.begin(), inputs.end(), *args) == inputs.end()) inputs.push_back(*args);
  }
  return {};
}

}  // namespace

Expected<void> AddKnownWorst(const std::string& path, KnownWorst* known) {
  const auto refused = [&](const std::string& why) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is no report to take inputs from: {}; give a "
                                               "--json file of `assay validate`",
                                               path, why));
  };
  const Expected<std::string> text = base::ReadWholeFile(path);
  if (!text) return Fail(ErrorKind::kUsage, fmt::format("--worst-from {}", text.error().message));
  const Json json = base::ParseJson(*text);
  if (json.is_discarded() || !json.is_object()) return refused("it is not JSON, perhaps truncated");
  if (!json.contains("schema") || json["schema"] != kReportSchema) {
    return refused(fmt::format("its schema is not {}", kReportSchema));
  }
  try {
    for (const Json& result : json.at("results")) {
      if (Expected<void> added = AddResult(result, known); !added) {
        return refused(added.error().message);
      }
    }
  } catch (const nlohmann::json::exception& error) {
    return refused(error.what());
  }
  return {};
}

}  // namespace assay::oracle
