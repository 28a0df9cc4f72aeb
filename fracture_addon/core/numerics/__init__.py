"""Connected components, unique rows, rotations, Morton codes and sparse solvers, independent of fracture."""
