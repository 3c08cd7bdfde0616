// Runs a function and converts what it throws to a tailrace_error, since no exception may enter C.
#pragma once

#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "handle.hpp"
#include "tailrace/error.hpp"
#include "tailrace/tailrace.h"

namespace tailrace::bindings {

// Fill `error`, unless it is NULL, and return the code.
int report(tailrace_error* error, ErrorCode code, const char* message) noexcept;
int report_current_exception(tailrace_error* error) noexcept;

// Returns the function's value, or `on_failure` with `error` filled.
template <class T, class Function>
T guarded_value(tailrace_error* error, T on_failure, Function&& function) noexcept {
  if (error != nullptr && error->code != 0) tailrace_error_clear(error);
  try {
    return std::forward<Function>(function)();
  } catch (...) {
    report_current_exception(error);
    return on_failure;
  }
}

// Returns 0, or the error's code.
template <class Function>
int guarded(tailrace_error* error, Function&& function) noexcept {
  if (error != nullptr && error->code != 0) tailrace_error_clear(error);
  try {
    std::forward<Function>(function)();
    return TAILRACE_OK;
  } catch (...) {
    return report_current_exception(error);
  }
}

// Throws Error(usage) with the name of the argument if it is NULL.
template <class T>
T& required(T* pointer, const char* what) {
  if (pointer == nullptr) throw Error(ErrorCode::usage, std::string(what) + " is NULL");
  return *pointer;
}

// Throws Error(usage) if the number is not a tailrace_type; `owner` opens the message.
inline Type type_of(int type, const std::string& owner) {
  if (type < TAILRACE_FLOAT32 || type > TAILRACE_INT64) {
    throw Error(ErrorCode::usage, owner + ": type " + std::to_string(type) +
                                      " is not one of float32, float64, int32, int64 (0 to 3)");
  }
  return static_cast<Type>(type);
}

template <class Session>
Session& running(Session* session) {
  if (session == nullptr) {
    throw Error(ErrorCode::usage, "this session was not started: call start first, and look at its error");
  }
  return *session;
}

inline std::string text_or(const char* text, const char* otherwise = "") { return text ? text : otherwise; }

}  // namespace tailrace::bindings
