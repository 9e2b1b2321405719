// (x) a stack machine: a long switch on a program that each work-item reads from its own place
kernel void bytecode(global const uchar *code, global const uint *in, global uint *out)
{
    const size_t i = get_global_id(0);
    uint stack[8] = {in[i], 1, 2, 3, 5, 8, 13, 21};
    uint top = 0, at = (uint)(i / 64 * 7 + i % 4) % 1024;
    for (int k = 0; k < 128; ++k) {
        const uchar op = code[at];
        at = (at + 1) % 1024;
        const uint a = stack[top & 7], b = stack[(top + 1) & 7];
        uint r = a;
        switch (op % 24) {
        case 0: r = a + b; break;
        case 1: r = a - b; break;
        case 2: r = a * b; break;
        case 3: r = a ^ b; break;
        case 4: r = a & b; break;
        case 5: r = a | b; break;
        case 6: r = a << (b & 31); break;
        case 7: r = a >> (b & 31); break;
        case 8: r = rotate(a, b); break;
        case 9: r = ~a; break;
        case 10: r = a + 1; break;
        case 11: r = a - 1; break;
        case 12: r = min(a, b); break;
        case 13: r = max(a, b); break;
        case 14: r = popcount(a); break;
        case 15: r = clz(a); break;
        case 16: r = mul_hi(a, b); break;
        case 17: r = a / (b | 1); break;
        case 18: r = a % (b | 1); break;
        case 19: r = abs_diff(a, b); break;
        case 20: ++top; break;
        case 21: --top; break;
        case 22: at = a < b ? (at + 5) % 1024 : at; break;
        default: r = op; break;
        }
        stack[top & 7] = r;
    }
    out[i] = stack[0] ^ stack[3] ^ stack[top & 7];
}
