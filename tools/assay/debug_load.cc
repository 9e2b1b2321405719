#include "tools/assay/debug_load.h"

#include <utility>

#include "tools/assay/replay.h"

namespace assay::tools {

Expected<LoadedRun> LoadForDebugger(RunOptions* options) {
  if (!options->replay.empty()) {
    if (!options->describing.empty() || !options->job.empty()) {
      return Fail(ErrorKind::kUsage, "--replay says what is run; name nothing beside it");
    }
    if (auto applied = ApplyReplay(options); !applied) return tl::unexpected(applied.error());
  }
  if (options->many_seeds > 1 || !options->explore.empty()) {
    return Fail(ErrorKind::kUsage,
                "one run is debugged: --many-seeds and --explore are for `assay run`, whose "
                "findings name the --seed or --choices to give here");
  }
  auto job = JobOf(*options);
  if (!job) return tl::unexpected(job.error());
  auto prepared = PrepareRun(*job, *options);
  if (!prepared) return tl::unexpected(prepared.error());
  auto choices = ParseChoices(options->choices);
  if (!choices) return tl::unexpected(choices.error());
  prepared->choices = std::move(*choices);
  return LoadedRun{std::move(*job), std::move(*prepared)};
}

}  // namespace assay::tools
