// The input fields of a component on one server: the server reads the entries that it owns, and gives its
// clients the records that they need.
//
//   reader → EntryThread → RecordOwner (cut) → messages → RecordDelivery → buffers of the clients
//                                 ↑ wanted records ← RecordWindow ← the clients' time
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "pipeline/control/control_channel.hpp"
#include "server/input/input_preparation.hpp"
#include "server/input/input_setting.hpp"
#include "server/input/record_cut.hpp"
#include "server/input/record_delivery.hpp"
#include "server/input/record_owner.hpp"
#include "server/input/record_window.hpp"
#include "telemetry/memory_account.hpp"
#include "telemetry/status.hpp"

namespace tailrace::server {

// Model times of the clients of this server, in seconds since the start of the run.
struct ClientTimes {
  double last = 0.0, first = 0.0;  // of the client that is farthest behind, and of the one farthest ahead
  bool are_over = false;           // all have finished, or the component ends early
};

// Communication thread only. No call blocks. The destructor interrupts reads in progress.
class InputService {
 public:
  InputService(InputSetting setting, const InputServices& services);
  ~InputService();

  // The cells of a client of this server, to which input is regridded, before pass_on_cells(): all clients
  // have invited then, or one could not.
  void accept_cells(regrid::RankCells cells) { preparation_.accept(std::move(cells)); }
  void pass_on_cells(const std::optional<base::Fault>& fault) { preparation_.pass_on_cells(fault); }
  bool prepare() { return preparation_.progress(); }        // until it is prepared; true if anything moved
  bool is_prepared() const { return preparation_.over(); }  // on all servers
  const std::optional<base::Fault>& fault() const { return preparation_.fault(); }
  const std::vector<input::PreparedField>& fields() const { return fields_; }  // once start() was called

  // The channel to a client of this server, before start().
  void accept(int client, std::unique_ptr<transport::Producer> producer);
  // Call it once all servers are prepared and all clients connected.
  void start();
  bool progress(const ClientTimes& times);  // true if anything moved
  bool over() const;  // no message about records is under way to or from this server, and none will be
  void lose(int server);

  // Something may happen that rings no doorbell: a client makes room, or another server answers.
  bool polls() const;
  bool holds_up_client() const;  // a record that a client needs has not come, or waits for room
  std::vector<telemetry::InputStatus> status() const;
  std::string describe() const;  // for the watchdog; empty if nothing is awaited

 private:
  void make_owner();
  void make_window();
  bool has_own_clients() const { return !setting_.clients[base::index(rank())].empty(); }
  void move_window(const ClientTimes& times);
  void hear_record(const base::SharedBytes& message);
  void hear_further(const FurtherMessage& message);
  void end();
  int owner_of(int field) const;
  int rank() const { return control_.rank(); }

  InputSetting setting_;
  InputServices services_;
  pipeline::ControlChannel control_;
  InputPreparation preparation_;
  std::vector<input::PreparedField> fields_;
  std::map<int, const InputPreparation::Entry*> entry_of_;  // by index in the declarations
  std::map<int, const input::PreparedField*> prepared_;     // too
  std::map<int, telemetry::InputCounters*> counters_;       // too
  std::unique_ptr<RecordCut> cut_;
  std::unique_ptr<RecordOwner> owner_;    // null: no entry is this server's
  std::unique_ptr<RecordWindow> window_;  // null: no client has input fields
  RecordDelivery delivery_;
  bool has_channels_ = false;
  bool is_ended_ = false;
  std::optional<ClientTimes> times_;  // at the last move of the window
  std::size_t held_at_move_ = 0;
  std::set<int> ends_awaited_;  // owners that have not answered the end
  telemetry::HeldPart held_;
};

}  // namespace tailrace::server
