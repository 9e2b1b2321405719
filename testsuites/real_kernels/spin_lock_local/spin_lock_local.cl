/* Outliers of each work-group, gathered in a small list and a running minimum and maximum in local
 * memory under a lock, in OpenCL 1.2: atomic_cmpxchg and atomic_xchg order nothing by themselves, the
 * fences beside them do (mem_fence acquires and releases within the work-group). */
#define LIMIT 900
#define ROOM 32

__kernel void outliers(__global const int *in, __global int *count_out, __global int *sum_out,
                       __global int2 *range_out)
{
    __local int lock;
    __local int count;
    __local int list[ROOM];
    __local int2 range;
    const size_t lid = get_local_id(0);

    if (lid == 0) {
        lock = 0;
        count = 0;
        range = (int2)(INT_MAX, INT_MIN);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* ready */

    const int x = in[get_global_id(0)];
    int waiting = abs(x) > LIMIT;
    while (waiting) {
        if (atomic_cmpxchg(&lock, 0, 1) == 0) {
            mem_fence(CLK_LOCAL_MEM_FENCE); /* acquire */
            if (count < ROOM)
                list[count++] = x;
            range = (int2)(min(range.x, x), max(range.y, x));
            mem_fence(CLK_LOCAL_MEM_FENCE); /* release */
            atomic_xchg(&lock, 0);
            waiting = 0;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* all are in */

    if (lid == 0) {
        int sum = 0;
        for (int i = 0; i < count; ++i)
            sum += list[i];
        const size_t group = get_group_id(0);
        count_out[group] = count;
        sum_out[group] = sum;
        range_out[group] = range;
    }
}
