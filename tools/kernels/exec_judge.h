// assay exec --judge: the application runs on its own drivers, with the layer, and its captured
// launches are judged meanwhile and afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/judge/files.h"
#include "tools/judge/judge.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace assay::tools {

struct CaptureOptions {
  std::string kernels;      // names, with commas; "": all
  std::uint64_t every = 0;  // 0: see docs/judge.md
  std::uint64_t first = 0;
  double budget = 0;  // seconds of all captures of a process; 0: no limit
  JudgeLimits limits;
  int jobs = 0;  // 0: one beside the application, and then one per core
};

struct JudgedProgram {
  std::vector<std::string> program;
  CaptureOptions capture;
  std::string device_type;  // what devices say they are: "gpu"; "": the truth
  std::string folder;       // where the captures stay; "": nowhere
  std::string json;
  JudgeFiles files;
  bool quiet = false;
};

// Declares --kernel, --every, --first, --budget, --judge-timeout and --jobs, which need --judge.
void AddCaptureOptions(CLI::App* command, CLI::Option* judge, CaptureOptions* options);

// The exit code: 1 where a driver or a kernel is accused, 130 after Ctrl-C while launches were
// judged, else the program's own.
int RunAndJudge(const JudgedProgram& options);

}  // namespace assay::tools
