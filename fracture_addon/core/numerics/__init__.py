"""Connected components, unique rows, rotations, Morton codes and sparse solvers, without anything about fracture."""
