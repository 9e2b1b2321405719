// Many programs at once, by the interpreter with its detectors and by an OpenCL driver, and
// compared.
//
// All programs of a call are one text of OpenCL C and one job: a compiler's start costs more than a
// small kernel.  What goes wrong with many is done again with halves of them, down to one.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "base/run_tool.h"
#include "interp/job/job.h"
#include "oracle/judge/verdict.h"
#include "tools/hunt/operations.h"
#include "tools/hunt/program.h"
#include "tools/hunt/program_job.h"

namespace assay::tools {

enum class HuntVerdict : std::uint8_t {
  kAgrees,
  kDiffers,    // a value that no conforming device has
  kNotBuilt,   // the driver refuses a program that is right
  kEnded,      // the driver crashes, or does not come to an end
  kNotJudged,  // the program has undefined behavior, or is no program
};
std::string_view NameOf(HuntVerdict verdict);

struct HuntDifference {
  std::string buffer;       // "out_uchar"
  std::uint64_t index = 0;  // of the component
  std::string observed, right;
};

// The answers that conform in a component whose answer does not.
struct HuntRange {
  HuntBase base;
  std::uint64_t index = 0;
  oracle::Accepted accepted;
};

struct HuntResult {
  HuntVerdict verdict = HuntVerdict::kAgrees;
  std::optional<HuntDifference> difference;               // the first one
  std::vector<std::pair<HuntBase, std::uint64_t>> wrong;  // components of outputs, all of them
  std::vector<HuntRange> ranges;                          // of those of them that are judged
  std::string message;                                    // of the driver, or why it is not judged
  bool IsBug() const {
    return verdict == HuntVerdict::kDiffers || verdict == HuntVerdict::kNotBuilt ||
           verdict == HuntVerdict::kEnded;
  }
};

// Seconds for the driver with all programs of a call.  What does not end in time is run again in
// parts with the short limit; a verdict is confirmed with the long one.
struct HuntLimits {
  double timeout = 60, short_timeout = 15;
};

class HuntExecutor {
 public:
  static Expected<HuntExecutor> Make(std::string platform, HuntDevice device, HuntLimits limits);

  // What is right of the buffers that count: outputs, then cells.
  struct Reference {
    std::vector<std::vector<std::byte>> buffers;
    std::string refused;  // why the program is not judged; "": it is
  };
  // All programs with the first setting's local size, then all with the second's, and so on.  They
  // are compiled with the options, or as a module as drivers are given it.
  Expected<std::vector<Reference>> Refer(std::span<const HuntProgram> programs,
                                         std::span<const HuntSetting> settings,
                                         const std::string& options = "-cl-opt-disable",
                                         const std::optional<HuntSpirv>& spirv = std::nullopt);
  // A result for each setting of each program: [program][setting].
  Expected<std::vector<std::vector<HuntResult>>> Run(std::span<const HuntProgram> programs,
                                                     std::span<const HuntSetting> settings);
  // The right content of a program's buffers: outputs, then cells.
  struct RightContent {
    std::vector<std::vector<std::byte>> buffers;
    std::string second;  // what agrees with it
    std::string doubt;   // why it may not be right; "": it is
  };
  // Whether calls of the driver have the short limit.
  void Hurry(bool is_short) { is_short_ = is_short; }
  // Behind it the driver is asked nothing, and programs are not judged.
  void EndAt(std::chrono::steady_clock::time_point end) { end_ = end; }
  // Whether a program was not judged for that reason.
  bool IsLate() const { return is_late_; }
  // Before a hang is told: a limit that is many times what the driver takes now for a program of
  // one line.  On a loaded machine the usual limits are none.
  void BePatient();
  // By two compilations of the text, one without and one with the optimizer: a fault of assay's
  // compilers would have to be in both.  And by the module that the driver is given.
  Expected<RightContent> Right(const HuntProgram& program, const HuntSetting& setting);
  // kUnsupported, with the reason, where the driver takes no SPIR-V.
  Expected<void> CheckTakesSpirv();
  std::uint64_t launches() const { return launches_; }  // of the driver
  double reference_seconds() const { return reference_seconds_; }
  double driver_seconds() const { return driver_seconds_; }

 private:
  explicit HuntExecutor(base::TemporaryFolder folder) : folder_(std::move(folder)) {}

  struct Batch;  // programs, and their launches in a job
  Batch MakeBatch(std::span<const HuntProgram> programs, std::span<const std::uint32_t> locals);
  // The batch's text as a module, in its job.
  Expected<void> UseModule(const HuntSpirv& spirv, Batch* batch) const;
  std::vector<HuntResult> Drive(std::span<const HuntProgram> programs, const HuntSetting& setting,
                                std::span<const Reference* const> references, double seconds);

  base::TemporaryFolder folder_;
  std::string platform_;
  HuntDevice device_;
  HuntLimits limits_;
  int files_ = 0;
  bool is_short_ = false, is_late_ = false;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::time_point::max();
  std::uint64_t launches_ = 0;
  double reference_seconds_ = 0, driver_seconds_ = 0;
};

}  // namespace assay::tools
