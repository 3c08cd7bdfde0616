#include "comm/mpi/mpi_communicator.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "comm/mpi/check.hpp"
#include "comm/mpi/handed_over.hpp"

namespace tailrace::comm::mpi {
namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 30;

class MpiRequest final : public Request {
 public:
  MpiRequest() = default;
  ~MpiRequest() override {
    // After MPI_Finalize all requests are complete, and MPI must not be called any more.
    if (request != MPI_REQUEST_NULL && usable()) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MpiRequest(const MpiRequest&) = delete;
  MpiRequest& operator=(const MpiRequest&) = delete;

  bool done() override {
    if (request == MPI_REQUEST_NULL) return true;
    int flag = 0;
    check(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return flag != 0;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<int> offsets;  // of a gather; MPI reads them until it is done
};

int source_of(int source) { return source == any ? MPI_ANY_SOURCE : source; }
int tag_of(int tag) { return tag == any ? MPI_ANY_TAG : tag; }

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm owned) : comm_(owned) {
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

MpiCommunicator::~MpiCommunicator() {
  if (!handed_over_ && usable()) MPI_Comm_free(&comm_);
}

void MpiCommunicator::barrier() { check(MPI_Barrier(comm_), "MPI_Barrier"); }

bool MpiCommunicator::any_says(bool yes) {
  int said = yes ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, &said, 1, MPI_INT, MPI_MAX, comm_), "MPI_Allreduce");
  return said != 0;
}

void MpiCommunicator::broadcast_in_place(std::span<std::byte> bytes, int root) {
  for (std::size_t begin = 0; begin < bytes.size(); begin += largest_piece) {
    const auto piece = bytes.subspan(begin, std::min(largest_piece, bytes.size() - begin));
    check(MPI_Bcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, root, comm_), "MPI_Bcast");
  }
}

std::vector<std::byte> MpiCommunicator::broadcast(std::span<const std::byte> bytes, int root) {
  std::uint64_t size = bytes.size();
  check(MPI_Bcast(&size, 1, MPI_UINT64_T, root, comm_), "MPI_Bcast");
  std::vector<std::byte> result;
  if (rank_ == root) result.assign(bytes.begin(), bytes.end());
  result.resize(size);
  broadcast_in_place(result, root);
  return result;
}

std::vector<std::vector<std::byte>> MpiCommunicator::all_gather(std::span<const std::byte> bytes) {
  const std::uint64_t mine = bytes.size();
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(size_));
  check(MPI_Allgather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, comm_), "MPI_Allgather");
  std::vector<std::vector<std::byte>> result;
  const auto total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (total > largest_piece) {  // more than MPI_Allgatherv can count
    for (int root = 0; root < size_; ++root) {
      auto& part = result.emplace_back(sizes[base::index(root)]);
      if (root == rank_) std::copy(bytes.begin(), bytes.end(), part.begin());
      broadcast_in_place(part, root);
    }
    return result;
  }
  std::vector<int> counts(sizes.begin(), sizes.end());
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::vector<std::byte> all(total);
  check(MPI_Allgatherv(bytes.data(), static_cast<int>(mine), MPI_BYTE, all.data(), counts.data(),
                       offsets.data(), MPI_BYTE, comm_),
        "MPI_Allgatherv");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto begin = all.begin() + offsets[i];
    result.emplace_back(begin, begin + counts[i]);
  }
  return result;
}

std::unique_ptr<Communicator> MpiCommunicator::split(int colour, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(comm_, colour < 0 ? MPI_UNDEFINED : colour, key, &part), "MPI_Comm_split");
  if (part == MPI_COMM_NULL) return nullptr;
  return std::make_unique<MpiCommunicator>(part);
}

std::unique_ptr<Communicator> MpiCommunicator::duplicate() {
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm_, &copy), "MPI_Comm_dup");
  return std::make_unique<MpiCommunicator>(copy);
}

std::unique_ptr<Request> MpiCommunicator::send(std::span<const std::byte> bytes, int to, int tag) {
  auto request = std::make_unique<MpiRequest>();
  const Extent extent(bytes.size());
  check(MPI_Isend(bytes.data(), extent.count, extent.type, to, tag, comm_, &request->request), "MPI_Isend");
  return request;
}

std::optional<Incoming> MpiCommunicator::probe(int source, int tag) {
  int flag = 0;
  MPI_Status status;
  check(MPI_Iprobe(source_of(source), tag_of(tag), comm_, &flag, &status), "MPI_Iprobe");
  if (flag == 0) return std::nullopt;
  MPI_Count bytes = 0;
  check(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
  return Incoming{status.MPI_SOURCE, status.MPI_TAG, static_cast<std::size_t>(bytes)};
}

void MpiCommunicator::receive(std::span<std::byte> bytes, int source, int tag) {
  const Extent extent(bytes.size());
  check(MPI_Recv(bytes.data(), extent.count, extent.type, source_of(source), tag_of(tag), comm_,
                 MPI_STATUS_IGNORE),
        "MPI_Recv");
}

std::unique_ptr<Request> MpiCommunicator::start_receive(std::span<std::byte> bytes, int source, int tag) {
  auto request = std::make_unique<MpiRequest>();
  const Extent extent(bytes.size());
  check(MPI_Irecv(bytes.data(), extent.count, extent.type, source_of(source), tag_of(tag), comm_,
                  &request->request),
        "MPI_Irecv");
  return request;
}

std::unique_ptr<Request> MpiCommunicator::start_all_gather(std::span<const std::byte> bytes,
                                                           std::span<const int> counts,
                                                           std::span<std::byte> all) {
  TAILRACE_ASSERT(all.size() <= largest_piece, "more than MPI_Iallgatherv can count");
  auto request = std::make_unique<MpiRequest>();
  request->offsets.resize(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), request->offsets.begin(), 0);
  check(MPI_Iallgatherv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, all.data(), counts.data(),
                        request->offsets.data(), MPI_BYTE, comm_, &request->request),
        "MPI_Iallgatherv");
  return request;
}

int MpiCommunicator::handle() const { return static_cast<int>(MPI_Comm_c2f(comm_)); }

void MpiCommunicator::hand_over(int given) {
  if (std::exchange(handed_over_, true)) return;
  free_in_finalize(comm_);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  check(MPI_Comm_get_errhandler(MPI_Comm_f2c(given), &handler), "MPI_Comm_get_errhandler");
  const int result = MPI_Comm_set_errhandler(comm_, handler);
  MPI_Errhandler_free(&handler);
  check(result, "MPI_Comm_set_errhandler");
}

}  // namespace tailrace::comm::mpi

namespace tailrace::comm {

namespace {

MPI_Comm given_by(int handle) {
  if (!mpi::usable()) {
    throw Error(
        ErrorCode::usage,
        "a communicator was passed, but MPI is not running: call MPI_Init first and MPI_Finalize last");
  }
  const MPI_Comm given = MPI_Comm_f2c(handle);
  if (given == MPI_COMM_NULL) {
    throw Error(ErrorCode::usage, "the communicator passed (handle " + std::to_string(handle) +
                                      ") is MPI_COMM_NULL; expected one that this rank belongs to");
  }
  return given;
}

class MpiDuplication final : public PendingDuplicate {
 public:
  explicit MpiDuplication(MPI_Comm given) : under_way_(std::make_unique<UnderWay>()) {
    mpi::check(MPI_Comm_idup(given, &under_way_->copy, &under_way_->request), "MPI_Comm_idup");
  }
  // Open MPI may crash in MPI_Finalize while a duplication is in progress: complete it if no other rank is
  // needed.
  ~MpiDuplication() override {
    if (under_way_->request == MPI_REQUEST_NULL) return;
    int flag = 0;
    for (int tries = 0; tries < 100 && flag == 0; ++tries)
      MPI_Test(&under_way_->request, &flag, MPI_STATUS_IGNORE);
    if (flag != 0)
      MPI_Comm_free(&under_way_->copy);
    else
      static_cast<void>(under_way_.release());
  }
  MpiDuplication(const MpiDuplication&) = delete;
  MpiDuplication& operator=(const MpiDuplication&) = delete;

  bool done() override {
    int flag = 0;
    mpi::check(MPI_Test(&under_way_->request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return flag != 0;
  }
  std::unique_ptr<Communicator> take() override {
    return std::make_unique<mpi::MpiCommunicator>(under_way_->copy);
  }

 private:
  struct UnderWay {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::unique_ptr<UnderWay> under_way_;  // MPI writes into it
};

}  // namespace

std::unique_ptr<Communicator> from_handle(int handle) {
  const MPI_Comm given = given_by(handle);
  MPI_Comm copy = MPI_COMM_NULL;
  mpi::check(MPI_Comm_dup(given, &copy), "MPI_Comm_dup");
  return std::make_unique<mpi::MpiCommunicator>(copy);
}

std::unique_ptr<PendingDuplicate> start_duplication(int handle) {
  return std::make_unique<MpiDuplication>(given_by(handle));
}

GroupMembers members_of(int handle) {
  const MPI_Comm given = given_by(handle);
  GroupMembers members;
  int size = 0;
  mpi::check(MPI_Comm_rank(given, &members.rank), "MPI_Comm_rank");
  mpi::check(MPI_Comm_size(given, &size), "MPI_Comm_size");
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  members.numbers.resize(ranks.size());
  MPI_Group here = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  mpi::check(MPI_Comm_group(given, &here), "MPI_Comm_group");
  mpi::check(MPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
  const int result = MPI_Group_translate_ranks(here, size, ranks.data(), all, members.numbers.data());
  MPI_Group_free(&here);
  MPI_Group_free(&all);
  mpi::check(result, "MPI_Group_translate_ranks");
  return members;
}

}  // namespace tailrace::comm
