#include "base/junit_suite.h"

#include <fmt/format.h>

#include "base/text.h"

namespace assay::base {
namespace {

constexpr std::string_view kProlog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

}  // namespace

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

void JUnitSuite::AddSeconds(double seconds) {
  AddAttribute("time", fmt::format("{:.3f}", seconds));
}

void JUnitSuite::AddAttribute(std::string_view name, const std::string& value) {
  if (value.empty()) return;
  attributes_ += fmt::format(" {}=\"{}\"", name, EscapedXml(value));
}

void JUnitSuite::AddProperty(std::string_view name, const std::string& value) {
  if (value.empty()) return;
  properties_ += fmt::format("    <property name=\"{}\" value=\"{}\"/>\n", name, EscapedXml(value));
}

std::string JUnitSuite::Element(const std::string& name) const {
  const std::string properties =
      properties_.empty() ? "" : "  <properties>\n" + properties_ + "  </properties>\n";
  return fmt::format(
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" errors=\"{}\"{}>\n"
      "{}{}</testsuite>\n",
      EscapedXml(name), tests_, failures_, skipped_, errors_, attributes_, properties, cases_);
}

std::string JUnitSuite::Document(const std::string& name) const {
  return std::string(kProlog) + Element(name);
}

void JUnitSuite::Add(const char* element, const std::string& message, const std::string& text) {
  cases_ += fmt::format("    <{0} message=\"{1}\">{2}</{0}>\n", element, EscapedXml(message),
                        EscapedXml(text));
}

std::string JUnitDocument(const std::string& suites) {
  return fmt::format("{}<testsuites>\n{}</testsuites>\n", kProlog, suites);
}

}  // namespace assay::base
