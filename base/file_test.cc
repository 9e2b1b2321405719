#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace assay::base {
namespace {

using ::testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("assay_file_test_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  std::filesystem::path folder_;
};

TEST_F(FileTest, WritesAndReplaces) {
  const std::string path = Path("report.json");
  ASSERT_TRUE(WriteFileAtomically(path, "first"));
  EXPECT_EQ(Read(path), "first");
  const std::string large(3 << 20, 'x');
  ASSERT_TRUE(WriteFileAtomically(path, large));
  EXPECT_EQ(Read(path), large);
  EXPECT_EQ(Names(), std::set<std::string>{"report.json"});
}

// A file that lies where a temporary one used to be is somebody else's.
TEST_F(FileTest, NoNameIsGuessed) {
  const std::string path = Path("report.json");
  std::ofstream(Path("victim")) << "precious";
  for (const char* name : {"report.json.tmp", ".report.json.tmp"}) {
    std::filesystem::create_symlink(Path("victim"), Path(name));
  }
  ASSERT_TRUE(WriteFileAtomically(path, "content"));
  EXPECT_EQ(Read(path), "content");
  EXPECT_EQ(Read(Path("victim")), "precious");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("report.json.tmp")));
}

TEST_F(FileTest, ASymbolicLinkIsReplacedAndNotFollowed) {
  std::ofstream(Path("victim")) << "precious";
  std::filesystem::create_symlink(Path("victim"), Path("report.json"));
  ASSERT_TRUE(WriteFileAtomically(Path("report.json"), "content"));
  EXPECT_EQ(Read(Path("victim")), "precious");
  EXPECT_EQ(Read(Path("report.json")), "content");
  EXPECT_FALSE(std::filesystem::is_symlink(Path("report.json")));
}

TEST_F(FileTest, PermissionsAreTheUmasksOrTheOldOnes) {
  const mode_t before = umask(027);
  const std::string path = Path("report.json");
  ASSERT_TRUE(WriteFileAtomically(path, "first"));
  umask(before);
  EXPECT_EQ(static_cast<int>(std::filesystem::status(path).permissions()), 0640);
  std::filesystem::permissions(path, std::filesystem::perms(0604));
  ASSERT_TRUE(WriteFileAtomically(path, "second"));
  EXPECT_EQ(static_cast<int>(std::filesystem::status(path).permissions()), 0604);
}

TEST_F(FileTest, UncommittedFilesAreRemoved) {
  {
    auto writer = FileWriter::Create(Path("report.json"));
    ASSERT_TRUE(writer) << writer.error().message;
    ASSERT_TRUE((*writer)->Append("half"));
  }
  EXPECT_EQ(Names(), std::set<std::string>{});
}

// Beyond `ulimit -f` as beyond the disk.
TEST_F(FileTest, AFileThatMayNotGrowIsReportedAndGone) {
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  std::ofstream(Path("report.json")) << "old";
  rlimit small = before;
  small.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &small);
  const auto written = WriteFileAtomically(Path("report.json"), std::string(100000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(written.error().message, HasSubstr("File too large"));
  EXPECT_EQ(Read(Path("report.json")), "old");
  EXPECT_EQ(Names(), std::set<std::string>{"report.json"});
}

TEST_F(FileTest, ManyWritersOfOneFileDoNotMeet) {
  const std::string path = Path("report.json");
  std::vector<std::thread> writers;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        if (!WriteFileAtomically(path, std::string(100000, static_cast<char>('a' + i)))) ++failures;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failures, 0);
  const std::string content = Read(path);
  EXPECT_EQ(content, std::string(100000, content.at(0)));
  EXPECT_EQ(Names(), std::set<std::string>{"report.json"});
}

// Refused at once, whoever writes or does not write to it.
TEST_F(FileTest, OnlyRegularFilesAreRead) {
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  for (const auto& [path, kind] : {std::pair{Path("fifo"), "a FIFO"},
                                   {folder_.string(), "a folder"},
                                   {std::string("/dev/zero"), "a character device"}}) {
    const auto read = ReadWholeFile(path);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(read.error().message, HasSubstr(path));
    EXPECT_THAT(read.error().message, HasSubstr(kind));
    EXPECT_FALSE(LineReader::Open(path));
  }
  EXPECT_EQ(ReadWholeFile("/dev/null").value_or("?"), "");
}

TEST_F(FileTest, PassedDescriptorsAreRead) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "through a pipe", 14), 14);
  close(ends[1]);
  EXPECT_EQ(ReadWholeFile("/dev/fd/" + std::to_string(ends[0])).value_or("?"), "through a pipe");
  close(ends[0]);
}

TEST_F(FileTest, AFifoWithoutReaderIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  const auto written = WriteFileAtomically(Path("fifo"), "content");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kDevice);
}

TEST_F(FileTest, LinesOfAnyFile) {
  const std::string path = Path("lines");
  const std::string longest(LineReader::kMaxLine, 'x');
  std::ofstream(path) << "one\n\n" << longest << "\nlast";
  auto reader = LineReader::Open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  std::vector<std::string> lines;
  std::vector<std::uint64_t> offsets;
  for (std::string line; (*reader)->Next(&line).value_or(false);) {
    lines.push_back(line);
    offsets.push_back((*reader)->Offset());
    EXPECT_EQ((*reader)->EndedByNewline(), line != "last");
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "", longest, "last"}));
  ASSERT_TRUE((*reader)->Seek(offsets[1]));
  std::string line;
  EXPECT_TRUE((*reader)->Next(&line).value_or(false));
  EXPECT_EQ(line, longest);
  EXPECT_FALSE((*reader)->HasChanged());

  std::ofstream(path) << longest << longest << "\n";
  auto long_line = LineReader::Open(path);
  ASSERT_TRUE(long_line);
  EXPECT_FALSE((*long_line)->Next(&line));
}

TEST_F(FileTest, AFullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto written = WriteFileAtomically("/dev/full", "content");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(written.error().message, HasSubstr("/dev/full"));
  EXPECT_THAT(written.error().message, HasSubstr("No space left"));
  // The first reason is that of all that follows.
  auto writer = FileWriter::Create("/dev/full");
  ASSERT_TRUE(writer) << writer.error().message;
  EXPECT_FALSE((*writer)->Append("content"));
  for (const auto& later : {(*writer)->Append("more"), (*writer)->Commit()}) {
    ASSERT_FALSE(later);
    EXPECT_THAT(later.error().message, HasSubstr("No space left"));
  }
}

TEST_F(FileTest, AMissingFolderIsReported) {
  const std::string path = Path("missing/report.json");
  const auto written = WriteFileAtomically(path, "content");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(written.error().message, HasSubstr(path));
  EXPECT_THAT(written.error().message, HasSubstr("No such file or directory"));
}

TEST_F(FileTest, AFolderInTheWayLeavesNothingBehind) {
  const std::string path = Path("taken");
  std::filesystem::create_directory(path);
  const auto written = WriteFileAtomically(path, "content");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("taken"));
  EXPECT_TRUE(std::filesystem::is_directory(path));
  EXPECT_EQ(Names(), std::set<std::string>{"taken"});
}

}  // namespace
}  // namespace assay::base
