// The options of `assay run` as the command line and its help know them.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "frontend/compilers.h"
#include "interp/job/argument_forms.h"
#include "tools/run/options.h"
#include "tools/run/rule_names.h"
#include "tools/run/subgroup_sizes.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

// Notes which options were given that `list` is about.
CLI::Option* Noting(CLI::Option* option, std::vector<std::string>* list) {
  const std::string name = option->get_name();
  return option->each([list, name](const std::string&) {
    if (list->empty() || list->back() != name) list->push_back(name);
  });
}

std::string CheckSubgroupSizes(const std::string& text) {
  if (!ParseSubgroupSizes(text).empty()) return "";
  return "'" + text + "': write sizes from 1 to 128, such as 8,16,32, or all";
}

// Options that say what a job file says as well.
void AddDescription(CLI::App* command, RunOptions* options) {
  command->option_defaults()->group("What is run");
  const auto describing = [&](CLI::Option* option) { return Noting(option, &options->describing); };
  describing(command->add_option("MODULE", options->modules,
                                 "OpenCL C (.cl), SPIR-V binary (.spv) or text (.spvasm); several "
                                 "are linked"));
  command->add_option("--job", options->job,
                      "Job file with the module, the kernel and its arguments (docs/cli.md, Jobs)");
  describing(command->add_option("-k,--kernel", options->kernel,
                                 "Name of the kernel; not needed if the module has only one"));
  describing(command->add_option("-g,--global", options->global, "The index space: 1024 or 64,64"));
  describing(command->add_option("-l,--local", options->local,
                                 "The work-group size; default: assay chooses one and reports it"));
  describing(command->add_option("--offset", options->offset, "The global work offset"));
  describing(
      command
          ->add_option("-a,--arg", options->arguments,
                       "An argument, in order: float[1024]=random, float=2.5; the forms are below")
          ->allow_extra_args(false));
  describing(command
                 ->add_option("--spec-constant", options->spec_constants,
                              "ID=VALUE: 0=4, 1=true, 2=float:2.5")
                 ->allow_extra_args(false));
  describing(command->add_option("--build-options", options->build_options,
                                 "Options for the OpenCL C compiler"));
  static const std::vector<std::string> compilers = frontend::CompilerNames();
  describing(command->add_option("--compiler", options->compiler,
                                 "What compiles OpenCL C (default: the first installed one)"))
      ->check(OneOf({compilers.begin(), compilers.end()}));
  AddAllowRead(command, &options->allow_read);
}

void AddExecution(CLI::App* command, RunOptions* options) {
  command->option_defaults()->group("How it is executed");
  const auto replayed = [&](CLI::Option* option) { return Noting(option, &options->replayed); };
  replayed(
      command->add_option("--seed", options->seed,
                          "Seed for scheduling, undefined values and where objects are placed"))
      ->check(WholeNumber())
      ->capture_default_str();
  replayed(command->add_option("--rounding", options->rounding, "How results are rounded"))
      ->check(OneOf({"rte", "rtz", "rtp", "rtn"}))
      ->capture_default_str();
  replayed(command->add_option("--sub-group-size", options->sub_group_size,
                               "Work-items of a sub-group, 1 to 128 (default: the job's, or what "
                               "the kernel requires, or 32)"))
      ->check(CLI::Range(1u, interp::kMaxSubgroupSize));
  replayed(command->add_option("--matrix", options->matrix,
                               "How matrix instructions add: exact (the default), "
                               "ieee-sequential, ieee-tree, a device's model (nvidia-hopper-mma, "
                               "nvidia-hopper-wgmma), or a file by `assay matrix probe`"));
  replayed(command->add_option("--device-queue", options->device_queue,
                               "Commands that a device queue holds (default: 16384); 0: there is "
                               "no default queue"))
      ->check(SmallNumber(0, 1 << 20));
  replayed(command->add_option(
               "--forward-progress", options->forward_progress,
               "Who makes progress while others spin: none, sub-group (each in lock step), "
               "work-item, or work-group (those run at the same time, too); default: the job's, "
               "else everyone, and what counts on it is told"))
      ->check(OneOf({"none", "sub-group", "work-item", "work-group"}));
  command->add_flag("--ftz", options->flush_to_zero,
                    "Flush subnormal operands and results to zero");
  command
      ->add_option("--timeout", options->timeout, "Seconds, for loading and all launches; 0: none")
      ->check(NumberFromZero())
      ->capture_default_str();
  command
      ->add_option("--max-instructions", options->max_instructions,
                   "SPIR-V instructions over all work-items and launches; 0: no limit")
      ->check(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--max-children", options->max_children,
                   "Stop after this many kernels that a launch and its children enqueue")
      ->check(SmallNumber(0, 1 << 24))
      ->capture_default_str();
  command
      ->add_option("--max-findings", options->max_findings,
                   "Stop after this many distinct findings")
      ->check(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--max-memory", options->max_memory,
                   "Memory limit in bytes: 64K, 512M, 8G; the default is never more than 3/4 of "
                   "the machine's memory")
      ->each([options](const std::string&) { options->memory_given = true; })
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Number of threads; 0: one per core")
      ->check(SmallNumber(0, 4096))
      ->capture_default_str();
  // For tests (testsuites/repeatable).
  command->add_option("--deal", options->deal)->group("");
  command->add_option("--max-expanded", options->max_expanded)->group("");
  command->add_option("--width", options->width, "Number of work-items that are executed together")
      ->check(SmallNumber(1, 64))
      ->capture_default_str();
}

// Which undefined behavior is looked for, and in how many runs.
void AddDetection(CLI::App* command, RunOptions* options) {
  command->option_defaults()->group("What is looked for, and in how many runs");
  const auto replayed = [&](CLI::Option* option) { return Noting(option, &options->replayed); };
  replayed(command->add_option("--detect", options->detect,
                               "Detectors to run: all, none, a list (races,groups), or all but "
                               "some (-races); with less than all the report is marked unsound. "
                               "all,nan also reports where NaNs and infinities come from, and "
                               "all,float-exceptions of which kind they are, and cancellation"))
      ->check(SuggestDetectors())
      ->capture_default_str();
  replayed(command->add_option("--cancellation-bits", options->cancellation_bits,
                               "With --detect float-exceptions: sums that lose more leading bits "
                               "are told"))
      ->check(SmallNumber(1, 1000))
      ->capture_default_str();
  command->add_flag("--envelope", options->envelope,
                    "Also compute what other conforming devices may compute: a range of every "
                    "value; without detectors");
  replayed(command->add_option("--imprecision", options->imprecision,
                               "Compute as another conforming device may: random (by --seed), "
                               "lowest or highest of the values that are allowed, or worst: the "
                               "farthest from correctly rounded results that a search finds"))
      ->check(OneOf({"random", "lowest", "highest", "worst"}));
  command
      ->add_option("--profile", options->profile,
                   "With --envelope or --imprecision: whose error limits hold")
      ->check(OneOf({"full", "embedded"}))
      ->capture_default_str();
  command
      ->add_option("--keeps-subnormals", options->keeps_subnormals,
                   "With --envelope: the devices keep subnormal half or float numbers "
                   "(CL_FP_DENORM); default: they may flush them")
      ->check(OneOf({"half", "float"}))
      ->allow_extra_args(false);
  command
      ->add_option("--observed", options->observed,
                   "ARG=FILE: with --envelope, is what a device left in a buffer allowed? The file "
                   "has the buffer's bytes")
      ->allow_extra_args(false);
  command
      ->add_option("--ignore", options->ignore,
                   "RULE@FILE:LINE=REASON: hide findings of a rule or family at a line, or in a "
                   "file; the report lists them and is marked unsound")
      ->allow_extra_args(false);
  command->add_option("--ignore-source", options->ignore_source, std::string(kIgnoreSourceHelp))
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command
      ->add_option("--allow", options->allow,
                   "Do not count these as faults; marks the report unsound. same-value-race: races "
                   "of equal writes; flat-index: a[0][i] over all rows")
      ->allow_extra_args(false);
  replayed(command->add_option(
               "--cl-version", options->cl_version,
               "OpenCL version whose rules apply: 3.0 (also for older versions) or 3.1; before 3.1 "
               "atomics with different scopes race; default: that of -cl-std, else 3.1"))
      ->check(OneOf({"3.0", "3.1"}));
  replayed(
      command->add_option("--many-seeds", options->many_seeds,
                          "Run with this many seeds, starting at --seed, and merge the findings"))
      ->check(WholeNumber(1, std::uint64_t{1} << 40));
  replayed(command->add_option("--sub-group-sizes", options->sub_group_size,
                               "Run with each of these sizes of sub-groups (8,16,32,64), or all: "
                               "1 to 128; tells where results or findings differ"))
      ->check(CheckSubgroupSizes)
      ->excludes("--sub-group-size");
  replayed(command->add_option("--explore", options->explore,
                               "bounded:K: run every schedule that differs in at most K choices; "
                               "all: run every execution of a small kernel once"));
  command->add_option("--max-runs", options->max_runs, "Maximum number of runs for --explore")
      ->check(WholeNumber(1))
      ->capture_default_str();
  replayed(command->add_option(
      "--choices", options->choices,
      "Results of the first choices, which the seed would make otherwise: 0,1,1"));
  command->add_option("--replay", options->replay,
                      "Repeat the run of a report (--json), if its files have not changed");
}

void AddReporting(CLI::App* command, RunOptions* options) {
  command->option_defaults()->group("What is shown");
  command->add_flag("--counts", options->counts, "Print instructions by opcode");
  command
      ->add_option("--print", options->print,
                   "Print a buffer, by its argument number (from 0), its name in the kernel, or "
                   "its name in the job")
      ->allow_extra_args(false);
  command->add_flag("--spirv", options->spirv,
                    "Show the SPIR-V instructions of findings beside the source");
  command
      ->add_option("--color", options->color,
                   "When colors are shown; auto: at a terminal, without NO_COLOR")
      ->check(OneOf({"auto", "always", "never"}))
      ->capture_default_str();
  command->add_flag("--print-all", options->print_all, "Print every element of long buffers");
  command->add_option("--save", options->save, "ARG=FILE: write a buffer's bytes")
      ->allow_extra_args(false);
  command->add_flag("--list-kernels", options->list_kernels,
                    "List the kernels, their parameters, and why one cannot run; execute nothing");
  AddOutput(command, "--json", &options->json, "Write the report ('-': stdout, no text)");
  AddOutput(command, "--sarif", &options->sarif, "Write the findings as SARIF 2.1.0");
  AddSourceRoot(command, &options->source_root);
  AddOutput(command, "--junit", &options->junit, "Write launches and expectations as JUnit XML");
  command->add_flag("--progress", options->progress,
                    "Show progress on stderr, even if it is not a terminal");
  command->add_flag("-q,--quiet", options->quiet,
                    "Do not show the kernel's output, the compiler's messages or the summary");
}

// Known by name, so that nobody takes their absence for a misspelling.
void AddWhatIsToCome(CLI::App* command, RunOptions* options) {
  for (const char* name : {"--trace"}) {
    command
        ->add_option_function<std::vector<std::string>>(
            name, [options, name](
                      const std::vector<std::string>&) { options->not_there.emplace_back(name); })
        ->expected(0, 1)
        ->group("");
  }
}

}  // namespace

void AddAllowRead(CLI::App* command, std::vector<std::string>* folders) {
  command
      ->add_option("--allow-read", *folders,
                   "Folder that jobs, sources, modules and reports may read files from, beside "
                   "their own folders")
      ->allow_extra_args(false);
}

std::string ArgumentsHelp() {
  return std::string("Arguments (-a), in quotes where they have brackets:\n") +
         interp::kArgumentForms;
}

void AddRunOptions(CLI::App* command, RunOptions* options) {
  AddDescription(command, options);
  AddExecution(command, options);
  AddDetection(command, options);
  AddReporting(command, options);
  AddWhatIsToCome(command, options);
}

}  // namespace assay::tools
