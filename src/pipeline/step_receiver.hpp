// The interface that the intake of a server calls: a component that receives the packets of its clients step
// by step.
#pragma once

#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "model/block.hpp"

namespace tailrace::pipeline {

class StepReceiver {
 public:
  virtual ~StepReceiver() = default;
  // Whether there is room for what another step brings; asked before each step, on the communication thread.
  virtual bool ready_for_step() = 0;
  // All clients of this server are at `tick`, and nothing of earlier steps is being worked on.
  virtual void begin_step(const model::Tick& tick) = 0;
  // A block of the current step (or a static one) of a client, numbered as in the component. On a worker;
  // several at once, in any order. The payload stays until it returns.
  virtual void accept(int client, const model::PacketHeader& header, std::span<const std::byte> payload) = 0;
  // All clients of this server have asked for a checkpoint behind their puts of the current step, and nothing
  // is being worked on. Nothing more is taken until is_saved() returns true. `values`: of the model, from its
  // first rank; empty from any other.
  virtual void checkpoint(std::span<const std::byte> values) = 0;
  virtual bool is_saved() = 0;
  // All clients of this server have ended the files that the model opens, behind their puts of the current
  // step, and nothing is being worked on. `opened`: others begin; `what` of them comes from the component's
  // first rank (OpenedFiles) and is empty from any other.
  virtual void change_files(bool opened, std::span<const std::byte> what) = 0;
  // All clients of this server have finished, and nothing is being worked on.
  virtual void end_of_input() = 0;
  // A client is gone or does what no client may do: this component ends, with what is complete.
  virtual void fail(const base::Fault& fault) = 0;
};

}  // namespace tailrace::pipeline
