// run: -g 1 -l 1 -a 'char[4]=104,105,0,0'
// A literal string, and the characters of a buffer one by one.

kernel void show(constant char* text) {
  printf("%s: ", "text");
  for (int i = 0; text[i] != 0; ++i) printf("%c", text[i]);
  printf("\n");
}
