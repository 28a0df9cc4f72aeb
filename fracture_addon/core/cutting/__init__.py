"""From labelled cells to fragments of the artist's surface: crack faces, their relief, chips, attributes."""
