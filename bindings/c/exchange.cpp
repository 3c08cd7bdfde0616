// The calls of the time loop: step, the files that the model opens, wants, put, acquire, publish.
#include <algorithm>
#include <span>

#include "fortran.h"
#include "guard.hpp"
#include "handle.hpp"

using tailrace::Error;
using tailrace::ErrorCode;
using tailrace::FieldHandle;
using tailrace::bindings::guarded;
using tailrace::bindings::guarded_value;
using tailrace::bindings::required;
using tailrace::bindings::running;
using tailrace::bindings::text_or;
using tailrace::bindings::type_of;

namespace {

// Throws Error(usage) with the name of the field, which it looks up only then: a put must be cheap.
void check_put(const tailrace_session& session, int field, int type, int rank) {
  if (type >= TAILRACE_FLOAT32 && type <= TAILRACE_INT64 && rank >= 0 && rank <= TAILRACE_MAX_RANK) return;
  const std::string owner = "put of field \"" + session.shapes.of(FieldHandle{field}).name + "\"";
  type_of(type, owner);
  throw Error(ErrorCode::usage, owner + ": rank " + std::to_string(rank) + " is not between 0 and 5");
}

// The session keeps the view, so that a put allocates nothing. `strides`: null for a dense array.
void set_view(tailrace::ArrayView& view, const void* data, int type, std::span<const int64_t> shape,
              const int64_t* strides) {
  view.data = data;
  view.type = static_cast<tailrace::Type>(type);
  view.shape.assign(shape.begin(), shape.end());
  view.strides.clear();
  if (strides != nullptr) view.strides.assign(strides, strides + shape.size());
}

}  // namespace

extern "C" {

int tailrace_step(tailrace_session* session, int64_t step, double time, tailrace_error* error) {
  return guarded(error, [&] { running(session).session.step(step, time); });
}

int tailrace_open_file(tailrace_session* stream, const char* path, tailrace_error* error) {
  return guarded(error, [&] {
    required(path, "tailrace_open_file: path");
    running(stream).session.open_file(path);
  });
}

int tailrace_close_file(tailrace_session* stream, tailrace_error* error) {
  return guarded(error, [&] { running(stream).session.close_file(); });
}

int tailrace_written(tailrace_session* stream, int64_t step, tailrace_error* error) {
  return guarded_value(error, -1, [&] { return running(stream).session.written(step) ? 1 : 0; });
}

int tailrace_handle(const tailrace_session* session, const char* name, tailrace_error* error) {
  return guarded_value(error, -1, [&] { return running(session).session.handle(text_or(name)).index; });
}

int tailrace_wants(const tailrace_session* session, int field, tailrace_error* error) {
  return guarded_value(error, -1, [&] { return running(session).session.wants(FieldHandle{field}) ? 1 : 0; });
}

int tailrace_wants_at_end(const tailrace_session* session, int field, tailrace_error* error) {
  return guarded_value(error, -1,
                       [&] { return running(session).session.wants_at_end(FieldHandle{field}) ? 1 : 0; });
}

int tailrace_put(tailrace_session* session, int field, const void* data, int type, size_t count,
                 tailrace_error* error) {
  return guarded(error, [&] {
    check_put(running(session), field, type, 1);
    session->session.put_dense(FieldHandle{field}, data, static_cast<tailrace::Type>(type), count);
  });
}

int tailrace_put_strided(tailrace_session* session, int field, const void* data, int type, int rank,
                         const int64_t* shape, const int64_t* strides, tailrace_error* error) {
  return guarded(error, [&] {
    check_put(running(session), field, type, rank);
    if (rank > 0) required(shape, "put: shape");
    set_view(session->view, data, type, {shape, static_cast<std::size_t>(rank)}, strides);
    session->session.put(FieldHandle{field}, session->view);
  });
}

int tailrace_put_block(tailrace_session* session, int field, size_t block, const void* data, int type,
                       int rank, const int64_t* shape, const int64_t* strides, tailrace_error* error) {
  return guarded(error, [&] {
    check_put(running(session), field, type, rank);
    if (rank > 0) required(shape, "put_block: shape");
    set_view(session->view, data, type, {shape, static_cast<std::size_t>(rank)}, strides);
    session->session.put_block(FieldHandle{field}, block, session->view);
  });
}

void tailrace_list_fastest_first(tailrace_session* session) {
  session->view.fastest_first_in_messages = true;
}

int tailrace_put_unwanted(tailrace_session* session, int field) {
  return session != nullptr && session->session.put_unwanted(FieldHandle{field}) ? 1 : 0;
}

int tailrace_acquire(tailrace_session* session, int field, void** slot, size_t* bytes,
                     tailrace_error* error) {
  return guarded(error, [&] {
    required(slot, "acquire: slot") = nullptr;
    const auto memory = running(session).session.acquire(FieldHandle{field});
    if (!memory.empty()) *slot = memory.data();
    if (bytes != nullptr) *bytes = memory.size();
  });
}

int tailrace_publish(tailrace_session* session, int field, tailrace_error* error) {
  return guarded(error, [&] { running(session).session.publish(FieldHandle{field}); });
}

int tailrace_local_shape(const tailrace_session* session, int field, int64_t shape[TAILRACE_MAX_RANK],
                         int* type, tailrace_error* error) {
  return guarded_value(error, -1, [&] {
    const auto& local = running(session).shapes.of(FieldHandle{field});
    if (shape != nullptr)
      std::copy_n(local.extents.begin(), std::min<std::size_t>(local.extents.size(), TAILRACE_MAX_RANK),
                  shape);
    if (type != nullptr) *type = static_cast<int>(local.type);
    return static_cast<int>(local.extents.size());
  });
}
}
