#include "tools/dap/log_message.h"

#include <gtest/gtest.h>

namespace assay::tools::dap {
namespace {

// Expressions in angle brackets, parts between bars.
std::string Shown(const std::string& message) {
  std::string shown;
  for (const LogPart& part : PartsOfLog(message)) {
    if (!shown.empty()) shown += '|';
    shown += part.is_expression ? "<" + part.text + ">" : part.text;
  }
  return shown;
}

TEST(PartsOfLog, TakesExpressionsOutOfBraces) {
  EXPECT_EQ(Shown(""), "");
  EXPECT_EQ(Shown("adds"), "adds");
  EXPECT_EQ(Shown("{x}"), "<x>");
  EXPECT_EQ(Shown("sum is {a[i] + 1}, {k}."), "sum is |<a[i] + 1>|, |<k>|.");
  EXPECT_EQ(Shown("{a}{}{b}"), "<a>|<>|<b>");
}

TEST(PartsOfLog, LeavesBracesThatAreNotClosed) {
  EXPECT_EQ(Shown("{"), "{");
  EXPECT_EQ(Shown("a } b {c"), "a } b {c");
  EXPECT_EQ(Shown("{a} {b"), "<a>| {b");
}

}  // namespace
}  // namespace assay::tools::dap
