#include "tools/shared/limits.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "base/leftovers.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/option_values.h"

namespace assay::tools {
namespace {

// In the watching thread: whatever the others are doing does not end.
[[noreturn]] void EndAtLimit(const std::string& message) {
  std::fprintf(stderr, "assay: error: %s\n", message.c_str());
  base::RemoveLeftovers();
  std::_Exit(kExitDevice);
}

}  // namespace

void AddLimitOptions(CLI::App* command, LimitOptions* options) {
  command->add_option("--timeout", options->timeout, "Seconds, for everything; 0: none")
      ->check(NumberFromZero())
      ->capture_default_str();
  command
      ->add_option("--max-memory", options->max_memory,
                   "Memory limit in bytes: 64K, 512M, 8G; the default is never more than 3/4 of "
                   "the machine's memory")
      ->each([options](const std::string&) { options->memory_given = true; })
      ->capture_default_str();
}

Expected<base::Budget> StartBudget(const LimitOptions& options) {
  const auto bytes = ParseByteSize(options.max_memory);
  if (!bytes) {
    return Fail(ErrorKind::kUsage, fmt::format("--max-memory: {}", bytes.error().message));
  }
  return base::Budget::Start(
      {.seconds = options.timeout,
       .memory_bytes = options.memory_given ? *bytes : base::DefaultMemoryLimit(*bytes)},
      EndAtLimit);
}

}  // namespace assay::tools
