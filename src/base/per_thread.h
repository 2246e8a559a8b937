// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object of each thread that outlives std::exit. `thread_local` objects of the thread that calls
// exit are destroyed before the handlers of atexit run, and clients do their last calls there
// (libgomp gives its devices back); the destructors of POSIX keys run only where a thread ends.
#pragma once

#include <pthread.h>

#include <cstdlib>

namespace heddle {

/// Make it once, with static storage duration.
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
