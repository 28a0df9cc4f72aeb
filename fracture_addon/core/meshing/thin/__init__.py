"""Ropes and sheets: their centre lines and middle surfaces, and the skins around them."""
