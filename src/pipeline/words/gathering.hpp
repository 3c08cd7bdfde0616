// What each server of a component says to one of them, the root, once a round.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "pipeline/words/tree_place.hpp"
#include "pipeline/words/words.hpp"

namespace tailrace::pipeline {

// The words go up a tree and are joined on the way, so that no server sends or takes more than a few messages
// a round. A server may be rounds ahead of others. The loss of a server keeps the words of those below it
// from the root. Communication thread only.
class Gathering {
 public:
  // `over`: on the root, in a later progress, round by round: the words of all, one behind the other.
  // `words` must live longer.
  Gathering(Words& words, Word word, int root, std::function<void(const messaging::Bytes& all)> over);
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;

  void say(const messaging::Bytes& own);  // once a round

 private:
  void hear(int from, messaging::Bytes&& message);

  Words& words_;
  Word word_;
  TreePlace place_;
  std::function<void(const messaging::Bytes&)> over_;
  std::vector<std::deque<messaging::Bytes>> waiting_;  // by source
};

}  // namespace tailrace::pipeline
