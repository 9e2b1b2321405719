// What assay and Debian 12's libstdc++ and libgcc call in glibc, and glibc 2.31 does not have
// (cmake/AssayOlderGlibc.cmake).
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// glibc 2.32: nonzero while the process has one thread.  Zero is always allowed.
HIDDEN char __libc_single_threaded = 0;

// glibc 2.36.
HIDDEN uint32_t arc4random(void) {
  uint32_t bits;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits) {
  }
  return bits;
}

struct Search {
  uintptr_t address;
  struct dl_find_object* found;
};

// Whether this object holds the address; then `found` has the object's frames.
static int LookAt(struct dl_phdr_info* object, size_t size, void* context) {
  (void)size;
  struct Search* search = context;
  const ElfW(Phdr)* frames = NULL;
  uintptr_t first = UINTPTR_MAX, end = 0;
  int holds = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
    const uintptr_t behind = begin + segment->p_memsz;
    if (segment->p_type == PT_GNU_EH_FRAME) frames = segment;
    if (segment->p_type != PT_LOAD) continue;
    if (begin < first) first = begin;
    if (behind > end) end = behind;
    if (search->address >= begin && search->address < behind) holds = 1;
  }
  if (!holds || frames == NULL) return 0;
  search->found->dlfo_flags = 0;
  search->found->dlfo_map_start = (void*)first;
  search->found->dlfo_map_end = (void*)end;
  search->found->dlfo_link_map = NULL;
  search->found->dlfo_eh_frame = (void*)(object->dlpi_addr + frames->p_vaddr);
  return 1;
}

// glibc 2.35: for an exception that is thrown, the object that has the frames of an address.
// 0, or -1 where there is none.
HIDDEN int _dl_find_object(void* address, struct dl_find_object* found) {
  struct Search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(LookAt, &search) == 1 ? 0 : -1;
}

// glibc 2.34.  Linux has the call from 5.9 on.
HIDDEN int close_range(unsigned first, unsigned last, int flags) {
  if (syscall(SYS_close_range, first, last, flags) == 0) return 0;
  struct rlimit limit;
  if (errno != ENOSYS || flags != 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  for (unsigned file = first; file <= last && file < limit.rlim_cur; ++file) close((int)file);
  return 0;
}

// glibc 2.34: of the files that are open now.
HIDDEN int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions,
                                                    int first) {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == NULL) return errno;
  int code = 0;
  for (struct dirent* entry; code == 0 && (entry = readdir(folder)) != NULL;) {
    const int file = atoi(entry->d_name);
    if (file >= first && file != dirfd(folder)) {
      code = posix_spawn_file_actions_addclose(actions, file);
    }
  }
  closedir(folder);
  return code;
}
