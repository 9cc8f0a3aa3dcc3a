import halide as hl
