#include "tools/shared/color.h"

#include <unistd.h>

#include <cstdlib>

namespace assay::tools {

bool HasColor(std::string_view wanted, int file) {
  if (wanted != "auto") return wanted == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb" && isatty(file) == 1;
}

}  // namespace assay::tools
