#include "tools/assay/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "oracle/results_json.h"
#include "tools/assay/exit_code.h"

namespace assay::tools {

bool Print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

int WriteResult(const std::string& text, const nlohmann::ordered_json& json,
                const std::string& json_path) {
  const std::string dump = json.dump(1) + "\n";
  if (!Print(json_path == "-" ? dump : text)) {
    return ReportError(
        {ErrorKind::kDevice, std::string("cannot write to stdout: ") + std::strerror(errno)});
  }
  if (!json_path.empty() && json_path != "-") {
    Expected<void> written = oracle::WriteFileAtomically(json_path, dump);
    if (!written) return ReportError(written.error());
  }
  return kExitConforming;
}

}  // namespace assay::tools
