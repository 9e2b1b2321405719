// Short circuit, conditional operators with side effects, and the comma operator.
int bump(private int *counter, int result) {
  *counter += 1;
  return result;
}

kernel void short_circuit(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int v = x[i];
  int calls = 0;
  int a = bump(&calls, v & 1) && bump(&calls, v & 2);
  int b = bump(&calls, v & 4) || bump(&calls, v & 8);
  int c = (v & 16) && (bump(&calls, v & 32) || bump(&calls, v & 64)) && bump(&calls, 1);
  int d = v & 128 ? bump(&calls, 5) : (bump(&calls, 6), bump(&calls, 7));
  int e = 0;
  if (!(v & 256) || (v & 512 && bump(&calls, 0))) e = 1;
  out[i] = a + 2 * b + 4 * c + 8 * d + 64 * e + 1000 * calls;
}

kernel void conditionals(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int v = x[i] % 100;
  int n = 0;
  int r = v > 50 ? n++ : v > 20 ? (n += 2, n * 3) : v < 0 ? --n : 9;
  int *which = v & 1 ? &r : &n;
  *which += 1000;
  int guarded = n != 0 ? 5040 / n : -1;
  while (n > 0 && r / n > 2 && n < 90) n += v & 3 ? 2 : 7;
  out[2 * i] = r + 10000 * n;
  out[2 * i + 1] = guarded;
}
