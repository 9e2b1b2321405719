#include "tools/report_page/output.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/json_text.h"
#include "oracle/report/page.h"
#include "oracle/report/rows.h"
#include "tools/report_page/source.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

// A hash as a content security policy names it (CSP level 3, 2.3.1): base64 of the digest.
std::string PolicyHash(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = base::Sha256(text);
  std::string base64;
  unsigned bits = 0;
  int count = 0;
  const auto flush = [&] {
    while (count >= 6) base64 += kDigits[bits >> (count -= 6) & 63u];
  };
  for (char digit : hex) {
    bits = bits << 4 | static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    count += 4;
    flush();
  }
  bits <<= 6 - count % 6;
  count = 6;
  flush();
  return "sha256-" + base64 + "=";
}

// JSON that cannot end the script element it stands in, whatever a driver is called.
std::string ScriptJson(const nlohmann::ordered_json& json) {
  const std::string text = base::JsonText(json);
  std::string safe;
  safe.reserve(text.size());
  for (char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string ReportPage(std::span<const oracle::InputReport> reports,
                       const std::vector<oracle::Changes>& changes,
                       const std::vector<std::string>& notes) {
  const std::string data = ScriptJson(PageData(reports, changes, notes));
  const std::string policy = fmt::format(
      "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
      PolicyHash(kReportScript), PolicyHash(kReportStyle));
  std::string page;
  for (std::string_view rest = kReportPage; !rest.empty();) {
    const std::size_t open = rest.find("{{");
    page += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find("}}", open);
    const std::string_view name = rest.substr(open + 2, close - open - 2);
    page += name == "policy"   ? std::string_view(policy)
            : name == "style"  ? kReportStyle
            : name == "script" ? kReportScript
                               : std::string_view(data);
    rest.remove_prefix(close + 2);
  }
  return page;
}

int VerdictExitCode(const oracle::Report& report) {
  const auto [pass, fail, unsupported, not_measured] = oracle::CountVerdicts(report);
  if (fail > 0) return kExitNonconforming;
  if (not_measured > 0) return kExitDevice;
  return pass > 0 ? kExitConforming : kExitUnsupported;
}

}  // namespace assay::tools
