#include "oracle/devices/opencl_drivers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "oracle/testing/device_columns.h"

namespace assay::oracle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class OpenClDriversTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    setenv("OCL_ICD_VENDORS", folder_.c_str(), 1);
  }
  void TearDown() override { unsetenv("OCL_ICD_VENDORS"); }
  void Register(const std::string& name, const std::string& library) const {
    std::ofstream(folder_ + "/" + name) << library;
  }

  const std::string folder_ = TestPath("vendors");
};

TEST_F(OpenClDriversTest, AFolderWithoutIcdFilesIsNamedWithTheRemedy) {
  Register("readme.txt", "no driver");
  EXPECT_THAT(RegisteredDrivers(), IsEmpty());
  EXPECT_EQ(WhyNoPlatform({}),
            "no OpenCL driver is registered on this machine: '" + folder_ +
                "' has no .icd file; install a driver, on Debian: apt install pocl-opencl-icd");
}

TEST_F(OpenClDriversTest, AMissingLibraryIsNamedWithItsIcdFile) {
  Register("here.icd", "libc.so.6\n");
  Register("path.icd", "/nowhere/libintelocl.so\n");
  Register("name.icd", "libnowhereocl.so");
  Register("empty.icd", "\n");
  const std::string missing = "cannot open shared object file: No such file or directory";
  EXPECT_THAT(
      DriversThatDoNotLoad(RegisteredDrivers()),
      ElementsAre(folder_ + "/empty.icd: the file cannot be read, or names no library",
                  folder_ + "/name.icd: the driver 'libnowhereocl.so' does not load: " + missing +
                      "; install the driver again, or add the folder that has the file to "
                      "LD_LIBRARY_PATH",
                  folder_ +
                      "/path.icd: the driver '/nowhere/libintelocl.so' does not load: " + missing +
                      "; correct the path in the .icd file, or install the driver again"));
}

// As Intel's runtime, whose libraries lie beside it, where the loader of the system does not look.
TEST_F(OpenClDriversTest, AMissingDependencyIsFoundBesideTheDriver) {
  const std::string needed = CompileLibrary("needed_by_driver", "int Needed(void) { return 1; }");
  if (needed.empty()) GTEST_SKIP() << "no C compiler";
  const std::string lib = folder_ + "/runtime/lib";
  std::filesystem::create_directories(lib);
  std::filesystem::copy_file(needed, lib + "/libneeded_by_driver.so");
  const std::string driver = folder_ + "/runtime/libdriver.so";
  const std::string source = folder_ + "/driver.c";
  std::ofstream(source) << "int Needed(void); int Driver(void) { return Needed(); }";
  ASSERT_EQ(std::system(("cc -shared -fPIC -o '" + driver + "' '" + source + "' -L'" + lib +
                         "' -lneeded_by_driver")
                            .c_str()),
            0);
  Register("runtime.icd", driver);
  const auto texts = DriversThatDoNotLoad(RegisteredDrivers());
  ASSERT_THAT(texts, SizeIs(1));
  EXPECT_THAT(texts[0], HasSubstr("does not load: "));
  EXPECT_THAT(texts[0], HasSubstr("it lies in '" + lib + "': export LD_LIBRARY_PATH=" + lib));
  std::filesystem::remove(lib + "/libneeded_by_driver.so");
  EXPECT_THAT(DriversThatDoNotLoad(RegisteredDrivers())[0],
              HasSubstr("or add its folder to LD_LIBRARY_PATH (Intel's runtime: "));
}

TEST_F(OpenClDriversTest, DriversThatLoadWithoutAPlatformAreNamed) {
  Register("c.icd", "libc.so.6");
  const auto drivers = RegisteredDrivers();
  EXPECT_THAT(DriversThatDoNotLoad(drivers), IsEmpty());
  EXPECT_THAT(WhyNoPlatform(drivers), HasSubstr(folder_ + "/c.icd (libc.so.6)"));
}

}  // namespace
}  // namespace assay::oracle
