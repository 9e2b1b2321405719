// A box filter of an image in tiles of 4 x 4 pixels, with their borders in local memory
kernel void tile_blur(global const uchar *in, global uchar *out, int n)
{
    local int tile[6][6];
    const int x = get_local_id(0), y = get_local_id(1);
    const int left = get_group_id(0) * 4, top = get_group_id(1) * 4;
    for (int i = y * 4 + x; i < 36; i += 16) {
        const int column = clamp(left + i % 6 - 1, 0, n - 1), row = clamp(top + i / 6 - 1, 0, n - 1);
        tile[i / 6][i % 6] = in[row * n + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            sum += tile[y + j][x + i];
    out[(top + y) * n + left + x] = sum / 9;
}
