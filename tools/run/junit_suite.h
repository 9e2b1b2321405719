// A suite of JUnit XML, told case by case: what all commands that write one share.
#pragma once

#include <optional>
#include <string>

namespace assay::tools {

class JUnitSuite {
 public:
  void Begin(const std::string& class_name, const std::string& name,
             std::optional<double> seconds = std::nullopt);
  void Fail(const std::string& message, const std::string& text);
  void Err(const std::string& message, const std::string& text);
  void Skip(const std::string& message);
  void Say(const std::string& text);  // nothing where it is empty
  void End();

  // The document; a property has the command where there is one.
  std::string Text(const std::string& name, double seconds, const std::string& command = "") const;

 private:
  void Add(const char* element, const std::string& message, const std::string& text);

  std::string cases_;
  int tests_ = 0, failures_ = 0, skipped_ = 0, errors_ = 0;
};

}  // namespace assay::tools
