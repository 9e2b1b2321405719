#include "driver/objects/features.h"

#include <cstring>
#include <string_view>
#include <vector>

#include "frontend/capabilities.h"

namespace assay::driver {

namespace {

cl_name_version Row(std::string_view name, cl_version version) {
  cl_name_version row = {};
  row.version = version;
  std::memcpy(row.name, name.data(), std::min(name.size(), sizeof row.name - 1));
  return row;
}

std::vector<cl_name_version> Rows(std::span<const std::string_view> names, cl_version version) {
  std::vector<cl_name_version> rows;
  for (const std::string_view name : names) rows.push_back(Row(name, version));
  return rows;
}

// In version 1.0.0.  First what kernels see: what both compilers translate and the interpreter
// executes (frontend/device_macros.cc).  Then what the driver itself does.
constexpr std::string_view kExtensions[] = {
    "cl_khr_byte_addressable_store",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_subgroups",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_expect_assume",
    "cl_khr_extended_bit_ops",
    "cl_khr_kernel_clock",
    "cl_ext_float_atomics",
    "cl_intel_required_subgroup_size",
    "cl_intel_devicelib_assert",
    "cl_khr_spirv_no_integer_wrap_decoration",
    "cl_khr_spirv_linkonce_odr",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_image2d_from_buffer",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_srgb_image_writes",
    //
    "cl_khr_il_program",
    "cl_khr_extended_versioning",
    "cl_khr_create_command_queue",
    "cl_khr_priority_hints",
    "cl_khr_throttle_hints",
    "cl_khr_suggested_local_work_size",
    "cl_khr_device_uuid",
    "cl_khr_spirv_queries",
    "cl_khr_semaphore",
    "cl_khr_cooperative_matrix",
    "cl_ext_image_from_buffer",
    "cl_ext_image_requirements_info",
};

std::string Join(std::span<const cl_name_version> rows) {
  std::string text;
  for (const cl_name_version& row : rows) text += (text.empty() ? "" : " ") + std::string(row.name);
  return text;
}

}  // namespace

std::span<const cl_name_version> Extensions() {
  static const std::vector<cl_name_version> rows = [] {
    std::vector<cl_name_version> all = {
        Row("cl_khr_icd", CL_MAKE_VERSION(2, 0, 0)),
        Row("cl_khr_integer_dot_product", CL_MAKE_VERSION(2, 0, 0)),
        Row("cl_khr_command_buffer", CL_MAKE_VERSION(0, 9, 8)),
        Row("cl_khr_command_buffer_mutable_dispatch", CL_MAKE_VERSION(0, 9, 5)),
        Row("cl_ext_buffer_device_address", CL_MAKE_VERSION(1, 0, 2)),
        Row("cl_khr_unified_svm", CL_MAKE_VERSION(0, 9, 0)),
        Row("cl_intel_unified_shared_memory", CL_MAKE_VERSION(1, 2, 0)),
    };
    for (const cl_name_version& row : Rows(kExtensions, CL_MAKE_VERSION(1, 0, 0)))
      all.push_back(row);
    return all;
  }();
  return rows;
}
std::string ExtensionNames() { return Join(Extensions()); }

std::span<const cl_name_version> OpenClCFeatures() {
  // What the compilers define (frontend/device_macros.cc).
  static constexpr std::string_view kNames[] = {
      "__opencl_c_atomic_order_acq_rel",
      "__opencl_c_atomic_order_seq_cst",
      "__opencl_c_atomic_scope_device",
      "__opencl_c_atomic_scope_all_devices",
      "__opencl_c_device_enqueue",
      "__opencl_c_fp64",
      "__opencl_c_generic_address_space",
      "__opencl_c_int64",
      "__opencl_c_images",
      "__opencl_c_read_write_images",
      "__opencl_c_3d_image_writes",
      "__opencl_c_pipes",
      "__opencl_c_program_scope_global_variables",
      "__opencl_c_subgroups",
      "__opencl_c_work_group_collective_functions",
      "__opencl_c_integer_dot_product_input_4x8bit",
      "__opencl_c_integer_dot_product_input_4x8bit_packed",
      "__opencl_c_kernel_clock_scope_device",
      "__opencl_c_kernel_clock_scope_work_group",
      "__opencl_c_kernel_clock_scope_sub_group",
      "__opencl_c_ext_fp16_global_atomic_load_store",
      "__opencl_c_ext_fp16_local_atomic_load_store",
      "__opencl_c_ext_fp16_global_atomic_add",
      "__opencl_c_ext_fp16_local_atomic_add",
      "__opencl_c_ext_fp32_global_atomic_add",
      "__opencl_c_ext_fp32_local_atomic_add",
      "__opencl_c_ext_fp32_global_atomic_min_max",
      "__opencl_c_ext_fp32_local_atomic_min_max",
      "__opencl_c_ext_fp64_global_atomic_add",
      "__opencl_c_ext_fp64_local_atomic_add",
      "__opencl_c_ext_fp64_global_atomic_min_max",
      "__opencl_c_ext_fp64_local_atomic_min_max",
  };
  static const auto rows = Rows(kNames, CL_MAKE_VERSION(3, 0, 0));
  return rows;
}

std::span<const cl_name_version> OpenClCVersions() {
  static const std::vector<cl_name_version> rows = {
      Row("OpenCL C", CL_MAKE_VERSION(1, 0, 0)), Row("OpenCL C", CL_MAKE_VERSION(1, 1, 0)),
      Row("OpenCL C", CL_MAKE_VERSION(1, 2, 0)), Row("OpenCL C", CL_MAKE_VERSION(2, 0, 0)),
      Row("OpenCL C", CL_MAKE_VERSION(3, 0, 0))};
  return rows;
}

std::span<const cl_name_version> IlVersions() {
  static const std::vector<cl_name_version> rows = [] {
    std::vector<cl_name_version> versions;
    for (cl_uint minor = 0; minor <= 6; ++minor) {
      versions.push_back(Row("SPIR-V", CL_MAKE_VERSION(1, minor, 0)));
    }
    return versions;
  }();
  return rows;
}

std::span<const char* const> SpirvInstructionSets() {
#define INSTRUCTION_SET(name) #name,
  static constexpr const char* kNames[] = {
#include "driver/objects/spirv_rows.inc"
  };
#undef INSTRUCTION_SET
  return kNames;
}
std::span<const char* const> SpirvExtensions() {
#define EXTENSION(name) #name,
  static constexpr const char* kNames[] = {
#include "driver/objects/spirv_rows.inc"
  };
#undef EXTENSION
  return kNames;
}
std::span<const cl_uint> SpirvCapabilities() {
#define SUPPORTED(capability) static_cast<cl_uint>(frontend::Capability::k##capability),
  static constexpr cl_uint kNumbers[] = {
#include "driver/objects/spirv_rows.inc"
  };
#undef SUPPORTED
  return kNumbers;
}

std::string IlVersionNames() {
  std::string text;
  for (const cl_name_version& row : IlVersions()) {
    text +=
        (text.empty() ? "SPIR-V_1." : " SPIR-V_1.") + std::to_string(CL_VERSION_MINOR(row.version));
  }
  return text;
}

}  // namespace assay::driver
