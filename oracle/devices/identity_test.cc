#include "oracle/devices/identity.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file.h"
#include "oracle/testing/device_columns.h"

namespace assay::oracle {
namespace {

using testing::HasSubstr;

TEST(DeviceIdentityTest, ALibraryIsTheFileThatWasLoaded) {
  auto device = OpenLibrary("libm.so.6", numerics::Rounding::kRte);
  ASSERT_TRUE(device) << device.error().message;
  const auto& identity = (*device)->Description().identity;
  ASSERT_EQ(identity.size(), 1u);
  EXPECT_EQ(identity[0].what, "library");
  const std::string file = LoadedFileAt(dlsym(dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL), "sinf"));
  const auto content = base::ReadWholeFile(file);
  ASSERT_TRUE(content) << file;
  EXPECT_EQ(identity[0].value,
            fmt::format("{}, {} bytes, sha256 {}", file, content->size(), base::Sha256(*content)));
}

TEST(DeviceIdentityTest, ACommandIsItsFiles) {
  const std::string script = TestPath("device.sh");
  std::ofstream(script) << "echo 1\n";
  const auto before = IdentityOfCommand("exec sh '" + script + "' --fast");
  ASSERT_EQ(before.size(), 2u);
  EXPECT_THAT(before[0].value, HasSubstr("/sh, "));
  EXPECT_THAT(before[1].value, HasSubstr(script));
  std::ofstream(script) << "echo 2\n";
  EXPECT_NE(IdentityOfCommand("exec sh '" + script + "' --fast"), before);
}

TEST(DeviceIdentityTest, ALargeLibraryHasItsBuildId) {
  const std::string path = TestPath("large.so");
  // The build id is at the beginning of a program, which may be very large.
  std::string beginning(std::size_t{1} << 20, '\0');
  std::ifstream("/proc/self/exe", std::ios::binary)
      .read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  std::ofstream file(path, std::ios::binary);
  file << beginning;
  file.seekp(40 << 20);
  file << "end";
  file.close();
  EXPECT_THAT(FileIdentity(path), HasSubstr("bytes, " + IdentityOfAssay().value));
  EXPECT_THAT(IdentityOfAssay().value, HasSubstr("build-id "));
}

TEST(DeviceIdentityTest, DifferencesAreNamed) {
  DeviceDescription before;
  before.identity = {{"library", "a"}};
  EXPECT_EQ(DescriptionDifference(before, before), std::nullopt);
  const auto differs = [&](auto change) {
    DeviceDescription now = before;
    change(&now);
    EXPECT_TRUE(DescriptionDifference(now, before));
    return DescriptionDifference(before, now).value_or("");
  };
  EXPECT_EQ(differs([](auto* d) { d->denormals[2] = false; }),
            "denormals of float: 'yes' before, 'no' now");
  EXPECT_EQ(differs([](auto* d) { d->rounding[2] = numerics::Rounding::kRtz; }),
            "rounding of float: 'rte' before, 'rtz' now");
  EXPECT_EQ(differs([](auto* d) { d->supports[3] = true; }),
            "double: 'missing' before, 'there' now");
  EXPECT_EQ(differs([](auto* d) {
              d->widths = {1, 4};
            }),
            "vector widths: '1,2,3,4,8,16' before, '1,4' now");
  EXPECT_EQ(differs([](auto* d) { d->identity[0].value = "b"; }),
            "identity of the library: 'a' before, 'b' now");
  EXPECT_EQ(differs([](auto* d) {
              d->identity.push_back({"x", "y"});
            }),
            "identity of the x: 'none' before, 'y' now");
  for (std::string DeviceDescription::*field :
       {&DeviceDescription::kind, &DeviceDescription::name, &DeviceDescription::platform,
        &DeviceDescription::vendor, &DeviceDescription::device_version,
        &DeviceDescription::driver_version, &DeviceDescription::c_version,
        &DeviceDescription::program}) {
    EXPECT_THAT(differs([&](auto* d) { d->*field = "other"; }), HasSubstr("'other' now"));
  }
  EXPECT_THAT(differs([](auto* d) { d->profile = Profile::kEmbedded; }), HasSubstr("profile"));
  EXPECT_THAT(differs([](auto* d) { d->compute_units = 3; }), HasSubstr("units"));
  EXPECT_THAT(differs([](auto* d) { d->correctly_rounded_divide_sqrt = true; }), HasSubstr("sqrt"));
}

}  // namespace
}  // namespace assay::oracle
