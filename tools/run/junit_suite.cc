#include "tools/run/junit_suite.h"

#include <fmt/format.h>

#include "oracle/report/junit.h"

namespace assay::tools {

using oracle::EscapedXml;

void JUnitSuite::Begin(const std::string& class_name, const std::string& name,
                       std::optional<double> seconds) {
  ++tests_;
  cases_ += fmt::format("  <testcase classname=\"{}\" name=\"{}\"{}>\n", EscapedXml(class_name),
                        EscapedXml(name), seconds ? fmt::format(" time=\"{:.3f}\"", *seconds) : "");
}

void JUnitSuite::Fail(const std::string& message, const std::string& text) {
  ++failures_;
  Add("failure", message, text);
}

void JUnitSuite::Err(const std::string& message, const std::string& text) {
  ++errors_;
  Add("error", message, text);
}

void JUnitSuite::Skip(const std::string& message) {
  ++skipped_;
  cases_ += fmt::format("    <skipped message=\"{}\"/>\n", EscapedXml(message));
}

void JUnitSuite::Say(const std::string& text) {
  if (text.empty()) return;
  cases_ += fmt::format("    <system-out>{}</system-out>\n", EscapedXml(text));
}

void JUnitSuite::End() { cases_ += "  </testcase>\n"; }

std::string JUnitSuite::Text(const std::string& name, double seconds,
                             const std::string& command) const {
  const std::string properties =
      command.empty()
          ? ""
          : fmt::format(
                "  <properties>\n    <property name=\"command\" value=\"{}\"/>\n  </properties>\n",
                EscapedXml(command));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" skipped=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n{}{}</testsuite>\n",
      EscapedXml(name), tests_, failures_, skipped_, errors_, seconds, properties, cases_);
}

void JUnitSuite::Add(const char* element, const std::string& message, const std::string& text) {
  cases_ += fmt::format("    <{0} message=\"{1}\">{2}</{0}>\n", element, EscapedXml(message),
                        EscapedXml(text));
}

}  // namespace assay::tools
