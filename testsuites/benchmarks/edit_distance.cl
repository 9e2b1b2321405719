// (y) Levenshtein distances of words of different length: a row of bytes in private memory
kernel void edit_distance(global const uchar *text, global uint *out)
{
    const size_t i = get_global_id(0);
    global const uchar *a = text + i * 64, *b = a + 32;
    const int rows = 16 + (a[0] & 15), columns = 16 + (b[0] & 15);
    uchar row[33];
    for (int c = 0; c <= columns; ++c)
        row[c] = c;
    for (int r = 1; r <= rows; ++r) {
        uchar diagonal = row[0];
        row[0] = r;
        for (int c = 1; c <= columns; ++c) {
            const uchar above = row[c];
            const uchar other = diagonal + ((a[r] & 3) != (b[c] & 3));
            row[c] = min(other, min((uchar)(above + 1), (uchar)(row[c - 1] + 1)));
            diagonal = above;
        }
    }
    out[i] = row[columns];
}
