#include "tools/sweep/scripts.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/shell_word.h"

namespace assay::tools {
namespace {

using base::ShellWord;

std::string Command(const SweepPlan& plan) {
  std::string command = ShellWord(plan.program);
  for (const std::string& word : plan.words) command += " " + ShellWord(word);
  return command;
}

}  // namespace

std::string ShardScript(const SweepPlan& plan) {
  // A shard that is killed leaves its checkpoint.  Code 2 with --resume: the checkpoint is of no
  // use (of another build, damaged), and the shard begins anew.
  return fmt::format(R"(#!/bin/sh
# Written by `assay sweep`: asks shard $1 of {0}.
cd {1} || exit 4
file={2}/$1.json
[ -e "$file" ] && exit 0
rm -f "$file.code"
ask() {{
  {3} --shard "$1/{0}" --json "$file" $2 >/dev/null 2>"$file.log"
}}
resume=
[ -e "$file.checkpoint" ] && resume=--resume
ask "$1" $resume
code=$?
if [ $code = 2 ] && [ -n "$resume" ]; then
  rm -f "$file.checkpoint"
  ask "$1"
  code=$?
fi
if [ -e "$file" ]; then
  rm -f "$file.log"
  exit 0
fi
echo $code >"$file.code"
exit $code
)",
                     plan.count, ShellWord(plan.origin), ShellWord(plan.folder), Command(plan));
}

std::string SlurmScript(const SweepPlan& plan) {
  return fmt::format(
      "#!/bin/sh\n# Written by `assay sweep --slurm`.\nexec {}/{} "
      "\"$SLURM_ARRAY_TASK_ID\"\n",
      ShellWord(plan.folder), kShardScript);
}

std::string ParallelScript(const SweepPlan& plan) {
  return fmt::format(R"(#!/bin/sh
# Written by `assay sweep --parallel`: runs the shards that are missing, and merges all.
# Arguments are options of GNU parallel: -j 8, --sshloginfile nodes.
seq 1 {0} | parallel --retries 3 --joblog {1}/joblog "$@" {2}
cd {1} || exit 4
exec {3} merge $(seq -f %.0f.json 1 {0}) --json {4}
)",
                     plan.count, ShellWord(plan.folder),
                     // A word for this shell that is a command for another one.
                     ShellWord(ShellWord(plan.folder + "/" + kShardScript) + " {}"),
                     ShellWord(plan.program), ShellWord(plan.report));
}

Expected<void> WriteScript(const std::string& path, const std::string& text) {
  if (auto written = base::WriteFileAtomically(path, text); !written) return written;
  std::error_code error;
  std::filesystem::permissions(path, std::filesystem::perms(0755), error);
  if (!error) return {};
  return Fail(ErrorKind::kDevice, fmt::format("'{}': {}", path, error.message()));
}

}  // namespace assay::tools
