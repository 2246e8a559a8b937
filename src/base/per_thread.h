// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object for each thread that outlives std::exit. `thread_local` objects of the thread that
// calls exit are destroyed before the handlers of atexit run, and clients make their last calls in
// such handlers (libgomp releases its devices); the destructors of POSIX keys run only when a
// thread ends.
#pragma once

#include <pthread.h>

#include <cstdlib>

namespace heddle {

/// Its objects have static storage duration.
template <class T>
class PerThread {
 public:
  PerThread() {
    const auto destroy = [](void* object) { delete static_cast<T*>(object); };
    if (pthread_key_create(&key_, destroy) != 0) std::abort();  // 1024 are taken
  }

  /// The object of the calling thread, made on first use.
  T& here() const {
    auto* object = static_cast<T*>(pthread_getspecific(key_));
    if (!object) {
      object = new T;
      pthread_setspecific(key_, object);
    }
    return *object;
  }

 private:
  pthread_key_t key_;
};

}  // namespace heddle
