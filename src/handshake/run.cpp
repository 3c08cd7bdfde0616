#include "handshake/run.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"
#include "settings/streams.hpp"

namespace tailrace::handshake {

void put_sources(base::ByteWriter& writer, const settings::Sources& sources) {
  writer.put(static_cast<std::int64_t>(sources.size()));
  for (const settings::SourceFile& file : sources) {
    writer.put_text(file.name);
    writer.put_text(file.text);
    writer.put(static_cast<std::uint8_t>(file.is_data));
    writer.put(static_cast<std::uint8_t>(file.is_of_model));
    writer.put_text(file.stream);
  }
}

settings::Sources get_sources(base::ByteReader& reader) {
  settings::Sources sources;
  for (auto left = reader.get<std::int64_t>(); left > 0; --left) {
    settings::SourceFile& file = sources.emplace_back();
    file.name = reader.get_text();
    file.text = reader.get_text();
    file.is_data = reader.get<std::uint8_t>() != 0;
    file.is_of_model = reader.get<std::uint8_t>() != 0;
    file.stream = reader.get_text();
  }
  return sources;
}

std::map<std::string, std::string> given_options(const Run& run, int component) {
  const auto c = base::index(component);
  std::map<std::string, std::string> options;
  if (settings::mentions_option(run.sources[c], settings::component_option))
    options[settings::component_option] = run.assignment.components[c];
  if (const std::string stream = settings::stream_of(run.sources[c]); !stream.empty()) {
    if (settings::mentions_option(run.sources[c], settings::stream_option))
      options[settings::stream_option] = stream;
    return options;
  }
  if (settings::mentions_option(run.sources[c], settings::member_option)) {
    const auto same = std::ranges::count_if(
        run.sources.begin(), run.sources.begin() + component,
        [&](const settings::Sources& other) { return other.front().name == run.sources[c].front().name; });
    options[settings::member_option] = std::to_string(same);
  }
  return options;
}

void forget_configurations(Run& run, int component) {
  settings::ServersOptions servers = run.servers();
  run.configurations = std::vector<settings::Configuration>(1);
  run.configurations.front().servers = std::move(servers);
  for (std::size_t c = 0; c < run.sources.size(); ++c)
    if (c != base::index(component)) run.sources[c].clear();
}

transport::Pair pair_of(const Run& run, int rank) {
  const auto place = base::index(rank);
  const int server = run.assignment.servers[base::index(run.assignment.server_of[place])];
  return {rank, server, run.nodes[place] == run.nodes[base::index(server)]};
}

const transport::Transport& transport_of(const Run& run, int rank) {
  return transport::choose_transport(run.servers().transport, pair_of(run, rank));
}

}  // namespace tailrace::handshake
