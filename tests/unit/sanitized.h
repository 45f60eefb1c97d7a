/* Is this built with AddressSanitizer, which gcc and clang tell in different ways? */
#ifndef SANITIZED_H
#define SANITIZED_H

#if defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Is this built with ThreadSanitizer? It ends children of processes with threads. */
#if defined __SANITIZE_THREAD__
#define THREAD_SANITIZED 1
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#endif
#endif
#ifndef THREAD_SANITIZED
#define THREAD_SANITIZED 0
#endif

#endif
