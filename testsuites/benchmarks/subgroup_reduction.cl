// (k) sums of sub-groups, one for each vector of a work-item
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

__attribute__((intel_reqd_sub_group_size(16)))
kernel void subgroup_reduction(global const float4 *in, global float *out)
{
    const size_t i = get_global_id(0), step = get_global_size(0);
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
        const float4 x = in[i + k * step];
        sum += sub_group_reduce_add((x.x + x.y) + (x.z + x.w));
    }
    if (get_sub_group_local_id() == 0)
        out[i / 16] = sum;
}
