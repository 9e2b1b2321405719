#include "tools/assay/validate_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "oracle/images/row.h"
#include "oracle/sweep/shard.h"
#include "oracle/sweep/sweep.h"
#include "tools/assay/merged_output.h"
#include "tools/assay/validate_kinds.h"
#include "tools/option_table/command_line.h"
#include "tools/shared/known_names.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

void AddQuestions(CLI::App* command, ValidateOptions* options) {
  command->option_defaults()->group("What is asked");
  command
      ->add_option("--functions", options->functions,
                   "Names and groups: sin,cos,@unary,@all,@conversions (see `assay list`); "
                   "@images, image_read_2d_*; @matrix, matrix_f16-*; @small; @integer, @groups, "
                   "@subgroups, @atomics, @memory, @layout, @limits, @transfers and their rows "
                   "(see --list)")
      ->delimiter(',')
      ->check(SuggestFunctionsAndGroups())
      ->capture_default_str();
  command
      ->add_option("--formats", options->formats,
                   "half,float,double; default: those that the device has")
      ->delimiter(',')
      ->check(SuggestFormats());
  command
      ->add_option("--width", options->widths,
                   "Vector widths; default: 1,2,3,4,8,16 (a library: 1).  Unless given, all 2^32 "
                   "inputs are asked in width 1 and those of level standard in the others")
      ->delimiter(',')
      ->check(SmallNumber(1, 16));
  command->add_flag("--list", options->list,
                    "Show the device's rows of @images, @integer and the like, and ask nothing");
  command->add_option("--build-options", options->build_options,
                      "Options for the device's OpenCL compiler");
}

void AddJudging(CLI::App* command, ValidateOptions* options) {
  command->option_defaults()->group("How it is judged");
  command
      ->add_option("--profile", options->profile, "Whose error limits hold; default: the device's")
      ->check(OneOf({"full", "embedded"}));
  command
      ->add_option("--math", options->math,
                   "Whose error limits hold; relaxed: -cl-fast-relaxed-math")
      ->check(OneOf({"default", "relaxed", "native"}))
      ->capture_default_str();
  AddSpecOption(command, &options->spec);
  command
      ->add_option("--rounding", options->rounding,
                   "How results are rounded; default: what the device declares")
      ->check(OneOf({"rte", "rtz", "rtp", "rtn"}));
  command
      ->add_option("--matrix", options->matrix,
                   "Of @matrix: the model that floats are held against, a name or a file of `assay "
                   "matrix probe`; without it, no text limits their sums")
      ->type_name("MODEL");
  command
      ->add_option("--baseline", options->baseline,
                   "An earlier report (--json) of this device: the exit code and all reports say "
                   "what got worse since, and old failures are none")
      ->check([](const std::string& file) {  // an empty variable must not change the exit code
        return std::string(file.empty() ? "names no file" : "");
      })
      ->type_name("FILE.json");
}

void AddInputs(CLI::App* command, ValidateOptions* options) {
  command->option_defaults()->group("With what inputs");
  command
      ->add_option("--level", options->level,
                   "How many inputs; search: those of standard, then a search for larger errors")
      ->check(OneOf({"smoke", "standard", "exhaustive", "search"}))
      ->capture_default_str();
  command
      ->add_option("--search-evaluations", options->search_evaluations,
                   fmt::format("Inputs per function for the search of --level search; 0: {}",
                               oracle::kSearchEvaluations))
      ->check(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--samples", options->samples,
                   "Number of random inputs per function; 0: as the level says")
      ->check(WholeNumber())
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the random inputs")
      ->check(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--range", options->range,
                   "Ask only inputs whose floating-point operands all lie in LO,HI: 0.5,2")
      ->transform(Operand)
      ->type_name("LO,HI");
  command->add_option("--at", options->at,
                      "Ask only this input, in every lane: ARG[,ARG...]; if given w times, one for "
                      "each lane of a vector");
  command->get_option("--at")->transform(Operand);
  command->add_option("--worst-from", options->worst_from,
                      "Reports whose worst inputs and failures are asked first");
}

void AddReports(CLI::App* command, ValidateOptions* options) {
  command->option_defaults()->group("What is written");
  command
      ->add_option("--max-failures", options->max_failures,
                   "Number of failures to record per function, or all")
      ->capture_default_str();
  command
      ->add_option("--stop-after-failures", options->stop_after_failures,
                   "End a function when it has so many failures; default: all inputs are asked")
      ->check(WholeNumber(1));
  AddTableKind(command, &options->verbose, &options->wide);
  AddOutput(command, "--json", &options->json, "Write the report ('-': stdout, no table)");
  AddFull(command, &options->full);
  AddOutput(command, "--junit", &options->junit, "Write the verdicts as JUnit XML");
  AddOutput(command, "--html", &options->html, "Write the report as a page (see `assay report`)");
  command->add_flag("--no-origin", options->no_origin,
                    "Leave date, host and command line out of the reports");
}

void AddLongRuns(CLI::App* command, ValidateOptions* options) {
  command->option_defaults()->group("Long runs");
  AddOutput(command, "--checkpoint", &options->checkpoint,
            "File for the state of the run; default: the --json file's name plus .checkpoint");
  command->add_flag("--resume", options->resume, "Continue from the checkpoint");
  AddProgress(command, &options->progress);
  command
      ->add_option("--checkpoint-every", options->checkpoint_seconds, "Seconds between checkpoints")
      ->check(NumberFromZero())
      ->capture_default_str();
  command
      ->add_option(
          "--timeout", options->timeout,
          fmt::format("Seconds that a device may stay silent; default: {:g}, for an answer "
                      "at level smoke {:g}",
                      kAnswerSeconds, kSmokeAnswerSeconds))
      ->check(NumberAboveZero());
  command
      ->add_option("--threads", options->threads,
                   "Number of threads for the reference; 0: one per core")
      ->check(SmallNumber())
      ->capture_default_str();
}

void AddShards(CLI::App* command, ValidateOptions* options) {
  command->option_defaults()->group("A part of the run (docs/sweeps.md)");
  command
      ->add_option("--shard", options->shard,
                   "Ask one share of the inputs, and write it to --json for `assay merge`")
      ->type_name("I/N");
  command
      ->add_option("--shards", options->shards,
                   "Run N shards as processes of this machine, and merge them")
      ->check(SmallNumber(1, static_cast<int>(oracle::kMaxShards)));
  command
      ->add_option("--processes", options->processes,
                   "Shards at a time; default: one per core, or one per device")
      ->check(SmallNumber(1, 4096));
  command
      ->add_option("--devices", options->devices,
                   "Devices of --opencl PLATFORM that the shards take turns on: 0,1,2")
      ->delimiter(',')
      ->check(SmallNumber(0, 4096));
}

}  // namespace

Expected<void> CheckSearch(const ValidateOptions& options) {
  if (options.level != "search") {
    if (options.search_evaluations == 0) return {};
    return Fail(ErrorKind::kUsage, "--search-evaluations needs --level search");
  }
  const std::pair<std::string_view, bool> given[] = {
      {"--at", !options.at.empty()}, {"--recorded", !options.device.recorded.empty()}};
  for (const auto& [name, is_given] : given) {
    if (!is_given) continue;
    return Fail(ErrorKind::kUsage,
                fmt::format("--level search chooses inputs by earlier answers, and {} brings all "
                            "of its inputs: leave out one of them",
                            name));
  }
  return {};
}

Expected<bool> AsksForImages(const ValidateOptions& options) {
  const auto is_image = [](const std::string& name) { return oracle::IsImageName(name); };
  const auto& names = options.functions;
  const bool any = std::any_of(names.begin(), names.end(), is_image);
  if (any && !std::all_of(names.begin(), names.end(), is_image)) {
    return Fail(ErrorKind::kUsage,
                "--functions: rows of images and functions are asked in runs of their own");
  }
  if (options.list && !any) {
    return Fail(ErrorKind::kUsage,
                "--list shows the rows of images (--functions @images); functions are shown by "
                "`assay list`");
  }
  if (!any) return false;
  if (auto checked = CheckTaken(ValidationKind::kImages, options); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  return true;
}

void AddValidateOptions(CLI::App* command, ValidateOptions* options) {
  command->option_defaults()->group("The device (one of)");
  AddDeviceOptions(command, &options->device);
  AddQuestions(command, options);
  AddJudging(command, options);
  AddInputs(command, options);
  AddReports(command, options);
  AddLongRuns(command, options);
  AddShards(command, options);
}

}  // namespace assay::tools
