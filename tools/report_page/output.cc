#include "tools/report_page/output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "oracle/report/page.h"
#include "oracle/report/rows.h"
#include "oracle/report/series_style.h"
#include "tools/page/document.h"
#include "tools/page/source.h"
#include "tools/report_page/source.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

// The colors and dashes of the reports, as classes: the plots have the same.
std::string SeriesRules() {
  std::string rules;
  for (std::size_t i = 0; i < oracle::kSeriesStyles.size(); ++i) {
    const oracle::SeriesStyle& style = oracle::kSeriesStyles[i];
    rules += fmt::format(".series-{} {{ --color: light-dark({}, {}); --dash: {}; }}\n", i,
                         style.light, style.dark, style.dash);
  }
  return rules + fmt::format(".again {{ --dash: {}; }}\n", oracle::kDashAgain);
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
  const std::string style = std::string(kPageStyle) + std::string(kReportStyle) + SeriesRules();
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
      PolicyHash(kReportScript), PolicyHash(style));
  std::string page;
  for (std::string_view rest = kReportPage; !rest.empty();) {
    const std::size_t open = rest.find("{{");
    page += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find("}}", open);
    const std::string_view name = rest.substr(open + 2, close - open - 2);
    page += name == "policy"   ? std::string_view(policy)
            : name == "style"  ? std::string_view(style)
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
