// JUnit XML, for continuous integration servers: a suite, told case by case.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::base {

class JUnitSuite {
 public:
  // `seconds` is the time that the case took.
  void Begin(const std::string& class_name, const std::string& name,
             std::optional<double> seconds = std::nullopt);
  void Fail(const std::string& message, const std::string& text);
  void Err(const std::string& message, const std::string& text);
  void Skip(const std::string& message);
  void Say(const std::string& text);  // nothing where it is empty
  void End();

  // Of the whole suite. Nothing is added where the value is empty.
  void AddSeconds(double seconds);
  void AddAttribute(std::string_view name, const std::string& value);
  void AddProperty(std::string_view name, const std::string& value);

  std::string Element(const std::string& name) const;
  // A file with this suite alone.
  std::string Document(const std::string& name) const;

 private:
  void Add(const char* element, const std::string& message, const std::string& text);

  std::string attributes_, properties_, cases_;
  int tests_ = 0, failures_ = 0, skipped_ = 0, errors_ = 0;
};

// A file with several suites, each as Element gives it.
std::string JUnitDocument(const std::string& suites);

}  // namespace assay::base
