#include "tools/debug/load.h"

#include <utility>

#include "tools/run/replay.h"
#include "tools/run/subgroup_sizes.h"

namespace assay::tools {

namespace {

Expected<LoadedRun> Load(RunOptions* options) {
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
  if (ParseSubgroupSizes(options->sub_group_size).size() > 1) {
    return Fail(
        ErrorKind::kUsage,
        "one run is debugged: --sub-group-sizes is for `assay run`, whose findings name the "
        "--sub-group-size to give here");
  }
  if (auto there = CheckModules(*options); !there) return tl::unexpected(there.error());
  auto job = JobOf(*options);
  if (!job) return tl::unexpected(job.error());
  auto prepared = PrepareRun(*job, *options);
  if (!prepared) return tl::unexpected(prepared.error());
  auto choices = ParseChoices(options->choices);
  if (!choices) return tl::unexpected(choices.error());
  prepared->choices = std::move(*choices);
  return LoadedRun{std::move(*job), std::move(*prepared)};
}

}  // namespace

Expected<LoadedRun> LoadForDebugger(RunOptions* options) {
  if (auto started = StartBudget(options); !started) return tl::unexpected(started.error());
  auto loaded = Load(options);
  // A person takes all the time; the process that runs the kernel has limits of its own.
  options->budget = {};
  if (loaded) loaded->job.load.budget = {};
  return loaded;
}

}  // namespace assay::tools
