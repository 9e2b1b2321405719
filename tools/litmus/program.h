// The parts of a litmus test in herd's format, before a kernel is made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/litmus/condition.h"
#include "tools/litmus/test.h"

namespace assay::tools::litmus {

enum class Space { kGlobal, kLocal };

// Where a process runs.  Sub-groups are numbered in their work-group, work-groups in their device.
struct Place {
  int device = 0, work_group = 0, sub_group = 0;
  auto operator<=>(const Place&) const = default;
};

// "global atomic_int* x": a variable as a process sees it.
struct Parameter {
  std::string name;
  std::string type;  // "int", "uint", "long", "ulong"
  Space space = Space::kGlobal;
  int line = 1;
};

struct Process {
  int number = 0;
  std::optional<Place> place = std::nullopt;
  std::vector<Parameter> parameters = {};
  std::string_view body = {};  // C, between its braces
  int line = 1;
  int body_line = 1;
};

// "x=1" or "0:r0=1" before the processes.
struct Initial {
  Location location;
  std::string type;  // "": not stated
  std::vector<std::int64_t> values;
};

struct Program {
  std::string path, name;
  std::vector<Initial> initials;
  std::vector<Process> processes;
  std::vector<Location> locations;  // of the question, then those of "locations [...]"
  Question question;
};

Expected<Program> ReadProgram(std::string_view text, const std::string& path);

// The part of a process between two barriers.
struct Segment {
  std::string code;     // OpenCL C
  int line = 1;         // of its first line in the file
  std::string barrier;  // that ends it: "barrier(CLK_LOCAL_MEM_FENCE)"; "": the process ends
  std::string barrier_id;
  int barrier_line = 1;
};
// A process as OpenCL C in the common kernel: its registers have the process's number in their
// names, and atomic functions take their variable as an atomic one.
struct Translated {
  std::vector<Segment> segments;
  std::vector<std::pair<std::string, std::string>> registers;  // name in the test, type
};
// With `device_is_group` a work-group stands for a device: memory_scope_device is its scope.
Expected<Translated> Translate(const Process& process, bool device_is_group,
                               const std::string& path);
// "P0_r0".
std::string RegisterName(int process, std::string_view name);

Expected<Test> Generate(const Program& program);

}  // namespace assay::tools::litmus
