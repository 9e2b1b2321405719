#include "testsuites/exec/driver.h"

#include <array>

#include "driver/report/frames.h"
#include "driver/report/log.h"

namespace {

using assay::driver::Log;
namespace interp = assay::interp;

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void TellCall(const char* rule, const char* message) {
  const interp::RuleRow* row = interp::FindRule(rule);
  if (row == nullptr) return;
  Log::Get().Tell({.rule = row->rule,
                   .call = "clTest",
                   .code = "CL_INVALID_VALUE",
                   .message = message,
                   .frames = assay::driver::CaptureFrames(),
                   .history = {"created here: elsewhere"}});
}

[[gnu::visibility("default")]] void TellKernel(const char* kernel) {
  interp::Finding finding(interp::Rule::kMemoryNull);
  finding.message = "load of 4 bytes through a null pointer";
  finding.source = "test.cl:2:5";
  const std::array findings = {finding};
  const std::array sources = {
      assay::driver::ProgramSource{"test.cl", "kernel void k(global int *a) {\n  a[1] = *a;\n}\n"}};
  Log::Get().Tell({.kernel = kernel,
                   .launch = 1,
                   .program = "program 1",
                   .sources = sources,
                   .findings = findings,
                   .frames = assay::driver::CaptureFrames()});
}

[[gnu::visibility("default")]] void TellEnd(void) {
  Log::Get().TellEnd({.calls = 1, .launches = 1});
}

}  // extern "C"
