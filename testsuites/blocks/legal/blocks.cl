// The legal uses of the page on blocks (OpenCL C 6.12): declared, with names for their types, nested, at program
// scope, with what they capture.
typedef int (^binary_t)(int, int);
typedef float (^scale_t)(float, float);

struct v {
  int arr[2];
};

// Program scope; bl0 of example 4.
constant int GlobalInt = 40;
int (^getGlobalInt)(void) = ^{ return GlobalInt; };
int (^plus_one)(int) = ^(int n) { return n + 1; };

int twice(int n) { return 2 * n; }

kernel void k(global int *out, global const int *in) {
  const int i = (int)get_global_id(0);
  global int *row = out + 16 * i;
  int multiplier = 7 + i;

  // The captured copy is made where the literal stands.
  int (^myBlock)(int) = ^(int num) { return num * multiplier; };
  multiplier = 1000;
  row[0] = myBlock(3);

  // With and without `void`, and without a return type.
  int (^one)(void) = ^int(void) { return i; };
  int (^two)(void) = ^(void) { return i; };
  int (^three)(void) = ^{ return i; };
  row[1] = one() == two() && two() == three() ? 1 : 0;
  void (^blockReturningVoid)(void) = ^{ row[2] = in[i]; };
  blockReturningVoid();
  int (^withIntAndChar)(int, char) = ^(int a, char b) { return a + b; };
  row[3] = withIntAndChar(500, (char)-3);

  // Named types; a literal that is called at once.
  binary_t sum = ^(int x, int y) { return x + y + in[i]; };
  binary_t difference = ^int(int x, int y) { return x * y - in[i]; };
  row[4] = sum(10, 20);
  row[5] = difference(10, 20);
  scale_t scale = ^(float x, float y) { return x * y; };
  row[6] = (int)scale(1.5f, 4.0f);
  row[7] = ^(int n) { return n * n; }(i + 2);

  // Nested: what the inner one captures the outer one does, too.
  int (^outer)(int) = ^(int n) {
    int (^inner)(int) = ^(int m) { return m * 10 + i; };
    return inner(n) + inner(n + 1);
  };
  row[8] = outer(5);

  // Program-scope blocks, also inside of a block; functions.
  row[9] = getGlobalInt();
  int (^calls)(int) = ^(int n) { return plus_one(twice(n)) + getGlobalInt(); };
  row[10] = calls(i);

  // Structures are captured by value, and arrays by reference (example 5).
  struct v s = {{0, 1}};
  int (^bl1)(void) = ^{ return s.arr[1]; };
  int arr[2] = {0, 1};
  int *decayed = arr;
  int (^bl2)(void) = ^{ return decayed[1]; };
  s.arr[1] = arr[1] = 8;
  row[11] = bl1();
  row[12] = bl2();

  // Control flow of its own.
  int (^first_above)(int) = ^(int limit) {
    for (int n = 0;; ++n) {
      if (n * n <= limit) continue;
      return n;
    }
  };
  row[13] = first_above(50 + 50 * i);
  // A variable of its own, and one block or the other.
  int chosen;
  if (in[i] & 1) {
    int (^odd)(void) = ^{ int local_to_it = 3; return local_to_it + i; };
    chosen = odd();
  } else {
    int (^even)(void) = ^{ return 100 + i; };
    chosen = even();
  }
  row[14] = chosen;
  double3 wide = (double3)(1, 2, 3 + i);
  double (^captures_vector)(void) = ^{ return wide.x + wide.y + wide.z; };
  row[15] = (int)captures_vector();
}
