// (w) a scanner of text, 64 characters a work-item: a state machine in a switch, bytes
kernel void tokens(global const uchar *text, global uint *out)
{
    const size_t i = get_global_id(0);
    uint words = 0, numbers = 0, strings = 0, value = 0;
    int state = 0;
    for (int k = 0; k < 64; ++k) {
        const uchar c = 32 + text[i * 64 + k] % 95;
        const bool digit = c >= '0' && c <= '9', letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        switch (state) {
        case 0:
            state = digit ? 1 : letter ? 2 : c == '"' ? 3 : 0;
            value = digit ? c - '0' : 0;
            break;
        case 1:
            if (digit) {
                value = value * 10 + (c - '0');
            } else {
                numbers += value % 1000;
                state = letter ? 2 : 0;
            }
            break;
        case 2:
            if (!letter && !digit) {
                ++words;
                state = c == '"' ? 3 : 0;
            }
            break;
        default:
            if (c == '"') {
                ++strings;
                state = 0;
            }
        }
    }
    out[i] = words + numbers * 64 + strings * 0x100000 + (uint)state;
}
