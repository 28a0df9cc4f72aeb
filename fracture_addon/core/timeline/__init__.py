"""The run of a job in time: rigid motion, impacts, breaks, deformable bodies, and the recording of them."""
