/* Breadth-first search, a launch a level: work-items take the vertices of the frontier, claim their
 * neighbours with a compare-exchange and append them to the next frontier. */
#define UNSEEN 0xffffffffu

__kernel void expand(__global const uint *row_start, __global const uint *neighbour,
                     volatile __global uint *distance, __global const uint *frontier,
                     __global uint *next, volatile __global uint *lengths, const uint level)
{
    const uint i = get_global_id(0);
    // This level's length was written by earlier launches.
    if (i >= lengths[level])
        return;
    const uint v = frontier[i];
    for (uint e = row_start[v]; e < row_start[v + 1]; ++e) {
        const uint w = neighbour[e];
        if (atomic_cmpxchg(&distance[w], UNSEEN, level + 1) == UNSEEN) {
            const uint at = atomic_inc(&lengths[level + 1]);
            next[at] = w;
        }
    }
}
