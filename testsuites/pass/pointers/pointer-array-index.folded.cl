// run: -g 1 -l 1 -a 'uint[2]=0'
// Objects of the module as words: the compiler makes one constant address of a cast and an index.
constant uint4 table[2] = {(uint4)(1, 2, 3, 4), (uint4)(5, 6, 7, 8)};

kernel void k(global uint *out)
{
    local uint4 tile[20];
    local uint matrix[4][5];
    local struct { uint a[2]; uint b[6]; uint c; } one, several[3];
    ((local uint *)tile)[7] = 5;
    ((local uint *)matrix)[7] = 6;
    ((local uint *)&one)[5] = 7;
    ((local uint *)&one)[8] = 8;
    ((local uint *)several)[15] = 9;
    out[0] = ((local uint *)tile)[7] + ((local uint *)matrix)[7] + ((local uint *)&one)[5] +
             ((local uint *)&one)[8] + ((local uint *)several)[15];
    out[1] = ((constant uint *)table)[7];
}
