#include "unfinished_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace igcm::grid {
namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, signals.size()> before;
// The name for the handler, which may call unlink but no function that allocates; null: there is none.
const char* volatile unfinished = nullptr;

extern "C" void remove_unfinished(int signal) {
  if (unfinished != nullptr) unlink(unfinished);
  for (std::size_t s = 0; s < signals.size(); ++s)
    if (signals[s] == signal) sigaction(signal, &before[s], nullptr);
  raise(signal);  // it is delivered when the handler returns
}

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw std::runtime_error(path + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) : path_(path) {
  sigset_t held, previous;
  sigemptyset(&held);
  for (const int signal : signals) sigaddset(&held, signal);
  pthread_sigmask(SIG_BLOCK, &held, &previous);  // until the handlers know the file
  const int file = open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  const int error = errno;
  if (file >= 0) {
    close(file);
    watch();
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  errno = error;
  if (file < 0) fail(path, "cannot be created");
}

void UnfinishedFile::watch() {
  unfinished = path_.c_str();
  struct sigaction action {};
  action.sa_handler = remove_unfinished;
  for (std::size_t s = 0; s < signals.size(); ++s) {
    sigaction(signals[s], nullptr, &before[s]);
    if (before[s].sa_handler != SIG_IGN) sigaction(signals[s], &action, nullptr);
  }
}

UnfinishedFile::~UnfinishedFile() {
  if (unfinished != nullptr) unlink(unfinished);
  unfinished = nullptr;
  for (std::size_t s = 0; s < signals.size(); ++s) sigaction(signals[s], &before[s], nullptr);
}

void UnfinishedFile::rename(const std::string& path) {
  // A link fails where a file of that name has come meanwhile; rename(2) would replace it.
  if (link(path_.c_str(), path.c_str()) != 0) {
    const bool replaces = errno == EEXIST || access(path.c_str(), F_OK) == 0;
    if (replaces || std::rename(path_.c_str(), path.c_str()) != 0)
      fail(path, "cannot be given to the new file");
    unfinished = nullptr;
    return;
  }
  unlink(path_.c_str());
  unfinished = nullptr;
}

}  // namespace igcm::grid
