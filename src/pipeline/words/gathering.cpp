#include "pipeline/words/gathering.hpp"

#include <algorithm>
#include <utility>

namespace tailrace::pipeline {

Gathering::Gathering(Words& words, Word word, int root, std::function<void(const messaging::Bytes&)> over)
    : words_(words),
      word_(word),
      place_(words.rank(), root, words.size()),
      over_(std::move(over)),
      waiting_(place_.sources()) {
  words_.on(word, [this](int from, messaging::Bytes&& message) { hear(from, std::move(message)); });
}

void Gathering::say(const messaging::Bytes& own) {
  words_.messenger().send(words_.rank(), words_.kind(word_), messaging::Bytes(own));
}

void Gathering::hear(int from, messaging::Bytes&& message) {
  waiting_[place_.source_of(from)].push_back(std::move(message));
  if (std::ranges::any_of(waiting_, [](const auto& one) { return one.empty(); })) return;
  messaging::Bytes all;
  for (auto& one : waiting_) {
    all.insert(all.end(), one.front().begin(), one.front().end());
    one.pop_front();
  }
  if (place_.parent < 0)
    over_(all);
  else
    words_.messenger().send(place_.parent, words_.kind(word_), std::move(all));
}

}  // namespace tailrace::pipeline
