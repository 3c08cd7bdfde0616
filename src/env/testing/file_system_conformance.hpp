// What every FileSystem must do. Give it an empty directory that exists.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "env/file_system.hpp"
#include "tailrace/error.hpp"

namespace tailrace::env::testing {

// The message of the Error(resource) that `action` throws; a failure if it throws none.
inline std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline void check_contents(FileSystem& files, const std::string& directory) {
  const std::string path = directory + "/a";
  const std::string binary("x\0y\n\xff", 5);
  EXPECT_FALSE(files.exists(path));
  files.write(path, binary);
  EXPECT_EQ(files.read(path), binary);
  files.write(path, "short");
  EXPECT_EQ(files.read(path), "short");
  files.append(path, "+1");
  files.append(path, "");
  EXPECT_EQ(files.read(path), "short+1");
  files.append(directory + "/b", "made by append");
  EXPECT_EQ(files.read(directory + "/b"), "made by append");
  EXPECT_EQ(files.list(directory), (std::vector<std::string>{"a", "b"}));  // and nothing temporary
  files.sync(path);
  EXPECT_GT(files.free_bytes(directory), 0u);
}

inline void check_names(FileSystem& files, const std::string& directory) {
  files.make_directories(directory + "/d/e/f");
  files.make_directories(directory + "/d/e/f");
  EXPECT_TRUE(files.exists(directory + "/d/e"));
  files.write(directory + "/d/one", "1");
  files.write(directory + "/d/two", "2");
  files.rename(directory + "/d/one", directory + "/d/two");
  EXPECT_FALSE(files.exists(directory + "/d/one"));
  EXPECT_EQ(files.read(directory + "/d//two"), "1");
  EXPECT_EQ(files.list(directory + "/d"), (std::vector<std::string>{"e", "two"}));
  files.remove(directory + "/d/two");
  files.remove(directory + "/d/two");
  EXPECT_FALSE(files.exists(directory + "/d/two"));
  files.remove(directory + "/d/e/f");
  EXPECT_EQ(files.list(directory + "/d/e"), std::vector<std::string>{});
}

inline void check_refusals(FileSystem& files, const std::string& directory) {
  const std::string none = directory + "/none", lost = directory + "/gone/file";
  EXPECT_EQ(refusal([&] { files.read(none); }), "cannot read " + none + ": No such file or directory");
  EXPECT_EQ(refusal([&] { files.list(none); }), "cannot list " + none + ": No such file or directory");
  EXPECT_EQ(refusal([&] { files.sync(none); }), "cannot sync " + none + ": No such file or directory");
  EXPECT_EQ(refusal([&] { files.append(lost, "x"); }),
            "cannot append to " + lost + ": No such file or directory");
  EXPECT_NE(refusal([&] { files.write(lost, "x"); }).find(lost), std::string::npos);
  EXPECT_EQ(refusal([&] { files.rename(none, directory + "/x"); }),
            "cannot rename " + none + " to " + directory + "/x: No such file or directory");
  EXPECT_NE(refusal([&] { files.free_bytes(none); }).find(none), std::string::npos);
  files.make_directories(directory + "/full/inner");
  EXPECT_EQ(refusal([&] { files.remove(directory + "/full"); }),
            "cannot remove " + directory + "/full: Directory not empty");
  EXPECT_EQ(refusal([&] { files.append(directory + "/full", "x"); }),
            "cannot append to " + directory + "/full: Is a directory");
  files.write(directory + "/plain", "");
  EXPECT_NE(refusal([&] { files.make_directories(directory + "/plain/sub"); }).find("Not a directory"),
            std::string::npos);
}

// Lines of several threads stay whole, and none is lost.
inline void check_concurrent_appends(FileSystem& files, const std::string& directory) {
  const std::string path = directory + "/lines";
  constexpr int writers = 4, lines = 50;
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < writers; ++writer) {
      threads.emplace_back([&files, &path, writer] {
        const std::string line = std::string(200, static_cast<char>('a' + writer)) + "\n";
        for (int k = 0; k < lines; ++k) files.append(path, line);
      });
    }
  }
  const std::string text = files.read(path);
  ASSERT_EQ(text.size(), std::size_t{writers * lines * 201});
  for (std::size_t at = 0; at < text.size(); at += 201) {
    EXPECT_EQ(text.substr(at, 201), std::string(200, text[at]) + "\n");
  }
}

inline void check_file_system(FileSystem& files, const std::string& directory) {
  check_contents(files, directory);
  check_names(files, directory);
  check_refusals(files, directory);
  check_concurrent_appends(files, directory);
}

}  // namespace tailrace::env::testing
