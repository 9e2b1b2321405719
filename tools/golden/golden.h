// The subcommands of `assay golden`: each registers itself and sets *exit_code when it runs.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

// The golden file of a job: the job is run exactly.  `shown` is the job's name in the file.
// kUnsupported, kDevice as the run ends; kUsage where the job's kernel does something undefined.
struct GoldenRun {
  int threads = 0;
  std::vector<std::string> allow_read;
  double timeout = 300;  // seconds; a kernel need not end
};
Expected<std::string> GoldenOfJob(const std::string& job, const std::string& shown,
                                  const GoldenRun& run);

void AddGoldenTimeout(CLI::App* command, double* timeout);

CLI::App* AddGoldenMake(CLI::App* golden, int* exit_code);
CLI::App* AddGoldenVerify(CLI::App* golden, int* exit_code);

}  // namespace assay::tools
