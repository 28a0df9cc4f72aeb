"""From the scene to a job."""
