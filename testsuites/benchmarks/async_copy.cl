// (aa) tiles that come to local memory, and go back, by asynchronous copies of the work-group
kernel void async_copy(global const float *in, global float *out, local float *tile, local float *result)
{
    const size_t group = get_group_id(0), l = get_local_id(0), items = get_local_size(0), n = 4 * items;
    event_t event = async_work_group_copy(tile, in + group * n, n, 0);
    wait_group_events(1, &event);
    for (size_t k = l; k < n; k += items)
        result[k] = tile[k] * 2.0f + tile[(k + 1) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    event = async_work_group_copy(out + group * n, result, n, 0);
    wait_group_events(1, &event);
}
