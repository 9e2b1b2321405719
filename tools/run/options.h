// The command line of `assay run`, and the job that it describes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"
#include "base/read_scope.h"
#include "interp/job/job.h"
#include "interp/launch/launch.h"
#include "tools/litmus/test.h"
#include "tools/run/report.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

struct RunOptions {
  // Of a module that is a litmus test: what it says of the launch, in place of the options for it.
  std::shared_ptr<const litmus::Test> litmus;
  std::vector<std::string> modules;
  std::string job;
  std::string kernel;
  std::string global, local, offset;  // "1024", "64,64"
  std::string sub_group_size;         // "16"; several: "8,16", "all"
  std::string matrix;                 // a model's name, or its file
  std::string device_queue;           // "4096"
  std::vector<std::string> arguments;
  std::vector<std::string> spec_constants;  // ID=VALUE
  std::string forward_progress;             // none, sub-group, work-item, work-group
  std::string build_options, compiler;
  std::vector<std::string> allow_read;  // folders

  std::uint64_t seed = 0;
  std::string rounding = "rte";
  bool flush_to_zero = false;
  double timeout = 0;
  std::uint64_t max_instructions = 0;
  std::size_t max_findings = 100;
  std::uint32_t max_children = interp::LaunchOptions().max_children;
  std::string max_memory = "8G";
  bool memory_given = false;
  base::Budget budget;  // StartBudget's: of everything that the command does
  int threads = 0;
  std::uint64_t deal = 0;  // LaunchOptions::deal
  std::uint32_t max_expanded = interp::SessionOptions().max_expanded;
  int width = 64;

  std::string detect = "all";
  std::string cancellation_bits = "20";  // of the detector float-exceptions
  bool envelope = false;
  std::string imprecision;                    // random, lowest, highest, worst
  std::string profile = "full";               // embedded
  std::vector<std::string> keeps_subnormals;  // half, float
  std::string cl_version;                     // 3.0, 3.1; empty: JudgedVersion's
  std::vector<std::string> ignore;            // RULE@FILE:LINE=REASON
  std::vector<std::string> ignore_source;     // patterns of paths
  std::vector<std::string> allow;             // same-value-race, flat-index
  std::uint64_t many_seeds = 1;
  std::string explore;  // bounded:K, all
  std::uint64_t max_runs = 100000;
  std::string choices;  // 0,1,1
  std::string replay;   // an earlier report
  // For a replay: the files that the report names with their digests.
  std::optional<base::ReadScope> replayed_files;

  bool list_kernels = false;
  bool counts = false;
  std::vector<std::string> print;  // an argument's place or a buffer's name
  bool print_all = false;
  bool spirv = false;
  std::string compare;                // two drivers, with a comma; of `assay run`
  std::string color = "auto";         // always, never
  std::vector<std::string> save;      // ARG=FILE
  std::vector<std::string> observed;  // ARG=FILE
  std::string json;
  std::string sarif;
  std::string source_root;  // of SARIF; "": the present folder
  std::string junit;
  std::string html;
  bool progress = false;  // show progress also if stderr is not a terminal
  bool quiet = false;

  std::vector<std::string> describing;  // options given that a job file takes the place of
  std::vector<std::string> not_there;   // options given that are still to come
  std::vector<std::string> replayed;    // options given that a replay takes the place of
};

// Declares the options (declare_options.cc); `options` lives as long as the command.
void AddRunOptions(CLI::App* command, RunOptions* options);
// The forms of -a, for the end of a command's help.
std::string ArgumentsHelp();

// Begins to hold the command to --timeout and --max-memory; kUsage for a size that is none.  Where
// something does not end by itself in time, the program ends with a message and exit code 4.
Expected<void> StartBudget(RunOptions* options);
// --allow-read DIR, repeatable; of every command that reads jobs.
void AddAllowRead(CLI::App* command, std::vector<std::string>* folders);

// kUsage for a module that is missing, with files of nearly the same name: said before anything
// that its kernel would need.
Expected<void> CheckModules(const RunOptions& options);

// kUsage for options that contradict each other, kUnsupported for those that are not there yet.
Expected<interp::Job> JobOf(const RunOptions& options);
// The same without launches, for which no index space is needed.
Expected<interp::Job> ModulesOf(const RunOptions& options);
// Whether --json, --sarif and --junit can be written.
Expected<void> CheckReports(const RunOptions& options);
// All but the version of OpenCL to judge by.
Expected<RunSettings> SettingsOf(const RunOptions& options);
// That version: --cl-version's, else the one that -cl-std names for the job's sources, else 3.1.
std::string JudgedVersion(const RunOptions& options, const interp::Job& job);

// K of "--explore bounded:K", kEveryExecution of "--explore all"; nothing without the option.
inline constexpr std::uint32_t kEveryExecution = 0xffffffff;
Expected<std::optional<std::uint32_t>> ExploreBound(const RunOptions& options);
inline bool ExploresAll(const RunOptions& options) { return options.explore == "all"; }

// The buffer that --print or --save selects: by its name, or, in a job with one launch, by the
// position of its argument or by its name in the kernel (`parameters`, by position).
Expected<std::size_t> FindBuffer(const interp::Job& job, const std::string& option,
                                 const std::string& name,
                                 std::span<const std::string> parameters = {});

// How the host lets kernels use a buffer (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY).

struct SavedBuffer {
  std::size_t buffer = 0;
  std::string path;
};
Expected<std::vector<SavedBuffer>> SavesOf(const RunOptions& options, const interp::Job& job,
                                           std::span<const std::string> parameters = {});

// --observed: what a device left in buffers, each file read.
struct ObservedBuffer {
  std::size_t buffer = 0;
  std::string bytes;
};
Expected<std::vector<ObservedBuffer>> ObservedOf(const RunOptions& options, const interp::Job& job,
                                                 std::span<const std::string> parameters = {});

}  // namespace assay::tools
