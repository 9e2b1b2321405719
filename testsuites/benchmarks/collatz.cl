// (u) steps of Collatz' sequence: divergent loops, division by a constant
kernel void collatz(global uint *out)
{
    const uint first = get_global_id(0) + 1;
    ulong v = first;
    uint steps = 0;
    while (v != 1) {
        v = v % 2 == 0 ? v / 2 : 3 * v + 1;
        ++steps;
    }
    out[first - 1] = steps + (uint)(first / 7 % 10);
}
