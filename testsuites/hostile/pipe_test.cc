// Hostile devices behind a pipe (pipe/device.py): each fault with the verdict that is due.  sin is
// hostile; fabs and trunc, which come after it, are right and never accused.
#include "testsuites/hostile/validated.h"

namespace assay::testsuites {
namespace {

constexpr const char* kAllPass = "sin pass, fabs pass, trunc pass";
constexpr const char* kSinFails = "sin fail, fabs pass, trunc pass";
constexpr const char* kSinLost = "sin not_measured, fabs pass, trunc pass";
constexpr const char* kNumbers = "2";
constexpr const char* kBinary = "1 binary";
constexpr const char* kNumbersBinary = "2 binary";

constexpr HostileCase kGreetings[] = {
    {"silent", "", 4, "did not answer within 3 s"},
    {"greets_with_garbage", "", 4, "line 1 of its output"},
    {"greets_with_another_version", "", 4, "'assay-pipe/2 line'"},
    {"greets_without_form", "", 4, "line 1 of its output"},
    {"ends_before_greeting", "", 4, "exit status 0"},
    {"floods_errors_and_is_silent", "", 4, "did not answer within 3 s"},
    {"floods_the_greeting", "", 4, "greeting of more than 65536 bytes"},
    {"greets_in_one_endless_line", "", 4, "a line of more than 65536 bytes"},
    {"dribbles_its_greeting", "", 4, "did not answer within 3 s"},
    {"declares_no_such_format", "", 4, "expected a format"},
    {"ends_in_its_greeting", "", 4, "exit status 3"},
};

constexpr HostileCase kBroken[] = {
    {"one_line_too_many", kSinLost, 4, "sent what nobody asked for, after its answer: '00000000"},
    {"one_line_too_few", kSinLost, 4, "did not answer within 3 s"},
    {"says_everything_twice", kSinLost, 4, "sent what nobody asked for"},
    {"speaks_between", kSinLost, 4, "got 'Computing ...'"},
    {"sends_nul", kSinLost, 4, "\\x00"},
    {"says_nan", kSinLost, 4, "got 'nan'"},
    {"too_many_numbers", kSinLost, 4, "answer 11 of"},
    {"too_many_digits", kSinLost, 4, "expected the bits of float"},
    {"negative_numbers", kSinLost, 4, "got '-1'"},
    {"empty_lines", kSinLost, 4, "got ''"},
    {"one_endless_line", kSinLost, 4, "a line of more than 65536 bytes"},
    {"fails", kSinLost, 4, "hostile device: out of memory"},
    {"unsupported_in_a_run", kSinLost, 4, "hostile device: no more"},
    {"ends_in_a_run", kSinLost, 4, "exit status 3"},
    {"stops_reading", kSinLost, 4, "did not answer within 3 s"},
    {"closes_its_output", kSinLost, 4, "did not answer within 3 s"},
    {"hangs", kSinLost, 4, "did not answer within 3 s"},
    {"agrees_twice", kSinLost, 4, "sin float"},
    {"agrees_in_other_words", kSinLost, 4, "got 'okay'"},
    // Whose copy answers in the middle of the original's lines, nobody knows; but it is told.
    {"forks", kSinLost, 4, "sin float"},
};

constexpr HostileCase kNumbered[] = {
    {"forks", kSinLost, 4, "sin float", kNumbers},
    {"one_line_too_many_before_the_end", kSinLost, 4, "expected 'end", kNumbers},
    {"one_line_too_many_after_the_end", kSinLost, 4, "'00000000", kNumbers},
    {"one_line_too_few", kSinLost, 4, "got 'end", kNumbers},
    {"answers_another_number", kSinLost, 4, "expected 'answer", kNumbers},
    {"counts_wrongly", kSinLost, 4, "expected 'answer", kNumbers},
    {"forgets_the_end", kSinLost, 4, "did not answer within 3 s", kNumbers},
};

constexpr HostileCase kBinaries[] = {
    {"bytes_too_few", kSinLost, 4, "did not answer within 3 s", kBinary},
    {"bytes_too_many", kSinLost, 4, "sent what nobody asked for", kBinary},
    {"forgets_ok", kSinLost, 4, "expected 'ok'", kBinary},
};
constexpr HostileCase kNumberedBinaries[] = {
    {"bytes_too_few", kSinLost, 4, "sin float", kNumbersBinary},
    {"bytes_too_many", kSinLost, 4, "expected 'end", kNumbersBinary},
};

constexpr HostileCase kWrong[] = {
    {"shuffles", kSinFails, 1, "error over the limit"},
    {"reverses", kSinFails, 1, "error over the limit"},
    {"answers_before_it_reads", kSinFails, 1, "error over the limit"},
    {"answers_the_batch_before", kSinFails, 1, "error over the limit"},
    {"always_the_same", kSinFails, 1, "error over the limit"},
    {"random_far", kSinFails, 1, "error over the limit"},
    {"wrong_when_asked_again", kSinFails, 1, "error over the limit"},
    {"random_ulp", kAllPass, 0, "sin float: not deterministic"},
    {"depends_on_the_lane", kAllPass, 0, "sin float: not deterministic"},
};

// After the task's last answer: the next function is asked of a fresh process.
constexpr HostileCase kLate[] = {
    {"one_line_too_many_late", kAllPass, 0, "started again"},
    {"an_answer_again_late", kAllPass, 0, "started again"},
};
constexpr HostileCase kLateNumbered[] = {
    {"an_answer_again_late", kAllPass, 0, "started again", kNumbers},
};

// The first life ends over sin.
constexpr HostileCase kLives[] = {
    {"dies_and_is_itself", kSinLost, 4, "exit status 137"},
    {"dies_and_is_silent", "sin not_measured, fabs not_measured, trunc pass", 4,
     "fabs float: cannot be started again"},
    {"dies_and_garbles", "sin not_measured, fabs not_measured, trunc pass", 4,
     "fabs float: cannot be started again"},
    {"dies_and_declares_less", "sin not_measured, fabs not_measured, trunc not_measured", 4,
     "is another device since it was started again"},
    {"dies_and_declares_more", "sin not_measured, fabs not_measured, trunc not_measured", 4,
     "is another device since it was started again"},
};

constexpr HostileCase kCorrect[] = {
    {"none", kAllPass},
    {"capitals", kAllPass},
    {"short_numbers", kAllPass},
    {"carriage_returns", kAllPass},
    {"byte_by_byte", kAllPass},
    {"floods_errors", kAllPass},
    {"starts_slowly", kAllPass},
    {"random_nan", kAllPass},
    {"flushes_to_zero", kAllPass},
};
constexpr HostileCase kCorrectBinary[] = {{"none", kAllPass, 0, "", kBinary}};
constexpr HostileCase kCorrectNumbers[] = {
    {"none", kAllPass, 0, "", kNumbers},
    {"byte_by_byte", kAllPass, 0, "", kNumbers},
    {"carriage_returns", kAllPass, 0, "", kNumbers},
};
constexpr HostileCase kCorrectNumbersBinary[] = {{"none", kAllPass, 0, "", kNumbersBinary}};

class HostilePipeTest : public testing::TestWithParam<HostileCase> {};

TEST_P(HostilePipeTest, GivesTheExpectedVerdict) {
  const HostileCase& row = GetParam();
  const std::string state = testing::TempDir() + fmt::format("assay-{}-{}", getpid(), row.name);
  std::remove(state.c_str());
  ExpectVerdicts(
      row,
      Validate(fmt::format("ASSAY_HOSTILE_STATE='{}'", state),
               fmt::format("--pipe \"python3 -B '{}/testsuites/hostile/pipe/device.py' {} {}\" "
                           "--functions sin,fabs,trunc --formats float --width 1 --timeout 3",
                           ASSAY_SOURCE_DIR, row.name, row.arguments),
               fmt::format("pipe-{}", row.name)));
  std::remove(state.c_str());
}

INSTANTIATE_TEST_SUITE_P(Greeting, HostilePipeTest, testing::ValuesIn(kGreetings), NameOf);
INSTANTIATE_TEST_SUITE_P(Broken, HostilePipeTest, testing::ValuesIn(kBroken), NameOf);
INSTANTIATE_TEST_SUITE_P(Numbered, HostilePipeTest, testing::ValuesIn(kNumbered), NameOf);
INSTANTIATE_TEST_SUITE_P(Binary, HostilePipeTest, testing::ValuesIn(kBinaries), NameOf);
INSTANTIATE_TEST_SUITE_P(NumberedBinary, HostilePipeTest, testing::ValuesIn(kNumberedBinaries),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Wrong, HostilePipeTest, testing::ValuesIn(kWrong), NameOf);
INSTANTIATE_TEST_SUITE_P(Late, HostilePipeTest, testing::ValuesIn(kLate), NameOf);
INSTANTIATE_TEST_SUITE_P(LateNumbered, HostilePipeTest, testing::ValuesIn(kLateNumbered), NameOf);
INSTANTIATE_TEST_SUITE_P(Lives, HostilePipeTest, testing::ValuesIn(kLives), NameOf);
INSTANTIATE_TEST_SUITE_P(Correct, HostilePipeTest, testing::ValuesIn(kCorrect), NameOf);
INSTANTIATE_TEST_SUITE_P(CorrectBinary, HostilePipeTest, testing::ValuesIn(kCorrectBinary), NameOf);
INSTANTIATE_TEST_SUITE_P(CorrectNumbered, HostilePipeTest, testing::ValuesIn(kCorrectNumbers),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(CorrectNumberedBinary, HostilePipeTest,
                         testing::ValuesIn(kCorrectNumbersBinary), NameOf);

}  // namespace
}  // namespace assay::testsuites
