#include "input/reader/reader_process.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

struct DeliveredType {
  const char* name;
  model::DataType type;
};
constexpr DeliveredType types[] = {{"byte", model::DataType::int8},     {"ubyte", model::DataType::uint8},
                                   {"short", model::DataType::int16},   {"ushort", model::DataType::int32},
                                   {"int", model::DataType::int32},     {"uint", model::DataType::int64},
                                   {"int64", model::DataType::int64},   {"uint64", model::DataType::float64},
                                   {"float", model::DataType::float32}, {"double", model::DataType::float64}};

// Numbers that JSON lacks are texts: "nan", "inf", "-inf".
AttributeValue numbers_of(const json& values) {
  std::vector<double> numbers;
  for (const json& one : values)
    numbers.push_back(one.is_string() ? std::strtod(one.get<std::string>().c_str(), nullptr)
                                      : one.get<double>());
  return numbers;
}

VariableHeader variable_of(const json& from) {
  VariableHeader variable;
  variable.name = from.at("name");
  variable.dims = from.at("dims").get<std::vector<std::string>>();
  variable.shape = from.at("shape").get<std::vector<std::int64_t>>();
  variable.chunk = from.at("chunk").get<std::vector<std::int64_t>>();
  variable.type_name = from.at("type");
  variable.is_text = variable.type_name == "char";
  if (variable.is_text) variable.type = model::DataType::uint8;
  for (const DeliveredType& known : types)
    if (variable.type_name == known.name) {
      variable.is_number = true;
      variable.type = known.type;
    }
  for (const auto& [name, value] : from.at("attributes").items())
    variable.attributes[name] =
        value.is_string() ? AttributeValue(value.get<std::string>()) : numbers_of(value);
  if (variable.dims.size() != variable.shape.size())
    refuse(fmt::format("{} has dims without lengths", variable.name));
  return variable;
}

}  // namespace

ReaderProcess::ReaderProcess(std::vector<std::string> command, double patience)
    : command_(std::move(command)), patience_(patience) {}

env::Child::Received ReaderProcess::ask(const std::string& request) {
  if (!child_) child_ = std::make_unique<env::Child>(command_);
  auto answer = child_->send(request) ? child_->receive_with_pages(patience_) : std::nullopt;
  if (!answer) {
    const std::unique_ptr<env::Child> lost = std::move(child_);
    if (lost->is_heard()) refuse(fmt::format("the process that reads did not answer within {} s", patience_));
    refuse(fmt::format("the process that reads {}; the file may be damaged", lost->ending()));
  }
  const json read = json::parse(answer->message, nullptr, false);
  if (read.is_discarded() || !read.is_object()) {
    child_.reset();
    refuse("the process that reads sent no answer of the protocol");
  }
  if (const auto error = read.find("error"); error != read.end()) refuse(error->get<std::string>());
  return std::move(*answer);
}

ReaderProcess::OpenFile ReaderProcess::open(const std::string& path) {
  const auto answer =
      ask(json{{"do", "open"}, {"file", path}}.dump(-1, ' ', false, json::error_handler_t::replace));
  const auto bytes = answer.pages.bytes();
  const char* const text = reinterpret_cast<const char*>(bytes.data());
  OpenFile open;
  try {
    open.number = json::parse(answer.message).at("file");
    for (const json& one : json::parse(text, text + bytes.size()).at("variables"))
      open.header.variables.push_back(variable_of(one));
  } catch (const json::exception& error) {
    refuse(fmt::format("the header that the process read is not of the protocol: {}", error.what()));
  }
  return open;
}

env::ReceivedPages ReaderProcess::read(std::int64_t file, const VariableHeader& variable,
                                       const std::vector<std::int64_t>& start,
                                       const std::vector<std::int64_t>& count) {
  auto answer = ask(
      json{{"do", "read"}, {"file", file}, {"variable", variable.name}, {"start", start}, {"count", count}}
          .dump());
  const auto cells = std::accumulate(count.begin(), count.end(), std::int64_t{1}, std::multiplies<>());
  const std::size_t expected = static_cast<std::size_t>(cells) * model::size_of(variable.type);
  if (answer.pages.bytes().size() != expected)
    refuse(fmt::format("the process that reads delivered {} bytes of {}; expected {}",
                       answer.pages.bytes().size(), variable.name, expected));
  return std::move(answer.pages);
}

void ReaderProcess::close(std::int64_t file) { ask(json{{"do", "close"}, {"file", file}}.dump()); }

}  // namespace tailrace::input
