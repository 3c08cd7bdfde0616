// The lifecycle of a session: start, queries, ready, finish, free; and the entry points of servers.
#include "fortran.h"
#include "guard.hpp"
#include "handle.hpp"

using tailrace::bindings::guarded;
using tailrace::bindings::guarded_value;
using tailrace::bindings::required;
using tailrace::bindings::running;
using tailrace::bindings::text_or;

namespace {

tailrace::StartOptions options_of(const tailrace_start_options* options) {
  if (options == nullptr) return {};
  return {.component = text_or(options->component, "model"),
          .initial_time = options->initial_time,
          .initial_step = options->initial_step,
          .text = text_or(options->text)};
}

tailrace_session* made(tailrace::Session session) {
  return new tailrace_session{.session = std::move(session), .shapes = {}, .view = {}};
}

}  // namespace

extern "C" {

tailrace_session* tailrace_start_fortran(int communicator, const char* configuration,
                                         const tailrace_start_options* options, tailrace_error* error) {
  return guarded_value<tailrace_session*>(error, nullptr, [&] {
    required(configuration, "tailrace_start: configuration");
    return made(tailrace::Session::start(communicator, configuration, options_of(options)));
  });
}

tailrace_session* tailrace_open_output_fortran(tailrace_session* session, int communicator, const char* name,
                                               const tailrace_start_options* options, tailrace_error* error) {
  return guarded_value<tailrace_session*>(error, nullptr, [&] {
    required(name, "tailrace_open_output: name");
    tailrace_session* stream =
        made(running(session).session.open_output(communicator, name, options_of(options)));
    stream->view.fastest_first_in_messages = session->view.fastest_first_in_messages;
    return stream;
  });
}

void tailrace_free(tailrace_session* session) { delete session; }

int tailrace_is_server(const tailrace_session* session) {
  return session != nullptr && session->session.is_server() ? 1 : 0;
}

int tailrace_is_off(const tailrace_session* session) {
  return session != nullptr && session->session.is_off() ? 1 : 0;
}

int tailrace_model_comm_fortran(const tailrace_session* session, tailrace_error* error) {
  return guarded_value(error, -1, [&] { return running(session).session.model_comm(); });
}

int tailrace_ready(tailrace_session* session, tailrace_error* error) {
  return guarded(error, [&] { running(session).session.ready(); });
}

const char* tailrace_output_lost(const tailrace_session* session) {
  return session != nullptr ? session->session.output_lost().c_str() : "";
}

int tailrace_stop_requested(tailrace_session* session, tailrace_error* error) {
  return guarded_value(error, -1, [&] { return running(session).session.stop_requested() ? 1 : 0; });
}

int tailrace_finish(tailrace_session* session, tailrace_error* error) {
  return guarded(error, [&] {
    running(session).finished = true;
    session->session.finish();
  });
}

int tailrace_is_finished(const tailrace_session* session) {
  return session != nullptr && session->finished ? 1 : 0;
}

int tailrace_serve_fortran(int communicator, const char* configuration, tailrace_error* error) {
  return guarded(error, [&] {
    required(configuration, "tailrace_serve: configuration");
    tailrace::serve(communicator, configuration);
  });
}

int tailrace_serve_alone(const char* configuration, tailrace_error* error) {
  return guarded(error, [&] {
    required(configuration, "tailrace_serve_alone: configuration");
    tailrace::serve(std::string(configuration));
  });
}

void tailrace_hdf5_lock(void) { tailrace::hdf5_lock(); }
void tailrace_hdf5_unlock(void) { tailrace::hdf5_unlock(); }

const char* tailrace_version(void) {
  static const std::string version = tailrace::version();
  return version.c_str();
}
}
