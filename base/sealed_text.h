// A text of records with digests: a changed, missing or moved byte is detected and located.
//
//   SCHEMA
//   KIND DIGEST TEXT      a record; DIGEST is SHA-256 over the digest before it, KIND and TEXT
//   ...
//   end DIGEST COUNT      over all records; nothing follows
//
// A digest is no signature.  It detects errors of disks, editors and copies, but not forgery.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace assay::base {

struct SealedRecord {
  std::string kind;  // one word
  std::string text;  // one line
};

class SealedText {
 public:
  explicit SealedText(std::string_view schema);

  // Adds a record to the beginning of all later texts.
  void Add(std::string_view kind, std::string_view text);
  // The whole text, with `last` behind the records that were added.
  std::string Whole(const std::vector<SealedRecord>& last = {}) const;

 private:
  std::string text_;
  std::string chain_;  // the last digest
  std::size_t count_ = 0;
};

// Returns the records; an error names the line.
Expected<std::vector<SealedRecord>> ReadSealedText(std::string_view text, std::string_view schema);

}  // namespace assay::base
