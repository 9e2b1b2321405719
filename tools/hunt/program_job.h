// Random programs as jobs: their text, their module, their buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"
#include "tools/hunt/forms.h"
#include "tools/hunt/program.h"

namespace assay::tools {

// How assay's compilers make the module that a driver is given in place of OpenCL C.
struct HuntSpirv {
  std::string options;  // of the compilers: "-cl-opt-disable", "-O2"
  HuntFormSet forms = 0;
  bool operator==(const HuntSpirv&) const = default;
};

// How a program is built and launched on the driver.
struct HuntSetting {
  std::string options;             // "-cl-opt-disable", ""
  std::uint32_t local = 16;        // it need not divide the program's number of work-items
  std::optional<HuntSpirv> spirv;  // nothing: OpenCL C
  bool operator==(const HuntSetting&) const = default;
};
// The local size that a program of so many work-items gets: the largest divisor up to it.
std::uint32_t LocalOf(const HuntProgram& program, const HuntSetting& setting);

// A job of one program, as it is written beside a finding; `path` is its text's.
interp::Job JobOf(const HuntProgram& program, const HuntSetting& setting,
                  const std::string& standard, const std::string& path);
std::string TextOf(const HuntProgram& program);
// Of the text in the file `path`.
Expected<frontend::Binary> ModuleOf(const std::string& path, const std::string& standard,
                                    const HuntSpirv& spirv);

// A job of the file without buffers and launches.
interp::Job EmptyJob(const std::string& path, const std::string& standard,
                     const std::string& options);
// The pragmas that a text needs, and the text.
std::string WithHead(std::string text);

// The launches of one job; inputs of the same content are one buffer.
class HuntJobWriter {
 public:
  explicit HuntJobWriter(interp::Job* job) : job_(*job) {}

  // The launches that fill pipes, then the program's.  Returns the places of the buffers that
  // count, in the order of outputs and cells; they are the last ones of the job.
  std::vector<std::size_t> Add(const HuntProgram& program, const HuntText& text,
                               const std::string& kernel, std::uint32_t local);

 private:
  std::size_t Place(interp::JobBuffer buffer);

  interp::Job& job_;
  std::map<std::tuple<std::uint64_t, HuntBase, std::uint32_t>, std::size_t> inputs_;
};

}  // namespace assay::tools
