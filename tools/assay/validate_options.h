// The options of `assay validate`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"
#include "tools/shared/device_options.h"

namespace assay::tools {

struct ValidateOptions {
  DeviceOptions device;
  std::vector<std::string> functions = {"@all"};
  std::vector<std::string> formats;  // empty: those that the device has
  std::vector<int> widths;           // empty: all that the device has
  std::string profile;               // empty: the device's
  std::string math = "default";
  std::string spec;  // empty: by the device's language
  std::string rounding;
  std::string matrix;  // the model that matrix instructions are held against
  std::string level = "smoke";
  std::uint64_t search_evaluations = 0;  // 0: the default of --level search
  std::string range;                     // "LO,HI"; empty: all operands
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  std::string max_failures = "10";
  std::uint64_t stop_after_failures = 0;
  std::string build_options;
  std::string json, junit, html, checkpoint, baseline;
  std::vector<std::string> at, worst_from;
  std::string command;             // as it was typed
  std::vector<std::string> words;  // the same in words
  std::string shard;               // "3/7"; empty: all
  int shards = 0;                  // > 0: as processes of this machine
  int processes = 0;               // at a time
  std::vector<int> devices;        // of an OpenCL platform
  bool full = false;               // the JSON has the errors by operand, too
  bool no_origin = false;
  bool verbose = false, wide = false;  // how much of the table is shown
  bool list = false;
  bool resume = false;
  bool progress = false;
  double checkpoint_seconds = 5;
  double timeout = 0;  // 0: by level
  int threads = 0;
};

// A driver that compiles may be silent for long, one that computes the few inputs of a smoke run
// may not.
inline constexpr double kPrepareSeconds = 120;
inline constexpr double kAnswerSeconds = 120;
inline constexpr double kSmokeAnswerSeconds = 10;

void AddValidateOptions(CLI::App* command, ValidateOptions* options);

// kUsage where other options do not go with --level search, or need it.
Expected<void> CheckSearch(const ValidateOptions& options);

// Are rows of images asked (--functions @images)?  kUsage where other options do not go with them.
Expected<bool> AsksForImages(const ValidateOptions& options);

}  // namespace assay::tools
