// A layer that makes the driver below it wrong: it changes programs before the driver compiles
// them. FAULT_FILE has pairs of lines: what stands in the text, and what is put in its place ("\n"
// is a new line there).  A first line that is empty: the second line comes in front of the text,
// once. A first line "@83": in SPIR-V, instructions of this opcode whose result is an integer get
// the opcode of the second line; "@83 entries": in functions that have a loop with two entries.
#include "../test_layer.h"

// A new text with all places changed; `text` is freed.
static char* Replaced(char* text, const char* from, const char* to) {
  size_t count = 0;
  const size_t from_size = strlen(from), to_size = strlen(to);
  if (from_size == 0) {
    char* made = malloc(strlen(text) + to_size + 2);
    sprintf(made, "%s\n%s", to, text);
    free(text);
    return made;
  }
  for (const char* at = text; (at = strstr(at, from)) != NULL; at += from_size) ++count;
  char* made = malloc(strlen(text) + count * to_size + 1);
  char* end = made;
  const char* at = text;
  for (const char* found; (found = strstr(at, from)) != NULL; at = found + from_size) {
    memcpy(end, at, (size_t)(found - at));
    end += found - at;
    memcpy(end, to, to_size);
    end += to_size;
  }
  strcpy(end, at);
  free(text);
  return made;
}

static char* Line(FILE* file, char* line, size_t size) {
  if (fgets(line, (int)size, file) == NULL) return NULL;
  line[strcspn(line, "\n")] = 0;
  char* end = line;
  for (const char* at = line; *at != 0; ++at) {
    if (at[0] == '\\' && at[1] == 'n') {
      *end++ = '\n';
      ++at;
    } else {
      *end++ = *at;
    }
  }
  *end = 0;
  return line;
}

static cl_program Create(cl_context context, cl_uint count, const char** strings,
                         const size_t* lengths, cl_int* status) {
  static char from[8192], to[8192];
  size_t size = 1;
  for (cl_uint i = 0; i < count; ++i) {
    size += lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(strings[i]);
  }
  char* text = calloc(1, size);
  for (cl_uint i = 0; i < count; ++i) {
    strncat(text, strings[i], lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(strings[i]));
  }
  FILE* file = fopen(getenv("FAULT_FILE") != NULL ? getenv("FAULT_FILE") : "", "rb");
  while (file != NULL && Line(file, from, sizeof from) != NULL &&
         Line(file, to, sizeof to) != NULL) {
    text = Replaced(text, from, to);
  }
  if (file != NULL) fclose(file);
  const char* changed = text;
  cl_program made = driver->clCreateProgramWithSource(context, 1, &changed, NULL, status);
  free(text);
  return made;
}

enum {
  kTypeInt = 21,
  kFunction = 54,
  kFunctionEnd = 56,
  kLabel = 248,
  kBranch,
  kBranchConditional
};

static cl_uint OpcodeAt(const cl_uint* words, size_t at) { return words[at] & 0xffff; }
static size_t After(const cl_uint* words, size_t at) { return at + (words[at] >> 16); }

// Whether a branch of the function behind `at` goes to the label.
static int HasBranchTo(const cl_uint* words, size_t at, cl_uint label) {
  for (; OpcodeAt(words, at) != kFunctionEnd; at = After(words, at)) {
    if (OpcodeAt(words, at) == kBranch && words[at + 1] == label) return 1;
    if (OpcodeAt(words, at) == kBranchConditional &&
        (words[at + 2] == label || words[at + 3] == label))
      return 1;
  }
  return 0;
}

// Whether the function has a block from which a loop is entered by a header, and by a block in
// front of the header through which the loop's turns go.
static int HasTwoEntries(const cl_uint* words, size_t function) {
  for (size_t at = function; OpcodeAt(words, at) != kFunctionEnd; at = After(words, at)) {
    if (OpcodeAt(words, at) != kBranchConditional) continue;
    const cl_uint second = words[at + 2], header = words[at + 3];
    size_t block = function, place = function;
    while (OpcodeAt(words, block) != kLabel || words[block + 1] != second)
      block = After(words, block);
    while (OpcodeAt(words, place) != kLabel || words[place + 1] != header)
      place = After(words, place);
    while (OpcodeAt(words, block) < kBranch || OpcodeAt(words, block) > 255)
      block = After(words, block);
    if (OpcodeAt(words, block) == kBranch && words[block + 1] == header &&
        HasBranchTo(words, place, second))
      return 1;
  }
  return 0;
}

static void ChangeModule(cl_uint* words, size_t count, cl_uint from, cl_uint to, int of_entries) {
  const cl_uint bound = words[3];
  char* is_integer = calloc(1, bound);
  int is_changed = !of_entries;
  for (size_t at = 5; at < count; at = After(words, at)) {
    const cl_uint opcode = OpcodeAt(words, at);
    if (opcode == kTypeInt) is_integer[words[at + 1]] = 1;
    if (opcode == kFunction && of_entries) is_changed = HasTwoEntries(words, at);
    if (is_changed && opcode == from && is_integer[words[at + 1]])
      words[at] = (words[at] & ~0xffffu) | to;
  }
  free(is_integer);
}

static cl_program CL_API_CALL CreateOfModule(cl_context context, const void* module, size_t size,
                                             cl_int* status) {
  static char from[8192], to[8192];
  cl_uint* words = malloc(size);
  memcpy(words, module, size);
  FILE* file = fopen(getenv("FAULT_FILE") != NULL ? getenv("FAULT_FILE") : "", "rb");
  while (file != NULL && Line(file, from, sizeof from) != NULL &&
         Line(file, to, sizeof to) != NULL) {
    if (from[0] == '@')
      ChangeModule(words, size / 4, (cl_uint)atoi(from + 1), (cl_uint)atoi(to),
                   strstr(from, "entries") != NULL);
  }
  if (file != NULL) fclose(file);
  cl_program made = driver->clCreateProgramWithIL(context, words, size, status);
  free(words);
  return made;
}

static void Replace(void) {
  table.clCreateProgramWithSource = &Create;
  table.clCreateProgramWithIL = &CreateOfModule;
}
