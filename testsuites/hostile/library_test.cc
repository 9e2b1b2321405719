// Hostile C libraries (library/hostile.c): each fault with the verdict that is due.  None passes
// that answers wrongly, and rintf and sqrtf, which are right, are never accused of what the others
// leave behind.
#include <string_view>

#include "testsuites/hostile/validated.h"

namespace assay::testsuites {
namespace {

constexpr const char* kAllPass = "sin pass, rint pass, sqrt pass";
constexpr const char* kSinFails = "sin fail, rint pass, sqrt pass";
constexpr const char* kSinLost = "sin not_measured, rint pass, sqrt pass";

// Says or leaves what it should not, but answers rightly.
constexpr HostileCase kTold[] = {
    {"flush_to_zero", kAllPass, 0,
     "sin float: changes the floating-point environment: flush-to-zero, denormals-are-zero"},
    {"flush_to_zero_once", kAllPass, 0, "environment: flush-to-zero"},
    {"denormals_are_zero", kAllPass, 0, "environment: denormals-are-zero"},
    {"sse_rounds_up", kAllPass, 0, "environment: rounding mode"},
    {"rounds_down", kAllPass, 0, "environment: rounding mode, x87 rounding mode"},
    {"x87_single_precision", kAllPass, 0, "environment: x87 precision"},
    {"x87_rounds_up", kAllPass, 0, "environment: x87 rounding mode"},
    {"x87_stack", kAllPass, 0, "environment: x87 registers in use"},
    {"mmx_registers", kAllPass, 0, "environment: x87 registers in use"},
    {"direction_flag", kAllPass, 0, "environment: direction flag"},
    {"changes_modes_when_loaded", kAllPass, 0, "when it is loaded"},
    {"alarm", kAllPass, 0, "leaves a timer running"},
    {"profiling_timer", kAllPass, 0, "leaves a timer running"},
    {"signal_handler", kAllPass, 0, "changes how signals are handled"},
    {"ignores_signals", kAllPass, 0, "changes how signals are handled"},
    {"blocks_signals", kAllPass, 0, "changes which signals are blocked"},
    {"signal_stack", kAllPass, 0, "changes the stack of signal handlers"},
    {"forks", kAllPass, 0, "sin float: starts processes"},
    {"forks_once", kAllPass, 0, "sin float: starts processes"},
    {"forks_raw", kAllPass, 0, "sin float: starts processes"},
    {"forks_and_stays", kAllPass, 0, "sin float: starts processes"},
    {"random_ulp", kAllPass, 0, "sin float: not deterministic"},
    {"counts_calls", kAllPass, 0, "sin float: not deterministic"},
};

// Wrong, or no answer, and told so; what comes after is innocent.
constexpr HostileCase kRefused[] = {
    {"sse_exceptions", kSinLost, 4, "signal 8"},
    {"exits", kSinLost, 4, "exit status 0"},
    {"exits_at_once", kSinLost, 4, "exit status 7"},
    {"aborts", kSinLost, 4, "signal 6"},
    {"crashes", kSinLost, 4, "signal 11"},
    {"killed", kSinLost, 4, "signal 9"},
    {"kills_its_group", kSinLost, 4, "signal 9"},
    {"no_stack_left", kSinLost, 4, "signal 11"},
    {"ends_its_thread", kSinLost, 4, "sin float"},
    {"stops", kSinLost, 4, "did not answer"},
    {"spins", kSinLost, 4, "did not answer"},
    {"hangs_late", kSinLost, 4, "did not answer"},
    {"closes_descriptors", kSinLost, 4, "sin float"},
    {"writes_into_the_protocol", kSinLost, 4, "sin float"},
    {"forges_answers", kSinLost, 4, "answered another request"},
    {"empties_memory", kSinLost, 4, "wrote outside of its columns"},
    {"unmaps_memory", kSinLost, 4, "signal 11"},
    {"changes_inputs", kSinLost, 4, "changed its inputs"},
    {"writes_before_the_columns", kSinLost, 4, "wrote outside of its columns"},
    {"writes_everywhere", kSinLost, 4, "wrote outside of its columns"},
    {"random_far", kSinFails, 1, "error over the limit"},
    {"wrong_when_asked_again", kSinFails, 1, "error over the limit"},
    {"wrong_once", kSinFails, 1, "error over the limit"},
    {"the_answer_before", kSinFails, 1, "error over the limit"},
    {"answers_twice", kSinFails, 1, "error over the limit"},
    {"always_the_same", kSinFails, 1, "error over the limit"},
    {"gives_back_the_operand", kSinFails, 1, "error over the limit"},
};

// Through the pointers.
constexpr const char* kNotWritten = "first: not written";
constexpr const char* kCosineFails = "sincos fail, rint pass, sqrt pass";
constexpr HostileCase kPointers[] = {
    {"stores_nothing", kCosineFails, 1, kNotWritten, "--functions sincos,rint,sqrt"},
    {"stores_the_first_item", kCosineFails, 1, kNotWritten, "--functions sincos,rint,sqrt"},
    {"stores_one_result", kCosineFails, 1, kNotWritten, "--functions sincos,rint,sqrt"},
    {"stores_every_other_item", kCosineFails, 1, kNotWritten, "--functions sincos,rint,sqrt"},
    {"stores_no_nan", kCosineFails, 1, kNotWritten, "--functions sincos,rint,sqrt"},
    {"stores_all_but_one", kCosineFails, 1, "sincos float: 1 of", "--functions sincos,rint,sqrt"},
    {"stores_the_first_time", kCosineFails, 1, kNotWritten, "--functions sincos,rint,sqrt"},
    {"writes_behind", "modf not_measured, rint pass, sqrt pass", 4, "wrote outside",
     "--functions modf,rint,sqrt"},
    {"writes_far_behind", "modf not_measured, rint pass, sqrt pass", 4, "wrote outside",
     "--functions modf,rint,sqrt"},
    {"writes_before", "modf not_measured, rint pass, sqrt pass", 4, "wrote outside",
     "--functions modf,rint,sqrt"},
    {"depends_on_alignment", "modf fail, rint pass, sqrt pass", 1, "",
     "--functions modf,rint,sqrt"},
};

// Unusual, but nobody's business.
constexpr HostileCase kCorrect[] = {
    {"none", kAllPass},
    {"random_nan", kAllPass},
    {"sleeps_a_little", kAllPass},
    {"leaks_memory", kAllPass},
    {"leaks_descriptors", kAllPass},
    {"closes_standard_streams", kAllPass},
    {"writes_to_stdout", kAllPass},
    {"writes_when_loaded", kAllPass},
    {"floods_stderr", kAllPass},
    {"shrinks_memory", kAllPass},
    {"grows_memory", kAllPass},
    {"seals_memory", kAllPass},
    {"hangs_at_the_end", kAllPass},
    {"writes_at_the_end", kAllPass},
};

// Not even a device, or the end of the program.
constexpr HostileCase kNoReport[] = {
    {"crashes_when_loaded", "", 4, "signal 6"},
    {"exits_when_loaded", "", 4, "exit status 0"},
    {"hangs_when_loaded", "", 4, "did not answer within"},
    {"writes_into_the_protocol_when_loaded", "", 4, "sent no"},
};

class HostileLibraryTest : public testing::TestWithParam<HostileCase> {
 protected:
  static Validated Run(const HostileCase& row) {
    const std::string functions = *row.arguments == 0 ? "--functions sin,rint,sqrt" : row.arguments;
    return Validate(fmt::format("ASSAY_HOSTILE={}", row.name),
                    fmt::format("--library '{}' --formats float {} --timeout 3",
                                ASSAY_HOSTILE_LIBRARY, functions),
                    fmt::format("library-{}", row.name));
  }
};

TEST_P(HostileLibraryTest, GivesTheExpectedVerdict) {
#ifdef __SANITIZE_ADDRESS__
  // forks_once is asked there.
  const std::string_view name = GetParam().name;
  if (name == "forks" || name == "forks_raw") {
    GTEST_SKIP() << "a fork of a sanitized process takes 10 ms, and these make one a call";
  }
#endif
  ExpectVerdicts(GetParam(), Run(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Told, HostileLibraryTest, testing::ValuesIn(kTold), NameOf);
INSTANTIATE_TEST_SUITE_P(Refused, HostileLibraryTest, testing::ValuesIn(kRefused), NameOf);
INSTANTIATE_TEST_SUITE_P(Pointers, HostileLibraryTest, testing::ValuesIn(kPointers), NameOf);
INSTANTIATE_TEST_SUITE_P(Correct, HostileLibraryTest, testing::ValuesIn(kCorrect), NameOf);
INSTANTIATE_TEST_SUITE_P(NoReport, HostileLibraryTest, testing::ValuesIn(kNoReport), NameOf);

// Nobody survives SIGKILL, and SIGTERM is an interrupt; but neither ends as if all had been
// measured.
using HostileLibraryEndTest = HostileLibraryTest;
TEST_P(HostileLibraryEndTest, EndsTheRunAndDoesNotPass) {
  const Validated validated = Run(GetParam());
  EXPECT_EQ(validated.exit_code, GetParam().exit_code) << validated.text;
  EXPECT_EQ(validated.verdicts.find("sqrt pass"), std::string::npos) << validated.text;
}
constexpr HostileCase kEnds[] = {{"kills_the_parent", "", 137}, {"terminates_the_parent", "", 130}};
INSTANTIATE_TEST_SUITE_P(Ends, HostileLibraryEndTest, testing::ValuesIn(kEnds), NameOf);

}  // namespace
}  // namespace assay::testsuites
