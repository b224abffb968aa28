// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of reading and writing whole files.
#include "lib/Runtime/Files.h"
#include "lib/Runtime/TemporaryFiles.h"
#include "test/unit/runtime/Utilities.h"
#include <csignal>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

using namespace mixattn;

namespace {
class Files : public testing::Test {
protected:
  Files() { EXPECT_NE(mkdtemp(folder.data()), nullptr); }
  ~Files() override {
    unlink(path("a").c_str());
    unlink(path("b").c_str());
    EXPECT_EQ(rmdir(folder.c_str()), 0) << "files were left over";
  }
  std::string path(const char *name) const { return folder + "/" + name; }

  std::string folder = testing::TempDir() + "mixattn-files-XXXXXX";
};
} // namespace

TEST_F(Files, CommitPutsAllInPlace) {
  OutputFiles files;
  ASSERT_TRUE(files.add(path("a"), "one"));
  ASSERT_TRUE(files.add(path("b"), std::string("t\0o", 3)));
  EXPECT_NE(access(path("a").c_str(), F_OK), 0);
  ASSERT_TRUE(files.commit());
  EXPECT_EQ(readFile(path("a"))->view(), "one");
  EXPECT_EQ(readFile(path("b"))->view(), std::string_view("t\0o", 3));
}

TEST_F(Files, NothingIsLeftWithoutCommit) {
  OutputFiles files;
  ASSERT_TRUE(files.add(path("a"), "one"));
  EXPECT_EQ(messageOf(files.add(path("no/b"), "two")),
            "cannot write '" + path("no/b") + "': No such file or directory");
}

TEST_F(Files, LinksAreFollowed) {
  {
    OutputFiles files;
    ASSERT_TRUE(files.add(path("a"), "old"));
    ASSERT_TRUE(files.commit());
  }
  ASSERT_EQ(symlink("a", path("b").c_str()), 0);
  OutputFiles files;
  ASSERT_TRUE(files.add(path("b"), "new"));
  ASSERT_TRUE(files.commit());
  struct stat status;
  ASSERT_EQ(lstat(path("b").c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  EXPECT_EQ(readFile(path("a"))->view(), "new");
}

// By any name: a link of either kind.
TEST_F(Files, WhatIsKeptIsNoOutput) {
  {
    OutputFiles files;
    ASSERT_TRUE(files.add(path("a"), "old"));
    ASSERT_TRUE(files.commit());
  }
  for (auto makeLink : {symlink, link}) {
    ASSERT_EQ(makeLink(path("a").c_str(), path("b").c_str()), 0);
    OutputFiles files;
    files.keep(path("a"));
    files.keep(path("c"));
    EXPECT_EQ(messageOf(files.add(path("b"), "new")),
              "expected an output other than '" + path("a") + "', but got '" +
                  path("b") + "', which is the same file");
    EXPECT_EQ(unlink(path("b").c_str()), 0);
    EXPECT_TRUE(files.add(path("b"), "new"));
  }
  EXPECT_EQ(readFile(path("a"))->view(), "old");
}

// Whatever the signal meets: the process ends by it, and leaves nothing.
TEST_F(Files, NothingIsLeftByAnInterrupt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
    EXPECT_EXIT(
        {
          // Whoever runs the test may ignore it.
          std::signal(signal, SIG_DFL);
          OutputFiles files;
          (void)files.add(path("a"), "one");
          (void)files.add(path("b"), "two");
          raise(signal);
        },
        testing::KilledBySignal(signal), "");
}

// A handler of crashes removes what is not committed, and nothing else.
TEST_F(Files, NothingIsLeftByACrash) {
  OutputFiles files;
  ASSERT_TRUE(files.add(path("a"), "one"));
  ASSERT_TRUE(files.commit());
  ASSERT_TRUE(files.add(path("b"), "two"));
  removeTemporaryFiles();
  EXPECT_FALSE(files.commit());
  EXPECT_EQ(readFile(path("a"))->view(), "one");
}

TEST_F(Files, ExecutableIfAskedFor) {
  OutputFiles files;
  ASSERT_TRUE(files.add(path("a"), "one"));
  ASSERT_TRUE(files.add(path("b"), "two", /*isExecutable=*/true));
  ASSERT_TRUE(files.commit());
  EXPECT_NE(access(path("a").c_str(), X_OK), 0);
  EXPECT_EQ(access(path("b").c_str(), X_OK), 0);
}

TEST_F(Files, OrdinaryFiles) {
  EXPECT_TRUE(isOrdinaryFile(path("a")));
  EXPECT_FALSE(isOrdinaryFile("-"));
  EXPECT_FALSE(isOrdinaryFile("/dev/null"));
  EXPECT_FALSE(isOrdinaryFile(folder));
}

TEST_F(Files, FullDevice) {
  OutputFiles files;
  ASSERT_TRUE(files.add("/dev/full", "one"));
  EXPECT_EQ(messageOf(files.commit()),
            "cannot write '/dev/full': No space left on device");
}

TEST_F(Files, MissingFile) {
  EXPECT_EQ(messageOf(readFile(path("a"))),
            "cannot read '" + path("a") + "': No such file or directory");
  EXPECT_EQ(messageOf(readFile(folder)),
            "cannot read '" + folder + "': Is a directory");
}

TEST_F(Files, FilesWithoutSizeAreReadToTheirEnd) {
  EXPECT_NE(readFile("/proc/self/status")->view().find("VmHWM"),
            std::string::npos);
  EXPECT_EQ(readFile("/dev/null")->size(), 0u);
}
