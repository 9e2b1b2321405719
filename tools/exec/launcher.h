// Runs a program so that assay's OpenCL driver is what it finds, and waits for all that it starts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::tools {

struct Program {
  std::vector<std::string> words;  // the program, looked up in PATH, and its arguments
  std::map<std::string, std::string> set_variables;  // beside those of this process
  std::vector<std::string> unset_variables;
};

struct ProgramEnd {
  int exit_code = 0;  // as a shell has it: 128 + the signal's number for one that a signal ended
  int signal = 0;     // that ended it; 0: none
  bool left_others = false;  // waiting was interrupted while processes that it started still ran
};

// The program is a child in the same process group, with the same descriptors, signal mask and
// ignored signals, so a terminal treats both as one job.  What the terminal sends (Ctrl-C) reaches
// the program without help; signals that are sent to this process are passed on.  Processes that
// the program leaves behind are waited for, too; a signal that arrives then ends the waiting.
// A process in between is the program's parent: where this process is killed, it ends the program
// and all that it started, and says so.
//
// kUsage where the program does not exist (its exit code by the convention of shells is 127) or is
// not executable (126): `*not_started` is that code.
Expected<ProgramEnd> RunProgram(const Program& program, int* not_started);

// The same, and this process is free for other work meanwhile: `beside` is called once the program
// has been started, with all signals blocked that a program is to get, and may start threads and
// children.
Expected<ProgramEnd> RunProgramBeside(const Program& program, int* not_started,
                                      const std::function<void()>& beside);

// libassay-opencl.so: beside the running program (bin/../lib), or where `option` names one.  The
// whole path; kUsage where it is not there.
Expected<std::string> FindDriver(const std::string& option);

// libassay-layer.so, beside the running program; kUsage where it is not there.
Expected<std::string> FindLayer();

// Makes a folder for ICD loaders in `folder` and gives the variables with which they find the
// driver: it alone, or beside the others.  ocl-icd and Khronos' loader read them.
Expected<void> PointLoadersAt(const std::string& driver, bool keeps_platforms,
                              const std::string& folder, Program* program);

}  // namespace assay::tools
