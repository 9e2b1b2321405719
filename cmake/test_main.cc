// main() of all test programs: GoogleTest's, with a folder of its own for each run's files, so that
// tests that run at the same time do not meet in one, and none is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  std::error_code ignored;
  std::string folder = std::filesystem::temp_directory_path(ignored) / "assay-test-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    std::perror(folder.c_str());
    return 1;
  }
  // Some tests run the program as another user.
  (void)chmod(folder.c_str(), 0755);
  setenv("TEST_TMPDIR", folder.c_str(), 1);  // testing::TempDir()
  setenv("TMPDIR", folder.c_str(), 1);
  const int result = RUN_ALL_TESTS();
  std::filesystem::remove_all(folder, ignored);
  return result;
}
