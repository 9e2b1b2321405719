// assay devices: what there is to validate on this machine.  OpenCL drivers are asked in a child.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/text.h"
#include "oracle/campaign/results_json.h"
#include "oracle/devices/device.h"
#include "oracle/devices/opencl_listing.h"
#include "tools/assay/commands.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

using base::Printable;
using numerics::Format;
using oracle::DeviceDescription;
using oracle::DeviceListing;
using oracle::OpenClListing;

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
  constexpr std::size_t kColumn = 12;  // where what is said begins
  const DeviceDescription& d = listing.description;
  return fmt::format(
      "{}\n"
      "  device    {} ({})\n"
      "  version   {}\n"
      "  profile   {}, {} compute units\n"
      "  formats   {}\n\n",
      Printable(listing.selector), Printable(d.name), Printable(d.vendor),
      base::Wrapped(fmt::format("{}; {}; driver {}", Printable(d.device_version),
                                Printable(d.c_version), Printable(d.driver_version)),
                    kColumn),
      ProfileName(d), d.compute_units, base::Wrapped(FormatsText(d), kColumn));
}

nlohmann::ordered_json ListingJson(const DeviceListing& listing) {
  nlohmann::ordered_json json = oracle::DeviceToJson(listing.description);
  json["option"] = listing.selector;
  return json;
}

struct DevicesOptions {
  std::string json;
  double timeout = 60;
  std::optional<std::size_t> child;  // the first platform to ask, in this process
};

int TellParent(std::size_t first) {
  const auto descriptors = oracle::TakeServeDescriptors();
  if (!descriptors) return ReportError(descriptors.error());
  const auto told = oracle::TellOpenClDevices(first, descriptors->out);
  if (!told) return ReportError(told.error());
  // Ends without the exit handlers of the drivers: they may crash or hang.
  _exit(kExitConforming);
}

int Devices(const DevicesOptions& options) {
  if (options.child) return TellParent(*options.child);
  const auto listing = oracle::ListOpenClDevices(options.timeout);
  if (!listing) return ReportError(listing.error());
  nlohmann::ordered_json json{{"schema", "assay-devices/1"},
                              {"devices", nlohmann::ordered_json::array()}};
  std::string text;
  for (const DeviceListing& device : listing->devices) {
    text += Text(device);
    json["devices"].push_back(ListingJson(device));
  }
  if (!listing->note.empty()) {
    // The other kinds of device need no OpenCL, so this is a note and not a failure.
    Tell("note: " + listing->note);
    json["note"] = listing->note;
  }
  for (const Error& failure : listing->failures) json["failures"].push_back(failure.message);
  const int written = WriteResult(text + kOtherDevices, json, options.json);
  int code = kExitConforming;
  for (const Error& failure : listing->failures) code = ReportError(failure);
  return written == kExitConforming ? code : written;
}

}  // namespace

CLI::App* AddDevices(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<DevicesOptions>();
  CLI::App* command =
      app.add_subcommand("devices", "The devices that can be validated on this machine");
  AddOutput(command, "--json", &options->json, "Write the list as JSON ('-': stdout)")
      ->expected(0, 1)
      ->default_str("-");
  command
      ->add_option("--timeout", options->timeout,
                   "Seconds that an OpenCL driver may take to answer")
      ->check(NumberAboveZero())
      ->capture_default_str();
  command->add_option("--child", options->child, "Internal: ask from this platform on, here")
      ->group("");
  command->footer(
      "Example: assay devices\n         RUSTICL_ENABLE=llvmpipe assay devices --json -");
  command->callback([options, exit_code, command] {
    if (command->count("--json") > 0 && options->json.empty()) options->json = "-";
    *exit_code = Devices(*options);
  });
  return command;
}

}  // namespace assay::tools
