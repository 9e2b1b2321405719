// Patterns of sub-groups of 16, beside Intel's CPU driver.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// (k) prefix sums of sub-groups, of four numbers a work-item
__attribute__((intel_reqd_sub_group_size(16)))
kernel void subgroup_scan(global const uint4 *in, global uint4 *out)
{
    const size_t i = get_global_id(0);
    uint4 x = in[i];
    x.y += x.x;
    x.z += x.y;
    x.w += x.z;
    out[i] = x + sub_group_scan_exclusive_add(x.w);
}

// (l) tiles of 16 x 16 numbers are transposed in registers: four exchanges of halves by shuffles
__attribute__((intel_reqd_sub_group_size(16)))
kernel void subgroup_transpose(global const uint *in, global uint *out)
{
    const uint lane = get_sub_group_local_id();
    const size_t tile = get_global_id(0) / 16 * 256;
    uint rows[16];
    for (uint r = 0; r < 16; ++r) rows[r] = in[tile + r * 16 + lane];
    for (uint step = 1; step < 16; step *= 2) {
        for (uint r = 0; r < 16; ++r) {
            if ((r & step) != 0) continue;
            const bool is_low = (lane & step) == 0;
            const uint given = is_low ? rows[r + step] : rows[r];
            const uint got = sub_group_shuffle(given, lane ^ step);
            if (is_low)
                rows[r + step] = got;
            else
                rows[r] = got;
        }
    }
    for (uint r = 0; r < 16; ++r) out[tile + r * 16 + lane] = rows[r];
}

// (m) numbers that are kept are counted by one atomic operation a sub-group
__attribute__((intel_reqd_sub_group_size(16)))
kernel void subgroup_append(global const uint *in, global atomic_uint *count, global uint *kept, global uint *out)
{
    const size_t i = get_global_id(0);
    const uint keeps = (in[i] & 3) != 0;
    const uint before = sub_group_scan_exclusive_add(keeps);
    const uint all = sub_group_reduce_add(keeps);
    uint first = 0;
    if (get_sub_group_local_id() == 0)
        first = atomic_fetch_add_explicit(count, all, memory_order_relaxed, memory_scope_device);
    first = sub_group_broadcast(first, 0);
    if (keeps) kept[first + before] = in[i];
    out[i] = keeps ? before : all;
}

// (n) sums by a tree in local memory, with barriers of the sub-group
__attribute__((intel_reqd_sub_group_size(16)))
kernel void subgroup_tree(global const uint *in, global uint *out)
{
    local uint parts[256];
    const uint l = get_local_id(0);
    const uint lane = get_sub_group_local_id();
    parts[l] = in[get_global_id(0)];
    for (uint step = 8; step > 0; step /= 2) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step) parts[l] += parts[l + step];
    }
    if (lane == 0) out[get_global_id(0) / 16] = parts[l];
}
