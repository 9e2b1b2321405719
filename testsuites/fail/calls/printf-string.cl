// run: -g 1 -a 'char[2]=65,0'
kernel void say(global char* text) {
  printf("%s\n", text);  // %s takes literals only
}
