#include "driver/report/python_frames.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace assay::driver {
namespace {

using Word = std::uintptr_t;

// Offsets in the structures of one version of CPython on a machine with pointers of 64 bits.
struct Layout {
  Word thread_frame = 0;  // in a thread's state: its frame, or what points to that
  // In what it points to: the frame; nothing: it is the frame.
  std::optional<Word> pointed_frame;
  Word previous = 0, code = 0, instruction = 0;  // in a frame
  std::optional<Word> owner;                     // in a frame: who made it
  Word file = 0, name = 0;                       // in a code object
  std::optional<Word> first_instruction;         // in a code object; nothing: see index_bytes
  Word index_bytes = 0;  // the frame's instruction is an int, in units of so many bytes
};

constexpr Word kTypeOffset = 8;        // of every object: its type
constexpr Word kTagBits = 3;           // of a frame's reference to its code, from 3.14 on
constexpr std::uint8_t kOwnedByC = 3;  // a frame of the interpreter's own, without a function
constexpr std::size_t kMaxText = 1024;

constexpr Layout kLayout39 = {.thread_frame = 24,
                              .pointed_frame = {},
                              .previous = 24,
                              .code = 32,
                              .instruction = 104,
                              .owner = {},
                              .file = 104,
                              .name = 112,
                              .first_instruction = {},
                              .index_bytes = 1};
constexpr Layout kLayout310 = {.thread_frame = 24,
                               .pointed_frame = {},
                               .previous = 24,
                               .code = 32,
                               .instruction = 96,
                               .owner = {},
                               .file = 104,
                               .name = 112,
                               .first_instruction = {},
                               .index_bytes = 2};
constexpr Layout kLayout311 = {.thread_frame = 56,
                               .pointed_frame = 8,
                               .previous = 48,
                               .code = 32,
                               .instruction = 56,
                               .owner = 69,
                               .file = 112,
                               .name = 120,
                               .first_instruction = 184};
constexpr Layout kLayout312 = {.thread_frame = 56,
                               .pointed_frame = 0,
                               .previous = 8,
                               .code = 0,
                               .instruction = 56,
                               .owner = 70,
                               .file = 112,
                               .name = 120,
                               .first_instruction = 192};

// From 3.13 on the runtime begins with a table of its offsets, for debuggers: words of 64 bits
// behind "xdebugpy", in an order that is the version's.
struct TablePlaces {
  std::size_t free_threaded, thread_frame, previous, executable, instruction, owner, file, name,
      first_instruction;
};
constexpr TablePlaces kTable313 = {2, 23, 29, 30, 31, 33, 35, 36, 43};
constexpr TablePlaces kTable314 = {2, 26, 32, 33, 34, 36, 40, 41, 48};
constexpr std::size_t kTableWords = 50;

// False where there is no memory, or the system does not let it be read so.
bool Read(Word address, void* to, std::size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(address), bytes};  // NOLINT: of this process
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

std::optional<Word> ReadWord(Word address) {
  Word word = 0;
  if (!Read(address, &word, sizeof word)) return std::nullopt;
  return word;
}

std::optional<Layout> LayoutByTable(Word runtime, const TablePlaces& places) {
  std::array<std::uint64_t, kTableWords> table{};
  if (!Read(runtime, table.data(), sizeof table)) return std::nullopt;
  if (std::memcmp(table.data(), "xdebugpy", 8) != 0) return std::nullopt;
  // Without the lock of the interpreter other threads change what is read here.
  if (table[places.free_threaded] != 0) return std::nullopt;
  const Layout layout{.thread_frame = table[places.thread_frame],
                      .pointed_frame = {},
                      .previous = table[places.previous],
                      .code = table[places.executable],
                      .instruction = table[places.instruction],
                      .owner = table[places.owner],
                      .file = table[places.file],
                      .name = table[places.name],
                      .first_instruction = table[places.first_instruction]};
  // Or it is another table.  What lies in frames and code is read with Head.
  constexpr Word kLargest = 4096, kLargestInHead = 240;
  const bool is_good =
      layout.thread_frame <= kLargest && *layout.first_instruction <= kLargest &&
      std::ranges::all_of(std::array{layout.previous, layout.code, layout.instruction,
                                     *layout.owner, layout.file, layout.name},
                          [](Word offset) { return offset <= kLargestInHead; });
  if (!is_good) return std::nullopt;
  return layout;
}

// "3.11.2 (main, ...)"
std::optional<Layout> LayoutOf(std::string_view version, Word runtime) {
  if (!version.starts_with("3.")) return std::nullopt;
  switch (std::strtol(version.data() + 2, nullptr, 10)) {
    case 9:
      return kLayout39;
    case 10:
      return kLayout310;
    case 11:
      return kLayout311;
    case 12:
      return kLayout312;
    case 13:
      return LayoutByTable(runtime, kTable313);
    case 14:
      return LayoutByTable(runtime, kTable314);
    default:
      return std::nullopt;
  }
}

// What is used of the interpreter.  Its functions only read, and need no lock: objects that a frame
// of this thread refers to stay as they are.
struct Interpreter {
  int (*is_initialized)() = nullptr;
  void* (*thread_state)() = nullptr;
  int (*line_of)(void* code, int offset) = nullptr;
  ssize_t (*length_of)(void* text) = nullptr;
  std::uint32_t (*character_of)(void* text, ssize_t index) = nullptr;
  Word code_type = 0, text_type = 0;
  Layout layout;
};

template <typename T>
bool Take(const char* name, T* to) {
  *to = reinterpret_cast<T>(dlsym(RTLD_DEFAULT, name));
  return *to != T{};
}

std::optional<Interpreter> FindInterpreter() {
  Interpreter found;
  const char* (*version)() = nullptr;
  if (!Take("PyGILState_GetThisThreadState", &found.thread_state) ||
      !Take("Py_IsInitialized", &found.is_initialized) ||
      !Take("PyCode_Addr2Line", &found.line_of) || !Take("PyUnicode_GetLength", &found.length_of) ||
      !Take("PyUnicode_ReadChar", &found.character_of) || !Take("PyCode_Type", &found.code_type) ||
      !Take("PyUnicode_Type", &found.text_type) || !Take("Py_GetVersion", &version)) {
    return std::nullopt;
  }
  Word runtime = 0;
  Take("_PyRuntime", &runtime);
  const auto layout = LayoutOf(version(), runtime);
  if (!layout) return std::nullopt;
  found.layout = *layout;
  return found;
}

// How many objects were ever loaded into the process.
unsigned long long LoadedObjects() {
  unsigned long long count = 0;
  const auto first = [](dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<unsigned long long*>(to) = info->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(first, &count);
  return count;
}

// Looked for again whenever something was loaded: an application may load its interpreter late.
const Interpreter* TheInterpreter() {
  static std::mutex mutex;
  static std::optional<Interpreter> interpreter;
  static unsigned long long looked_at = 0;
  const unsigned long long loaded = LoadedObjects();
  const std::lock_guard lock(mutex);
  if (!interpreter && loaded != looked_at) {
    interpreter = FindInterpreter();
    looked_at = loaded;
  }
  return interpreter ? &*interpreter : nullptr;
}

void AppendUtf8(std::uint32_t point, std::string* text) {
  if (point < 0x80) {
    *text += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr std::uint32_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
  *text += static_cast<char>(kFirst[more] | point >> (6 * more));
  for (int i = more - 1; i >= 0; --i) {
    *text += static_cast<char>(0x80 | (point >> (6 * i) & 0x3f));
  }
}

// The bytes at the beginning of a structure, by one read.
class Head {
 public:
  bool ReadAt(Word address, std::size_t bytes) {
    return bytes <= bytes_.size() && Read(address, bytes_.data(), bytes);
  }
  template <typename T>
  T At(Word offset) const {
    T value{};
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

 private:
  std::array<std::byte, 256> bytes_{};
};

// What is known of a code object.  Another one at its address has other texts.
struct KnownCode {
  Word file = 0, name = 0;  // the texts' objects
  std::string file_text, name_text;
};

// Reads the frames of one thread.
class Walk {
 public:
  explicit Walk(const Interpreter& interpreter)
      : interpreter_(interpreter), layout_(interpreter.layout) {
    for (const Word offset : {layout_.previous, layout_.code, layout_.instruction}) {
      frame_bytes_ = std::max(frame_bytes_, offset + sizeof(Word));
    }
    frame_bytes_ = std::max(frame_bytes_, layout_.owner.value_or(0) + 1);
    code_bytes_ = std::max(layout_.file, layout_.name) + sizeof(Word);
  }

  PythonFrames Frames() const {
    PythonFrames frames;
    auto frame = FirstFrame();
    // More than are kept: some are the interpreter's own.
    Head head;
    for (int seen = 0; frame && *frame != 0 && seen < 4 * kMaxPythonFrames; ++seen) {
      if (frames.size() == kMaxPythonFrames || !head.ReadAt(*frame, frame_bytes_)) break;
      if (auto read = FrameOf(head)) frames.push_back(std::move(*read));
      frame = head.At<Word>(layout_.previous);
    }
    return frames;
  }

 private:
  std::optional<Word> FirstFrame() const {
    const auto state = reinterpret_cast<Word>(interpreter_.thread_state());
    if (state == 0) return std::nullopt;
    const auto frame = ReadWord(state + layout_.thread_frame);
    if (!frame || !layout_.pointed_frame || *frame == 0) return frame;
    return ReadWord(*frame + *layout_.pointed_frame);
  }

  bool Is(Word object, Word type) const {
    return object != 0 && ReadWord(object + kTypeOffset) == type;
  }

  std::optional<PythonFrame> FrameOf(const Head& frame) const {
    if (layout_.owner && frame.At<std::uint8_t>(*layout_.owner) >= kOwnedByC) return std::nullopt;
    const Word code = frame.At<Word>(layout_.code) & ~kTagBits;
    const auto offset = OffsetAt(frame, code);
    const KnownCode* known = code == 0 || !offset ? nullptr : CodeAt(code);
    if (known == nullptr) return std::nullopt;
    const int line = interpreter_.line_of(reinterpret_cast<void*>(code), *offset);  // NOLINT
    if (line <= 0) return std::nullopt;
    return PythonFrame{.function = known->name_text,
                       .file = known->file_text,
                       .line = static_cast<std::uint32_t>(line)};
  }

  // Of the instruction that the frame is at, in its code, in bytes; -1 before the first one.
  std::optional<int> OffsetAt(const Head& frame, Word code) const {
    if (!layout_.first_instruction) {
      const auto index = frame.At<std::int32_t>(layout_.instruction);
      return index < 0 ? -1 : index * static_cast<int>(layout_.index_bytes);
    }
    const auto at = frame.At<Word>(layout_.instruction);
    const Word first = code + *layout_.first_instruction;
    constexpr Word kLargest = Word{1} << 30;
    if (at >= first && at - first > kLargest) return std::nullopt;
    return at < first ? -1 : static_cast<int>(at - first);
  }

  // Null for what is no code object with a file.
  const KnownCode* CodeAt(Word code) const {
    // Of this thread: the same functions are seen again and again.
    thread_local std::unordered_map<Word, KnownCode> all;
    constexpr std::size_t kMostKept = 4096;
    Head head;
    if (!head.ReadAt(code, code_bytes_)) return nullptr;
    if (head.At<Word>(kTypeOffset) != interpreter_.code_type) return nullptr;
    const auto file = head.At<Word>(layout_.file), name = head.At<Word>(layout_.name);
    if (all.size() >= kMostKept) all.clear();
    KnownCode& known = all[code];
    if (known.file != file || known.name != name) {
      known = {.file = file, .name = name, .file_text = TextOf(file), .name_text = TextOf(name)};
    }
    return known.file_text.empty() ? nullptr : &known;
  }

  std::string TextOf(Word text) const {
    if (!Is(text, interpreter_.text_type)) return "";
    auto* object = reinterpret_cast<void*>(text);  // NOLINT
    const ssize_t length = interpreter_.length_of(object);
    std::string read;
    for (ssize_t i = 0; i < length && read.size() < kMaxText; ++i) {
      AppendUtf8(interpreter_.character_of(object, i), &read);
    }
    return read;
  }

  const Interpreter& interpreter_;
  const Layout& layout_;
  std::size_t frame_bytes_ = 0, code_bytes_ = 0;  // that are needed of each
};

}  // namespace

std::shared_ptr<const PythonFrames> CapturePythonFrames() {
  const Interpreter* interpreter = TheInterpreter();
  if (interpreter == nullptr || interpreter->is_initialized() == 0) return nullptr;
  PythonFrames frames = Walk(*interpreter).Frames();
  if (frames.empty()) return nullptr;
  return std::make_shared<const PythonFrames>(std::move(frames));
}

const void* PythonInterpreter() {
  const Interpreter* interpreter = TheInterpreter();
  return interpreter == nullptr ? nullptr : reinterpret_cast<const void*>(interpreter->line_of);
}

}  // namespace assay::driver
