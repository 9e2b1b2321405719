#include "base/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <cstring>

namespace assay::base {

namespace {

std::string Hex(std::span<const unsigned char> bytes) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace

// A note (elf(5)) is its name's size, its description's size, its type, the name "GNU", and the
// description.
std::string BuildIdIn(std::span<const unsigned char> notes) {
  const auto padded = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof head);
    notes = notes.subspan(sizeof head);
    const std::size_t name = padded(head.n_namesz);
    const std::size_t description = padded(head.n_descsz);
    if (name > notes.size() || description > notes.size() - name) return "";
    const bool gnu = head.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0;
    if (gnu && head.n_type == NT_GNU_BUILD_ID) return Hex(notes.subspan(name, head.n_descsz));
    notes = notes.subspan(name + description);
  }
  return "";
}

std::string OwnBuildId() {
  std::string id;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
          if (segment.p_type != PT_NOTE) continue;
          const auto* notes =
              reinterpret_cast<const unsigned char*>(info->dlpi_addr + segment.p_vaddr);
          std::string* id = static_cast<std::string*>(result);
          if (id->empty()) *id = BuildIdIn({notes, segment.p_memsz});
        }
        return 1;  // the first object is the program
      },
      &id);
  return id;
}

}  // namespace assay::base
