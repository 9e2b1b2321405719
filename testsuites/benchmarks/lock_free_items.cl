// Work-items of a work-group that wait for each other, which no driver here runs at the same time.
#define LOAD(object, order) atomic_load_explicit(object, memory_order_##order, memory_scope_work_group)
#define STORE(object, value, order) \
    atomic_store_explicit(object, value, memory_order_##order, memory_scope_work_group)
#define ADD(object, value, order) \
    atomic_fetch_add_explicit(object, value, memory_order_##order, memory_scope_work_group)

// (i) a barrier of 16 work-items by a count and a sense, 8 times
kernel void sense_barrier(global const uint *in, global uint *out)
{
    local atomic_uint arrived, go;
    local uint data[2][16];
    const uint l = get_local_id(0);
    if (l == 0) {
        atomic_init(&arrived, 0);
        atomic_init(&go, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint x = in[get_global_id(0)];
    for (uint k = 1; k <= 8; ++k) {
        data[k % 2][l] = x;
        if (ADD(&arrived, 1, acq_rel) == 15) {
            STORE(&arrived, 0, relaxed);
            STORE(&go, k, release);
        } else {
            while (LOAD(&go, acquire) != k) {
            }
        }
        x += data[k % 2][(l + k) % 16];
    }
    out[get_global_id(0)] = x;
}

// (j) two work-items that hand a number to and fro, 64 times
kernel void ping_pong(global const uint *in, global atomic_uint *turn, global uint *out)
{
    const uint g = get_group_id(0);
    const uint l = get_local_id(0);
    if (l == 0) out[g] = in[g];
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint k = l; k < 64; k += 2) {
        while (LOAD(&turn[g], acquire) != k) {
        }
        out[g] = out[g] * 3 + l;
        STORE(&turn[g], k + 1, release);
    }
}
