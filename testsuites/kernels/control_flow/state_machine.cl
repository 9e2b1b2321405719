// A scanner of numbers, words and comments: a loop around a switch, with a return and pushed-back
// input.
enum { kStart, kNumber, kWord, kSlash, kComment };

kernel void scan(global const uchar *text, global uint *out, uint length) {
  size_t i = get_global_id(0);
  uint position = (uint)i % length;
  uint numbers = 0, words = 0, comments = 0, value = 0;
  int state = kStart;
  while (position < length) {
    uchar c = text[position] & 0x7f;
    switch (state) {
      case kStart:
        if (c >= '0' && c <= '9') {
          state = kNumber;
          continue;
        }
        if (c >= 'a') {
          state = kWord;
          break;
        }
        if (c < 16) state = kSlash;
        break;
      case kNumber:
        if (c < '0' || c > '9') {
          ++numbers;
          state = kStart;
          continue;
        }
        value = value * 10 + (c - '0');
        break;
      case kWord:
        if (c < 'a') {
          ++words;
          state = kStart;
        }
        break;
      case kSlash:
        state = c < 64 ? kComment : kStart;
        break;
      case kComment:
        if (c > 100) {
          ++comments;
          state = kStart;
        }
        if (comments > 5) goto full;
        break;
    }
    ++position;
  }
full:
  out[4 * i] = numbers;
  out[4 * i + 1] = words;
  out[4 * i + 2] = comments * 100 + state;
  out[4 * i + 3] = value;
}

// Brackets matched with a stack in private memory; an interpreter of a little stack machine.
kernel void stack_machine(global const uchar *code, global int *out, uint length) {
  size_t i = get_global_id(0);
  int stack[16];
  int top = 0;
  stack[0] = (int)i;
  uint pc = (uint)i * 3 % length;
  for (int fuel = 0; fuel < 200; ++fuel) {
    uchar op = code[pc];
    pc = (pc + 1) % length;
    switch (op % 9) {
      case 0:
        if (top < 15) {
          stack[top + 1] = stack[top];
          ++top;
        }
        break;
      case 1:
        if (top > 0) {
          --top;
          stack[top] = (int)((uint)stack[top] + (uint)stack[top + 1]);
        }
        break;
      case 2:
        stack[top] = stack[top] / 2 - 1;
        break;
      case 3:
        if (top < 15) stack[++top] = op;
        break;
      case 4:
        if (stack[top] < 0) pc = (pc + 5) % length;
        break;
      case 5:
        stack[top] ^= op;
        break;
      case 6:
        if (top > 1) {
          int t = stack[top];
          stack[top] = stack[top - 1];
          stack[top - 1] = t;
        }
        break;
      case 7:
        stack[op % (top + 1)] = (int)((uint)stack[top] * 3u);
        break;
      case 8:
        if ((op & 0x40) && fuel > 150) goto halt;
        break;
    }
  }
halt:
  out[3 * i] = stack[top];
  out[3 * i + 1] = top;
  out[3 * i + 2] = (int)pc;
}
