#include "oracle/campaign/key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/json_text.h"
#include "oracle/campaign/results_json.h"
#include "oracle/devices/identity.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Operation;

// A digest of the inputs, because RunToJson has only their number.
std::string DigestOf(const KnownWorst& known) {
  base::Digest digest;
  for (const auto& [operation, inputs] : known) {
    digest.AddField(operation.first).AddField(operation.second);
    for (const auto& args : inputs) digest.AddField(fmt::format("{}", fmt::join(args, ",")));
  }
  return digest.Finish();
}

// Below `path`.
std::string DifferenceBelow(const Json& mine, const Json& theirs, const std::string& path) {
  if (mine.is_object() && theirs.is_object()) {
    for (const auto& [name, value] : mine.items()) {
      if (!theirs.contains(name)) return path + name;
      if (value != theirs[name]) return DifferenceBelow(value, theirs[name], path + name + ".");
    }
    for (const auto& [name, value] : theirs.items()) {
      if (!mine.contains(name)) return path + name;
    }
  }
  if (mine.is_array() && theirs.is_array() && mine.size() == theirs.size()) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i] == theirs[i]) continue;
      // A part of an identity has a name of its own.
      const bool named = mine[i].is_object() && mine[i].contains("what");
      const std::string name = named ? mine[i]["what"].get<std::string>() : std::to_string(i);
      return DifferenceBelow(mine[i], theirs[i], path + name + ".");
    }
  }
  constexpr std::size_t kShown = 240;
  return fmt::format("{} (here {}, there {})", path.substr(0, path.size() - 1),
                     base::JsonText(mine).substr(0, kShown),
                     base::JsonText(theirs).substr(0, kShown));
}

}  // namespace

Json KeyOf(const DeviceDescription& device, const RunInfo& run,
           const std::vector<Operation>& operations) {
  Json names = Json::array();
  for (const Operation& operation : operations) {
    names.push_back(operation.Name() + ":" + operation.FormatName());
  }
  RunInfo asked = run;
  asked.origin = {};  // decides nothing
  Json key{{"assay", IdentityOfAssay().value},
           {"device", DeviceToJson(device)},
           {"run", RunToJson(asked)},
           {"operations", names}};
  const KnownWorst& known = run.options.known_worst;
  if (!known.empty()) key["worst_from"] = DigestOf(known);
  return key;
}

std::string DifferenceOf(const Json& mine, const Json& theirs) {
  return DifferenceBelow(mine, theirs, "");
}

}  // namespace assay::oracle
