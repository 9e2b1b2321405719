#include "tools/shared/device_options.h"

#include <CLI/CLI.hpp>

#include "base/installation.h"
#include "base/shell_word.h"
#include "oracle/devices/recorded.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {

int DeviceOptions::Count() const {
  return (use_opencl ? 1 : 0) + (library.empty() ? 0 : 1) + (pipe.empty() ? 0 : 1) +
         (recorded.empty() ? 0 : 1) + (interpreter ? 1 : 0);
}

Expected<oracle::SymbolNames> NamesOf(const std::string& prefix,
                                      const std::vector<std::string>& symbols) {
  oracle::SymbolNames names{.prefix = prefix, .symbols = {}};
  for (const std::string& text : symbols) {
    auto symbol = oracle::ParseSymbol(text);
    if (!symbol) return tl::unexpected<Error>(symbol.error());
    names.symbols.push_back(std::move(*symbol));
  }
  return names;
}

Expected<OpenedDevice> OpenDevice(const DeviceOptions& options, const std::string& rounding,
                                  const oracle::Patience& patience) {
  if (options.Count() != 1) {
    return Fail(ErrorKind::kUsage,
                "name one device: --opencl [PLATFORM[:INDEX]], --library FILE.so, --interpreter, "
                "--pipe 'COMMAND' or --recorded FILE; `assay devices` lists what is here");
  }
  if ((!options.prefix.empty() || !options.symbols.empty()) && options.library.empty()) {
    return Fail(ErrorKind::kUsage, "--prefix and --symbol name functions of --library FILE.so");
  }
  if (auto names = NamesOf(options.prefix, options.symbols); !names) {
    return Fail(ErrorKind::kUsage, "--symbol: " + names.error().message);
  }
  if (!options.program.empty() && !options.use_opencl) {
    return Fail(ErrorKind::kUsage,
                "--program says how a device of --opencl is given programs; other devices have "
                "functions of their own");
  }
  OpenedDevice opened;
  Expected<std::unique_ptr<oracle::Device>> device;
  if (options.use_opencl) {
    opened.option = "--opencl";
    if (!options.opencl.empty()) opened.option += " " + base::ShellWord(options.opencl);
    std::vector<std::string> arguments;  // none: the first platform that has a device
    if (!options.opencl.empty()) arguments.push_back("--opencl=" + options.opencl);
    if (!options.program.empty()) {
      opened.option += " --program " + options.program;
      arguments.push_back("--program=" + options.program);
    }
    device = oracle::OpenServed(arguments, patience);
  } else if (!options.library.empty()) {
    opened.option = "--library " + base::ShellWord(options.library);
    std::vector<std::string> arguments = {
        "--library=" + options.library,
        "--rounding=" + (rounding.empty() ? std::string("rte") : rounding)};
    std::vector<std::string> names;
    if (!options.prefix.empty()) names.push_back("--prefix=" + options.prefix);
    for (const std::string& symbol : options.symbols) names.push_back("--symbol=" + symbol);
    for (const std::string& name : names) opened.option += " " + base::ShellWord(name);
    arguments.insert(arguments.end(), names.begin(), names.end());
    device = oracle::OpenServed(arguments, patience);
  } else if (options.interpreter) {
    opened.option = "--interpreter";
    device = oracle::OpenServed(
        {"--interpreter", "--rounding=" + (rounding.empty() ? std::string("rte") : rounding)},
        patience, base::ProgramBeside(kRunProgram));
  } else if (!options.pipe.empty()) {
    opened.option = "--pipe " + base::ShellWord(options.pipe);
    device = oracle::OpenPipe(options.pipe, patience);
  } else {
    opened.option = "--recorded " + base::ShellWord(options.recorded);
    device = oracle::OpenRecorded(options.recorded);
  }
  if (!device) return tl::unexpected<Error>(device.error());
  opened.device = std::move(*device);
  if (!options.record.empty()) {
    Expected<std::unique_ptr<oracle::Device>> recording =
        oracle::OpenRecording(std::move(opened.device), options.record);
    if (!recording) return tl::unexpected<Error>(recording.error());
    opened.device = std::move(*recording);
  }
  return opened;
}

void AddSpecOption(CLI::App* command, std::string* spec) {
  command
      ->add_option("--spec", *spec,
                   "Specification to judge by: opencl-c, environment (the SPIR-V environment) or "
                   "cts (the conformance suite); default: opencl-c for a device that compiles "
                   "OpenCL C, else environment (also where it is given SPIR-V)")
      ->check(OneOf({"opencl-c", "environment", "cts"}));
}

Expected<oracle::Reading> ReadingFor(const std::string& spec,
                                     const oracle::DeviceDescription& device) {
  if (spec.empty()) {
    return device.program.empty() ? oracle::ReadingOfLanguage(device.c_version)
                                  : oracle::Reading::kEnvironment;
  }
  if (const auto reading = oracle::ReadingFromName(spec)) return *reading;
  return Fail(ErrorKind::kUsage,
              "--spec: unknown value '" + spec + "'; it is one of opencl-c, environment, cts");
}

void AddDeviceOptions(CLI::App* command, DeviceOptions* options) {
  command
      ->add_option_function<std::string>(
          "--opencl",
          [options](const std::string& selector) {
            options->use_opencl = true;
            options->opencl = selector == "\x01" ? "" : selector;
          },
          "An OpenCL device: PLATFORM[:INDEX], a part of the platform's name")
      ->expected(0, 1)
      ->default_str("\x01")
      ->type_name("[PLATFORM[:INDEX]]");
  command
      ->add_option("--program", options->program,
                   "How --opencl is given programs: as OpenCL C source, or as SPIR-V in which each "
                   "built-in is one instruction; default: source, or spirv where the device "
                   "compiles no OpenCL C")
      ->check(OneOf({"source", "spirv"}));
  command->add_option("--library", options->library, "A C math library (sinf, sin, ...)");
  command->add_option("--prefix", options->prefix,
                      "With --library: what stands before C's names: my_ for my_sinf");
  command
      ->add_option("--symbol", options->symbols,
                   "With --library: a function's own name, FUNCTION:FORMAT=NAME: exp:float=my_expf")
      ->expected(1)
      ->type_name("FUNCTION:FORMAT=NAME ...");
  command->add_flag("--interpreter", options->interpreter,
                    "assay's own interpreter, through compiled kernels");
  command->add_option("--pipe", options->pipe, "A command that speaks docs/pipe-protocol.md");
  command->add_option("--recorded", options->recorded, "A file of recorded answers");
  AddOutput(command, "--record", &options->record, "Save the device's answers for --recorded");
}

}  // namespace assay::tools
