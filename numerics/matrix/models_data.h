// The files of numerics/matrix/models as text; made by cmake/EmbedMatrixModels.cmake.
#pragma once

#include <span>
#include <string_view>

namespace assay::numerics::matrix {

struct ModelData {
  std::string_view name;  // of the file, without .json
  std::string_view text;
};

extern const std::span<const ModelData> kModelData;

}  // namespace assay::numerics::matrix
