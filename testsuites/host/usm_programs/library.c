/* A library that copies for a program.  It is made twice: named as Intel's MKL is, and otherwise.
 */
#include <string.h>

void Copy(void* target, const void* from, size_t bytes);
void Copy(void* target, const void* from, size_t bytes) { memcpy(target, from, bytes); }
