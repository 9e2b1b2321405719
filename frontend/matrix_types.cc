// The part of a cooperative matrix that a work-item has, as a debugger shows it.
#include <fmt/format.h>

#include "frontend/debug_types.h"

namespace assay::frontend {

TypeRef SourceTypes::OfMatrix(Id id, std::uint32_t subgroup_size, std::uint32_t work_item) {
  const auto [place, is_new] = matrices_.try_emplace({id, subgroup_size, work_item}, 0);
  const Type* matrix = module_.types.Find(id);
  if (!is_new || matrix == nullptr || !matrix->IsMatrix()) return place->second;
  const Type* component = module_.types.Find(matrix->element);
  // In registers, a bfloat16 is the float that it stands for.
  const TypeRef element =
      component->IsBfloat() ? Scalar(SourceKind::kFloat, 32) : OfSpirv(matrix->element);
  const std::uint64_t bytes = types_[element].bytes;
  const std::uint32_t elements = matrix->rows * matrix->columns;
  const std::uint32_t parts = (elements + subgroup_size - 1) / subgroup_size;
  // As the importer deals elements (interp/import/matrix_places.h).
  const bool is_by_columns = matrix->use == 0;
  const std::uint32_t lane = matrix->use == 1 ? (work_item + 1) % subgroup_size : work_item;
  const TypeRef type = Append(
      {.kind = SourceKind::kStruct, .name = module_.types.Describe(id), .bytes = parts * bytes});
  for (std::uint32_t i = 0; i < parts; ++i) {
    std::uint32_t at = i * subgroup_size + lane;
    if (at >= elements) at = lane % elements;
    const std::uint32_t row = is_by_columns ? at % matrix->rows : at / matrix->columns;
    const std::uint32_t column = is_by_columns ? at / matrix->rows : at % matrix->columns;
    AddMember(type, fmt::format("[{}][{}]", row, column), element, i * bytes);
  }
  return matrices_[{id, subgroup_size, work_item}] = type;
}

}  // namespace assay::frontend
