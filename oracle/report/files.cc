// Several reports together: read, named, and what their runs differ in.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/input.h"

namespace assay::oracle {
namespace {

// File names are what their owner calls the reports; paths where two have the same name.
void Label(std::vector<InputReport>* inputs) {
  const auto stem = [](const InputReport& input) {
    return std::filesystem::path(input.path).stem().string();
  };
  for (InputReport& input : *inputs) {
    const auto same = std::count_if(inputs->begin(), inputs->end(), [&](const InputReport& other) {
      return stem(other) == stem(input);
    });
    input.label = same > 1 ? input.path : stem(input);
  }
}

}  // namespace

Expected<std::vector<InputReport>> ReadReports(const std::vector<std::string>& paths) {
  std::vector<InputReport> inputs;
  std::map<std::filesystem::path, std::string> seen;
  for (const std::string& path : paths) {
    std::error_code ignored;
    const auto [earlier, added] =
        seen.emplace(std::filesystem::weakly_canonical(path, ignored), path);
    if (!added) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("'{}' and '{}' are the same file; name each report once",
                              earlier->second, path));
    }
    const Expected<std::string> text = base::ReadWholeFile(path);
    if (!text) return tl::unexpected<Error>(text.error());
    Expected<InputReport> input = ReportFromText(*text, path);
    if (!input) return tl::unexpected<Error>(input.error());
    inputs.push_back(std::move(*input));
  }
  Label(&inputs);
  return inputs;
}

std::string DeviceText(const DeviceDescription& device) {
  if (device.kind != "opencl") return fmt::format("{} {}", device.kind, device.name);
  return fmt::format("{}, {}, driver {}{}{}", device.platform, device.name, device.driver_version,
                     device.program.empty() ? "" : ", programs as ", device.program);
}

std::vector<std::string> DifferencesBetweenRuns(std::span<const InputReport> reports) {
  std::vector<std::string> sentences;
  const auto compare = [&](std::string_view what, auto&& value) {
    std::map<std::string, std::vector<std::string>> labels;
    for (const InputReport& input : reports) {
      labels[value(input.report)].push_back(input.label);
    }
    if (labels.size() < 2) return;
    std::string text;
    for (const auto& [name, which] : labels) {
      text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", name, fmt::join(which, ", "));
    }
    sentences.push_back(fmt::format("The reports differ in {}: {}.", what, text));
  };
  compare("the profile",
          [](const Report& r) { return std::string(ProfileName(r.run.options.profile)); });
  compare("--math", [](const Report& r) { return std::string(MathName(r.run.options.math)); });
  compare("--spec", [](const Report& r) {
    return std::string(r.run.options.reading ? ReadingName(*r.run.options.reading) : "not said");
  });
  const auto is_opencl = [](const InputReport& r) { return r.report.device.kind == "opencl"; };
  if (std::all_of(reports.begin(), reports.end(), is_opencl)) {
    compare("the form of the programs", [](const Report& r) { return ProgramText(r.device); });
  }
  compare("--build-options", [](const Report& r) {
    return r.run.options.build_options.empty() ? "none" : r.run.options.build_options;
  });
  compare("the level", [](const Report& r) { return LevelText(r.run); });
  compare("the seed", [](const Report& r) { return std::to_string(r.run.options.inputs.seed); });
  compare("--samples",
          [](const Report& r) { return std::to_string(r.run.options.inputs.samples); });
  compare("--search-evaluations",
          [](const Report& r) { return std::to_string(r.run.options.search_evaluations); });
  compare("the version of assay", [](const Report& r) { return r.run.tool_version; });
  compare("what computed the exact values", [](const Report& r) { return r.run.truth; });
  return sentences;
}

}  // namespace assay::oracle
