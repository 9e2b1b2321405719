#include "tools/shared/serve.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tools/shared/device_options.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

struct ServeOptions {
  bool interpreter = false;
  std::string opencl;
  std::string program;
  std::string library;
  std::string prefix;
  std::vector<std::string> symbols;
  std::string rounding = "rte";
  bool one_by_one = false;
  bool matrix = false;
};

Expected<std::unique_ptr<oracle::Device>> Open(const ServeOptions& options,
                                               InterpreterOpener interpreter) {
  if (options.library.empty() && !options.interpreter) {
    const auto form = oracle::ProgramFormFromName(options.program);
    if (!form && !options.program.empty()) {
      return Fail(ErrorKind::kUsage,
                  "--program: unknown value '" + options.program + "'; it is one of source, spirv");
    }
    return oracle::OpenOpenCl(options.opencl,
                              {.one_program_a_task = options.one_by_one, .program = form});
  }
  const auto rounding = numerics::RoundingFromName(options.rounding);
  if (!rounding) {
    return Fail(ErrorKind::kUsage, "--rounding: unknown value '" + options.rounding +
                                       "'; it is one of rte, rtz, rtp, rtn");
  }
  if (options.interpreter) return interpreter(*rounding);
  const auto names = NamesOf(options.prefix, options.symbols);
  if (!names) return tl::unexpected<Error>(names.error());
  return oracle::OpenLibrary(options.library, *rounding, *names);
}

int Serve(const ServeOptions& options, InterpreterOpener interpreter, MatrixService matrix) {
  const auto descriptors = oracle::TakeServeDescriptors();
  if (!descriptors) return ReportError(descriptors.error());
  if (options.matrix) {
    const auto served =
        matrix(options.interpreter, options.opencl, descriptors->in, descriptors->out);
    return served ? kExitConforming : ReportError(served.error());
  }
  auto device = Open(options, interpreter);
  if (!device) {
    // The parent reports it; this process has only failed to say so if the parent is gone.
    const auto told = oracle::ServeFailure(device.error(), descriptors->out);
    return told ? ExitCodeOf(device.error().kind) : ReportError(told.error());
  }
  const auto served = oracle::Serve(**device, descriptors->in, descriptors->out);
  return served ? kExitConforming : ReportError(served.error());
}

}  // namespace

CLI::App* AddServe(CLI::App& app, int* exit_code, InterpreterOpener interpreter,
                   MatrixService matrix) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command = app.add_subcommand(
      "serve", "Drive a device for a parent process (internal: `validate` starts it)");
  command->group("");  // not in the list of commands
  CLI::Option* opencl = command->add_option("--opencl", options->opencl, "PLATFORM[:INDEX]");
  command->add_option("--program", options->program, "source, spirv; default: by the device");
  CLI::Option* library = command->add_option("--library", options->library, "A C math library");
  command->add_option("--prefix", options->prefix, "Of the library's names");
  command->add_option("--symbol", options->symbols, "FUNCTION:FORMAT=NAME")->expected(1);
  if (interpreter != nullptr) {
    command->add_flag("--interpreter", options->interpreter, "assay's own interpreter")
        ->excludes(opencl)
        ->excludes(library);
  }
  if (matrix != nullptr) {
    command->add_flag("--matrix", options->matrix, "Its matrix instructions");
  }
  command->add_option("--rounding", options->rounding,
                      "The library's or interpreter's mode: rte, rtz, rtp, rtn");
  command->add_flag("--one-by-one", options->one_by_one, "Never compile several tasks together");
  opencl->excludes(library);
  command->callback([options, exit_code, interpreter, matrix] {
    *exit_code = Serve(*options, interpreter, matrix);
  });
  return command;
}

}  // namespace assay::tools
