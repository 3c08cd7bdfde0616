// Inputs, checkpoints and restarts: restarting, available, get, checkpoint, and values.
#include <algorithm>
#include <cstring>
#include <vector>

#include "guard.hpp"
#include "handle.hpp"

using tailrace::Error;
using tailrace::ErrorCode;
using tailrace::FieldHandle;
using tailrace::Value;
using tailrace::bindings::guarded;
using tailrace::bindings::guarded_value;
using tailrace::bindings::required;
using tailrace::bindings::running;
using tailrace::bindings::text_or;
using tailrace::bindings::type_of;

namespace {

constexpr const char* kinds[] = {"whole numbers", "real numbers", "text"};

// The value, which must be of the kind that the caller wants.
template <class T>
T value_as(tailrace_session* session, const char* name) {
  Value value = running(session).session.get_value(text_or(name));
  if (auto* as_wanted = std::get_if<T>(&value)) return std::move(*as_wanted);
  throw Error(ErrorCode::usage, "get_value: \"" + text_or(name) + "\" is " + kinds[value.index()] +
                                    " in the checkpoint, not " + kinds[Value(T()).index()]);
}

void check_capacity(const char* name, std::size_t count, std::size_t capacity) {
  if (count > capacity)
    throw Error(ErrorCode::usage, "get_value: \"" + text_or(name) + "\" takes " + std::to_string(count) +
                                      " elements, and there is room for " + std::to_string(capacity));
}

template <class T>
int get_numbers(tailrace_session* session, const char* name, T* values, std::size_t capacity,
                std::size_t* count, tailrace_error* error) {
  return guarded(error, [&] {
    const auto found = value_as<std::vector<T>>(session, name);
    if (count != nullptr) *count = found.size();
    check_capacity(name, found.size(), capacity);
    if (!found.empty()) std::copy(found.begin(), found.end(), &required(values, "get_value: values"));
  });
}

template <class T>
int put_numbers(tailrace_session* session, const char* name, const T* values, std::size_t count,
                tailrace_error* error) {
  return guarded(error, [&] {
    std::vector<T> kept;
    if (count > 0) kept.assign(&required(values, "put_value: values"), values + count);
    running(session).session.put_value(text_or(name), std::move(kept));
  });
}

}  // namespace

extern "C" {

int tailrace_restarting(tailrace_session* session, int64_t* step, double* time, tailrace_error* error) {
  return guarded_value(error, -1, [&] {
    const auto at = running(session).session.restarting();
    if (at && step != nullptr) *step = at->step;
    if (at && time != nullptr) *time = at->time;
    return at ? 1 : 0;
  });
}

int tailrace_available(const tailrace_session* session, int input, tailrace_error* error) {
  return guarded_value(error, -1,
                       [&] { return running(session).session.available(FieldHandle{input}) ? 1 : 0; });
}

int tailrace_get(tailrace_session* session, int field, void* data, int type, size_t count,
                 tailrace_error* error) {
  const auto elements = static_cast<int64_t>(count);
  return tailrace_get_strided(session, field, data, type, 1, &elements, nullptr, error);
}

int tailrace_get_strided(tailrace_session* session, int field, void* data, int type, int rank,
                         const int64_t* shape, const int64_t* strides, tailrace_error* error) {
  return guarded(error, [&] {
    const auto handle = FieldHandle{field};
    const std::string owner = "get of field \"" + running(session).shapes.of(handle).name + "\"";
    tailrace::MutableArrayView view{data, type_of(type, owner), {}, {}};
    if (rank < 0 || rank > TAILRACE_MAX_RANK)
      throw Error(ErrorCode::usage, owner + ": rank " + std::to_string(rank) + " is not between 0 and 5");
    if (rank > 0) required(shape, "get: shape");
    view.shape.assign(shape, shape + rank);
    if (strides != nullptr) view.strides.assign(strides, strides + rank);
    session->session.get(handle, view);
  });
}

int tailrace_get_value_int(tailrace_session* session, const char* name, int64_t* values, size_t capacity,
                           size_t* count, tailrace_error* error) {
  return get_numbers(session, name, values, capacity, count, error);
}

int tailrace_get_value_real(tailrace_session* session, const char* name, double* values, size_t capacity,
                            size_t* count, tailrace_error* error) {
  return get_numbers(session, name, values, capacity, count, error);
}

int tailrace_get_value_string(tailrace_session* session, const char* name, char* text, size_t capacity,
                              size_t* count, tailrace_error* error) {
  return guarded(error, [&] {
    const auto found = value_as<std::string>(session, name);
    if (count != nullptr) *count = found.size();
    check_capacity(name, found.size() + 1, capacity);
    std::memcpy(&required(text, "get_value: text"), found.c_str(), found.size() + 1);
  });
}

int tailrace_checkpoint_due(tailrace_session* session, tailrace_error* error) {
  return guarded_value(error, -1, [&] { return running(session).session.checkpoint_due() ? 1 : 0; });
}

int tailrace_request_checkpoint(tailrace_session* session, tailrace_error* error) {
  return guarded(error, [&] { running(session).session.request_checkpoint(); });
}

int tailrace_checkpoint(tailrace_session* session, tailrace_error* error) {
  return guarded(error, [&] { running(session).session.checkpoint(); });
}

int tailrace_put_value_int(tailrace_session* session, const char* name, const int64_t* values, size_t count,
                           tailrace_error* error) {
  return put_numbers(session, name, values, count, error);
}

int tailrace_put_value_real(tailrace_session* session, const char* name, const double* values, size_t count,
                            tailrace_error* error) {
  return put_numbers(session, name, values, count, error);
}

int tailrace_put_value_string(tailrace_session* session, const char* name, const char* text,
                              tailrace_error* error) {
  return guarded(error, [&] { running(session).session.put_value(text_or(name), text_or(text)); });
}
}
