#include "env/child.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/error.hpp"

namespace tailrace::env {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> python(const std::string& program) {
  return {"python3", "-c",
          "import os, signal, socket, sys\ns = socket.socket(fileno=int(sys.argv[1]))\n" + program,
          "{socket}"};
}

TEST(Child, AnswersAndEnds) {
  Child child(python("while m := s.recv(100):\n  s.send(m.upper())\n  if m == b'end': break\nsys.exit(7)"));
  EXPECT_TRUE(child.send("a word"));
  EXPECT_EQ(child.receive(30.0), "A WORD");
  EXPECT_EQ(child.receive(0.0), std::nullopt);
  EXPECT_TRUE(child.is_heard());
  EXPECT_TRUE(child.send("end"));
  EXPECT_EQ(child.receive(30.0), "END");
  EXPECT_EQ(child.receive(30.0), std::nullopt);
  EXPECT_FALSE(child.is_heard());
  EXPECT_FALSE(child.send("more"));
  EXPECT_EQ(child.ending(), "ended with status 7");
}

TEST(Child, GetsBytesThatHaveNoName) {
  Child child(python("m, f, _, _ = socket.recv_fds(s, 100, 1)\ns.send(m + os.pread(f[0], 100, 1))"));
  const std::array<std::byte, 3> bytes{std::byte{'x'}, std::byte{'y'}, std::byte{'z'}};
  EXPECT_TRUE(child.send("got ", bytes));
  EXPECT_EQ(child.receive(30.0), "got yz");
}

TEST(Child, SendsBytesThatHaveNoName) {
  Child child(
      python("m = s.recv(100)\nf = os.memfd_create('x')\nos.write(f, b'abc' * 1000)\n"
             "socket.send_fds(s, [b'here'], [f])\ns.send(b'none')\n"
             "g = os.memfd_create('y')\nsocket.send_fds(s, [b'empty'], [g])"));
  EXPECT_TRUE(child.send("go"));
  const auto received = child.receive_with_pages(30.0);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->message, "here");
  ASSERT_EQ(received->pages.bytes().size(), 3000u);
  EXPECT_EQ(received->pages.bytes()[2999], std::byte{'c'});
  EXPECT_TRUE(child.receive_with_pages(30.0)->pages.bytes().empty());
  EXPECT_TRUE(child.receive_with_pages(30.0)->pages.bytes().empty());
}

TEST(Child, SeesPagesThatItCannotChange) {
  Child child(
      python("m, f, _, _ = socket.recv_fds(s, 100, 1)\nimport mmap\n"
             "try: mmap.mmap(f[0], 0)\n"
             "except PermissionError: m += b'no '\n"
             "try: os.ftruncate(f[0], 1)\n"
             "except PermissionError: m += b'no '\n"
             "seen = mmap.mmap(f[0], 0, prot=mmap.PROT_READ)\n"
             "s.send(m + seen[:3])\ns.recv(100)\ns.send(seen[:3])"));
  SharedPages pages(5000);
  const auto fill = [&](char with) { std::fill_n(pages.bytes().begin(), 3, std::byte(with)); };
  fill('x');
  EXPECT_TRUE(child.send("got ", pages));
  EXPECT_EQ(child.receive(30.0), "got no no xxx");
  fill('y');
  child.send("look again");
  EXPECT_EQ(child.receive(30.0), "yyy");
}

TEST(Child, TellsTheSignalThatEndedIt) {
  Child child(python("s.send(b'here'); os.kill(os.getpid(), signal.SIGKILL)"));
  EXPECT_EQ(child.receive(30.0), "here");
  while (child.is_heard()) child.receive(1.0);
  EXPECT_THAT(child.ending(), HasSubstr("ended by signal 9"));
}

TEST(Child, IsNoRankOfTheJob) {
  setenv("OMPI_COMM_WORLD_RANK", "3", 1);
  Child child(python("s.send(os.environ.get('OMPI_COMM_WORLD_RANK', 'none').encode())"));
  EXPECT_EQ(child.receive(30.0), "none");
  unsetenv("OMPI_COMM_WORLD_RANK");
}

TEST(Child, ThatCannotBeStartedIsAnError) {
  try {
    const Child child({"/nowhere/program"});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    EXPECT_STREQ(error.what(), "cannot start /nowhere/program: No such file or directory");
  }
}

}  // namespace
}  // namespace tailrace::env
