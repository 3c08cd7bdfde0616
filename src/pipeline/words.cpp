#include "pipeline/words.hpp"

#include "base/bytes.hpp"

namespace tailrace::pipeline {

void Words::tell(Word word, const messaging::Bytes& message) {
  for (int server = 0; server < size(); ++server)
    messenger_.send(server, kind(word), messaging::Bytes(message));
}

void Words::tell(Word word, const base::Fault& fault) {
  base::ByteWriter writer;
  writer.put(fault.code);
  writer.put_text(fault.message);
  tell(word, writer.take());
}

base::Fault Words::fault_in(const messaging::Bytes& message) {
  base::ByteReader reader(message);
  const auto code = reader.get<ErrorCode>();
  return {code, reader.get_text()};
}

}  // namespace tailrace::pipeline
