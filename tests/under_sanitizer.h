/* Whether this is a build with a sanitizer. */
#ifndef TESTS_UNDER_SANITIZER_H
#define TESTS_UNDER_SANITIZER_H

/* What is large is left to the builds without a sanitizer, which makes it ten times as slow. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER 0
#endif

#endif
