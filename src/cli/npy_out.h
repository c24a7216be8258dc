/* A .npy file: float32 numbers in rows, readable with numpy.load. */
#ifndef CLI_NPY_OUT_H
#define CLI_NPY_OUT_H

#include "cli.h"

/* Writes values[rows][columns] as float32, whole or not at all; stops after a signal. */
int cli_npy_write(const char *path, const double *values, size_t rows, size_t columns, scadyg_error *error);
int cli_npy_write_floats(const char *path, const float *values, size_t rows, size_t columns, scadyg_error *error);

#endif
