#include "driver/objects/features.h"

#include <cstring>
#include <string_view>
#include <vector>

namespace assay::driver {

namespace {

cl_name_version Row(std::string_view name, cl_version version) {
  cl_name_version row = {};
  row.version = version;
  std::memcpy(row.name, name.data(), std::min(name.size(), sizeof row.name - 1));
  return row;
}

std::vector<cl_name_version> Rows(std::initializer_list<std::string_view> names, cl_version version) {
  std::vector<cl_name_version> rows;
  for (const std::string_view name : names) rows.push_back(Row(name, version));
  return rows;
}

std::string Join(std::span<const cl_name_version> rows) {
  std::string text;
  for (const cl_name_version& row : rows) text += (text.empty() ? "" : " ") + std::string(row.name);
  return text;
}

}  // namespace

std::span<const cl_name_version> Extensions() {
  static const auto rows = Rows(
      {"cl_khr_icd", "cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics",
       "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
       "cl_khr_local_int32_extended_atomics", "cl_khr_int64_base_atomics",
       "cl_khr_int64_extended_atomics", "cl_khr_fp16", "cl_khr_fp64", "cl_khr_il_program",
       "cl_khr_extended_versioning", "cl_khr_3d_image_writes", "cl_khr_depth_images",
       "cl_khr_image2d_from_buffer", "cl_khr_mipmap_image", "cl_khr_mipmap_image_writes",
       "cl_khr_srgb_image_writes", "cl_ext_image_from_buffer", "cl_ext_image_requirements_info"},
      CL_MAKE_VERSION(1, 0, 0));
  return rows;
}
std::string ExtensionNames() { return Join(Extensions()); }

std::span<const cl_name_version> OpenClCFeatures() {
  static const auto rows = Rows(
      {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_order_seq_cst",
       "__opencl_c_atomic_scope_device", "__opencl_c_atomic_scope_all_devices", "__opencl_c_fp64",
       "__opencl_c_generic_address_space", "__opencl_c_int64", "__opencl_c_program_scope_global_variables",
       "__opencl_c_work_group_collective_functions", "__opencl_c_subgroups", "__opencl_c_images",
       "__opencl_c_read_write_images", "__opencl_c_3d_image_writes", "__opencl_c_pipes",
       "__opencl_c_device_enqueue"},
      CL_MAKE_VERSION(3, 0, 0));
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

std::string IlVersionNames() {
  std::string text;
  for (const cl_name_version& row : IlVersions()) {
    text += (text.empty() ? "SPIR-V_1." : " SPIR-V_1.") + std::to_string(CL_VERSION_MINOR(row.version));
  }
  return text;
}

}  // namespace assay::driver
