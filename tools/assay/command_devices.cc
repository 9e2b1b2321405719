// assay devices: what there is to validate on this machine.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "oracle/device.h"
#include "oracle/results_json.h"
#include "tools/assay/commands.h"
#include "tools/assay/exit_code.h"
#include "tools/assay/output.h"

namespace assay::tools {
namespace {

using numerics::Format;
using oracle::DeviceDescription;
using oracle::DeviceListing;

constexpr const char* kOtherDevices =
    "also:\n"
    "  --interpreter         assay's own interpreter\n"
    "  --library FILE.so     a C math library, such as libm.so.6\n"
    "  --pipe 'COMMAND'      a program that speaks docs/pipe-protocol.md\n"
    "  --recorded FILE       recorded answers\n";

// "float (no subnormals), double".
std::string FormatsText(const DeviceDescription& d) {
  std::string text;
  for (Format format : numerics::kAllFormats) {
    const int f = static_cast<int>(format);
    if (!d.supports[f]) continue;
    std::string notes;
    if (!d.denormals[f]) notes = "no subnormals";
    if (d.rounding[f] != numerics::Rounding::kRte) {
      notes += fmt::format("{}rounds {}", notes.empty() ? "" : ", ",
                           numerics::RoundingName(d.rounding[f]));
    }
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", Traits(format).name,
                        notes.empty() ? "" : fmt::format(" ({})", notes));
  }
  return text;
}

std::string_view ProfileName(const DeviceDescription& d) {
  return d.profile == oracle::Profile::kFull ? "full" : "embedded";
}

std::string Text(const DeviceListing& listing) {
  const DeviceDescription& d = listing.description;
  return fmt::format(
      "{}\n"
      "  device    {} ({})\n"
      "  version   {}; {}; driver {}\n"
      "  profile   {}, {} compute units\n"
      "  formats   {}\n\n",
      listing.selector, d.name, d.vendor, d.device_version, d.c_version, d.driver_version,
      ProfileName(d), d.compute_units, FormatsText(d));
}

nlohmann::ordered_json Json(const DeviceListing& listing) {
  nlohmann::ordered_json json = oracle::DeviceToJson(listing.description);
  json["option"] = listing.selector;
  return json;
}

int Devices(const std::string& json_path) {
  const auto listings = oracle::ListOpenClDevices();
  nlohmann::ordered_json json{{"schema", "assay-devices/1"},
                              {"devices", nlohmann::ordered_json::array()}};
  std::string text;
  if (listings) {
    for (const DeviceListing& listing : *listings) {
      text += Text(listing);
      json["devices"].push_back(Json(listing));
    }
  } else {
    // The other kinds of device need no OpenCL, so this is a note and not a failure.
    std::fprintf(stderr, "assay: note: %s\n", listings.error().message.c_str());
    json["note"] = listings.error().message;
  }
  return WriteResult(text + kOtherDevices, json, json_path);
}

}  // namespace

CLI::App* AddDevices(CLI::App& app, int* exit_code) {
  auto json = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("devices", "The devices that can be validated on this machine");
  command->add_option("--json", *json, "Write the list as JSON ('-': stdout)")
      ->expected(0, 1)
      ->default_str("-");
  command->footer(
      "Example: assay devices\n         RUSTICL_ENABLE=llvmpipe assay devices --json -");
  command->callback([json, exit_code, command] {
    if (command->count("--json") > 0 && json->empty()) *json = "-";
    *exit_code = Devices(*json);
  });
  return command;
}

}  // namespace assay::tools
