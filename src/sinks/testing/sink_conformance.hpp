// The requirements on every sink, whatever it does with the records. A test of a sink calls check_sink()
// with a function that makes it. Several servers are played, each with its sink of the same file.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "env/clock.hpp"
#include "env/testing/inline_executor.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::sinks::testing {

using MakeSink = std::function<std::unique_ptr<Sink>(const SinkPlace&, SinkServices)>;

// A file with one variable w(time, x) of instants every second, one record a chunk along time, and chunks of
// `chunk_cells` along x. Records of 64 KiB or more are spread over the servers.
inline constexpr std::int64_t chunk_cells = 4096, spatial_chunks = 5;

struct OneVariable {
  plan::DatasetPlan plan;
  cf::DatasetLayout layout;

  explicit OneVariable(const std::string& path, const std::string& format) {
    plan.entry.path = path;
    plan.entry.format = format;
    const time::Period second = time::Period::of_seconds(1);
    plan::AxisPlan axis;
    axis.every = second;
    axis.dim = "time";
    plan.axes = {axis};
    plan::VariablePlan variable;
    variable.name = "w";
    variable.field = 0;
    variable.axis = 0;
    variable.chunk = {1, chunk_cells};
    plan.variables = {variable};
    model::Declarations declarations;
    declarations.component = "bubble";
    declarations.grids.resize(1);
    model::Grid& grid = declarations.grids[0];
    grid.name = "les";
    grid.kind = model::GridKind::block;
    grid.dims = {"x"};
    grid.shape = {chunk_cells * spatial_chunks - 7};  // the last chunk is not full
    declarations.fields.resize(1);
    declarations.fields[0].name = "w";
    declarations.fields[0].grid = 0;
    const auto whole = model::Region::of_box({{0}, grid.shape});
    layout = cf::make_layout(plan, {}, declarations, {{{whole}}}, "now");
  }
};

// One server with its sink.
struct Server {
  telemetry::ServerCounters counters;
  env::testing::InlineExecutor executor;
  std::unique_ptr<Sink> sink;
};

class Servers {
 public:
  Servers(const OneVariable& file, int servers, const MakeSink& make)
      : owners_(1, servers),
        servers_(static_cast<std::size_t>(servers)),
        grid_{file.layout.variables[0].shape, file.layout.variables[0].chunk, 1} {
    variable_ = OwnedVariables(file.plan, file.layout, 0).of(0, grid_);
    for (int s = 0; s < servers; ++s) {
      Server& server = servers_[base::index(s)];
      server.sink =
          make({.plan = file.plan, .layout = file.layout, .file = 0, .server = s, .owners = owners_},
               {server.executor, server.counters, nullptr, nullptr, env::steady_seconds()});
    }
  }
  ChunkPlace place(std::int64_t spatial, std::int64_t record) const {
    return {0, spatial, record, owners_.of_chunk(variable_, spatial, record)};
  }
  Sink& home(const ChunkPlace& place) {
    return *servers_[base::index(servers_[0].sink->home_of(place))].sink;
  }
  // A chunk of a record, at its home. Every cell holds the record's number.
  void give(std::int64_t record, std::int64_t spatial) {
    const std::vector<double> values(static_cast<std::size_t>(chunk_cells), static_cast<double>(record));
    const auto bytes = std::as_bytes(std::span(values));
    home(place(spatial, record))
        .deliver(0, {spatial, record, record + 1, true, std::vector<std::byte>(bytes.begin(), bytes.end())});
  }
  // The commit of the records before `length`, each at one second and one step more.
  void point(std::int64_t length, bool final = false) {
    plan::CommitDue due;
    due.lengths = {length};
    due.records.resize(1);
    const auto time = static_cast<double>(length);
    if (!final) due.records[0].push_back({length - 1, time, time, length - 1, length, true});
    due.tick = {length, time};
    due.final = final;
    for (Server& server : servers_) server.sink->point(due);
  }
  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t s = 0; s < servers_.size(); ++s) moved = run(s) || moved;
    }
  }
  // Runs one server, with its messages delivered at once; true if it did anything.
  bool run(std::size_t server) {
    Sink& sink = *servers_[server].sink;
    const bool moved = sink.progress();
    const auto messages = sink.take_messages();
    for (const SinkMessage& message : messages)
      for (std::size_t to = 0; to < servers_.size(); ++to)
        if (!message.to_home || static_cast<int>(to) == owners_.of_file(0))
          servers_[to].sink->receive(message.bytes);
    return moved || !messages.empty();
  }
  std::vector<Server>& all() { return servers_; }

 private:
  Owners owners_;
  std::vector<Server> servers_;
  output::ChunkGrid grid_;
  OwnedVariable variable_;
};

inline std::int64_t least_written(Servers& servers) {
  std::int64_t least = INT64_MAX;
  for (Server& server : servers.all()) least = std::min(least, server.sink->written_step());
  return least;
}

inline void check_homes(Servers& servers) {
  const auto count = static_cast<int>(servers.all().size());
  for (std::int64_t record = 0; record < 3; ++record) {
    for (std::int64_t spatial = 0; spatial < spatial_chunks; ++spatial) {
      const ChunkPlace place = servers.place(spatial, record);
      const int home = servers.all()[0].sink->home_of(place);
      ASSERT_TRUE(home >= 0 && home < count) << home;
      EXPECT_TRUE(servers.all()[base::index(home)].sink->writes());
      for (Server& server : servers.all())
        ASSERT_EQ(server.sink->home_of(place), home) << "all servers have to agree";
    }
  }
}

// Chunks in an order of their own, some before the point that asks for them; what is complete is written and
// nothing else; the end comes after the final point.
inline void check_commits(Servers& servers) {
  for (std::int64_t spatial = spatial_chunks; spatial-- > 0;) servers.give(0, spatial);
  servers.point(1);
  servers.run();
  EXPECT_EQ(least_written(servers), 1);
  servers.point(2);
  for (std::int64_t spatial = 1; spatial < spatial_chunks; ++spatial) servers.give(1, spatial);
  servers.run();
  EXPECT_EQ(least_written(servers), 1) << "the second commit lacks a chunk";
  Sink& waiting = servers.home(servers.place(0, 1));
  EXPECT_NE(waiting.describe(), "") << "the watchdog has to say what is waited for";
  EXPECT_LE(waiting.due_bytes(1), waiting.bytes());
  EXPECT_EQ(waiting.due_bytes(1), 0U) << "nothing is due of the first step";
  EXPECT_EQ(waiting.due_bytes(2), waiting.bytes());
  servers.give(1, 0);
  servers.run();
  EXPECT_EQ(least_written(servers), 2);
  for (Server& server : servers.all()) {
    EXPECT_EQ(server.sink->bytes(), 0U);
    EXPECT_EQ(server.sink->closed(), !server.sink->writes());
  }
  servers.point(2, true);
  servers.run();
  int spoke = 0;
  for (Server& server : servers.all()) {
    EXPECT_TRUE(server.sink->closed());
    EXPECT_EQ(server.sink->written_step(), INT64_MAX);
    EXPECT_FALSE(server.sink->take_fault());
    spoke += server.sink->status() ? 1 : 0;
  }
  EXPECT_EQ(spoke, 1) << "one server speaks for a file";
}

inline void check_giving_up(Servers& servers) {
  for (std::int64_t spatial = 0; spatial < spatial_chunks; ++spatial) servers.give(0, spatial);
  servers.point(1);
  servers.point(2);  // whose chunks never come
  for (Server& server : servers.all()) server.sink->give_up();
  servers.run();
  for (Server& server : servers.all()) {
    EXPECT_TRUE(server.sink->closed()) << server.sink->describe();
    EXPECT_FALSE(server.sink->take_fault());
    EXPECT_FALSE(server.sink->progress());
  }
}

// `format`: of the file's plan.
inline void check_sink(const std::string& format, const MakeSink& make) {
  for (const int servers : {1, 2, 3}) {
    SCOPED_TRACE(::testing::Message() << servers << " servers");
    const OneVariable file("conformance_" + format, format);
    Servers homes(file, servers, make), commits(file, servers, make), given_up(file, servers, make);
    check_homes(homes);
    check_commits(commits);
    check_giving_up(given_up);
    homes.point(0, true);
    homes.run();
  }
}

}  // namespace tailrace::sinks::testing
