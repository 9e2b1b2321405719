// What the driver does to the process that it lives in: it costs the task, never the run.
#include "testsuites/hostile/icd/icd_testing.h"

namespace assay::hostile {
namespace {

class HostileProcess : public HostileDriverTest {};
TEST_P(HostileProcess, CostsTheDriverOnly) { Check(GetParam()); }

const std::string kSegv = "was killed by signal 11";
const std::string kSilent = "did not answer within 3 s";
const std::string kLost = "0 pass, 0 fail, 0 unsupported, 1 not measured";

const Case kCrashes[] = {
    {"WhileItIsLoaded", "segv@load", VALIDATE("exp"), 4, {kSegv}},
    {"WhenAskedForPlatforms", "segv@platforms", VALIDATE("exp"), 4, {kSegv}},
    {"WhenAskedForThePlatformsName", "segv@platform_info", VALIDATE("exp"), 4, {kSegv}},
    {"WhenAskedForDevices", "segv@devices", VALIDATE("exp"), 4, {kSegv}},
    {"WhenAskedWhatItIs", "segv@info", VALIDATE("exp"), 4, {kSegv}},
    {"InClCreateContext", "segv@context", VALIDATE("exp"), 4, {kSegv}},
    {"InClCreateCommandQueue", "segv@queue", VALIDATE("exp"), 4, {kSegv}},
    {"InClCreateProgramWithSource", "segv@source", VALIDATE("exp"), 4, {kSegv, kLost}},
    {"InClBuildProgram", "segv@build", VALIDATE("exp"), 4, {kSegv, kLost}},
    {"InClCreateKernel", "segv@kernel", VALIDATE("exp"), 4, {kSegv, kLost}},
    {"InClSetKernelArg", "segv@arg", VALIDATE("exp"), 4, {kSegv, kLost}},
    {"InClCreateBuffer", "segv@buffer", VALIDATE("exp"), 4, {kSegv, kLost}},
    {"InClEnqueueWriteBuffer", "segv@write", VALIDATE("exp"), 4, {kSegv, kLost}},
    {"InClEnqueueNDRangeKernel", "segv@launch", VALIDATE("exp"), 4, {kSegv, kLost}},
    {"InClEnqueueReadBuffer", "segv@read", VALIDATE("exp"), 4, {kSegv, kLost}},
    {"InClEnqueueMapBuffer", "segv@map", VALIDATE("exp"), 4, {kSegv}},
    {"InClEnqueueUnmapMemObject", "segv@unmap", VALIDATE("exp"), 4, {kSegv}},
    {"InClFinish", "segv@finish", VALIDATE("exp"), 4, {kSegv, kLost}},
    {"InClReleaseMemObject", "segv@release", VALIDATE("exp"), 4, {kSegv}},
    {"AbortsInABuild", "abort@build", VALIDATE("exp"), 4, {"was killed by signal 6", kLost}},
    {"ThrowsInABuild", "throw@build", VALIDATE("exp"), 4, {kLost}},
    {"ExitsWhileItIsLoaded", "exit@load", VALIDATE("exp"), 4, {"exit status 0 before it answered"}},
    {"ExitsInALaunch",
     "exit@launch",
     VALIDATE("exp"),
     4,
     {"exit status 0 before it answered", kLost}},
    {"ExitsAtOnceInAnInfo",
     "quick_exit@info",
     VALIDATE("exp"),
     4,
     {"exit status 0 before it answered"}},
    {"ExitsAtOnceInARead",
     "quick_exit@read",
     VALIDATE("exp"),
     4,
     {"exit status 0 before it answered"}},
    {"FailsInAFinish",
     "exit_failure@finish",
     VALIDATE("exp"),
     4,
     {"exit status 1 before it answered"}},
    {"KillsItself", "kill_self@launch", VALIDATE("exp"), 4, {"was killed by signal 9", kLost}},
    {"TerminatesItself",
     "terminate@launch",
     VALIDATE("exp"),
     4,
     {"was killed by signal 15", kLost}},
    {"ClosesEveryDescriptor", "close_all@launch", VALIDATE("exp"), 4, {kLost}},
    {"TruncatesTheColumns", "truncate_columns@launch", VALIDATE("exp"), 0, {"1 pass"}},
    {"IsAnotherDeviceWhenStartedAgain",
     "change_name,quick_exit@read",
     VALIDATE("exp,floor"),
     4,
     {"is another device since it was started again"}},
    {"CallsTheContextsCallback", "call_back", VALIDATE("exp"), 4, {kSegv}},
};
INSTANTIATE_TEST_SUITE_P(Crashes, HostileProcess, testing::ValuesIn(kCrashes), NameOf);

const Case kHangs[] = {
    {"WhileItIsLoaded", "hang@load", VALIDATE("exp"), 4, {kSilent}},
    {"WhenAskedForPlatforms", "hang@platforms", VALIDATE("exp"), 4, {kSilent}},
    {"WhenAskedWhatItIs", "spin@info", VALIDATE("exp"), 4, {kSilent}},
    {"InABuild", "hang@build", VALIDATE("exp"), 4, {kSilent, kLost}},
    {"InALaunch", "spin@launch", VALIDATE("exp") " --width 1", 4, {kSilent, kLost}},
    {"InARead", "hang@read", VALIDATE("exp") " --width 1", 4, {kSilent, kLost}},
    {"InAFinish", "hang@finish", VALIDATE("exp") " --width 1", 4, {kSilent, kLost}},
    {"StopsItself", "stop@build", VALIDATE("exp"), 4, {kSilent, kLost}},
    {"FloodsStandardErrorForever", "flood_forever@build", VALIDATE("exp"), 4, {kSilent, kLost}},
};
INSTANTIATE_TEST_SUITE_P(Hangs, HostileProcess, testing::ValuesIn(kHangs), NameOf);

// Rude, but the answers are right: nobody is accused.
const std::string kPass = "1 pass, 0 fail, 0 unsupported, 0 not measured";
const Case kHarmless[] = {
    {"PrintsWhileItIsLoaded", "print@load", VALIDATE("exp"), 0, {kPass}},
    {"PrintsInEveryLaunch", "print@launch", VALIDATE("exp"), 0, {kPass}},
    {"FloodsStandardOutput", "flood_stdout@build", VALIDATE("exp"), 0, {kPass}},
    {"FloodsStandardError", "flood_stderr@finish", VALIDATE("exp"), 0, {kPass}},
    {"Forks", "fork@finish", VALIDATE("exp"), 0, {kPass}},
    {"ForksInABuild", "fork@build", VALIDATE("exp"), 0, {kPass}},
    {"ChangesTheFolder", "change_folder@load", VALIDATE("exp"), 0, {kPass}},
    {"ChangesTheUmask", "change_umask@load", VALIDATE("exp"), 0, {kPass}},
    {"LowersLimits", "lower_limits@load", VALIDATE("exp"), 0, {kPass}},
    {"ClearsTheEnvironment", "clear_environment@build", VALIDATE("exp"), 0, {kPass}},
    {"IgnoresSignals", "ignore_signals@load", VALIDATE("exp"), 0, {kPass}},
    {"LeavesFlushToZeroBehind", "flush_mode@finish", VALIDATE("exp"), 0, {kPass, "flush-to-zero"}},
    {"LeavesARoundingModeBehind", "round_up@finish", VALIDATE("exp"), 0, {kPass, "rounding mode"}},
    {"CrashesWhenItIsUnloaded", "segv@unload", VALIDATE("exp"), 0, {kPass}},
    {"HangsWhenItIsUnloaded", "hang@unload", VALIDATE("exp"), 0, {kPass}},
    {"ExitsWhenItIsUnloaded", "exit_failure@unload", VALIDATE("exp"), 0, {kPass}},
};
INSTANTIATE_TEST_SUITE_P(Harmless, HostileProcess, testing::ValuesIn(kHarmless), NameOf);

}  // namespace
}  // namespace assay::hostile
