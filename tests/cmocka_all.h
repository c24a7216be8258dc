/* cmocka with what it needs before it. */
#ifndef CMOCKA_ALL_H
#define CMOCKA_ALL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#endif
