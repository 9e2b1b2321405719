#include "interp/job/png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <vector>

// libpng ends a failed call by longjmp.  The functions between setjmp and such a call have only
// variables without destructors, and those that are used after it belong to their caller.
namespace assay::interp {
namespace {

constexpr std::size_t kMessageBytes = 200;
constexpr std::size_t kSignatureBytes = 8;
// Of a text or profile, which are skipped, and of all chunks that libpng keeps.
constexpr png_alloc_size_t kMaxChunkBytes = png_alloc_size_t{8} << 20;
constexpr png_uint_32 kMaxKeptChunks = 100;

struct Failure {
  std::jmp_buf place;
  char message[kMessageBytes] = "";
};

[[noreturn]] void OnError(png_structp png, png_const_charp message) {
  auto* failure = static_cast<Failure*>(png_get_error_ptr(png));
  std::strncpy(failure->message, message, kMessageBytes - 1);
  std::longjmp(failure->place, 1);
}
void OnWarning(png_structp, png_const_charp) {}

// What is read, and how far.
struct Input {
  const char* data = nullptr;
  std::size_t size = 0;
  std::size_t at = 0;
};

void ReadInput(png_structp png, png_bytep to, std::size_t count) {
  auto* input = static_cast<Input*>(png_get_io_ptr(png));
  if (count > input->size - input->at) png_error(png, "the file ends too early");
  std::memcpy(to, input->data + input->at, count);
  input->at += count;
}

void WriteOutput(png_structp png, png_bytep from, std::size_t count) {
  auto* output = static_cast<std::string*>(png_get_io_ptr(png));
  bool full = false;
  try {
    output->append(reinterpret_cast<const char*>(from), count);
  } catch (const std::bad_alloc&) {
    full = true;  // no exception may pass through C
  }
  if (full) png_error(png, "no memory");
}
void FlushOutput(png_structp) {}

// What the head of a file says of its rows when they are expanded.
struct Head {
  png_uint_32 width = 0, height = 0;
  std::size_t channels = 0, bits = 0;

  std::size_t ElementBytes() const { return channels * bits / 8; }
  // libpng keeps rows, too, and they take a pointer each.
  bool Fits(std::uint64_t limit) const {
    const std::uint64_t row = std::uint64_t{width} * ElementBytes() + sizeof(png_bytep);
    return height <= limit / row;
  }
};

// Up to the first chunk of rows; nothing of their size is allocated.
bool ReadHead(png_structp png, png_infop info, Head* head, Failure* failure) {
  if (setjmp(failure->place) != 0) return false;
  png_read_info(png, info);
  head->width = png_get_image_width(png, info);
  head->height = png_get_image_height(png, info);
  const int color = png_get_color_type(png, info);
  head->bits = png_get_bit_depth(png, info) == 16 ? 16 : 8;
  head->channels = (color & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1;  // a palette has colors
  const bool has_alpha = (color & PNG_COLOR_MASK_ALPHA) != 0;
  if (has_alpha || png_get_valid(png, info, PNG_INFO_tRNS) != 0) ++head->channels;
  return true;
}

// Allocates rows.
bool Expand(png_structp png, png_infop info, Failure* failure) {
  if (setjmp(failure->place) != 0) return false;
  png_set_expand(png);  // palettes, samples of less than 8 bits, transparent colors
  const std::uint16_t probe = 1;
  std::uint8_t low = 0;
  std::memcpy(&low, &probe, 1);
  if (low == 1) png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool ReadRows(png_structp png, png_bytepp rows, Failure* failure) {
  if (setjmp(failure->place) != 0) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

bool WriteAll(png_structp png, png_infop info, const PngImage& image, png_bytepp rows, bool is_srgb,
              Failure* failure) {
  constexpr int kColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                             PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(failure->place) != 0) return false;
  png_set_IHDR(png, info, image.width, image.height, image.bits, kColors[image.channels - 1],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (is_srgb) png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  const std::uint16_t probe = 1;
  std::uint8_t low = 0;
  std::memcpy(&low, &probe, 1);
  if (low == 1 && image.bits == 16) png_set_swap(png);
  png_write_image(png, rows);
  png_write_end(png, info);
  return true;
}

// Frees what libpng has of a file that is read.
struct Reader {
  explicit Reader(Failure* failure)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, failure, OnError, OnWarning)),
        info(png == nullptr ? nullptr : png_create_info_struct(png)) {}
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  png_structp png;
  png_infop info;
};

struct Writer {
  explicit Writer(Failure* failure)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, failure, OnError, OnWarning)),
        info(png == nullptr ? nullptr : png_create_info_struct(png)) {}
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  png_structp png;
  png_infop info;
};

std::vector<png_bytep> RowsOf(std::byte* samples, std::uint32_t height, std::size_t row_bytes) {
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < height; ++y) {
    rows[y] = reinterpret_cast<png_bytep>(samples + y * row_bytes);
  }
  return rows;
}

tl::unexpected<Error> Damaged(const Failure& failure) {
  return Fail(ErrorKind::kUsage, fmt::format("a damaged PNG file: {}", failure.message));
}

}  // namespace

Expected<PngImage> DecodePng(std::string_view file, std::uint64_t limit) {
  if (file.size() < kSignatureBytes ||
      png_sig_cmp(reinterpret_cast<png_const_bytep>(file.data()), 0, kSignatureBytes) != 0) {
    return Fail(ErrorKind::kUsage, "this is no PNG file");
  }
  Failure failure;
  Input input{file.data(), file.size(), 0};
  Reader reader(&failure);
  if (reader.info == nullptr) return Fail(ErrorKind::kDevice, "no memory for libpng");
  png_set_user_limits(reader.png, PNG_UINT_31_MAX,
                      PNG_UINT_31_MAX);  // `limit` says what is too much
  png_set_chunk_malloc_max(reader.png, kMaxChunkBytes);
  png_set_chunk_cache_max(reader.png, kMaxKeptChunks);
  png_set_read_fn(reader.png, &input, ReadInput);
  Head head;
  if (!ReadHead(reader.png, reader.info, &head, &failure)) return Damaged(failure);
  if (!head.Fits(limit)) {
    return Fail(
        ErrorKind::kDevice,
        fmt::format("the PNG file's {}x{} elements of {} bytes do not fit into the {} bytes "
                    "that are left for buffers (--max-memory)",
                    head.width, head.height, head.ElementBytes(), limit));
  }
  if (!Expand(reader.png, reader.info, &failure)) return Damaged(failure);
  PngImage image{.width = head.width,
                 .height = head.height,
                 .channels = static_cast<int>(head.channels),
                 .bits = static_cast<int>(head.bits),
                 .samples = {}};
  const std::size_t row_bytes = std::size_t{head.width} * head.ElementBytes();
  if (png_get_rowbytes(reader.png, reader.info) != row_bytes) {
    return Fail(ErrorKind::kUsage, "a PNG file of a form that libpng did not expand");
  }
  image.samples = HostBytes(row_bytes * image.height);
  std::vector<png_bytep> rows = RowsOf(image.samples.data(), image.height, row_bytes);
  if (!ReadRows(reader.png, rows.data(), &failure)) return Damaged(failure);
  return image;
}

Expected<std::string> EncodePng(const PngImage& image, bool is_srgb) {
  Failure failure;
  std::string output;
  Writer writer(&failure);
  if (writer.info == nullptr) return Fail(ErrorKind::kDevice, "no memory for libpng");
  png_set_user_limits(writer.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_write_fn(writer.png, &output, WriteOutput, FlushOutput);
  const std::size_t row_bytes = std::size_t{image.width} *
                                static_cast<std::size_t>(image.channels) *
                                static_cast<std::size_t>(image.bits) / 8;
  // libpng only reads them.
  std::vector<png_bytep> rows =
      RowsOf(const_cast<std::byte*>(image.samples.data()), image.height, row_bytes);
  if (!WriteAll(writer.png, writer.info, image, rows.data(), is_srgb, &failure)) {
    return Fail(ErrorKind::kDevice, fmt::format("writing PNG: {}", failure.message));
  }
  return output;
}

}  // namespace assay::interp
