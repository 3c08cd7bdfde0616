#pragma once

#include "comm/communicator.hpp"
#include "comm/mpi/mpi_c.hpp"

namespace tailrace::comm::mpi {

class MpiCommunicator final : public Communicator {
 public:
  // Takes ownership of the communicator, and turns its errors into exceptions.
  explicit MpiCommunicator(MPI_Comm owned);
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void barrier() override;
  bool any_says(bool yes) override;
  std::vector<std::byte> broadcast(std::span<const std::byte> bytes, int root) override;
  std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) override;
  std::unique_ptr<Request> start_all_gather(std::span<const std::byte> bytes, std::span<const int> counts,
                                            std::span<std::byte> all) override;
  std::unique_ptr<Communicator> split(int colour, int key) override;
  std::unique_ptr<Communicator> duplicate() override;
  std::unique_ptr<Request> send(std::span<const std::byte> bytes, int to, int tag) override;
  std::optional<Incoming> probe(int source, int tag) override;
  void receive(std::span<std::byte> bytes, int source, int tag) override;
  std::unique_ptr<Request> start_receive(std::span<std::byte> bytes, int source, int tag) override;
  int handle() const override;
  void hand_over(int given) override;

 private:
  void broadcast_in_place(std::span<std::byte> bytes, int root);

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 0;
  bool handed_over_ = false;
};

}  // namespace tailrace::comm::mpi
