// The record of a certification as JSON, and its checkpoint.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "numerics/certify.h"

namespace assay::tools {

inline constexpr std::string_view kCertificateSchema = "assay-certify/1";

// One function at one format, compared as far as `next_item`.
struct Certified {
  numerics::Function function{};
  numerics::Format format{};
  std::string operands;  // CertifyTask::Describe
  std::uint64_t items = 0;
  numerics::Coverage coverage = numerics::Coverage::kNone;
  std::uint64_t next_item = 0;
  numerics::CertifyStatistics statistics;

  bool IsFinished() const { return next_item == items; }
  bool IsCertified() const {
    return IsFinished() && statistics.differences == 0 && statistics.compared > 0;
  }
};

std::string_view CoverageName(numerics::Coverage coverage);

nlohmann::ordered_json CertifiedToJson(const Certified& certified);
Expected<Certified> CertifiedFromJson(const nlohmann::ordered_json& json);

// "sin(0x3f800000): the fast path has 0x3f576aa4 + 0.5 gaps, MPFR ...".
std::string DescribeDifference(const Certified& certified);

// The key of a run: a run can resume another one only if their keys are equal.
struct CertifyKey {
  numerics::CertifyOptions options;
  std::vector<std::string> tasks;  // "sin float"
  std::string truth;               // versions of MPFR and LLVM libc
};
nlohmann::ordered_json KeyToJson(const CertifyKey& key);

// Finished and unfinished tasks of a file, in its order.
nlohmann::ordered_json CertifyFile(const CertifyKey& key, const std::vector<Certified>& results);
Expected<std::vector<Certified>> ReadCertifyFile(const std::string& path);

// The same with a digest for each record (base/sealed_text.h), for resuming.  Reading refuses files
// of another build of assay or of a run with another key, and any changed byte.
inline constexpr std::string_view kCertifyCheckpointSchema = "assay-certify-checkpoint/1";
std::string CertifyCheckpoint(const CertifyKey& key, const std::vector<Certified>& results);
Expected<std::vector<Certified>> ReadCertifyCheckpoint(const std::string& path,
                                                       const CertifyKey& key);

}  // namespace assay::tools
