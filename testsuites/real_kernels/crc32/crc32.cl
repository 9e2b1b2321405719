// CRC-32 (IEEE 802.3) of records of different length.  Each group makes the table of 256 entries in local
// memory; two bytes a step, the rest one by one.
#define POLYNOMIAL 0xedb88320u

__kernel void checksum(__global const uchar *data, __global const uint2 *records, const uint count,
                       __global const uint *expected, __global uint *crcs,
                       __global volatile uint *bad)
{
    __local uint table[256];
    const uint lid = get_local_id(0);

    for (uint i = lid; i < 256; i += get_local_size(0)) {
        uint c = i;
        for (int bit = 0; bit < 8; ++bit)
            c = (c >> 1) ^ ((c & 1) ? POLYNOMIAL : 0);
        table[i] = c;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint r = get_global_id(0); r < count; r += get_global_size(0)) {
        const uint2 record = records[r]; // offset, length
        __global const uchar *p = data + record.s0;
        uint left = record.s1;
        uint crc = ~0u;
        for (; left >= 2; left -= 2) {
            const uchar2 two = vload2(0, p);
            p += 2;
            crc = (crc >> 8) ^ table[(crc ^ two.x) & 0xff];
            crc = (crc >> 8) ^ table[(crc ^ two.y) & 0xff];
        }
        if (left)
            crc = (crc >> 8) ^ table[(crc ^ *p) & 0xff];
        crc = ~crc;
        crcs[r] = crc;
        if (crc != expected[r])
            atomic_inc(bad);
    }
}
