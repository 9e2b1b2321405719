// The source of a module, from debug information or from files beside the module.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/read_scope.h"
#include "frontend/module.h"

namespace assay::tools {

// Each file is read once, when it is wanted, and only where it is below a module's folder or in
// `reads`: modules name any file that they like.
class SourceLines {
 public:
  SourceLines(const frontend::Module& module, const std::vector<std::string>& module_paths,
              base::ReadScope reads = {});

  // The line that an instruction comes from; "" where it is not known.
  std::string At(std::uint32_t instruction);
  // A file's line, from 1; "" behind its end.
  std::string Line(std::uint32_t file, std::uint32_t line);
  // The same by the file's path, as DescribeLocation has it.
  std::string Of(const std::string& path, std::uint32_t line);
  std::uint32_t Count(std::uint32_t file);  // 0 where the file is not there

 private:
  const std::vector<std::string>& LinesOf(std::uint32_t file);

  const frontend::Module& module_;
  std::vector<std::string> folders_;
  base::ReadScope reads_;
  std::map<std::uint32_t, std::vector<std::string>> lines_;
};

}  // namespace assay::tools
