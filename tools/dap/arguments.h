// The arguments of a request, which are checked before use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "tools/dap/framing.h"

namespace assay::tools::dap {

class Arguments {
 public:
  // `what` names the object in messages: "'next'", "breakpoint 2 of 'setBreakpoints'".
  Arguments(Json object, std::string what) : object_(std::move(object)), what_(std::move(what)) {}

  // Errors (kUsage) name the argument and what it must be.  null counts as missing.
  Expected<std::int64_t> Integer(const std::string& key) const;
  Expected<std::int64_t> Integer(const std::string& key, std::int64_t otherwise) const;
  Expected<std::string> Text(const std::string& key) const;
  Expected<std::string> Text(const std::string& key, const std::string& otherwise) const;
  Expected<bool> Flag(const std::string& key, bool otherwise) const;
  Expected<Arguments> Object(const std::string& key) const;  // {} where it is not there
  Expected<std::vector<Arguments>> Objects(const std::string& key) const;
  Expected<std::vector<std::string>> Texts(const std::string& key) const;
  // {"format": {"hex": true}} as the session's letter.
  Expected<std::string> Format() const;
  bool Has(const std::string& key) const;
  const Json& json() const { return object_; }

 private:
  tl::unexpected<Error> Missing(const std::string& key, const char* kind) const;
  const Json* Find(const std::string& key) const;
  Expected<const Json*> Array(const std::string& key) const;

  Json object_;
  std::string what_;
};

// "0x2a" or "42"; the whole text.
Expected<std::uint64_t> ParseAddress(std::string_view text);

}  // namespace assay::tools::dap
