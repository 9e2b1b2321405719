// job_on_opencl JOB PLATFORM [--runs N] [--json FILE] [--save FOLDER] [--check]: runs a job on an
// OpenCL driver and says what is in its buffers; with --save each is also written to FOLDER/NAME,
// and with --check every component that is not what the job expects is listed.  The scripts of the
// suites use it to record expectations, to compare random kernels and to measure time.  A process
// of its own, because drivers crash.  Launches that need an image format that the driver does not
// support are left out and named ("left_out"), and so are the buffers that they use.  The kernel's
// printf comes on standard output, so the result goes to a file ('-': standard output).

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "interp/job/job.h"
#include "oracle/jobs/job_on_opencl.h"

namespace assay {
namespace {

constexpr std::string_view kUsage =
    "usage: job_on_opencl JOB PLATFORM [--runs N] [--json FILE] [--save FOLDER] [--check]\n"
    "example: job_on_opencl testsuites/kernels/local/scan.json Portable --json -\n";

struct Arguments {
  std::string job;
  std::string platform;
  std::string json = "-";
  std::string save;
  int runs = 1;
  bool check = false;
};

bool Parse(const std::vector<std::string>& words, Arguments* arguments) {
  std::vector<std::string> plain;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == "--runs" && k + 1 < words.size()) {
      arguments->runs = std::atoi(words[++k].c_str());
    } else if (words[k] == "--json" && k + 1 < words.size()) {
      arguments->json = words[++k];
    } else if (words[k] == "--save" && k + 1 < words.size()) {
      arguments->save = words[++k];
    } else if (words[k] == "--check") {
      arguments->check = true;
    } else {
      plain.push_back(words[k]);
    }
  }
  if (plain.size() != 2 || arguments->runs < 1) return false;
  arguments->job = plain[0];
  arguments->platform = plain[1];
  return true;
}

int Report(const Error& error) {
  std::cerr << "job_on_opencl: " << error.message << "\n";
  // The documented exit codes (docs/cli.md).
  switch (error.kind) {
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kUnsupported:
      return 3;
    case ErrorKind::kDevice:
      return 4;
    case ErrorKind::kInternal:
      break;
  }
  return 5;
}

// FNV-1a of the bytes, as bench.c prints it.
std::string Fnv(std::string_view bytes) {
  std::uint64_t hash = 1469598103934665603u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// What a buffer holds beside what it must hold: [place among the components, found, expected].
nlohmann::ordered_json Differences(const interp::JobBuffer& buffer,
                                   std::span<const std::byte> found,
                                   std::span<const std::byte> expected) {
  auto differences = nlohmann::ordered_json::array();
  for (std::uint64_t element = 0; element < buffer.count; ++element) {
    const auto f = interp::ComponentsOf(buffer.type, found, element);
    const auto e = interp::ComponentsOf(buffer.type, expected, element);
    for (std::size_t c = 0; c < f.size(); ++c) {
      if (f[c] == e[c]) continue;
      differences.push_back(
          {element * f.size() + c, fmt::format("{:#x}", f[c]), fmt::format("{:#x}", e[c])});
    }
  }
  return differences;
}

// By buffer: its type, how many components it has, and those that differ.  A digest that a job
// expects says only whether all bytes are the same.
nlohmann::ordered_json Check(const interp::Job& job, const oracle::JobOutcome& outcome) {
  auto checked = nlohmann::ordered_json::object();
  for (const interp::BufferExpectation& expectation : job.expected_buffers) {
    const interp::JobBuffer& buffer = job.buffers[expectation.buffer];
    const std::vector<std::byte>& found = outcome.buffers[expectation.buffer];
    if (buffer.max_packets != 0) continue;  // a host cannot look into a pipe
    if (!outcome.complete[expectation.buffer]) continue;
    nlohmann::ordered_json& result = checked[buffer.name];
    result = {{"type", buffer.type.component},
              {"components", buffer.count * static_cast<std::uint64_t>(buffer.type.components)}};
    if (expectation.bytes) {
      result["differences"] = Differences(buffer, found, *expectation.bytes);
    } else if (expectation.sha256) {
      const std::string_view bytes(reinterpret_cast<const char*>(found.data()), found.size());
      result["same_digest"] = base::Sha256(bytes) == *expectation.sha256;
    }
  }
  return checked;
}

int Run(const Arguments& arguments) {
  const auto job = interp::LoadJob(arguments.job);
  if (!job) return Report(job.error());
  const auto outcome = oracle::RunJobOnOpenCl(*job, arguments.platform, {.runs = arguments.runs});
  if (!outcome) return Report(outcome.error());
  nlohmann::ordered_json result = {
      {"schema", "assay-job-on-opencl/1"}, {"device", outcome->device},
      {"driver", outcome->driver},         {"cpu_seconds", outcome->cpu_seconds},
      {"seconds", outcome->seconds},       {"buffers", nlohmann::ordered_json::object()}};
  for (const oracle::LeftOutLaunch& launch : outcome->left_out) {
    result["left_out"].push_back(
        {{"launch", launch.launch}, {"kernel", launch.kernel}, {"why", launch.why}});
  }
  for (std::size_t k = 0; k < outcome->buffers.size(); ++k) {
    if (!outcome->complete[k]) continue;
    const std::string_view bytes(reinterpret_cast<const char*>(outcome->buffers[k].data()),
                                 outcome->buffers[k].size());
    result["buffers"][job->buffers[k].name] = {
        {"bytes", bytes.size()}, {"sha256", base::Sha256(bytes)}, {"fnv1a", Fnv(bytes)}};
    if (arguments.save.empty()) continue;
    const auto saved =
        base::WriteFileAtomically(arguments.save + "/" + job->buffers[k].name, bytes);
    if (!saved) return Report(saved.error());
  }
  if (arguments.check) result["checked"] = Check(*job, *outcome);
  if (arguments.json == "-") {
    std::cout << result.dump(2) << "\n";
    return 0;
  }
  const auto written = base::WriteFileAtomically(arguments.json, result.dump(2) + "\n");
  return written ? 0 : Report(written.error());
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::Arguments arguments;
  if (!assay::Parse(std::vector<std::string>(argv + 1, argv + argc), &arguments)) {
    std::cerr << assay::kUsage;
    return 2;
  }
  return assay::Run(arguments);
}
