// The set-up of regridding on several servers in one thread, with scripts in place of the process that makes
// weights. Weights that are made are tested by whole jobs.
#include "server/regrid/regrid_preparation.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "env/file_system.hpp"
#include "env/threads.hpp"
#include "messaging/testing/memory_network.hpp"
#include "pipeline/tests/play.hpp"
#include "regrid/maker/maker_files.hpp"
#include "server/executor.hpp"

namespace tailrace::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string text =
    "tailrace: 1\n"
    "fields: {state: {names: [w, cells, energy]}}\n"
    "output:\n"
    "  a.zarr:\n"
    "    format: memory\n"
    "    regrid: {to: {healpix: {level: 1}}}\n"
    "    variables:\n"
    "      - {field: w, time: mean, every: 3 s}\n";

class Folder {
 public:
  Folder()
      : path_((std::filesystem::temp_directory_path() /
               fmt::format("tailrace-regrid-{}-{}", env::process_id(), ++count))
                  .string()) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + '/' + name; }

 private:
  static inline int count = 0;
  std::string path_;
};

// Each rank declares the whole of the coordinates.
std::unique_ptr<pipeline::Blueprint> blueprint_of(int clients) {
  pipeline::play::Cast cast;
  cast.on_earth = true;
  pipeline::ComponentInfo info;
  info.declarations = pipeline::play::declare(cast, 0).declarations();
  info.decomposition.regions.resize(info.declarations.grids.size());
  cast.clients = clients;
  for (int client = 0; client < clients; ++client) {
    const client::Declarer rank = pipeline::play::declare(cast, client);
    for (std::size_t g = 0; g < info.declarations.grids.size(); ++g) {
      const auto number = rank.declarations().find_grid(info.declarations.grids[g].name);
      info.decomposition.regions[g].push_back(rank.regions()[base::index(*number)]);
    }
  }
  const std::map<std::string, std::string> no_options;
  info.configuration = settings::parse_configuration({{"run.yaml", text}}, &no_options);
  return std::make_unique<pipeline::Blueprint>(std::move(info));
}

struct Servers {
  struct Server {
    std::unique_ptr<comm::Communicator> communicator;
    std::unique_ptr<messaging::Messenger> messenger;
    std::unique_ptr<pipeline::Blueprint> blueprint = blueprint_of(3);
    std::unique_ptr<transport::Doorbell> doorbell = transport::make_heap_doorbell();
    std::unique_ptr<Executor> executor;
    std::unique_ptr<RegridPreparation> regrid;
  };
  static constexpr int count = 3;
  messaging::testing::MemoryNetwork network{count, 1};
  std::vector<Server> servers{std::size_t{count}};

  Servers(const std::string& cache, const std::string& interpreter, double patience = 100.0) {
    for (int s = 0; s < count; ++s) {
      Server& server = servers[base::index(s)];
      server.communicator = network.rank(s);
      server.messenger = std::make_unique<messaging::Messenger>(*server.communicator);
      server.executor = std::make_unique<Executor>(1, *server.doorbell);
      server.regrid = std::make_unique<RegridPreparation>(RegridSetting{.blueprint = *server.blueprint,
                                                                        .clients = {{0}, {1}, {2}},
                                                                        .cache = cache,
                                                                        .interpreter = interpreter,
                                                                        .patience = patience},
                                                          *server.messenger, *server.executor);
    }
  }

  bool over() const {
    return std::ranges::all_of(servers,
                               [](const Server& server) { return !server.regrid || server.regrid->over(); });
  }
  void run() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(50);
    while (!over()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << servers[0].regrid->describe();
      for (Server& server : servers) {
        server.messenger->progress();
        if (server.regrid) server.regrid->progress();
      }
      std::this_thread::yield();
    }
  }
  void begin() {
    for (Server& server : servers)
      if (server.regrid) server.regrid->begin(std::nullopt);
  }
  // The fault that all report.
  std::string fault() const {
    std::string found;
    for (const Server& server : servers) {
      if (!server.regrid) continue;
      EXPECT_TRUE(server.regrid->fault());
      if (server.regrid->fault()) found = server.regrid->fault()->message;
    }
    for (const Server& server : servers)
      if (server.regrid && server.regrid->fault()) {
        EXPECT_EQ(server.regrid->fault()->message, found);
      }
    return found;
  }
};

std::string script(const Folder& folder, const std::string& lines) {
  const std::string path = folder.file("python");
  env::system_files().write(path, "#!/bin/sh\n" + lines);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::vector<std::string> left_in(const std::string& folder) {
  return env::system_files().exists(folder) ? env::system_files().list(folder) : std::vector<std::string>();
}

constexpr const char* complains =
    "error=$(sed 's/.*\"error\":\"\\([^\"]*\\)\".*/\\1/' \"$4\")\n"
    "printf 'the cells 3 and 4 overlap' > \"$error\"\nexit 1\n";

TEST(RegridPreparation, TellsAllWhatTheMakerSaysAndWhere) {
  const Folder folder;
  {
    Servers servers(folder.file("cache"), script(folder, complains));
    servers.begin();
    servers.run();
    EXPECT_THAT(servers.fault(), AllOf(HasSubstr("run.yaml:6:"), HasSubstr("output.a.zarr.regrid"),
                                       HasSubstr("the cells 3 and 4 overlap")));
  }
  EXPECT_TRUE(left_in(folder.file("cache")).empty());
}

TEST(RegridPreparation, NoticesAMakerThatDies) {
  const Folder folder;
  Servers servers(folder.file("cache"), script(folder, "kill -9 $$\n"));
  servers.begin();
  servers.run();
  EXPECT_THAT(servers.fault(), AllOf(HasSubstr("tailrace.weights.maker"), HasSubstr("without a result")));
}

TEST(RegridPreparation, GivesUpOnAMakerThatHangs) {
  const Folder folder;
  Servers servers(folder.file("cache"), script(folder, "exec sleep 1000\n"), 0.2);
  servers.begin();
  servers.run();
  EXPECT_THAT(servers.fault(), HasSubstr("has not ended after 0.2 s"));
}

TEST(RegridPreparation, RemovesTheFolderOfALeaderThatIsLost) {
  const Folder folder;
  Servers servers(folder.file("cache"), script(folder, "exec sleep 1000\n"));
  servers.begin();
  Servers::Server& other = servers.servers[1];
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(50);
  const auto says = [](const Servers::Server& server, const char* words) {
    return server.regrid->describe().find(words) != std::string::npos;
  };
  // The maker of the leader runs, so the leader itself writes nothing more to the folder.
  while (!says(other, "makes weights") || !says(servers.servers[0], "s so far")) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << other.regrid->describe();
    for (Servers::Server& server : servers.servers) {
      server.messenger->progress();
      server.regrid->progress();
    }
    std::this_thread::yield();
  }
  EXPECT_FALSE(left_in(folder.file("cache")).empty());
  other.regrid->lose(0);
  ASSERT_TRUE(other.regrid->over());
  EXPECT_THAT(other.regrid->fault()->message, HasSubstr("server 0 was lost while weights"));
  other.regrid.reset();
  other.executor.reset();  // its work is done
  EXPECT_TRUE(left_in(folder.file("cache")).empty());
}

TEST(RegridPreparation, NamesAnInterpreterThatIsNotThere) {
  const Folder folder;
  Servers servers(folder.file("cache"), folder.file("no_python"));
  servers.begin();
  servers.run();
  EXPECT_THAT(servers.fault(), HasSubstr("no_python"));
}

TEST(RegridPreparation, WaitsForNoServerThatCannotSetUp) {
  for (const int absent : {0, 2}) {
    SCOPED_TRACE(absent);
    const Folder folder;
    Servers servers(folder.file("cache"), script(folder, "exit 0\n"));
    Servers::Server& server = servers.servers[base::index(absent)];
    server.regrid.reset();
    RegridPreparation::refuse(*server.messenger, 0, 0, {ErrorCode::resource, "no room for files"});
    servers.begin();
    servers.run();
    EXPECT_EQ(servers.fault(), "no room for files");
  }
}

TEST(RegridPreparation, WaitsForNoServerWhoseClientsFail) {
  const Folder folder;
  Servers servers(folder.file("cache"), script(folder, "exit 0\n"));
  servers.servers[1].regrid->begin(base::Fault{ErrorCode::usage, "a rank gave up"});
  servers.begin();
  servers.run();
  EXPECT_EQ(servers.fault(), "a rank gave up");
}

TEST(RegridPreparation, KeepsWeightsElsewhereIfTheCacheCannotBeWritten) {
  const Folder folder;
  env::system_files().write(folder.file("file"), "");
  testing::internal::CaptureStderr();
  {
    Servers servers(folder.file("file/cache"), script(folder, complains));
    servers.begin();
    servers.run();
    EXPECT_THAT(servers.fault(), HasSubstr("the cells 3 and 4 overlap"));
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("cannot be written"), HasSubstr("for this job alone")));
  const std::string mine = fmt::format("making-{}-{}-", env::host_name(), env::process_id());
  for (const std::string& name : left_in(std::filesystem::temp_directory_path().string()))
    EXPECT_THAT(name, testing::Not(HasSubstr(mine)));
}

TEST(RegridPreparation, RefusesADamagedFileOfTheCache) {
  const Folder folder;
  Servers probe(folder.file("cache"), script(folder, "exit 0\n"));
  const auto decision = decide(*probe.servers[0].blueprint->plan.regridding, {{}}, folder.file("cache"), 3);
  ASSERT_TRUE(decision.jobs.front().is_made);
  regrid::remove_scratch_folder(decision.folder.path);
  env::system_files().write(decision.jobs.front().path, "no weights");
  probe.begin();
  probe.run();
  EXPECT_THAT(probe.fault(), AllOf(HasSubstr("run.yaml:6:"), HasSubstr(decision.jobs.front().digest)));
  EXPECT_EQ(env::system_files().read(decision.jobs.front().path), "no weights");
}

}  // namespace
}  // namespace tailrace::server
