// A layer that makes the driver below it wrong: it puts the text of the file FAULT_FILE before each
// source, which replaces built-ins by ones that err.  Of a source with a kernel NAME for which
// there is a file FAULT_FOLDER/NAME.cl, the driver gets that file's text in its place.
#include "../test_layer.h"

enum { kMaxFault = 1 << 16, kMaxStrings = 64 };

// The text of the file, with its size; or NULL.
static char* ReadText(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  char* text = malloc(kMaxFault);
  *size = fread(text, 1, kMaxFault, file);
  fclose(file);
  return text;
}

// What the driver gets for a source of one string, or NULL.
static char* Replacement(const char* folder, const char* source, size_t* size) {
  static const char kBegin[] = "kernel void ";
  const char* found = strstr(source, kBegin);
  char name[64], path[1024];
  if (found == NULL || sscanf(found + sizeof kBegin - 1, "%63[A-Za-z0-9_]", name) != 1) return NULL;
  snprintf(path, sizeof path, "%s/%s.cl", folder, name);
  return ReadText(path, size);
}

static cl_program Create(cl_context context, cl_uint count, const char** strings,
                         const size_t* lengths, cl_int* status) {
  const char* all[kMaxStrings];
  size_t all_lengths[kMaxStrings];
  const char* path = getenv("FAULT_FILE");
  const char* folder = getenv("FAULT_FOLDER");
  size_t size = 0;
  char* other = folder == NULL || count != 1 ? NULL : Replacement(folder, strings[0], &size);
  if (other != NULL) {
    cl_program made =
        driver->clCreateProgramWithSource(context, 1, (const char**)&other, &size, status);
    free(other);
    return made;
  }
  char* fault = path == NULL || count + 1 > kMaxStrings ? NULL : ReadText(path, &all_lengths[0]);
  if (fault == NULL) {
    return driver->clCreateProgramWithSource(context, count, strings, lengths, status);
  }
  all[0] = fault;
  for (cl_uint i = 0; i < count; ++i) {
    all[i + 1] = strings[i];
    all_lengths[i + 1] = lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(strings[i]);
  }
  cl_program made = driver->clCreateProgramWithSource(context, count + 1, all, all_lengths, status);
  free(fault);
  return made;
}

static void Replace(void) { table.clCreateProgramWithSource = &Create; }
