#include "settings/streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/placeholders.hpp"
#include "dialects/dialect.hpp"
#include "env/file_system.hpp"
#include "settings/data_files.hpp"
#include "settings/file_name.hpp"

namespace tailrace::settings {
namespace {

using config::Node;
using config::NodeEntry;
using config::NodeKind;

constexpr const char* streams_key = "streams";
constexpr std::array of_run{"servers", "checkpoint", "input", "yac", "legacy", "include", streams_key};
constexpr std::array shared{"tailrace", "servers", "model_time", "defaults", "regrid"};

const std::string placeholder = fmt::format("{{{}}}", opened_file);

void refuse_options_of_run(const Node& options, const std::string& path, config::Problems& problems) {
  for (const NodeEntry& entry : options.entries)
    if (std::ranges::find(of_run, entry.key) != of_run.end())
      problems.add(entry.location, config::path_of(path, entry.key),
                   fmt::format("belongs to the session, not to a stream; expected it at the top of the file, "
                               "beside `{}`",
                               streams_key));
}

}  // namespace

std::string stream_of(const Sources& sources) {
  const auto found = std::ranges::find_if(sources, [](const SourceFile& one) { return !one.stream.empty(); });
  return found == sources.end() ? "" : found->stream;
}

Sources sources_of_stream(const Sources& session, const std::string& stream, const std::string& model_text) {
  Sources sources = session;
  sources.push_back({.name = fmt::format("<stream {}>", stream),
                     .text = model_text,
                     .is_of_model = true,
                     .stream = stream});
  config::Problems problems;
  const Node tree = merged_tree(sources, nullptr, problems).tree;
  problems.throw_if_any();
  for (const config::DataFile& file : data_files({tree}, env::system_files(), problems)) {
    if (std::ranges::find(sources, file.path, &SourceFile::name) != sources.end()) continue;
    sources.push_back(
        {.name = file.path, .text = file.text ? *file.text : read_text(file.path), .is_data = true});
  }
  problems.throw_if_any();
  return sources;
}

config::Option streams_option() {
  return {.name = streams_key,
          .type = config::map("stream", config::unchecked_section("options of the session's configuration")),
          .description =
              "The user's options for the output streams that the model opens, by their names: options as "
              "at the top of this file, such as `output`. They replace what the model gives, option by "
              "option, and are checked when the stream is opened. `model_time`, `defaults` and `regrid` at "
              "the top hold for streams too. In the name of a file `{stream}` is the name of the stream, and "
              "`{file}` the name that the model gives when it opens a file.",
          .example = "{history: {output: {\"{file}\": {compression: {codec: zstd}}}}}"};
}

void leave_out_streams(Node& session, config::Problems& problems) {
  for (NodeEntry& entry : session.entries) {
    if (entry.key != streams_key || entry.value.kind != NodeKind::map) continue;
    for (NodeEntry& stream : entry.value.entries) {
      if (stream.value.kind == NodeKind::map)
        refuse_options_of_run(stream.value, config::path_of(streams_key, stream.key), problems);
      stream.value.entries.clear();
    }
  }
}

Node options_of_stream(Node session, const std::string& stream, config::Problems& problems) {
  Node options;
  options.kind = NodeKind::map;
  options.location = session.location;
  if (const NodeEntry* all = session.find(streams_key))
    if (const NodeEntry* own = all->value.find(stream); own != nullptr && own->value.kind == NodeKind::map) {
      refuse_options_of_run(own->value, config::path_of(streams_key, stream), problems);
      options = own->value;
    }
  Node others;
  others.kind = NodeKind::map;
  for (NodeEntry& entry : session.entries)
    if (std::ranges::find(shared, entry.key) != shared.end()) others.entries.push_back(std::move(entry));
  config::fill(options, std::move(others));
  return options;
}

void check_stream_text(const Node& text, config::Problems& problems) {
  refuse_options_of_run(text, "", problems);
}

void mark_opened_files(std::vector<OutputEntry>& files) {
  for (OutputEntry& file : files) {
    file.is_opened_by_model = file.path.find(placeholder) != std::string::npos;
    file.gathers = false;  // the model may ask whether a record is written, of any file of the stream
  }
}

std::string opened_path(const OutputEntry& file, const std::string& name) {
  std::string path = file.path;
  for (std::size_t at = path.find(placeholder); at != std::string::npos;
       at = path.find(placeholder, at + name.size()))
    path.replace(at, placeholder.size(), name);
  return path;
}

void check_opened_file(const OutputEntry& file, config::Problems& problems) {
  if (!file.is_opened_by_model) return;
  const std::string path = "output." + file.path;
  const auto refuse = [&](const config::Location& at, const std::string& option, const std::string& why) {
    problems.add(at.line > 0 ? at : file.location, path + option, why);
  };
  if (file.series || file.new_file_every)
    refuse(file.new_file_every_location, "",
           "the model ends the files whose names contain `{file}`; expected no `file_per_write` and no "
           "`new_file_every`");
  if (file.if_exists == output::IfExists::append)
    refuse(file.if_exists_location, ".if_exists",
           "a file that the model opens begins anew; expected `fail` (the default) or `replace`");
  if (file.on_error == OnError::skip)
    refuse(file.location, ".on_error",
           "the files of an entry with `{file}` are given up together, so records of later files would be "
           "lost, too; expected `stop` or `retry`");
  if (FileName(file.path).has_limits())
    refuse(file.location, "",
           "a file that the model opens has no known limits; expected a name without `{start}` and `{end}`");
  for (const VariableEntry& variable : file.variables)
    if (variable.reduction != time::ReductionKind::snapshot)
      refuse(variable.location, "",
             fmt::format("a file that the model opens holds the values of its steps, and may end within a "
                         "window; expected `operation: snapshot` for \"{}\", or a file whose name has no "
                         "`{{file}}`",
                         variable.field.empty() ? variable.pattern : variable.field));
}

}  // namespace tailrace::settings
