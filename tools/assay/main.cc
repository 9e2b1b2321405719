// assay: one file a command; this one only puts them together.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "assay_version.h"
#include "tools/assay/commands.h"
#include "tools/assay/exit_code.h"

namespace assay::tools {

namespace {

int Run(int argc, char** argv) {
  CLI::App app{"Bit-accurate oracle for OpenCL numerical conformance", "assay"};
  app.set_version_flag("--version", std::string("assay ") + ASSAY_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 conforming, 1 nonconforming, 2 usage or bad input, 3 only unsupported\n"
      "things asked for, 4 device or machine failed, 5 internal error, 130 interrupted.\n"
      "Example: assay validate --opencl Portable --level smoke");
  int exit_code = kExitConforming;
  AddValidate(app, &exit_code);
  AddEval(app, &exit_code);
  AddList(app, &exit_code);
  AddDevices(app, &exit_code);
  AddCertify(app, &exit_code);
  AddGolden(app, &exit_code);
  AddRun(app, &exit_code);
  AddDebug(app, &exit_code);
  AddDap(app, &exit_code);
  AddExplain(app, &exit_code);
  AddReport(app, &exit_code);
  AddServe(app, &exit_code);
  if (argc > 1 && argv[1][0] != '-') {
    std::string commands;
    bool known = false;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      known |= command->get_name() == argv[1];
      if (command->get_group().empty()) continue;  // for assay itself
      commands += (commands.empty() ? "" : ", ") + command->get_name();
    }
    if (!known) {
      return ReportError({ErrorKind::kUsage, std::string("unknown command '") + argv[1] +
                                                 "'; the commands are " + commands});
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& request) {
    return app.exit(request);
  } catch (const CLI::CallForAllHelp& request) {
    return app.exit(request);
  } catch (const CLI::CallForVersion& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return kExitUsage;
  }
  return exit_code;
}

}  // namespace
}  // namespace assay::tools

int main(int argc, char** argv) {
  try {
    return assay::tools::Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "assay: internal error: %s\nThis is a defect of assay; please report it with the "
                 "command line.\n",
                 error.what());
    return assay::tools::kExitInternal;
  }
}
