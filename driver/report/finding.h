// What the driver finds: misuse of the API, and what a kernel did wrong in a launch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interp/execute/launch_options.h"
#include "interp/rules/finding.h"
#include "interp/rules/rule.h"

namespace assay::driver {

// A call in the application, innermost first in a list of them.
struct HostFrame {
  std::string module;  // the path of the program or library; "" where it is not known
  std::uint64_t offset =
      0;                 // of the call instruction, as symbolizers take it; in memory if no module
  std::string function;  // a symbol that the module exports; "" where there is none
  // Of a call in a program that an interpreter runs, which has no module: its file and line.
  std::string file = {};
  std::uint32_t line = 0;

  bool operator==(const HostFrame&) const = default;
};

// Another call that has to do with a finding: "buffer 3 was created", by these frames.
struct RelatedCall {
  std::string what;
  std::vector<HostFrame> frames;
};

// A call of the API that breaks a rule.
struct ApiFinding {
  interp::Rule rule{};
  std::string call;     // "clEnqueueReadBuffer"
  std::string code;     // "CL_INVALID_VALUE"; "" where the call succeeded
  std::string message;  // a sentence, with the object and the argument
  std::string remedy;   // a sentence; "": that of the rule
  std::vector<HostFrame> frames;
  std::vector<std::string> history;  // "the other command: ..."
  std::vector<RelatedCall> related = {};
};

// A file of a program, by the path that its debug information has.
struct ProgramSource {
  std::string path;
  std::string text;
};

// A launch that found something, or did not complete.
struct LaunchFindings {
  std::string kernel;
  std::uint64_t launch = 0;  // number in the process, from 1
  std::string program;       // a name of the program object for messages
  std::span<const ProgramSource> sources;
  std::span<const interp::Finding> findings;
  // Beside the findings, or empty: the places of the calls around each, innermost first.
  std::vector<std::vector<std::string>> callers = {};
  interp::LaunchEnd end = interp::LaunchEnd::kCompleted;
  std::string message;            // a sentence, if the launch did not complete
  std::vector<HostFrame> frames;  // of the call that enqueued it
  std::string job;                // the saved job that repeats it; "" where none was saved
};

// How a process used the driver, told when it ends.
struct ProcessEnd {
  std::uint64_t calls = 0;  // of the API
  std::uint64_t launches = 0;
  std::uint64_t other_types = 0;  // calls that asked for devices of another type
};

}  // namespace assay::driver
