// Gets the weights of a component before it runs: from the cache, or made by the servers together, each some
// slices of the target's rows. Then the servers tell each other which source cells they need.
//
//   all: the digest of their ranks' cells → leader: looks into the cache → all: lay out their ranks' cells
//   → leader → all: make slices → leader: joins them, names the file → all: read their rows
//   → each other: the cells that they need
//
// Where the cache has all weights, the middle is left out. Every message may carry a fault in place of what
// it should, so no server waits for one that has given up.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "env/child.hpp"
#include "env/executor.hpp"
#include "messaging/messenger.hpp"
#include "pipeline/blueprint.hpp"
#include "pipeline/control/control_channel.hpp"
#include "server/regrid/weights_files.hpp"

namespace tailrace::server {

struct RegridSetting {
  const pipeline::Blueprint& blueprint;   // with regridding; must live longer
  std::vector<std::vector<int>> clients;  // by server
  std::string cache;                      // its directory
  std::string interpreter;                // the Python that has tailrace.weights
  double patience = 3600.0;               // seconds that a maker may take
};

// Communication thread only; nothing blocks. Files are read and written on I/O threads, and weights are made
// by child processes, which are ended with this object.
class RegridPreparation {
 public:
  RegridPreparation(RegridSetting setting, messaging::Messenger& messenger, env::Executor& executor);
  ~RegridPreparation();
  RegridPreparation(const RegridPreparation&) = delete;
  RegridPreparation& operator=(const RegridPreparation&) = delete;

  // A server calls this instead if it cannot set the component up.
  static void refuse(messaging::Messenger& messenger, int component, int leader, const base::Fault& fault);

  // The geometry of a client's cells, from its message `invite`.
  void accept(std::vector<regrid::RankCells> cells);
  // All clients of this server have invited, or one could not.
  void begin(const std::optional<base::Fault>& fault);
  // Call it when a server is lost, which ends the component. The others remove the folder of a lost leader.
  void lose(int server);
  bool progress();  // true if anything moved
  bool over() const { return stage_ == Stage::over; }
  const std::optional<base::Fault>& fault() const { return fault_; }
  // The weights as far as this server needs them. Once over without a fault.
  pipeline::regridding::Prepared take() { return std::move(prepared_); }
  std::string describe() const;  // for the watchdog

 private:
  enum class Stage { inviting, gathering, laying_out, making, reading, telling, over };
  enum class Message : std::int32_t { gathered, decided, laid_out, make, made, ready, wanted, refused };
  // A piece of work on an I/O thread.
  struct Work {
    std::mutex mutex;
    bool is_done = false;
    std::optional<base::Fault> fault;
  };
  struct Making {  // a process
    std::size_t weights = 0;
    int number = 0;  // of the slice, or join_number
    std::string request;
    std::unique_ptr<env::Child> child;
    double since = 0.0;
  };

  bool leads() const { return control_.rank() == setting_.blueprint.info.leader; }
  const plan::Regridding& regridding() const { return *setting_.blueprint.plan.regridding; }
  void run(std::function<void()> work, std::function<void()> then);
  bool finish_work();
  bool watch_makers();
  void start_next();
  void fail(const base::Fault& fault);
  void give_up(const base::Fault& fault);

  void send(int to, Message what, const std::optional<base::Fault>& fault,
            const std::function<void(base::ByteWriter&)>& put);
  void send_all(Message what, const std::optional<base::Fault>& fault,
                const std::function<void(base::ByteWriter&)>& put);
  void hear(int from, const messaging::Bytes& message);
  void hear_reply(int from, Message what, base::ByteReader& reader);
  void hear_wanted(int from, base::ByteReader& reader);

  void decide_now();
  void lay_out();
  void make_slices();
  void join_slices();
  void read_rows();
  void tell_wanted();
  bool may_have(std::size_t weights, int server, const model::Runs& cells) const;

  // For the handler of messages, which outlives this object.
  std::shared_ptr<RegridPreparation*> self_ = std::make_shared<RegridPreparation*>(this);
  RegridSetting setting_;
  pipeline::ControlChannel control_;
  env::Executor& executor_;
  Stage stage_ = Stage::inviting;
  std::optional<base::Fault> fault_;
  bool has_failed_ = false;  // this server, and it has told so
  bool leader_is_lost_ = false;
  std::shared_ptr<std::vector<regrid::RankCells>> cells_ = std::make_shared<std::vector<regrid::RankCells>>();
  std::vector<regrid::CellDigest> sums_;  // by weights; on the leader over all servers
  std::map<Message, std::set<int>> heard_;
  std::shared_ptr<WeightsDecision> decision_ = std::make_shared<WeightsDecision>();
  std::shared_ptr<std::vector<char>> laid_out_ = std::make_shared<std::vector<char>>();  // by weights
  std::shared_ptr<pipeline::regridding::Prepared> read_ = std::make_shared<pipeline::regridding::Prepared>();
  pipeline::regridding::Prepared prepared_;
  std::vector<std::vector<pipeline::regridding::WantedCells>> wanted_;  // by weights
  std::shared_ptr<Work> work_;
  std::function<void()> then_;
  std::vector<Making> to_make_;  // the last one runs, if it has a child
  std::function<void()> when_made_;
};

}  // namespace tailrace::server
