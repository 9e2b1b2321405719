#include "oracle/jobs/matrix_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace assay::oracle {
namespace {

struct ComponentType {
  std::string_view format, declaration, capability;
  std::uint32_t bytes;
  bool is_signed = false;
};
constexpr ComponentType kComponents[] = {{"f16", "OpTypeFloat 16", "Float16", 2},
                                         {"f32", "OpTypeFloat 32", "", 4},
                                         {"f64", "OpTypeFloat 64", "Float64", 8},
                                         {"s8", "OpTypeInt 8 0", "Int8", 1, true},
                                         {"s16", "OpTypeInt 16 0", "Int16", 2, true},
                                         {"s32", "OpTypeInt 32 0", "", 4, true},
                                         {"u8", "OpTypeInt 8 0", "Int8", 1},
                                         {"u16", "OpTypeInt 16 0", "Int16", 2},
                                         {"u32", "OpTypeInt 32 0", "", 4}};

const ComponentType* Find(std::string_view format) {
  const auto* const found =
      std::find_if(std::begin(kComponents), std::end(kComponents),
                   [&](const ComponentType& component) { return component.format == format; });
  return found == std::end(kComponents) ? nullptr : found;
}

constexpr std::string_view kHead = R"(OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability CooperativeMatrixKHR
{capabilities}OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %product "product" %group %subgroup %subgroups
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %subgroup BuiltIn SubgroupId
OpDecorate %subgroups BuiltIn NumSubgroups
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%ulong3 = OpTypeVector %ulong 3
%in_ulong3 = OpTypePointer Input %ulong3
%in_uint = OpTypePointer Input %uint
%group = OpVariable %in_ulong3 Input
%subgroup = OpVariable %in_uint Input
%subgroups = OpVariable %in_uint Input
)";

// %uint is declared already.
constexpr std::string_view kTypes =
    R"({components}%to_factor = OpTypePointer CrossWorkgroup %{factor}
{to_sum}%scope = OpConstant %uint 3
%use_a = OpConstant %uint 0
%use_b = OpConstant %uint 1
%use_c = OpConstant %uint 2
%m = OpConstant %uint {m}
%n = OpConstant %uint {n}
%k = OpConstant %uint {k}
%size_a = OpConstant %ulong {size_a}
%size_b = OpConstant %ulong {size_b}
%size_c = OpConstant %ulong {size_c}
%matrix_a = OpTypeCooperativeMatrixKHR %{factor} %scope %m %k %use_a
%matrix_b = OpTypeCooperativeMatrixKHR %{factor} %scope %k %n %use_b
%matrix_c = OpTypeCooperativeMatrixKHR %{sum} %scope %m %n %use_c
%type = OpTypeFunction %void %to_factor %to_factor %{pointer} %{pointer} %uint
)";

constexpr std::string_view kBody = R"(%product = OpFunction %void None %type
%a = OpFunctionParameter %to_factor
%b = OpFunctionParameter %to_factor
%c = OpFunctionParameter %{pointer}
%d = OpFunctionParameter %{pointer}
%count = OpFunctionParameter %uint
%entry = OpLabel
%groups = OpLoad %ulong3 %group
%own_group = OpCompositeExtract %ulong %groups 0
%own = OpLoad %uint %subgroup
%each = OpLoad %uint %subgroups
%wide_own = OpUConvert %ulong %own
%wide_each = OpUConvert %ulong %each
%before = OpIMul %ulong %own_group %wide_each
%tile = OpIAdd %ulong %before %wide_own
%wide_count = OpUConvert %ulong %count
%is_tile = OpULessThan %bool %tile %wide_count
OpSelectionMerge %end None
OpBranchConditional %is_tile %work %end
%work = OpLabel
%at_a = OpIMul %ulong %tile %size_a
%at_b = OpIMul %ulong %tile %size_b
%at_c = OpIMul %ulong %tile %size_c
%own_a = OpInBoundsPtrAccessChain %to_factor %a %at_a
%own_b = OpInBoundsPtrAccessChain %to_factor %b %at_b
%own_c = OpInBoundsPtrAccessChain %{pointer} %c %at_c
%own_d = OpInBoundsPtrAccessChain %{pointer} %d %at_c
%ma = OpCooperativeMatrixLoadKHR %matrix_a %own_a %use_a %k
%mb = OpCooperativeMatrixLoadKHR %matrix_b %own_b %use_a %n
%mc = OpCooperativeMatrixLoadKHR %matrix_c %own_c %use_a %n
%md = OpCooperativeMatrixMulAddKHR %matrix_c %ma %mb %mc{signs}
OpCooperativeMatrixStoreKHR %own_d %md %use_a %n
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
)";

}  // namespace

std::uint32_t MatrixElementBytes(std::string_view format) {
  const ComponentType* const component = Find(format);
  return component == nullptr ? 0 : component->bytes;
}

std::optional<std::string> MatrixProgram(const MatrixTile& tile) {
  const ComponentType* const factor = Find(tile.input);
  const ComponentType* const sum = Find(tile.accumulator);
  if (factor == nullptr || sum == nullptr) return std::nullopt;
  std::set<std::string_view> capabilities;
  std::string components, needed;
  // Types of the same declaration are one in SPIR-V.
  const auto name_of = [&](const ComponentType& component) {
    if (component.declaration == "OpTypeInt 32 0") return std::string("uint");
    return component.declaration == factor->declaration ? std::string("factor")
                                                        : std::string("sum");
  };
  const std::string factor_name = name_of(*factor), sum_name = name_of(*sum);
  for (const ComponentType* component : {factor, sum}) {
    if (!component->capability.empty()) capabilities.insert(component->capability);
  }
  for (const std::string_view capability : capabilities) {
    needed += fmt::format("OpCapability {}\n", capability);
  }
  if (factor_name != "uint") components = fmt::format("%factor = {}\n", factor->declaration);
  if (sum_name == "sum") components += fmt::format("%sum = {}\n", sum->declaration);
  const bool is_same = sum_name == factor_name;
  const std::string pointer = is_same ? "to_factor" : "to_sum";
  std::string signs;
  if (factor->is_signed) signs = "MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR";
  if (sum->is_signed) {
    signs += signs.empty() ? "" : "|";
    signs += "MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR";
  }
  const auto size = [](int rows, int columns) { return std::int64_t{rows} * columns; };
  return fmt::format(fmt::runtime(kHead), fmt::arg("capabilities", needed)) +
         fmt::format(fmt::runtime(kTypes), fmt::arg("components", components),
                     fmt::arg("factor", factor_name), fmt::arg("sum", sum_name),
                     fmt::arg("to_sum", is_same ? std::string()
                                                : fmt::format("%to_sum = OpTypePointer "
                                                              "CrossWorkgroup %{}\n",
                                                              sum_name)),
                     fmt::arg("m", tile.m), fmt::arg("n", tile.n), fmt::arg("k", tile.k),
                     fmt::arg("size_a", size(tile.m, tile.k)),
                     fmt::arg("size_b", size(tile.k, tile.n)),
                     fmt::arg("size_c", size(tile.m, tile.n)), fmt::arg("pointer", pointer)) +
         fmt::format(fmt::runtime(kBody), fmt::arg("pointer", pointer),
                     fmt::arg("signs", signs.empty() ? "" : " " + signs));
}

}  // namespace assay::oracle
