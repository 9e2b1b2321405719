/* Seven-point stencil in three dimensions: a group keeps one plane in local memory and marches along z with
 * the values before and behind it in registers. */
#define NX 8
#define NY 4

__kernel void seven_point(__global const float *in, __global float *out, const int4 size,
                          const float center, const float side)
{
    __local float plane[NY + 2][NX + 2];
    const int x = get_global_id(0), y = get_global_id(1);
    const int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1;
    const int stride = size.x * size.y;
    const bool inside = x > 0 && x < size.x - 1 && y > 0 && y < size.y - 1;
    const bool loads = x < size.x && y < size.y;

    int at = y * size.x + x;
    float below = 0.0f, here = 0.0f, above = 0.0f;
    if (loads) {
        here = in[at];
        above = in[at + stride];
    }
    for (int z = 1; z < size.z - 1; ++z) {
        at += stride;
        below = here;
        here = above;
        if (loads)
            above = in[at + stride];

        barrier(CLK_LOCAL_MEM_FENCE); /* last plane is done with */
        plane[ly][lx] = here;
        if (loads) {
            if (lx == 1 && x > 0)
                plane[ly][0] = in[at - 1];
            if (lx == NX && x < size.x - 1)
                plane[ly][NX + 1] = in[at + 1];
            if (ly == 1 && y > 0)
                plane[0][lx] = in[at - size.x];
            if (ly == NY && y < size.y - 1)
                plane[NY + 1][lx] = in[at + size.x];
        }
        barrier(CLK_LOCAL_MEM_FENCE); /* plane is loaded */

        if (inside) {
            const float sides = plane[ly][lx - 1] + plane[ly][lx + 1] + plane[ly - 1][lx] +
                                plane[ly + 1][lx] + below + above;
            const float value = center * here + side * sides;
            out[at] = value > 0.0f ? value : 0.0f;
        }
    }
}
