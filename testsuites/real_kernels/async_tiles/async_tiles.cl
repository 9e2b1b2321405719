// Moving average with asynchronous copies: while one tile is worked on, the next comes in.  Every
// work-item reaches every copy and every wait with the same arguments.
#define TILE 32
#define HALO 3

__kernel __attribute__((reqd_work_group_size(TILE, 1, 1)))
void moving_average(__global const int *in, __global int *out, const int tiles)
{
    __local int input[2][TILE + HALO];
    __local int output[TILE];
    const int lid = get_local_id(0);
    const size_t first = (size_t)get_group_id(0) * tiles * TILE;

    event_t arrived = async_work_group_copy(input[0], in + first, TILE + HALO, 0);
    event_t left = 0;
    for (int t = 0; t < tiles; ++t) {
        wait_group_events(1, &arrived); // input is there
        if (t + 1 < tiles)
            arrived = async_work_group_copy(input[(t + 1) & 1], in + first + (t + 1) * TILE,
                                            TILE + HALO, 0);
        int sum = 0;
        for (int k = 0; k <= HALO; ++k)
            sum += input[t & 1][lid + k];
        if (t > 0)
            wait_group_events(1, &left); // output may be overwritten
        output[lid] = sum / (HALO + 1);
        // Also: all have read this input before the next copy but one goes there.
        barrier(CLK_LOCAL_MEM_FENCE);
        left = async_work_group_copy(out + first + t * TILE, output, TILE, 0);
    }
    wait_group_events(1, &left);
}
