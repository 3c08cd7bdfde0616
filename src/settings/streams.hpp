// The configuration of an output stream, a session that a model opens within another one: what the model
// gives for it, and the entry of its name under `streams`, which has the last word.
#pragma once

#include <string>
#include <vector>

#include "config/schema.hpp"
#include "settings/configuration.hpp"

namespace tailrace::settings {

inline constexpr const char* stream_option = "stream";  // in names of files: the name of the stream
inline constexpr const char* opened_file = "file";      // in names of files: what the model opens

// The name of the stream whose configuration these are; empty: they are those of a session.
std::string stream_of(const Sources& sources);

// The sources of a stream: those of the session, the model's text for the stream, and the data files that the
// result names. Reads files. Throws Error(configuration), Error(resource).
Sources sources_of_stream(const Sources& session, const std::string& stream, const std::string& model_text);

config::Option streams_option();

// Empties the entries of `streams`, which are checked when a stream is opened: they lack the model's part. An
// entry that is no map becomes a problem.
void leave_out_streams(config::Node& session, config::Problems& problems);

// The options that the files, and the model at its start, give for this stream: its entry, and beside it the
// parts of the session's configuration that hold for its streams too. Problems for options of the session.
config::Node options_of_stream(config::Node session, const std::string& stream, config::Problems& problems);

// Problems for options that a text of the model for a stream must leave to the session.
void check_stream_text(const config::Node& text, config::Problems& problems);

// Marks the files whose names contain `{file}`.
void mark_opened_files(std::vector<OutputEntry>& files);

// The path of such a file if the model opens it as `name`.
std::string opened_path(const OutputEntry& file, const std::string& name);

// Problems for what does not fit a file that the model opens.
void check_opened_file(const OutputEntry& file, config::Problems& problems);

}  // namespace tailrace::settings
