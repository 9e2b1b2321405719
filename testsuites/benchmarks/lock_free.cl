// Lock-free algorithms as workloads. What the buffers have in the end does not depend on the order of work-items. Nobody waits for
// another work-item of his work-group, because PoCL runs these one after the other.
#define LOAD(object, order) atomic_load_explicit(object, memory_order_##order, memory_scope_device)
#define STORE(object, value, order) \
    atomic_store_explicit(object, value, memory_order_##order, memory_scope_device)
#define ADD(object, value, order) \
    atomic_fetch_add_explicit(object, value, memory_order_##order, memory_scope_device)
#define CAS(object, expected, desired, success, failure)                                          \
    atomic_compare_exchange_strong_explicit(object, expected, desired, memory_order_##success,    \
                                            memory_order_##failure, memory_scope_device)

// (a) a lock that serves in the order of tickets; one work-item of each group enters, and counts in plain memory
kernel void ticket_lock(global const uint *in, global atomic_uint *lock, global uint *out)
{
    local uint parts[16];
    const uint l = get_local_id(0);
    parts[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l != 0) return;
    uint sum = 0;
    for (uint k = 0; k < 16; ++k) sum += parts[k];
    const uint ticket = ADD(&lock[0], 1, relaxed);
    while (LOAD(&lock[1], acquire) != ticket) {
    }
    out[sum % 16] += 1;
    STORE(&lock[1], ticket + 1, release);
}

// (b) prefix sums in one pass, by decoupled look-back: 1024 numbers a work-group of 256
kernel void look_back_scan(global const uint4 *in, global atomic_uint *ticket, global atomic_uint *state,
                           global uint *sums, global uint *prefixes, global uint4 *out)
{
    local uint parts[2][256];
    local uint shared[2];
    const uint l = get_local_id(0);
    if (l == 0) shared[0] = ADD(ticket, 1, relaxed);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint tile = shared[0];
    uint4 x = in[tile * 256 + l];
    x.y += x.x;
    x.z += x.y;
    x.w += x.z;
    parts[0][l] = x.w;
    uint from = 0;
    for (uint step = 1; step < 256; step *= 2, from ^= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        parts[from ^ 1][l] = parts[from][l] + (l >= step ? parts[from][l - step] : 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        const uint total = parts[from][255];
        sums[tile] = total;
        STORE(&state[tile], 1, release);
        uint before = 0;
        for (uint t = tile; t > 0; --t) {
            uint known = 0;
            while ((known = LOAD(&state[t - 1], acquire)) == 0) {
            }
            before += known == 2 ? prefixes[t - 1] : sums[t - 1];
            if (known == 2) break;
        }
        prefixes[tile] = before + total;
        STORE(&state[tile], 2, release);
        shared[1] = before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[tile * 256 + l] = x + (shared[1] + parts[from][l] - x.w);
}

// (c) a sum in one pass: the work-group that is counted last adds up what the others have left
kernel void last_block(global const uint4 *in, global uint *sums, global atomic_uint *done, global uint *out)
{
    local uint parts[256];
    local uint is_last;
    const uint l = get_local_id(0);
    const uint groups = get_num_groups(0);
    const uint4 x = in[get_global_id(0)];
    parts[l] = x.x + x.y + x.z + x.w;
    for (uint step = 128; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) parts[l] += parts[l + step];
    }
    if (l == 0) {
        sums[get_group_id(0)] = parts[0];
        is_last = ADD(done, 1, acq_rel) == groups - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!is_last) return;
    uint sum = 0;
    for (uint g = l; g < groups; g += 256) sum += sums[g];
    parts[l] = sum;
    for (uint step = 128; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) parts[l] += parts[l + step];
    }
    if (l == 0) out[0] = parts[0];
}

// (d) persistent work-groups take tasks from a queue; task t adds the tasks 2t and 2t + 1
kernel void work_queue(uint tasks, global atomic_uint *ends, global atomic_uint *ready, global uint *queue,
                       global const uint *in, global uint *out)
{
    local uint task;
    const uint l = get_local_id(0);
    if (get_global_id(0) == 0) {
        const uint place = ADD(&ends[1], 1, relaxed);
        queue[place] = 1;
        STORE(&ready[place], 1, release);
    }
    for (;;) {
        if (l == 0) {
            const uint place = ADD(&ends[0], 1, relaxed);
            task = 0;
            if (place < tasks - 1) {
                while (LOAD(&ready[place], acquire) == 0) {
                }
                task = queue[place];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint t = task;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t == 0) return;
        if (l < 2 && 2 * t + l < tasks) {
            const uint place = ADD(&ends[1], 1, relaxed);
            queue[place] = 2 * t + l;
            STORE(&ready[place], 1, release);
        }
        uint x = in[t * 64 + l];
        for (uint k = 0; k < 32; ++k) x = x * 1664525 + 1013904223;
        out[t * 64 + l] = x;
    }
}

// (e) a stack: each work-item pushes its node, and pops one, twice
kernel void treiber_stack(global atomic_ulong *head, global atomic_uint *next, global uint *value,
                          global atomic_uint *out)
{
    uint node = get_global_id(0) + 1;
    value[node] = node;
    for (uint k = 0; k < 2; ++k) {
        ulong old = LOAD(head, relaxed);
        do {
            STORE(&next[node], (uint)old, relaxed);
        } while (!CAS(head, &old, ((old >> 32) + 1) << 32 | node, release, relaxed));
        old = LOAD(head, acquire);
        do {
            node = (uint)old;
        } while (!CAS(head, &old, (old & 0xffffffff00000000) | LOAD(&next[node], relaxed), acquire, acquire));
        value[node] += k;
    }
    ADD(&out[0], value[node], relaxed);
}

// (f) a ring of 1024 places for all: each work-item puts a value into it, and takes one
kernel void mpmc_ring(global const uint *in, global atomic_uint *ends, global atomic_uint *turn, global uint *data,
                      global atomic_uint *out)
{
    uint at = LOAD(&ends[0], relaxed);
    for (;;) {
        const int ahead = (int)(LOAD(&turn[at % 1024], acquire) + at % 1024 - at);
        if (ahead == 0 && CAS(&ends[0], &at, at + 1, relaxed, relaxed)) break;
        if (ahead != 0) at = LOAD(&ends[0], relaxed);
    }
    data[at % 1024] = in[get_global_id(0)];
    STORE(&turn[at % 1024], at - at % 1024 + 1, release);
    at = LOAD(&ends[1], relaxed);
    for (;;) {
        const int ahead = (int)(LOAD(&turn[at % 1024], acquire) + at % 1024 - (at + 1));
        if (ahead == 0 && CAS(&ends[1], &at, at + 1, relaxed, relaxed)) break;
        if (ahead != 0) at = LOAD(&ends[1], relaxed);
    }
    ADD(&out[0], data[at % 1024], relaxed);
    STORE(&turn[at % 1024], at - at % 1024 + 1024, release);
}

// (g) keys that are inserted into a table by compare-and-swap, and counted
kernel void hash_table(global const uint *in, uint places, global atomic_uint *keys, global uint *values,
                       global atomic_uint *out)
{
    const uint key = in[get_global_id(0)] + 1;
    for (uint place = key * 2654435761u;; ++place) {
        place &= places - 1;
        uint found = 0;
        if (CAS(&keys[place], &found, 0xffffffff, relaxed, acquire)) {
            values[place] = key ^ 0x5555;
            STORE(&keys[place], key, release);
            found = key;
        }
        while (found == 0xffffffff) found = LOAD(&keys[place], acquire);
        if (found != key) continue;
        ADD(&out[values[place] ^ 0x5555], 1, relaxed);
        return;
    }
}

// (h) connected components: roots are linked by compare-and-swap, the higher index below the lower one
uint find(global atomic_uint *parent, uint node)
{
    for (;;) {
        const uint up = LOAD(&parent[node], relaxed);
        if (up == 0) return node;
        const uint two = LOAD(&parent[up - 1], relaxed);
        if (two == 0) return up - 1;
        STORE(&parent[node], two, relaxed);  // halves the path; another one's may be better
        node = two - 1;
    }
}

kernel void union_find(global const uint2 *edges, global atomic_uint *parent)
{
    uint2 edge = edges[get_global_id(0)];
    for (;;) {
        const uint a = find(parent, edge.x), b = find(parent, edge.y);
        if (a == b) return;
        uint none = 0;
        if (CAS(&parent[max(a, b)], &none, min(a, b) + 1, relaxed, relaxed)) return;
    }
}

kernel void union_find_labels(global atomic_uint *parent, global uint *out)
{
    const uint i = get_global_id(0);
    out[i] = find(parent, i);
}
