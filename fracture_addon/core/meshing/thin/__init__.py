"""Ropes and sheets: centre lines, middle surfaces, and the closed surfaces around them."""
