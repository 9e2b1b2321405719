// Every operator on one integer type T (its unsigned type U, its signed type S, BITS wide), in every
// vector width.  Additions, subtractions and products are of U, or of operands that leave room: a
// signed overflow would be undefined.
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define WIDE(T, N) PASTE(T, N)
#define AS(T, N) PASTE(as_, WIDE(T, N))

// Scalars where N is empty.
#define vload(i, p) (p)[i]
#define vstore(v, i, p) (p)[i] = (v)
#define STORE(N, value) PASTE(vstore, N)((value), slot++, out)

#define OPERATORS(N, LANES)                                                              \
  kernel void operators_##LANES(global const T *x, global const T *y, global T *out) {   \
    size_t i = get_global_id(0);                                                         \
    size_t slot = i * 36;                                                                \
    WIDE(T, N) a = PASTE(vload, N)(0, x + i % 40);                                       \
    WIDE(T, N) b = PASTE(vload, N)(0, y + i * 7 % 40);                                   \
    WIDE(U, N) ua = AS(U, N)(a);                                                         \
    WIDE(U, N) ub = AS(U, N)(b);                                                         \
    WIDE(T, N) small = a / (T)4;                                                         \
    WIDE(T, N) other = b / (T)4;                                                         \
    WIDE(T, N) shift = AS(T, N)(ub & (U)(BITS - 1));                                     \
    WIDE(T, N) divisor = (b & (T)0x3f) | (T)1;                                           \
    STORE(N, AS(T, N)((WIDE(U, N))(ua + ub)));                                           \
    STORE(N, AS(T, N)((WIDE(U, N))(ua - ub)));                                           \
    STORE(N, AS(T, N)((WIDE(U, N))((WIDE(U, N))(ua & (U)0x7f) * (ub & (U)0xff))));       \
    STORE(N, small + other);                                                             \
    STORE(N, small - other);                                                             \
    STORE(N, (a % (T)10) * (b % (T)12));                                                 \
    STORE(N, a / divisor);                                                               \
    STORE(N, a % divisor);                                                               \
    STORE(N, AS(T, N)((WIDE(U, N))(ua / (WIDE(U, N))(ub | (U)1))));                      \
    STORE(N, AS(T, N)((WIDE(U, N))(ua % (WIDE(U, N))(ub | (U)1))));                      \
    STORE(N, a & b);                                                                     \
    STORE(N, a | b);                                                                     \
    STORE(N, a ^ b);                                                                     \
    STORE(N, ~a);                                                                        \
    STORE(N, +a);                                                                        \
    STORE(N, -small);                                                                    \
    STORE(N, AS(T, N)((WIDE(U, N))(ua << AS(U, N)(shift))));                             \
    STORE(N, a >> shift);                                                                \
    STORE(N, AS(T, N)((WIDE(U, N))(ua >> AS(U, N)(shift))));                             \
    STORE(N, AS(T, N)((WIDE(U, N))(ua << (U)3)));                                        \
    STORE(N, a >> (T)(BITS - 1));                                                        \
    STORE(N, AS(T, N)(AS(S, N)(a < b)));                                                 \
    STORE(N, AS(T, N)(AS(S, N)(a <= b)));                                                \
    STORE(N, AS(T, N)(AS(S, N)(a > b)));                                                 \
    STORE(N, AS(T, N)(AS(S, N)(a >= b)));                                                \
    STORE(N, AS(T, N)(AS(S, N)(a == b)));                                                \
    STORE(N, AS(T, N)(AS(S, N)(a != b)));                                                \
    STORE(N, AS(T, N)(AS(S, N)(!a)));                                                    \
    STORE(N, AS(T, N)(AS(S, N)(a && b)));                                                \
    STORE(N, AS(T, N)(AS(S, N)(a || b)));                                                \
    STORE(N, a < b ? a : b);                                                             \
    WIDE(T, N) c = small;                                                                \
    c += other;                                                                          \
    c ^= a;                                                                              \
    c |= (T)1;                                                                           \
    STORE(N, c);                                                                         \
    c = small;                                                                           \
    STORE(N, c++);                                                                       \
    STORE(N, --c);                                                                       \
    c &= (T)0x35;                                                                        \
    c <<= (T)1;                                                                          \
    c -= (T)3;                                                                           \
    c %= (T)17;                                                                          \
    STORE(N, c);                                                                         \
    c = a;                                                                               \
    c >>= (T)2;                                                                          \
    c /= (T)3;                                                                           \
    STORE(N, c);                                                                         \
  }

// The relational operators give int for scalars and a mask as wide as the element for vectors.
kernel void operators_1(global const T *x, global const T *y, global T *out) {
  size_t i = get_global_id(0);
  size_t slot = i * 36;
  T a = x[i % 40];
  T b = y[i * 7 % 40];
  U ua = (U)a;
  U ub = (U)b;
  T small = a / 4;
  T other = b / 4;
  T shift = (T)(ub & (BITS - 1));
  T divisor = (b & 0x3f) | 1;
  out[slot++] = (T)(U)(ua + ub);
  out[slot++] = (T)(U)(ua - ub);
  out[slot++] = (T)(U)((ua & 0x7fu) * (ub & 0xffu));
  out[slot++] = small + other;
  out[slot++] = small - other;
  out[slot++] = (a % 10) * (b % 12);
  out[slot++] = a / divisor;
  out[slot++] = a % divisor;
  out[slot++] = (T)(ua / (U)(ub | 1));
  out[slot++] = (T)(ua % (U)(ub | 1));
  out[slot++] = a & b;
  out[slot++] = a | b;
  out[slot++] = a ^ b;
  out[slot++] = ~a;
  out[slot++] = +a;
  out[slot++] = -small;
  out[slot++] = (T)(U)((ulong)ua << shift);
  out[slot++] = a >> shift;
  out[slot++] = (T)(ua >> shift);
  out[slot++] = (T)(U)((ulong)ua << 3);
  out[slot++] = a >> (BITS - 1);
  out[slot++] = a < b;
  out[slot++] = a <= b;
  out[slot++] = a > b;
  out[slot++] = a >= b;
  out[slot++] = a == b;
  out[slot++] = a != b;
  out[slot++] = !a;
  out[slot++] = a && b;
  out[slot++] = a || b;
  out[slot++] = a < b ? a : b;
  T c = small;
  c += other;
  c ^= a;
  c |= 1;
  out[slot++] = c;
  c = small;
  out[slot++] = c++;
  out[slot++] = --c;
  c &= 0x35;
  c <<= 1;
  c -= 3;
  c %= 17;
  out[slot++] = c;
  c = a;
  c >>= 2;
  c /= 3;
  out[slot++] = c;
}

OPERATORS(2, 2)
OPERATORS(3, 3)
OPERATORS(4, 4)
OPERATORS(8, 8)
OPERATORS(16, 16)
