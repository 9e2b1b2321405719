// The program as its users meet it: what they type, the exit code, and a message with the remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/process.h"
#include "base/sealed_text.h"
#include "oracle/testing/device_columns.h"
#include "tools/testing/shell.h"

namespace assay::tools {
namespace {

using oracle::TestPath;
using testing::HasSubstr;
using testing::Not;

std::string Example(const std::string& name) {
  return std::string("\"python3 '") + ASSAY_SOURCE_DIR + "/testsuites/devices/" + name + "'\"";
}

struct Row {
  const char* command;
  int exit_code;
  const char* message;
};

void Check(const Row& row) {
  const Finished finished = Shell(row.command);
  EXPECT_EQ(finished.exit_code, row.exit_code) << row.command << "\n" << finished.output;
  EXPECT_THAT(finished.output, HasSubstr(row.message)) << row.command;
}

TEST(CommandLineTest, BadInputIsNamedWithItsRemedy) {
  for (const Row& row : {
           Row{"{assay}", 2, "--help"},
           Row{"{assay} frobnicate", 2, "frobnicate"},
           Row{"{assay} validate", 2, "name one device"},
           Row{"{assay} validate --library libm.so.6 --pipe cat", 2, "name one device"},
           Row{"{assay} validate --library libm.so.6 --frobnicate", 2, "--frobnicate"},
           Row{"{assay} validate --library /nonexistent/libm.so", 2, "/nonexistent/libm.so"},
           Row{"{assay} validate --library libm.so.6 --functions sinn", 2, "sinh"},
           Row{"{assay} validate --library libm.so.6 --functions @unry", 2, "@unary"},
           Row{"{assay} validate --library libm.so.6 --functions @images", 3,
               "only OpenCL devices are asked for images"},
           Row{"{assay} validate --library libm.so.6 --functions sin,image_read_*", 2,
               "in runs of their own"},
           Row{"{assay} validate --library libm.so.6 --list", 2, "`assay list`"},
           Row{"{assay} validate --library libm.so.6 --functions @images --html h", 2,
               "--html does not go with rows of images"},
           Row{"{assay} validate --library libm.so.6 --formats quad", 2, "quad"},
           Row{"{assay} validate --library libm.so.6 --level thorough", 2, "exhaustive"},
           Row{"{assay} validate --library libm.so.6 --profile tiny", 2, "embedded"},
           Row{"{assay} validate --library libm.so.6 --rounding up", 2, "up"},
           Row{"{assay} validate --library libm.so.6 --math fast", 2, "relaxed"},
           Row{"{assay} validate --library libm.so.6 --max-failures -3", 2, "'-3'"},
           Row{"{assay} validate --library libm.so.6 --max-failures many", 2, "'many'"},
           Row{"{assay} validate --library libm.so.6 --width 4", 2, "in width 1 only"},
           Row{"{assay} validate --pipe cat --timeout 0", 2, "--timeout"},
           Row{"{assay} validate --library libm.so.6 --at 1", 2, "exactly one function"},
           Row{"{assay} validate --library libm.so.6 --functions pow --formats float --at 1", 2,
               "takes 2 arguments"},
           Row{"{assay} validate --library libm.so.6 --functions sin --formats float --at one", 2,
               "'one' is no float"},
           Row{"{assay} validate --library libm.so.6 --resume", 2, "--checkpoint"},
           Row{"{assay} validate --library libm.so.6 --json /nonexistent/r.json", 2,
               "/nonexistent/r.json"},
           Row{"{assay} validate --library libm.so.6 --junit /tmp", 2, "it is a folder"},
           Row{"{assay} validate --library libm.so.6 --worst-from /nonexistent.json", 2,
               "/nonexistent.json"},
           Row{"{assay} validate --recorded /nonexistent.rec", 2, "/nonexistent.rec"},
           Row{"{assay} validate --pipe /nonexistent/device", 2, "/nonexistent/device"},
           Row{"{assay} eval", 2, "function"},
           Row{"{assay} eval sinn 1", 2, "sinh"},
           Row{"{assay} eval pow 1", 2, "takes 2 arguments"},
           Row{"{assay} eval sin 0x123456789", 2, "float"},
           Row{"{assay} eval sin 1 --format quad", 2, "quad"},
           Row{"{assay} eval sin 1 --rounding up", 2, "up"},
           Row{"{assay} eval sin 1 --digits 0", 2, "--digits"},
           Row{"{assay} certify sinn", 2, "sinh"},
           Row{"{assay} certify pow --exhaustive --formats float", 2, "--samples"},
       }) {
    Check(row);
  }
}

TEST(CommandLineTest, AnUnknownPlatformListsThePlatforms) {
  const Finished finished = Shell("{assay} validate --opencl 'no such platform'");
  // Without any driver the machine is at fault, not the name.
  if (finished.exit_code == 4) {
    EXPECT_THAT(finished.output, HasSubstr("apt install"));
    GTEST_SKIP() << "no OpenCL here";
  }
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("no such platform"));
}

TEST(CommandLineTest, OpenClWithoutANameIsTheFirstDevice) {
  const Finished finished =
      Shell("{assay} validate --opencl --functions fabs --formats float --width 1");
  if (finished.output.find("apt install") != std::string::npos) GTEST_SKIP() << "no OpenCL here";
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("1 pass"));
}

TEST(CommandLineTest, MissingFeaturesOfADeviceAreUnsupported) {
  Check({"{assay} validate --library libm.so.6 --functions sin --formats half", 3, "unsupported"});
  const std::string pipe =
      "{assay} validate --functions fabs --formats bfloat16 --pipe " + Example("line_device.py");
  Check({pipe.c_str(), 3, "bfloat16"});
  const std::string library = oracle::CompileLibrary("onlycos", "float cosf(float x){return x;}");
  if (library.empty()) GTEST_SKIP() << "no C compiler";
  const std::string sin = "{assay} validate --functions sin --formats float --library " + library;
  Check({sin.c_str(), 3, "sinf"});
}

// docs/pipe-protocol.md says how vectors lie in the binary form; its example reads them so.
TEST(CommandLineTest, TheBinaryExampleReadsVectors) {
  const Finished finished = Shell("{assay} validate --functions dot --formats float --pipe " +
                                  Example("binary_device.py"));
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("dot float3: pass; "));
  EXPECT_THAT(finished.output, HasSubstr("4 pass, 0 fail"));
}

// Date, host and command line are in a report, unless nobody wants them; and two runs of the same
// time, place and words are the same report.
TEST(CommandLineTest, AReportHasItsOrigin) {
  const std::string json = TestPath("origin.json");
  const std::string validate =
      "validate --library libm.so.6 --functions fabs --formats float --json '" + json + "'";
  ASSERT_EQ(Shell("SOURCE_DATE_EPOCH=1700000000 {assay} " + validate).exit_code, 0);
  const std::string first = Contents(json);
  const nlohmann::json origin = Json(json)["run"]["origin"];
  EXPECT_EQ(origin["date"], "2023-11-14T22:13:20Z");
  EXPECT_NE(origin["host"], "");
  EXPECT_EQ(origin["command"],
            "assay validate --library libm.so.6 --functions fabs --formats float --json " + json);
  ASSERT_EQ(Shell("SOURCE_DATE_EPOCH=1700000000 {assay} " + validate).exit_code, 0);
  EXPECT_EQ(Contents(json), first);
  ASSERT_EQ(Shell("{assay} " + validate + " --no-origin").exit_code, 0);
  EXPECT_FALSE(Json(json)["run"].contains("origin"));
}

TEST(CommandLineTest, ADeviceWithoutDoublesSaysSo) {
  const Finished finished = Shell(
      "RUSTICL_ENABLE=llvmpipe {assay} validate --opencl rusticl --functions sin --formats double");
  // Only where the driver is not installed: a platform that is there and cannot be asked is a
  // failure.
  for (const char* lacks : {"no OpenCL driver is registered", "no OpenCL platform has 'rusticl'"}) {
    if (finished.output.find(lacks) != std::string::npos) GTEST_SKIP() << finished.output;
  }
  EXPECT_EQ(finished.exit_code, 3) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("cl_khr_fp64"));
}

TEST(CommandLineTest, VerdictsAreExitCodes) {
  Check({"{assay} validate --library libm.so.6 --functions sqrt --formats float", 0, "1 pass"});
  const std::string library =
      oracle::CompileLibrary("wrongsqrt", "float sqrtf(float x){return x;}");
  if (library.empty()) GTEST_SKIP() << "no C compiler";
  const std::string wrong =
      "{assay} validate --functions sqrt --formats float --library " + library;
  Check({wrong.c_str(), 1, "--at 0x"});
}

TEST(CommandLineTest, TheCommandOfAFailureShowsIt) {
  const std::string library =
      oracle::CompileLibrary("wrongcbrt", "float cbrtf(float x){return x;}");
  if (library.empty()) GTEST_SKIP() << "no C compiler";
  const std::string json = TestPath("reproduce.json");
  EXPECT_EQ(Shell("{assay} validate --functions cbrt --formats float --library " + library +
                  " --json " + json)
                .exit_code,
            1);
  const nlohmann::json failure = Json(json)["results"][0]["failures"][0];
  std::string command = failure["reproduce"];
  ASSERT_TRUE(command.starts_with("assay ")) << command;
  command.replace(0, 5, "{assay}");
  const Finished again = Shell(command);
  EXPECT_EQ(again.exit_code, 1) << command;
  EXPECT_THAT(again.output, HasSubstr(failure["args"][0].get<std::string>()));
}

TEST(CommandLineTest, AFullDiskKeepsTheTable) {
  const Finished finished = Shell(
      "{assay} validate --library libm.so.6 --functions sqrt --formats float --json "
      "/dev/full");
  EXPECT_EQ(finished.exit_code, 4) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("/dev/full"));
  EXPECT_THAT(finished.output, HasSubstr("No space left"));
  EXPECT_THAT(finished.output, HasSubstr("1 pass"));
}

TEST(CommandLineTest, ARecordingOfAnotherFunctionIsRefused) {
  const std::string recording = TestPath("sqrt.rec");
  const std::string record =
      "{assay} validate --library libm.so.6 --functions sqrt --formats float --record " + recording;
  Check({record.c_str(), 0, "1 pass"});
  const std::string same =
      "{assay} validate --functions sqrt --formats float --recorded " + recording;
  Check({same.c_str(), 0, "1 pass"});
  const std::string other =
      "{assay} validate --functions cbrt --formats float --recorded " + recording;
  Check({other.c_str(), 3, "cbrt"});
  const std::string bytes = Contents(recording);
  std::ofstream(recording, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  Check({same.c_str(), 2, recording.c_str()});
}

TEST(CommandLineTest, CheckpointsOfOtherRunsAndTruncatedOnesAreRefused) {
  const std::string checkpoint = TestPath("state.checkpoint");
  const std::string command =
      "{assay} validate --library libm.so.6 --functions sqrt --formats float --resume "
      "--checkpoint " +
      checkpoint;
  Check({command.c_str(), 2, "run without --resume"});
  base::SealedText other("assay-checkpoint/2");
  other.Add("key", "{}");
  const std::string whole = other.Whole();
  std::ofstream(checkpoint) << whole.substr(0, whole.size() - 1);
  Check({command.c_str(), 2, "truncated"});
  std::ofstream(checkpoint) << whole;
  Check({command.c_str(), 2, "belongs to another run"});
  EXPECT_NE(Contents(checkpoint), "") << "a refused checkpoint stays as it is";
}

// Starts a run, interrupts it when it has begun, and answers its exit code.
Finished Interrupt(const std::string& arguments, int signal, std::chrono::milliseconds after) {
  const std::string log = TestPath("interrupt.log");
  auto shell = base::Process::Start({"/bin/sh", "-c",
                                     WithProgram("{assay} validate " + arguments + " >'" + log +
                                                 "' 2>&1 & echo $!; wait $!; "
                                                 "echo $?")},
                                    "shell");
  if (!shell) return {};
  const auto pid = (*shell)->ReadLine(30);
  if (!pid) return {};
  std::this_thread::sleep_for(after);
  // As `timeout` does: to the process, and to its group.
  kill(std::stoi(*pid), signal);
  kill(std::stoi(*pid), signal);
  const auto code = (*shell)->ReadLine(60);
  return {code ? std::stoi(*code) : -1, Contents(log)};
}

TEST(CommandLineTest, AnInterruptLeavesAReportToResumeFrom) {
  const std::string json = TestPath("partial.json");
  // The shell gives a background job no SIGINT; SIGTERM is handled alike.
  const Finished finished = Interrupt(
      "--library libm.so.6 --functions pow,cbrt --formats double --samples 100000000 --json " +
          json,
      SIGTERM, std::chrono::milliseconds(1500));
  EXPECT_EQ(finished.exit_code, 130) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("--resume"));
  const nlohmann::json report = Json(json);
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report.value("interrupted", false), true);
  EXPECT_EQ(report.value("results", nlohmann::json()).size(), 2u);
  EXPECT_TRUE(base::ReadSealedText(Contents(json + ".checkpoint"), "assay-checkpoint/2"));
}

TEST(CommandLineTest, AnInterruptDoesNotWaitForASilentDevice) {
  const std::string json = TestPath("silent.json");
  const auto start = std::chrono::steady_clock::now();
  const Finished finished = Interrupt(
      "--functions fabs --formats float --timeout 300 --json " + json +
          " --pipe \"printf 'assay-pipe/1 line\\nname Mute\\nformat float\\nready\\n'; read task; "
          "echo ok; sleep 1000\"",
      SIGTERM, std::chrono::milliseconds(1000));
  EXPECT_EQ(finished.exit_code, 130) << finished.output;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60))
      << "not the 300 s that the device may be silent";
  EXPECT_EQ(Json(json).value("interrupted", false), true);
  EXPECT_THAT(finished.output, Not(HasSubstr("did not answer")));
}

}  // namespace
}  // namespace assay::tools
