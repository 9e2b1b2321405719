// run: -g 1 -l 1 -a 'char[4]=104,105,0,0'
// A buffer of characters is no literal string.

kernel void show(constant char* text) { printf("%s\n", text); }
