// (r) one block of SHA-256 a work-item: rotations, an array of 64 words in private memory
constant uint kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

kernel void hash(global const uint *in, global uint *out)
{
    const size_t i = get_global_id(0);
    uint w[64];
    for (int t = 0; t < 16; ++t)
        w[t] = in[(i + t * 977) % get_global_size(0)];
    for (int t = 16; t < 64; ++t) {
        const uint a = w[t - 15], b = w[t - 2];
        const uint s0 = rotate(a, 25u) ^ rotate(a, 14u) ^ (a >> 3), s1 = rotate(b, 15u) ^ rotate(b, 13u) ^ (b >> 10);
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    uint8 s = (uint8)(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
    for (int t = 0; t < 64; ++t) {
        const uint s1 = rotate(s.s4, 26u) ^ rotate(s.s4, 21u) ^ rotate(s.s4, 7u);
        const uint first = s.s7 + s1 + bitselect(s.s6, s.s5, s.s4) + kRound[t] + w[t];
        const uint s0 = rotate(s.s0, 30u) ^ rotate(s.s0, 19u) ^ rotate(s.s0, 10u);
        const uint second = s0 + ((s.s0 & s.s1) ^ (s.s0 & s.s2) ^ (s.s1 & s.s2));
        s = (uint8)(first + second, s.s0, s.s1, s.s2, s.s3 + first, s.s4, s.s5, s.s6);
    }
    out[i] = s.s0 ^ s.s1 ^ s.s2 ^ s.s3 ^ s.s4 ^ s.s5 ^ s.s6 ^ s.s7;
}
