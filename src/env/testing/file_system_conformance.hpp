// The conformance tests of every FileSystem. They need an empty directory.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
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
            "cannot append to " + lost + ": the folder " + directory + "/gone does not exist");
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
  EXPECT_EQ(refusal([&] { files.make_directories(directory + "/plain/sub/below"); }),
            "cannot make the folder " + directory + "/plain/sub/below: " + directory +
                "/plain is a file, not a folder");
}

// Lines of several threads are not mixed, and none is lost.
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

inline std::string text_of(const File& file, std::uint64_t address, std::size_t size) {
  std::string text(size, '?');
  file.read(address, std::as_writable_bytes(std::span(text)));
  return text;
}
inline void put_text(File& file, std::uint64_t address, std::string_view text) {
  file.write(address, std::as_bytes(std::span(text)));
}

inline void check_open_file(FileSystem& files, const std::string& directory) {
  const std::string path = directory + "/open";
  EXPECT_EQ(refusal([&] { files.open(path, Access::read); }), "cannot open: No such file or directory");
  EXPECT_EQ(refusal([&] { files.open(path, Access::update); }), "cannot open: No such file or directory");
  EXPECT_EQ(refusal([&] { files.open(directory + "/gone/open", Access::create); }),
            "cannot create: the folder " + directory + "/gone does not exist");
  files.write(directory + "/plain_one", "");
  EXPECT_EQ(refusal([&] { files.open(directory + "/plain_one/in/open", Access::create); }),
            "cannot create: " + directory + "/plain_one is a file, not a folder");
  EXPECT_EQ(files.open(directory + "/new", Access::create_new)->size(), 0u);
  EXPECT_EQ(refusal([&] { files.open(directory + "/new", Access::create_new); }),
            "cannot create: File exists");
  files.remove(directory + "/new");
  {
    const auto file = files.open(path, Access::create);
    EXPECT_EQ(file->size(), 0u);
    put_text(*file, 6, "world");
    put_text(*file, 0, "hello");
    EXPECT_EQ(file->size(), 11u);
    EXPECT_EQ(text_of(*file, 3, 11), std::string("lo\0world\0\0\0", 11));
    EXPECT_EQ(text_of(*file, 100, 2), std::string("\0\0", 2));
    file->truncate(2);
    file->truncate(4);
    put_text(*file, 4, "");
    file->start_sync(0, 4);
    file->finish_sync(1, 2);
    file->sync();
  }
  EXPECT_EQ(files.read(path), std::string("he\0\0", 4));
  const auto file = files.open(path, Access::create);  // keeps what is in it
  files.append(path, "!");
  EXPECT_EQ(text_of(*file, 0, 5), std::string("he\0\0!", 5));
}

inline void check_names_of_open_files(FileSystem& files, const std::string& directory) {
  const std::string first = directory + "/first", second = directory + "/second",
                    third = directory + "/third";
  EXPECT_EQ(files.entry(first), Entry::none);
  const auto file = files.open(first, Access::create);
  EXPECT_EQ(files.entry(first), Entry::file);
  EXPECT_EQ(files.entry(directory), Entry::other);
  EXPECT_TRUE(file->is_file_at(first));
  files.rename_new(first, second);
  EXPECT_FALSE(file->is_file_at(first));
  EXPECT_TRUE(file->is_file_at(second));
  put_text(*file, 0, "moved");
  EXPECT_EQ(files.read(second), "moved");
  files.write(third, "other");
  EXPECT_EQ(refusal([&] { files.rename_new(second, third); }),
            "cannot rename " + second + " to " + third + ": File exists");
  EXPECT_EQ(files.read(third), "other");
  files.rename(third, second);  // the open file has no name any more, but still exists
  EXPECT_FALSE(file->is_file_at(second));
  put_text(*file, 5, "!");
  EXPECT_EQ(text_of(*file, 0, 6), "moved!");
  EXPECT_EQ(files.read(second), "other");
}

inline void check_marks(FileSystem& files, const std::string& directory) {
  const std::string path = directory + "/marked";
  auto writer = files.open(path, Access::create);
  const auto reader = files.open(path, Access::read);
  auto other = files.open(path, Access::update);
  EXPECT_FALSE(reader->other_writer());
  EXPECT_TRUE(writer->mark_as_writer());
  EXPECT_TRUE(writer->mark_as_writer());
  EXPECT_FALSE(writer->other_writer());
  EXPECT_TRUE(reader->other_writer());
  EXPECT_FALSE(other->mark_as_writer());
  writer->close();  // removes the mark, like its destructor
  EXPECT_FALSE(reader->other_writer());
  EXPECT_TRUE(other->mark_as_writer());
}

inline void check_file_system(FileSystem& files, const std::string& directory) {
  check_contents(files, directory);
  check_names(files, directory);
  check_refusals(files, directory);
  check_concurrent_appends(files, directory);
  check_open_file(files, directory);
  check_names_of_open_files(files, directory);
  check_marks(files, directory);
}

}  // namespace tailrace::env::testing
