// What a model does in its time loop: step, wants, put, acquire, commit.
#include <algorithm>

#include "guard.hpp"
#include "handle.hpp"

using tailrace::ArrayView;
using tailrace::Error;
using tailrace::ErrorCode;
using tailrace::FieldHandle;
using tailrace::bindings::guarded;
using tailrace::bindings::guarded_value;
using tailrace::bindings::required;
using tailrace::bindings::text_or;
using tailrace::bindings::type_of;

namespace {

void fill(ArrayView& view, const void* data, int type, int rank, const int64_t* shape,
          const int64_t* strides) {
  if (rank < 0 || rank > TAILRACE_MAX_RANK) {
    throw Error(ErrorCode::usage, "put: rank " + std::to_string(rank) + " is not between 0 and 5");
  }
  if (rank > 0) required(shape, "put: shape");
  view.data = data;
  view.type = type_of(type, "put");
  view.shape.assign(shape, shape + rank);
  view.strides.clear();
  if (strides != nullptr) view.strides.assign(strides, strides + rank);
}

}  // namespace

extern "C" {

int tailrace_step(tailrace_session* session, int64_t step, double time, tailrace_error* error) {
  return guarded(error, [&] { required(session, "session").session.step(step, time); });
}

int tailrace_handle(const tailrace_session* session, const char* name, tailrace_error* error) {
  return guarded_value(error, -1,
                       [&] { return required(session, "session").session.handle(text_or(name)).index; });
}

int tailrace_wants(const tailrace_session* session, int field, tailrace_error* error) {
  return guarded_value(
      error, -1, [&] { return required(session, "session").session.wants(FieldHandle{field}) ? 1 : 0; });
}

int tailrace_put(tailrace_session* session, int field, const void* data, int type, size_t count,
                 tailrace_error* error) {
  return guarded(error, [&] {
    required(session, "session").session.put_dense(FieldHandle{field}, data, type_of(type, "put"), count);
  });
}

int tailrace_put_strided(tailrace_session* session, int field, const void* data, int type, int rank,
                         const int64_t* shape, const int64_t* strides, tailrace_error* error) {
  return guarded(error, [&] {
    fill(required(session, "session").view, data, type, rank, shape, strides);
    session->session.put(FieldHandle{field}, session->view);
  });
}

int tailrace_acquire(tailrace_session* session, int field, void** slot, size_t* bytes,
                     tailrace_error* error) {
  return guarded(error, [&] {
    required(slot, "acquire: slot") = nullptr;
    const auto memory = required(session, "session").session.acquire(FieldHandle{field});
    if (!memory.empty()) *slot = memory.data();
    if (bytes != nullptr) *bytes = memory.size();
  });
}

int tailrace_commit(tailrace_session* session, int field, tailrace_error* error) {
  return guarded(error, [&] { required(session, "session").session.commit(FieldHandle{field}); });
}

int tailrace_local_shape(const tailrace_session* session, int field, int64_t shape[TAILRACE_MAX_RANK],
                         int* type, tailrace_error* error) {
  return guarded_value(error, -1, [&] {
    const auto& local = required(session, "session").shapes.of(FieldHandle{field});
    if (shape != nullptr)
      std::copy_n(local.extents.begin(), std::min<std::size_t>(local.extents.size(), TAILRACE_MAX_RANK),
                  shape);
    if (type != nullptr) *type = static_cast<int>(local.type);
    return static_cast<int>(local.extents.size());
  });
}
}
