#include "messaging/collectives/polled_allreduce.hpp"

#include <optional>

#include "base/fault_bytes.hpp"

namespace tailrace::messaging {
namespace {

std::vector<std::byte> verdict_of(const std::optional<base::Fault>& fault,
                                  std::span<const std::byte> answer) {
  base::ByteWriter writer;
  put_fault(writer, fault);
  writer.put_bytes(answer);
  return writer.take();
}

std::vector<std::byte> broadcast_answer(PolledTree& tree, const std::function<std::vector<std::byte>()>& give,
                                        const std::string& on_others) {
  std::vector<std::byte> answer;
  try {
    answer = give();
  } catch (const Error& error) {
    tree.down(verdict_of(base::Fault{error.code(), on_others}, {}));
    throw AgreedFault(error.code(), error.what());
  }
  tree.down(verdict_of(std::nullopt, answer));
  return answer;
}

std::vector<std::byte> receive_answer(PolledTree& tree, const std::function<void()>& meanwhile) {
  std::optional<std::vector<std::byte>> verdict;
  while (!(verdict = tree.from_parent())) meanwhile();
  tree.down(*verdict);
  base::ByteReader reader(*verdict);
  if (const auto fault = get_fault(reader)) throw AgreedFault(fault->code, fault->message);
  const auto answer = reader.rest();
  return {answer.begin(), answer.end()};
}

}  // namespace

std::vector<std::byte> allreduce(PolledTree& tree, const PolledAllreduce& what,
                                 const std::string& on_others) {
  for (std::size_t child = 0; child < tree.children(); ++child)
    what.join(receive_from_child(tree, child, what.meanwhile));
  if (!tree.is_first()) tree.up(what.merged());
  return broadcast(tree, what.answer, what.meanwhile, on_others);
}

std::vector<std::byte> broadcast(PolledTree& tree, const std::function<std::vector<std::byte>()>& answer,
                                 const std::function<void()>& meanwhile, const std::string& on_others) {
  return tree.is_first() ? broadcast_answer(tree, answer, on_others) : receive_answer(tree, meanwhile);
}

void synchronize(PolledTree& tree, const std::function<void()>& meanwhile) {
  const auto nothing = [] { return std::vector<std::byte>(); };
  allreduce(tree, {[](std::span<const std::byte>) {}, nothing, nothing, meanwhile}, "");
}

}  // namespace tailrace::messaging
