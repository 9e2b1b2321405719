// Arguments by value of all sizes.
// run: k 4 4
// arg: value char [-3]
// arg: value ushort [60000]
// arg: value int [-100000]
// arg: value ulong [2**40]
// arg: value float [0.5]
// arg: value double [0.125]
// arg: shared double [0] * 4
// expect 6: [-3 + 60000 - 100000 + 2**40 + 0.5 + 0.125 + i for i in range(4)]
#include "device.h"

KERNEL void k(signed char a, unsigned short b, int c, unsigned long d, float e, double f, double* out) {
  out[Global()] = a + b + c + static_cast<double>(d) + e + f + Global();
}
