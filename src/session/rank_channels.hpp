// The two channels between a model rank and its server: one for what it puts, and one for its inputs.
#pragma once

#include <string>

#include "client/declarer.hpp"
#include "handshake/start.hpp"
#include "plan/plan.hpp"
#include "session/rank_host.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::session {

// Must outlive the ends that it makes, as must what it is given.
class RankChannels {
 public:
  // `started`: of the session, or of a stream.
  RankChannels(const handshake::Started& started, const client::Declarer& declarer, RankHost& host)
      : started_(started), declarer_(declarer), host_(host) {}

  // The buffer is as large as the puts of the plan need. While it is
  // full, a put throws if a server or rank that is needed has failed.
  transport::ProducerEnd make_output(const plan::Plan& plan);
  transport::ConsumerEnd make_input(const plan::Plan& plan);
  void forget_input_bell();  // the server has attached to it: its name is not needed any more

 private:
  transport::BufferOptions output_buffer(const plan::Plan& plan) const;
  transport::BufferOptions input_buffer(const plan::Plan& plan) const;

  const handshake::Started& started_;
  const client::Declarer& declarer_;
  RankHost& host_;
  transport::shm::NamedDoorbell input_bell_;  // rung by the server
};

}  // namespace tailrace::session
