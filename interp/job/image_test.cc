// Images and samplers in job files and arguments.  Expected bytes are worked out by hand from the
// conversion rules (OpenCL C 8.3): UNORM_INT8 is round(255 x), sRGB codes are those of 8.3.5.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/digest.h"
#include "base/file.h"
#include "interp/job/image_content.h"
#include "interp/job/image_png.h"
#include "interp/job/job.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
namespace ni = numerics::image;

const std::string kPngs = std::string(ASSAY_SOURCE_DIR) + "/testsuites/images/png/";

template <typename T>
std::vector<T> As(const HostBytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}
std::vector<int> Bytes(const HostBytes& bytes) {
  std::vector<int> values;
  for (const std::byte byte : bytes) values.push_back(static_cast<int>(byte));
  return values;
}

Expected<Job> Parse(const std::string& json) {
  base::ReadScope reads;
  reads.Add(kPngs);
  return ParseJob(json, "job.json", kMaxJobBytes, {}, reads);
}
std::string WithImage(const std::string& image) {
  return R"({"module": "k.cl", "global": 4, "args": [{"image": )" + image + "}]}";
}
JobBuffer ImageOf(const std::string& image) {
  const auto job = Parse(WithImage(image));
  EXPECT_TRUE(job) << image << "\n" << job.error().message;
  return job && !job->buffers.empty() ? job->buffers[0] : JobBuffer{};
}
JobBuffer Argument(const std::string& text) {
  Job job;
  const auto argument = ParseArgument(text, &job);
  EXPECT_TRUE(argument) << text << ": " << argument.error().message;
  return job.buffers.empty() ? JobBuffer{} : job.buffers[0];
}
std::string ErrorOfImage(const std::string& image, ErrorKind kind = ErrorKind::kUsage) {
  const auto job = Parse(WithImage(image));
  EXPECT_FALSE(job) << image;
  if (job) return "";
  EXPECT_EQ(job.error().kind, kind) << image << job.error().message;
  EXPECT_THAT(job.error().message, StartsWith("job.json: /args/0"));
  return job.error().message;
}

TEST(JobImageTest, FillsConvertColors) {
  const JobBuffer image = ImageOf(R"({"size": [2, 1], "order": "RGBA", "type": "UNORM_INT8",
      "init": {"fill": [0.5, 0, 0.25, 1]}})");
  ASSERT_TRUE(image.image);
  EXPECT_EQ(DescribeImage(*image.image), "2d 2x1 CL_RGBA CL_UNORM_INT8");
  // 127.5 to even is 128; 63.75 to 64.
  EXPECT_THAT(Bytes(image.bytes), ElementsAre(128, 0, 64, 255, 128, 0, 64, 255));
  EXPECT_EQ(image.type.name, "uchar4");
  EXPECT_EQ(image.count, 2u);
  const auto bytes = [](const char* order, const char* type, const char* color) {
    return Bytes(Argument(fmt::format("image1d(1,{},{})=fill({})", order, type, color)).bytes);
  };
  EXPECT_THAT(bytes("BGRA", "UNORM_INT8", "1,0.5,0,0.25"), ElementsAre(0, 128, 255, 64));
  EXPECT_THAT(bytes("A", "UNORM_INT8", "1"), ElementsAre(255));
  EXPECT_THAT(bytes("RA", "UNORM_INT8", "0,1"), ElementsAre(0, 255));
  EXPECT_THAT(bytes("R", "SNORM_INT8", "-1"), ElementsAre(129));
  EXPECT_THAT(bytes("RG", "SIGNED_INT16", "-2,258"), ElementsAre(254, 255, 2, 1));
  EXPECT_THAT(bytes("R", "HALF_FLOAT", "1.5"), ElementsAre(0, 0x3e));
  EXPECT_THAT(bytes("R", "FLOAT", "0x3fc00000"), ElementsAre(0, 0, 0xc0, 0x3f));
  EXPECT_THAT(bytes("sRGBA", "UNORM_INT8", "0,1,0,0.5"), ElementsAre(0, 255, 0, 128));
  EXPECT_THAT(bytes("RGB", "UNORM_SHORT_565", "1,0,0"), ElementsAre(0, 0xf8));
  EXPECT_THAT(bytes("DEPTH", "UNORM_INT16", "1"), ElementsAre(255, 255));
  EXPECT_THAT(bytes("RGBA", "UNSIGNED_INT8", "7"), ElementsAre(7, 7, 7, 7));
}

TEST(JobImageTest, NumbersAreInTheOrderOfMemory) {
  const JobBuffer array = ImageOf(R"({"shape": "2d_array", "size": [2, 2], "layers": 2,
      "order": "R", "type": "UNSIGNED_INT8", "init": {"range": [1, 1]}})");
  EXPECT_THAT(Bytes(array.bytes), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(PlaceText(*array.image, 6), "(0,1) of layer 1");
  const JobBuffer mipmap = ImageOf(R"({"size": [4, 2], "levels": 3, "order": "R",
      "type": "UNSIGNED_INT8", "init": {"range": [0, 1]}})");
  EXPECT_EQ(mipmap.count, 8u + 2u + 1u);
  EXPECT_EQ(PlaceText(*mipmap.image, 7), "(3,1) of level 0");
  EXPECT_EQ(PlaceText(*mipmap.image, 9), "(1,0) of level 1");
  EXPECT_EQ(PlaceText(*mipmap.image, 10), "(0,0) of level 2");
  const JobBuffer volume = Argument("image3d(2x2x2,RG,FLOAT)=random(3,0,1)");
  EXPECT_EQ(PlaceText(*volume.image, 5), "(1,0,1)");
  const JobBuffer numbers = Argument("float[16]=random(3,0,1)");
  EXPECT_EQ(As<float>(volume.bytes), As<float>(numbers.bytes));
  EXPECT_THAT(Bytes(ImageOf(R"({"shape": "1d", "size": 2, "order": "R", "type": "SIGNED_INT8",
      "init": {"data": [-1, 5]}})")
                        .bytes),
              ElementsAre(255, 5));
  EXPECT_THAT(Bytes(Argument("image1d(2,R,UNORM_INT8)=hex(01ff)").bytes), ElementsAre(1, 255));
}

TEST(JobImageTest, RandomElementsAreFinite) {
  for (const float value : As<float>(Argument("image2d(64x64,RGBA,FLOAT)=random(5)").bytes)) {
    ASSERT_TRUE(std::isfinite(value));
  }
  // Component n has the high bits of number n.
  EXPECT_THAT(Bytes(Argument("image1d(1,RG,UNORM_INT8)=random(7)").bytes),
              ElementsAre(static_cast<int>(RandomBits(7, 0) >> 56),
                          static_cast<int>(RandomBits(7, 1) >> 56)));
}

TEST(JobImageTest, Patterns) {
  EXPECT_THAT(Bytes(Argument("image2d(3x2,RGBA,UNORM_INT8)=gradient").bytes),
              ElementsAre(0, 0, 0, 255, 128, 0, 0, 255, 255, 0, 0, 255,  //
                          0, 255, 0, 255, 128, 255, 0, 255, 255, 255, 0, 255));
  EXPECT_THAT(Bytes(Argument("image1d(4,A,UNSIGNED_INT8)=gradient").bytes),
              ElementsAre(0, 85, 170, 255));
  EXPECT_THAT(Bytes(Argument("image2d(4x2,R,SIGNED_INT8)=checker(2)").bytes),
              ElementsAre(0, 0, 127, 127, 0, 0, 127, 127));
  EXPECT_THAT(As<float>(Argument("image2d(2x2,RA,FLOAT)=checker(1)").bytes),
              ElementsAre(0, 1, 1, 1, 1, 1, 0, 1));
}

TEST(JobImageTest, PngFilesFitTheFormat) {
  const auto first = [](const std::string& form, const std::string& file) {
    const auto bytes = Bytes(Argument(fmt::format("image2d{}=png({}{})", form, kPngs, file)).bytes);
    return std::vector<int>(bytes.begin(),
                            bytes.begin() + std::min<std::ptrdiff_t>(4, std::ssize(bytes)));
  };
  // make_png.py: the first element's samples are 3, 10, 17, 24 in 8 bits.
  EXPECT_THAT(first("", "rgba_8.png"), ElementsAre(3, 10, 17, 24));
  EXPECT_THAT(first("", "rgb_8.png"), ElementsAre(3, 10, 17, 255));
  EXPECT_THAT(first("(BGRA,UNORM_INT8)", "rgba_8.png"), ElementsAre(17, 10, 3, 24));
  EXPECT_THAT(first("(RGBA,UNSIGNED_INT8)", "gray_8.png"), ElementsAre(3, 3, 3, 255));
  EXPECT_THAT(first("(sRGBA,UNORM_INT8)", "rgb_8.png"), ElementsAre(3, 10, 17, 255));
  EXPECT_THAT(first("(RG,UNORM_INT8)", "gray_alpha_8.png"), ElementsAre(3, 10, 53, 60));
  EXPECT_THAT(first("", "gray_16.png"), ElementsAre(3, 3, 53, 53));
  EXPECT_THAT(first("(R,UNORM_INT16)", "gray_8.png"), ElementsAre(3, 3, 53, 53));
  EXPECT_THAT(first("(R,UNSIGNED_INT16)", "gray_8.png"), ElementsAre(3, 0, 53, 0));
  EXPECT_EQ(As<float>(Argument(fmt::format("image2d(R,FLOAT)=png({}gray_8.png)", kPngs)).bytes)[0],
            3.0f / 255.0f);
  EXPECT_EQ(DescribeImage(*Argument(fmt::format("image2d=png({}rgb_16.png)", kPngs)).image),
            "2d 5x3 CL_RGBA CL_UNORM_INT16");
  // Three planes in three files, and three rows of one file.
  const std::string three = fmt::format("{0}gray_8.png,{0}gray_8.png,{0}gray_1.png", kPngs);
  EXPECT_EQ(DescribeImage(*Argument("image3d=png(" + three + ")").image),
            "3d 5x3x3 CL_R CL_UNORM_INT8");
  EXPECT_EQ(Argument(fmt::format("image1d_array=png({}gray_8.png)", kPngs)).image->layers, 3);
}

TEST(JobImageTest, PngErrorsNameTheFile) {
  const auto error = [](const std::string& form, const std::string& file) {
    Job job;
    const auto argument =
        ParseArgument(fmt::format("image2d{}=png({}{})", form, kPngs, file), &job);
    EXPECT_FALSE(argument) << file;
    return argument ? "" : argument.error().message;
  };
  EXPECT_THAT(error("(R,UNORM_INT8)", "rgb_8.png"), HasSubstr("has red, green and blue"));
  EXPECT_THAT(error("(R,UNORM_INT8)", "gray_16.png"), HasSubstr("16 bits"));
  EXPECT_THAT(error("(R,SIGNED_INT32)", "gray_8.png"), HasSubstr("unsigned"));
  EXPECT_THAT(error("(4x3,R,UNORM_INT8)", "gray_8.png"), HasSubstr("gray_8.png is 5x3"));
  EXPECT_THAT(error("", "damaged.png"), HasSubstr("damaged.png: a damaged PNG file"));
  EXPECT_THAT(error("", "too_large.png"), HasSubstr("--max-memory"));
  EXPECT_THAT(error("", "none.png"), HasSubstr("none.png"));
  EXPECT_THAT(ErrorOfImage(R"({"init": {"png": "/etc/passwd"}})"), HasSubstr("--allow-read"));
}

TEST(JobImageTest, SavedPngFilesAreReadAgain) {
  for (const char* form : {"R,UNORM_INT8", "RG,UNORM_INT16", "BGRA,UNORM_INT8", "sRGBA,UNORM_INT8",
                           "RGBA,UNSIGNED_INT16", "A,UNSIGNED_INT8"}) {
    JobBuffer image = Argument(fmt::format("image2d(7x5,{})=random(9)", form));
    ASSERT_TRUE(CheckSave(image, "out.png")) << form;
    const auto file = PngOf(image);
    ASSERT_TRUE(file) << form;
    const auto decoded = DecodePng(*file, 1 << 20);
    ASSERT_TRUE(decoded) << form;
    const std::vector<PngImage> files = {*decoded};
    const std::vector<std::string> paths = {"out.png"};
    const auto again = PngContent(*image.image, files, paths);
    ASSERT_TRUE(again) << form;
    EXPECT_EQ(*again, image.bytes) << form;
  }
  const JobBuffer layers = Argument("image2d_array(2x2,layers=3,R,UNORM_INT8)=range(0,0.0625)");
  EXPECT_EQ(DecodePng(*PngOf(layers), 1 << 20)->height, 6u);
  const auto wrong = CheckSave(Argument("image2d(2x2,R,FLOAT)=0"), "out.png");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("UNORM_INT8"));
  EXPECT_TRUE(CheckSave(Argument("image2d(2x2,R,FLOAT)=0"), "out.raw"));
}

TEST(JobImageTest, WrongImages) {
  const std::string form = R"("order": "RGBA", "type": "UNORM_INT8", "init": {"fill": 0}})";
  EXPECT_THAT(ErrorOfImage(R"({"size": [0, 4], )" + form), HasSubstr("width"));
  EXPECT_THAT(ErrorOfImage(R"({"size": [65537, 4], )" + form), HasSubstr("65536"));
  EXPECT_THAT(ErrorOfImage(R"({"size": [4], )" + form), HasSubstr("a 2d image has 2 sizes"));
  EXPECT_THAT(ErrorOfImage(R"({"shape": "4d", "size": [4], )" + form), HasSubstr("no shape '4d'"));
  EXPECT_THAT(ErrorOfImage(R"({"size": [4, 4], "levels": 9, )" + form), HasSubstr("levels"));
  EXPECT_THAT(ErrorOfImage(R"({"size": [65536, 65536], )" + form, ErrorKind::kDevice),
              HasSubstr("--max-memory"));
  EXPECT_THAT(ErrorOfImage(form.substr(0, 0) + R"({"order": "RGBA", "type": "UNORM_INT8",
      "init": {"fill": 0}})"),
              HasSubstr("size"));
  EXPECT_THAT(ErrorOfImage(R"({"size": [4, 4], "init": {"fill": 0}})"), HasSubstr("channel order"));
  EXPECT_THAT(ErrorOfImage(R"({"size": [4, 4], "order": "RGBB", "type": "UNORM_INT8",
      "init": {"fill": 0}})"),
              HasSubstr("did you mean"));
  EXPECT_THAT(ErrorOfImage(R"({"size": [4, 4], "order": "RGB", "type": "UNORM_INT8",
      "init": {"fill": 0}})"),
              HasSubstr("no image has the format"));
  const auto content = [](const std::string& init) {
    return ErrorOfImage(R"({"size": [2, 1], "order": "RG", "type": "UNORM_INT8", "init": )" + init +
                        "}");
  };
  EXPECT_THAT(content(R"({"fill": [1, 1, 1]})"), HasSubstr("2 components (r, g)"));
  EXPECT_THAT(content(R"({"fill": 1.5})"), HasSubstr("1.5 of component r"));
  EXPECT_THAT(content(R"({"data": [0, 0, 0]})"), HasSubstr("which are 4"));
  EXPECT_THAT(content(R"({"data": [0, 0, 0, -1]})"), HasSubstr("element (1,0): -1 of component g"));
  EXPECT_THAT(content(R"({"hex": "00"})"), HasSubstr("1 bytes are given"));
  EXPECT_THAT(content(R"({"checker": 0})"), HasSubstr("at least one"));
  EXPECT_THAT(content(R"({"gradiant": true})"), HasSubstr("did you mean"));
}

TEST(JobImageTest, ImagesInMemoryOfBuffers) {
  const auto job = Parse(R"({"module": "k.cl", "global": 1,
      "buffers": {"data": {"type": "float", "count": 8, "init": {"fill": 0}}},
      "images": {"out": {"size": [2, 2], "order": "R", "type": "FLOAT", "init": "uninitialized",
                         "access": "write_only"}},
      "args": [{"image": {"buffer": "data", "size": 8, "order": "R", "type": "FLOAT"}},
               {"image": "out"}, {"buffer": "data"}],
      "expect": {"images": {"out": {"data": [0, 1, 2, 3]}}}})");
  ASSERT_TRUE(job) << job.error().message;
  const auto& view = std::get<JobImageOfBuffer>(job->launches[0].arguments[0]);
  EXPECT_EQ(view.buffer, 0u);
  EXPECT_EQ(view.image.shape, ImageShape::k1DBuffer);
  EXPECT_EQ(std::get<JobBufferUse>(job->launches[0].arguments[1]).buffer, 1u);
  EXPECT_FALSE(job->buffers[1].readable);
  EXPECT_TRUE(job->buffers[1].uninitialized);
  EXPECT_EQ(As<float>(*job->expected_buffers.at(0).bytes), (std::vector<float>{0, 1, 2, 3}));
  // What a session is given.
  const std::vector<Address> addresses = {0x100, 0x200};
  const auto argument = ArgumentOf(*job, job->launches[0].arguments[0], addresses);
  EXPECT_EQ(std::get<ImageArgument>(argument).address, 0x100u);
  EXPECT_EQ(
      std::get<ImageArgument>(ArgumentOf(*job, job->launches[0].arguments[1], addresses)).address,
      0x200u);
}

TEST(JobImageTest, BuffersAndImagesAreNotConfused) {
  const auto error = [](const std::string& arguments, const std::string& expect = "{}") {
    const auto job = Parse(R"({"module": "k.cl", "global": 1,
      "buffers": {"b": {"type": "float", "count": 8, "init": {"fill": 0}}},
      "images": {"i": {"size": [2, 2], "order": "R", "type": "FLOAT", "init": "gradient"}},
      "args": [)" + arguments +
                           R"(], "expect": )" + expect + "}");
    EXPECT_FALSE(job) << arguments;
    return job ? "" : job.error().message;
  };
  EXPECT_THAT(error(R"({"buffer": "i"})"), HasSubstr("'i' is an image"));
  EXPECT_THAT(error(R"({"image": "b"})"), HasSubstr("'b' is a buffer"));
  EXPECT_THAT(error(R"({"image": {"buffer": "i", "size": 4, "order": "R", "type": "FLOAT"}})"),
              HasSubstr("is an image, no buffer"));
  EXPECT_THAT(error(R"({"image": {"buffer": "b", "size": 9, "order": "R", "type": "FLOAT"}})"),
              HasSubstr("has 36 bytes, but buffer 'b' has 32"));
  EXPECT_THAT(error("", R"({"buffers": {"i": {"fill": 0}}})"), HasSubstr("/expect/images"));
  EXPECT_THAT(error("", R"({"images": {"b": {"fill": 0}}})"), HasSubstr("/expect/buffers"));
  Job job;
  job.launches.emplace_back();
  job.launches[0].arguments.push_back(*ParseArgument("int[4]=0", &job));
  job.launches[0].arguments.push_back(*ParseArgument("image1d(4,R,FLOAT)=0", &job));
  EXPECT_THAT(ParseArgument("buffer(1)", &job).error().message, HasSubstr("no buffer"));
  EXPECT_THAT(ParseArgument("image(0)", &job).error().message, HasSubstr("no image"));
  EXPECT_EQ(std::get<JobBufferUse>(*ParseArgument("image(1)", &job)).buffer, 1u);
  EXPECT_TRUE(ParseArgument("image1d_buffer(4,R,SIGNED_INT32)=buffer(0)", &job));
  EXPECT_FALSE(ParseArgument("image1d_buffer(5,R,SIGNED_INT32)=buffer(0)", &job));
}

TEST(JobSamplerTest, EveryForm) {
  const auto job = Parse(R"({"module": "k.cl", "global": 1, "args": [{"sampler":
      {"address": "mirrored_repeat", "filter": "linear", "normalized": true, "mip_filter": "linear",
       "lod_min": 0.5, "lod_max": 4}}]})");
  ASSERT_TRUE(job) << job.error().message;
  const SamplerDescriptor file = std::get<SamplerArgument>(job->launches[0].arguments[0]).sampler;
  Job other;
  const auto argument = ParseArgument(
      "sampler(mirrored_repeat,linear,normalized,mip_filter=linear,lod_min=0.5,lod_max=4)", &other);
  ASSERT_TRUE(argument) << argument.error().message;
  for (const SamplerDescriptor& sampler : {file, std::get<SamplerArgument>(*argument).sampler}) {
    EXPECT_EQ(sampler.sampler,
              (ni::Sampler{ni::AddressMode::kMirroredRepeat, ni::FilterMode::kLinear, true}));
    EXPECT_EQ(sampler.mip.mode, ni::FilterMode::kLinear);
    EXPECT_EQ(sampler.mip.lod_min, 0.5f);
    EXPECT_EQ(sampler.mip.lod_max, 4.0f);
  }
  for (const char* wrong : {"sampler", "sampler()", "sampler(clamp,linear)",
                            "sampler(clamped,linear,normalized)", "sampler(clamp,cubic,normalized)",
                            "sampler(clamp,linear,normal)", "sampler(clamp,linear,normalized,x=1)",
                            "sampler(clamp,linear,normalized,lod_min=2,lod_max=1)"}) {
    Job empty;
    const auto bad = ParseArgument(wrong, &empty);
    ASSERT_FALSE(bad) << wrong;
    EXPECT_EQ(bad.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(bad.error().message, StartsWith(std::string("argument '") + wrong));
  }
  EXPECT_THAT(Parse(R"({"module": "k.cl", "global": 1, "args": [{"sampler": {"address": "clamp",
      "filter": "linear", "normalized": 1}}]})")
                  .error()
                  .message,
              HasSubstr("/args/0/sampler/normalized"));
}

}  // namespace
}  // namespace assay::interp
