// A scripted model with output streams, for the whole-job tests: all model ranks carry out a list of actions.
// tests/output_streams/support.py describes them and computes the same values.
//
//   stream_model SCRIPT.json
//
// An error of Tailrace is printed as `ERROR <code> <message>` and gives exit status 3. Where an action
// expects one, the first rank of the stream prints `REFUSED <message>`, and the script goes on.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tailrace/tailrace.hpp"

namespace {

using Json = nlohmann::json;
using tailrace::Session;

constexpr int status_of_error = 3;

void say(const std::string& line) {
  const std::string whole = line + "\n";
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, whole.data(), whole.size());
}

double wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A sum of texts gives a false warning of g++ 12.
std::string numbered(std::string name, int number) { return name.append(std::to_string(number)); }

// The session, or a stream in it, on this rank.
struct Part {
  std::optional<Session> session;  // empty on ranks without it
  int rank = 0, ranks = 1;         // among its own
  std::int64_t nx = 0, rows = 0, first_row = 0, ny = 0, nz = 1;
  std::vector<tailrace::FieldHandle> fields;
};

class Model {
 public:
  Model(Session session, MPI_Comm ranks) : ranks_(ranks) {
    Part& part = parts_[""];
    MPI_Comm_rank(ranks, &part.rank);
    MPI_Comm_size(ranks, &part.ranks);
    rank_ = part.rank;
    part.session = std::move(session);
  }

  void run(const Json& action) {
    const std::string what = action.at("do");
    if (what == "meet") {
      MPI_Barrier(ranks_);
      return;
    }
    if (what == "wait_for") return wait_for(action.at("path"));
    if (what == "kill") {
      if (rank_ == action.at("rank")) ::raise(SIGKILL);
      return;
    }
    if (what == "open") return open(action);
    Part& part = parts_.at(action.value("of", ""));
    if (part.session) guarded(action, part.rank, [&] { carry_out(what, action, part); });
    if (what == "free") parts_.erase(action.at("of"));
  }

 private:
  // Runs a call that may be expected to fail.
  template <class Call>
  void guarded(const Json& action, int rank, const Call& call) {
    if (!action.value("refused", false)) return call();
    try {
      call();
    } catch (const tailrace::Error& error) {
      if (rank == 0) say("REFUSED " + std::string(error.what()));
      return;
    }
    say("NOT REFUSED " + action.dump());
    MPI_Abort(MPI_COMM_WORLD, status_of_error);
  }

  void wait_for(const std::string& path) {
    if (rank_ == 0) say("WAITS for " + path);
    while (!std::filesystem::exists(path)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    MPI_Barrier(ranks_);
  }

  // Collective over all ranks of the model, of which those listed open it, in that order.
  void open(const Json& action) {
    int size = 0;
    MPI_Comm_size(ranks_, &size);
    std::vector<int> listed;
    for (int rank = 0; rank < size; ++rank) listed.push_back(rank);
    if (action.contains("ranks")) listed = action.at("ranks").get<std::vector<int>>();
    const auto place = std::ranges::find(listed, rank_);
    const bool takes_part = place != listed.end();
    MPI_Comm some = ranks_;
    if (action.contains("ranks"))
      MPI_Comm_split(ranks_, takes_part ? 0 : MPI_UNDEFINED, static_cast<int>(place - listed.begin()), &some);
    Part part;
    if (takes_part) {
      MPI_Comm_rank(some, &part.rank);
      MPI_Comm_size(some, &part.ranks);
      const int handle = static_cast<int>(MPI_Comm_c2f(some));
      guarded(action, part.rank, [&] {
        part.session =
            parts_.at(action.value("of", ""))
                .session->open_output(handle, action.at("name"), {.text = action.value("text", "")});
      });
      if (some != ranks_) MPI_Comm_free(&some);
    }
    if (!action.value("refused", false))
      parts_.insert_or_assign(action.value("as", action.at("name").get<std::string>()), std::move(part));
  }

  void declare(const Json& action, Part& part) {
    part.nx = action.at("nx");
    part.ny = action.at("ny");
    part.nz = action.value("nz", 1);
    part.first_row = part.ny * part.rank / part.ranks;
    part.rows = part.ny * (part.rank + 1) / part.ranks - part.first_row;
    const int grids = action.value("grids", 1), fields = action.at("fields");
    for (int grid = 0; grid < grids; ++grid)
      part.session->grid({.name = numbered("grid", grid),
                          .dims = {"z", "y", "x"},
                          .shape = {part.nz, part.ny, part.nx},
                          .offset = {0, part.first_row, 0},
                          .count = {part.nz, part.rows, part.nx}});
    for (int f = 0; f < fields; ++f)
      part.fields.push_back(
          part.session->field({.name = numbered("f", f),
                               .grid = numbered("grid", f % grids),
                               .type = f % 2 == 0 ? tailrace::Type::float64 : tailrace::Type::float32,
                               .units = "m"}));
  }

  void put_all(Part& part, std::int64_t step) {
    std::vector<double> values(static_cast<std::size_t>(part.nz * part.rows * part.nx));
    for (std::size_t f = 0; f < part.fields.size(); ++f) {
      if (!part.session->wants(part.fields[f])) continue;
      std::size_t at = 0;
      for (std::int64_t k = 0; k < part.nz; ++k)
        for (std::int64_t j = 0; j < part.rows; ++j)
          for (std::int64_t i = 0; i < part.nx; ++i)
            values[at++] = 1000.0 * static_cast<double>(f) + 10.0 * static_cast<double>(step) +
                           0.125 * static_cast<double>((k * part.ny + part.first_row + j) * part.nx + i);
      if (f % 2 == 0)
        part.session->put(part.fields[f], values);
      else
        part.session->put(part.fields[f], std::vector<float>(values.begin(), values.end()));
    }
  }

  void ready(const Json& action, Part& part) {
    const double began = wall(), used = processor();
    part.session->ready();
    if (!action.value("tells", false)) return;
    char line[120];
    std::snprintf(line, sizeof line, "READY rank %d wall %.2f ms processor %.2f ms", part.rank,
                  1e3 * (wall() - began), 1e3 * (processor() - used));
    say(line);
  }

  void await_written(Part& part, std::int64_t step) {
    while (!part.session->written(step)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (part.rank == 0) say("WRITTEN " + std::to_string(step));
  }

  void carry_out(const std::string& what, const Json& action, Part& part) {
    Session& session = *part.session;
    if (what == "declare") declare(action, part);
    if (what == "ready") ready(action, part);
    if (what == "attribute" && action.at("value").is_string())
      session.set_attribute(action.at("name"), action.at("value").get<std::string>());
    if (what == "attribute" && action.at("value").is_number_integer())
      session.set_attribute(action.at("name"), std::vector<std::int32_t>{action.at("value").get<int>()});
    if (what == "attribute" && action.at("value").is_number_float())
      session.set_attribute(action.at("name"), std::vector<float>{action.at("value").get<float>()});
    if (what == "open_file")  // on the last rank by another name, if there is one
      session.open_file(
          action.at(action.contains("other") && part.rank + 1 == part.ranks ? "other" : "path"));
    if (what == "close_file") session.close_file();
    if (what == "written") await_written(part, action.at("step"));
    if (what == "finish") session.finish();
    if (what != "step") return;
    session.step(action.at("step"), action.at("time"));
    put_all(part, action.at("step"));
  }

  MPI_Comm ranks_;
  int rank_ = 0;
  std::map<std::string, Part> parts_;  // by name; "": the session, which is destroyed first
};

int run(const char* path) {
  const Json script = Json::parse(std::ifstream(path));
  Session session = Session::start(static_cast<int>(MPI_Comm_c2f(MPI_COMM_WORLD)), script.at("configuration"),
                                   {.component = "model", .text = script.value("text", "")});
  if (session.is_server()) return 0;
  const MPI_Comm ranks = MPI_Comm_f2c(static_cast<MPI_Fint>(session.model_comm()));
  Model model(std::move(session), ranks);
  for (const Json& action : script.at("actions")) model.run(action);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int status = 0;
  try {
    status = run(argc > 1 ? argv[1] : "");
  } catch (const tailrace::Error& error) {
    say("ERROR " + std::to_string(static_cast<int>(error.code())) + " " + error.what());
    status = status_of_error;
  }
  if (status != 0) std::_Exit(status);  // MPI_Finalize would wait for a rank that was killed
  MPI_Finalize();
  return status;
}
