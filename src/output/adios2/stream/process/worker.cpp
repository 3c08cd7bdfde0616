#include "output/adios2/stream/process/worker.hpp"

#include <unistd.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "output/adios2/library.hpp"
#include "output/adios2/stream/process/peers.hpp"
#include "output/adios2/stream/process/watch.hpp"
#include "output/adios2/stream/wire.hpp"

namespace tailrace::output::adios2::stream {
namespace {

class Stream {
 public:
  Stream(const Channel& server, EngineSpec spec) : server_(server) {
    // One more for the newest step, which ADIOS2 reserves for new readers: it counts that step, and without
    // further room would wait indefinitely.
    spec.options.queue = steps_in_library(spec.options.queue) + 1;
    spec.options.when_full = WhenFull::block;
    number_ = static_cast<int>(spec.variables.size());
    spec.variables.push_back({number_variable, model::DataType::int64, false, {}, {}, {}, false});
    watch_.begin();
    writer_ = open_engine(spec);
    watch_.end();
    server_.send("open");
  }

  void write(const Message& step) {
    const std::int64_t number = std::stoll(step.rest);
    std::vector<Block> blocks = blocks_in(step.attached.bytes());
    blocks.push_back({number_, {}, {}, {}, reinterpret_cast<const std::byte*>(&number)});
    const int peers = connected_peers();
    watch_.begin();
    writer_->write_step(blocks);
    watch_.end();
    server_.send("done " + step.rest + " " + std::to_string(peers));
  }

  void close() {
    try {
      writer_->close();
      server_.send("closed");
    } catch (const ReadersLeftBehind& left) {
      server_.send(std::string("left ") + left.what());
    }
  }

 private:
  const Channel& server_;
  Watch watch_;
  int number_ = 0;
  std::unique_ptr<StepWriter> writer_;
};

}  // namespace

int work(const Channel& server, EngineSpec spec) {
  try {
    Stream stream(server, std::move(spec));
    while (const auto message = server.receive()) {
      if (message->word == "step") stream.write(*message);
      if (message->word != "end") continue;
      stream.close();
      return closed;
    }
    ::_exit(server_is_gone);  // ADIOS2 would wait for its readers
  } catch (const std::exception& error) {
    server.send(std::string("failed ") + error.what());
    return failed;
  }
}

}  // namespace tailrace::output::adios2::stream
