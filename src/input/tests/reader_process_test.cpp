#include "input/reader/reader_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <thread>

namespace tailrace::input {
namespace {

using ::testing::HasSubstr;

// A process that answers the protocol. The word before the colon of a name says what the file does.
std::vector<std::string> process() {
  return {"python3", "-c", R"(
import json, os, signal, socket, sys, time
s = socket.socket(fileno=int(sys.argv[1]))
files, lengths = {}, {}
def answer(message, values=None):
    if values is None:
        return s.send(json.dumps(message).encode())
    memory = os.memfd_create("x")
    os.write(memory, values)
    socket.send_fds(s, [json.dumps(message).encode()], [memory])
    os.close(memory)
def header(name):
    variables = [{"name": "v", "dims": ["time"], "shape": [lengths[name]], "chunk": [], "type": "byte",
                  "attributes": {"valid_max": ["inf"]}}]
    return json.dumps({"variables": variables}).encode()
while message := s.recv(1 << 16):
    asked = json.loads(message)
    what = asked["do"]
    name = asked["file"] if what == "open" else files[asked["file"]]
    kind = name.split(":")[0]
    if what == "open":
        if kind == "absent":
            answer({"error": "No such file", "trouble": "absent"})
        elif asked.get("expected", "1") != "1":
            answer({"error": "was replaced", "trouble": "changed"})
        elif kind == "mute":
            time.sleep(1000)
        elif kind == "text":
            s.send(b"good morning")
        elif kind == "negative":
            files[len(files) + 10] = name
            lengths[name] = -1
            answer({"file": 10}, header(name))
        else:
            number = len(files) + 10
            files[number], lengths[name] = name, 3
            answer({"file": number, "identity": "1", "more": kind == "stream"}, header(name))
    elif what == "read":
        if kind == "deadly":
            os.kill(os.getpid(), signal.SIGSEGV)
        values = f"{name}-"[asked["start"][0]:][:asked["count"][0]].encode()
        read = {"read": 1000 * len(values)} if kind == "counted" else {}
        answer({"bytes": len(values)} | read, values[1:] if kind == "short" else values)
    elif what == "extend":
        lengths[name] += 1
        answer({"more": asked["from"] == {}}, header(name))
    else:
        answer({})
)",
          "{socket}"};
}

std::string text(const env::ReceivedPages& pages) {
  return {reinterpret_cast<const char*>(pages.bytes().data()), pages.bytes().size()};
}

ReaderTrouble trouble_of(const std::function<void()>& call, const std::string& part_of_message) {
  try {
    call();
  } catch (const ReaderError& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    EXPECT_THAT(error.what(), HasSubstr(part_of_message));
    return error.trouble();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

constexpr double patience = 30.0;

TEST(ReaderProcess, OpensReadsAndCloses) {
  ReaderProcess reader(process(), patience);
  const auto file = reader.open("good:1");
  EXPECT_FALSE(file.more);
  EXPECT_EQ(file.identity, "1");
  const VariableHeader* const v = file.header.find("v");
  ASSERT_NE(v, nullptr);
  EXPECT_EQ(v->shape, std::vector<std::int64_t>{3});
  EXPECT_EQ(text(reader.read(file.number, *v, {1}, {2})), "oo");
  reader.close(file.number);
  reader.close(file.number);
  EXPECT_EQ(trouble_of([&] { reader.read(file.number, *v, {0}, {1}); }, "no file of this number is open"),
            ReaderTrouble::other);
}

TEST(ReaderProcess, TellsTroublesApart) {
  ReaderProcess reader(process(), patience);
  EXPECT_EQ(trouble_of([&] { reader.open("absent:"); }, "No such file"), ReaderTrouble::absent);
  EXPECT_EQ(trouble_of([&] { reader.open("good:", "2"); }, "was replaced"), ReaderTrouble::changed);
  EXPECT_EQ(trouble_of([&] { reader.open("text:"); }, "no answer of the protocol"), ReaderTrouble::other);
  EXPECT_EQ(trouble_of([&] { reader.open("negative:"); }, "v has the length -1 along time"),
            ReaderTrouble::other);
  const auto file = reader.open("short:");
  EXPECT_EQ(trouble_of([&] { reader.read(file.number, *file.header.find("v"), {0}, {3}); },
                       "delivered 2 bytes of v; expected 3"),
            ReaderTrouble::other);
}

TEST(ReaderProcess, GoesOnWithOtherFilesAfterOneThatKillsTheProcess) {
  ReaderProcess reader(process(), patience);
  const auto good = reader.open("good:"), deadly = reader.open("deadly:");
  const VariableHeader v = *good.header.find("v");
  EXPECT_EQ(trouble_of([&] { reader.read(deadly.number, v, {0}, {1}); }, "ended by signal 11"),
            ReaderTrouble::lost);
  EXPECT_EQ(text(reader.read(good.number, v, {0}, {3})), "goo");
  EXPECT_EQ(trouble_of([&] { reader.read(deadly.number, v, {0}, {1}); }, "the file may be damaged"),
            ReaderTrouble::lost);
  reader.close(deadly.number);
  EXPECT_EQ(text(reader.read(good.number, v, {1}, {1})), "o");
}

TEST(ReaderProcess, GoesOnAfterOneThatDoesNotAnswer) {
  ReaderProcess reader(process(), 2.0);
  EXPECT_EQ(trouble_of([&] { reader.open("mute:"); }, "did not answer within 2 s"), ReaderTrouble::late);
  EXPECT_NO_THROW(reader.open("good:"));
}

TEST(ReaderProcess, FollowsAStreamButCannotContinueIt) {
  ReaderProcess reader(process(), patience);
  const auto stream = reader.open("stream:"), deadly = reader.open("deadly:");
  EXPECT_TRUE(stream.more);
  auto grown = reader.extend(stream.number, 0.5, {});
  EXPECT_TRUE(grown.more);
  EXPECT_EQ(grown.header.find("v")->shape, std::vector<std::int64_t>{4});
  EXPECT_EQ(text(reader.read(stream.number, *grown.header.find("v"), {0}, {4})), "stre");
  EXPECT_FALSE(reader.extend(stream.number, 0.5, {{"time", 1}}).more);
  EXPECT_EQ(trouble_of([&] { reader.read(deadly.number, *deadly.header.find("v"), {0}, {1}); }, "signal 11"),
            ReaderTrouble::lost);
  EXPECT_EQ(trouble_of([&] { reader.extend(stream.number, 0.0, {}); }, "its records with it"),
            ReaderTrouble::lost);
}

TEST(ReaderProcess, RefusesMoreThanItMayHold) {
  ReaderProcess reader(process(), patience), small(process(), patience, 2);
  const auto file = reader.open("good:");
  const VariableHeader& v = *file.header.find("v");
  for (const std::vector<std::int64_t>& count : {std::vector<std::int64_t>{std::int64_t{1} << 50},
                                                 std::vector<std::int64_t>(5, std::int64_t{1} << 40)})
    EXPECT_EQ(trouble_of([&] { reader.read(file.number, v, {0}, count); }, "too large to be read at once"),
              ReaderTrouble::other);
  EXPECT_EQ(
      trouble_of([&] { small.read(small.open("good:").number, v, {0}, {3}); }, "expected at most 2 bytes"),
      ReaderTrouble::other);
}

TEST(ReaderProcess, SaysThatItCannotStart) {
  ReaderProcess reader({"/no/such/program"}, patience);
  EXPECT_THROW(reader.open("good:"), Error);
}

TEST(ReaderProcess, IsInterruptedInTheMiddleOfACall) {
  ReaderProcess reader(process(), 1000.0);
  const auto good = reader.open("good:1");
  std::thread other([&] { reader.interrupt(); });
  EXPECT_EQ(trouble_of([&] { reader.open("mute:"); }, "the server ends"), ReaderTrouble::lost);
  other.join();
  EXPECT_EQ(
      trouble_of([&] { reader.read(good.number, *good.header.find("v"), {0}, {1}); }, "the server ends"),
      ReaderTrouble::lost);
}

TEST(ReaderProcess, TellsWhatItTookFromFiles) {
  ReaderProcess reader(process(), patience);
  const auto file = reader.open("good:1"), counted = reader.open("counted:1");
  reader.read(counted.number, *counted.header.find("v"), {0}, {3});
  EXPECT_EQ(reader.bytes_of_last_read(), 3000u);
  reader.read(file.number, *file.header.find("v"), {0}, {3});
  EXPECT_EQ(reader.bytes_of_last_read(), std::nullopt) << "it does not know";
}

}  // namespace
}  // namespace tailrace::input
