#include "frontend/device_macros.h"

#include <algorithm>
#include <cctype>

namespace assay::frontend {
namespace {

constexpr std::string_view kExecuted[] = {
    "__IMAGE_SUPPORT__",
    "__cl_clang_bitfields",
    "__cl_clang_non_portable_kernel_param_types",
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_device_enqueue",
    "__opencl_c_ext_fp16_global_atomic_add",
    "__opencl_c_ext_fp16_global_atomic_load_store",
    "__opencl_c_ext_fp16_local_atomic_add",
    "__opencl_c_ext_fp16_local_atomic_load_store",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_min_max",
    "__opencl_c_ext_image_unorm_int_2_101010",
    "__opencl_c_ext_image_unsigned_10x6_12x4_14x2",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_sub_group",
    "__opencl_c_kernel_clock_scope_work_group",
    "__opencl_c_named_address_space_builtins",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
    "cl_clang_storage_class_specifiers",
    "cl_ext_float_atomics",
    "cl_intel_required_subgroup_size",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_long",
    "cl_intel_subgroups_short",
    "cl_khr_3d_image_writes",
    "cl_khr_byte_addressable_store",
    "cl_khr_depth_images",
    "cl_khr_expect_assume",
    "cl_khr_extended_bit_ops",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_gl_msaa_sharing",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_srgb_image_writes",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroups",
};

constexpr std::string_view kMissing[] = {
    "__cl_clang_function_pointers",
    "__cl_clang_variadic_functions",
    "__opencl_c_ext_fp16_global_atomic_min_max",
    "__opencl_c_ext_fp16_local_atomic_min_max",
    "__opencl_c_ext_image_raw10_raw12",
    "cl_amd_media_ops",
    "cl_amd_media_ops2",
    "cl_arm_integer_dot_product_accumulate_int16",
    "cl_arm_integer_dot_product_accumulate_int8",
    "cl_arm_integer_dot_product_accumulate_saturate_int8",
    "cl_arm_integer_dot_product_int8",
    "cl_intel_bfloat16_conversions",
    "cl_intel_device_side_avc_motion_estimation",
    "cl_intel_subgroup_buffer_prefetch",
    "cl_intel_subgroup_local_block_io",
    "cl_khr_subgroup_named_barrier",
};

// What clang-22 announces and has and clang-15 does not.  Calls of the functions of the clock are
// translated by clang-22, which is tried where llvm-spirv-15 leaves a built-in function as a call.
constexpr std::string_view kNewerExtensions = R"(#ifndef cl_khr_expect_assume
#define cl_khr_expect_assume 1
#endif
#ifdef cl_intel_subgroups
#ifndef cl_intel_subgroups_char
#define cl_intel_subgroups_char 1
#endif
#ifndef cl_intel_subgroups_long
#define cl_intel_subgroups_long 1
#endif
#ifndef cl_intel_required_subgroup_size
#define cl_intel_required_subgroup_size 1
#endif
#endif
#if !defined(cl_khr_kernel_clock) && (__OPENCL_C_VERSION__ >= 200 || defined(__OPENCL_CPP_VERSION__))
#define cl_khr_kernel_clock 1
#define __opencl_c_kernel_clock_scope_device 1
#define __opencl_c_kernel_clock_scope_work_group 1
#define __opencl_c_kernel_clock_scope_sub_group 1
__attribute__((overloadable)) ulong clock_read_device(void);
__attribute__((overloadable)) ulong clock_read_work_group(void);
__attribute__((overloadable)) ulong clock_read_sub_group(void);
__attribute__((overloadable)) uint2 clock_read_hilo_device(void);
__attribute__((overloadable)) uint2 clock_read_hilo_work_group(void);
__attribute__((overloadable)) uint2 clock_read_hilo_sub_group(void);
#endif
)";

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool Names(std::string_view option, std::string_view macro) {
  for (std::size_t at = option.find(macro); at != option.npos; at = option.find(macro, at + 1)) {
    const std::size_t end = at + macro.size();
    // -DNAME begins it with a letter of the option's.
    const bool begins = at == 0 || !IsWordCharacter(option[at - 1]) || at == 2;
    if (begins && (end == option.size() || !IsWordCharacter(option[end]))) return true;
  }
  return false;
}

}  // namespace

std::span<const std::string_view> ExecutedMacros() { return kExecuted; }
std::span<const std::string_view> MissingMacros() { return kMissing; }

std::string DeviceProlog(const std::vector<std::string>& user_options) {
  // As a system header, about which no warnings are given.
  std::string text =
      "# 1 \"<assay>\" 3\n"
      "#ifndef __OPENCL_VERSION__\n#define __OPENCL_VERSION__ 300\n#endif\n";
  for (const std::string_view macro : kMissing) {
    const bool named = std::ranges::any_of(
        user_options, [&](const std::string& option) { return Names(option, macro); });
    if (!named) text.append("#undef ").append(macro).append("\n");
  }
  // Who chooses the extensions has chosen these, too.
  const bool chooses = std::ranges::any_of(user_options, [](const std::string& option) {
    return option.starts_with("-cl-ext=") || option.find("kernel_clock") != option.npos ||
           option.find("cl_intel_") != option.npos;
  });
  if (!chooses) text += kNewerExtensions;
  // llvm-spirv ends itself over a queue that is a constant, and writes an event that is not null as
  // a pointer.  From 16 on, clang casts no integer to a queue either.
  text +=
      "#ifdef CLK_NULL_QUEUE\n#undef CLK_NULL_QUEUE\n#if __clang_major__ >= 16\n"
      "#define CLK_NULL_QUEUE (*(__private queue_t*)&(__private ulong){0})\n#else\n"
      "#define CLK_NULL_QUEUE "
      "(__builtin_astype((__SIZE_TYPE__)(get_work_dim() >> 8), queue_t))\n#endif\n#endif\n"
      "#ifdef CLK_NULL_EVENT\n#undef CLK_NULL_EVENT\n"
      "#define CLK_NULL_EVENT (__builtin_astype((__SIZE_TYPE__)0, clk_event_t))\n#endif\n";
  // The compilers' header casts a pointer of all ones, which llvm-spirv writes with two types of
  // reservations, and clang-22 crashes on; null is what it is for SPIR-V.
  text +=
      "#ifdef CLK_NULL_RESERVE_ID\n#undef CLK_NULL_RESERVE_ID\n"
      "#define CLK_NULL_RESERVE_ID (__builtin_astype((__private void*)0, reserve_id_t))\n"
      "#endif\n";
  // clang-15 does not have it.
  text +=
      "#if __OPENCL_C_VERSION__ >= 300 && !defined(CLK_UNORM_INT_101010_2)\n"
      "#define CLK_UNORM_INT_101010_2 0x10E0\n#endif\n";
  return text;
}

}  // namespace assay::frontend
