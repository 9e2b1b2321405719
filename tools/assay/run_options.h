// The command line of `assay run`, and the job that it means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interp/job.h"
#include "interp/launch.h"
#include "numerics/expected.h"
#include "tools/assay/run_report.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

struct RunOptions {
  std::vector<std::string> modules;
  std::string job;
  std::string kernel;
  std::string global, local, offset;  // "1024", "64,64"
  std::vector<std::string> arguments;
  std::vector<std::string> spec_constants;  // ID=VALUE
  std::string build_options, compiler;

  std::uint64_t seed = 0;
  std::string rounding = "rte";
  bool flush_to_zero = false;
  double timeout = 0;
  std::uint64_t max_instructions = 0;
  std::size_t max_findings = 100;
  std::string max_memory = "8G";
  int threads = 0;
  std::uint64_t deal = 0;  // LaunchOptions::deal
  int width = 64;

  std::string detect = "all";
  std::vector<std::string> ignore;  // RULE@FILE:LINE=REASON
  std::vector<std::string> allow;   // same-value-race
  std::uint64_t many_seeds = 1;
  std::string explore;  // bounded:K
  std::uint64_t max_runs = 100000;
  std::string choices;  // 0,1,1
  std::string replay;   // an earlier report

  bool counts = false;
  std::vector<std::string> print;  // an argument's place or a buffer's name
  bool print_all = false;
  std::vector<std::string> save;  // ARG=FILE
  std::string json;
  std::string sarif;
  bool quiet = false;

  std::vector<std::string> describing;  // options given that a job file takes the place of
  std::vector<std::string> not_there;   // options given that are still to come
  std::vector<std::string> replayed;    // options given that a replay takes the place of
};

// Declares the options; `options` lives as long as the command.
void AddRunOptions(CLI::App* command, RunOptions* options);

// "64", "4K", "512M", "8G": bytes.
Expected<std::uint64_t> ParseByteSize(const std::string& text);

// kUsage for options that contradict each other, kUnsupported for those that are not there yet.
Expected<interp::Job> JobOf(const RunOptions& options);
Expected<RunSettings> SettingsOf(const RunOptions& options);

// K of "--explore bounded:K"; nothing where it is not asked for.
Expected<std::optional<std::uint32_t>> ExploreBound(const RunOptions& options);

// The buffer that --print and --save mean: a name, or the place of an argument where there is one
// launch.
Expected<std::size_t> FindBuffer(const interp::Job& job, const std::string& option,
                                 const std::string& name);

// How the host lets kernels use a buffer (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY).

struct SavedBuffer {
  std::size_t buffer = 0;
  std::string path;
};
Expected<std::vector<SavedBuffer>> SavesOf(const RunOptions& options, const interp::Job& job);

}  // namespace assay::tools
