// Whether answers conform to the numerical compliance chapter (OpenCL C 7.4, and the environment
// specification of SPIR-V for OpenCL).
//
//   auto judge = assay::api::Judge::Make(*sine, {.profile = assay::api::Profile::kFull});
//   std::vector<std::uint8_t> conforms(count);
//   judge->Answers({{{x}}}, {{y}}, count, {.conforms = conforms.data()});
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assay/numerics.h"
#include "assay/result.h"

namespace assay::api {
inline namespace v1 {

enum class Profile : std::uint8_t { kFull, kEmbedded };
enum class Math : std::uint8_t {
  kDefault,
  kRelaxed,  // -cl-fast-relaxed-math
  kNative,   // the native_ built-ins only
};
// Whose text decides: OpenCL C, the environment specification, the conformance suite.
enum class Reading : std::uint8_t { kOpenClC, kEnvironment, kSuite };

struct JudgeOptions {
  Profile profile = Profile::kFull;
  Math math = Math::kDefault;
  Reading reading = Reading::kEnvironment;
  Rounding rounding = Rounding::kRte;  // of the device
  bool denormals = true;               // false: the device may flush subnormal numbers
  std::string build_options;           // those that change what is allowed
};

struct LimitInfo {
  std::string text;           // "4", "0.5 (correctly rounded)"
  std::string clause;         // "OpenCL C 7.4, table 65"
  std::string kind;           // "ulp", "correctly rounded", "exact", "absolute", "one of",
                              // "derived or ulp", "piecewise", "unbounded"
  std::optional<double> ulp;  // the largest that the limit can be; nothing where it is no ulp
};

// An element for each item; null: not wanted.
struct Verdicts {
  std::uint8_t* conforms = nullptr;  // 1 or 0
  // Why: RuleText.  Of several results, that of the first one refused.
  std::uint8_t* rules = nullptr;
  // The error in ulp, of several results the largest; NaN where no ulp applies, +infinity where a
  // NaN or an infinity is wrong.
  double* ulps = nullptr;
};

class Judge {
 public:
  // kUsage where the function has no limit there, as half_cos has none for double.
  static Result<Judge> Make(const Function& function, const JudgeOptions& options);

  const LimitInfo& limit() const;
  bool Answers(std::span<const Column> operands, std::span<const void* const> answers,
               std::size_t count, const Verdicts& verdicts, const Work& work = {}) const;

 private:
  struct Impl;
  explicit Judge(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// "error over the limit"; "" for a number that is no rule.
std::string_view RuleText(std::uint8_t rule);
int RuleCount();

}  // namespace v1
}  // namespace assay::api
