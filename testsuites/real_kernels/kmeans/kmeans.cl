// A step of k-means on integer points: every work-item finds the nearest centre of its point and adds the
// point to the group's sums; groups add theirs to the global ones; a second launch moves the centres.
#define MAX_CENTRES 8

typedef struct {
  int x, y, count;
} cluster;

__kernel void assign(__global const short2 *points, const int n, __global const int2 *centres,
                     const int k, __global uchar *label, volatile __global cluster *clusters)
{
    __local cluster mine[MAX_CENTRES];
    const int lid = get_local_id(0), i = get_global_id(0);

    if (lid < k) {
        mine[lid].x = 0;
        mine[lid].y = 0;
        mine[lid].count = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE); // cleared

    if (i < n) {
        const int2 p = convert_int2(points[i]);
        int best = 0, best_distance = INT_MAX;
        for (int c = 0; c < k; ++c) {
            const int2 d = p - centres[c];
            const int distance = d.x * d.x + d.y * d.y;
            if (distance < best_distance) {
                best = c;
                best_distance = distance;
            }
        }
        label[i] = (uchar)best;
        atomic_add(&mine[best].x, p.x);
        atomic_add(&mine[best].y, p.y);
        atomic_inc(&mine[best].count);
    }
    barrier(CLK_LOCAL_MEM_FENCE); // counted

    if (lid < k && mine[lid].count > 0) {
        atomic_add(&clusters[lid].x, mine[lid].x);
        atomic_add(&clusters[lid].y, mine[lid].y);
        atomic_add(&clusters[lid].count, mine[lid].count);
    }
}

__kernel void move_centres(__global cluster *clusters, __global int2 *centres,
                           __global int *moved)
{
    const int c = get_global_id(0);
    const cluster sum = clusters[c];
    // A centre without points stays where it is.
    if (sum.count > 0) {
        const int2 to = (int2)(sum.x / sum.count, sum.y / sum.count);
        if (any(to != centres[c]))
            atomic_inc(moved);
        centres[c] = to;
    }
    clusters[c].x = clusters[c].y = clusters[c].count = 0;
}
