"""Confinement by the Linux kernel: Landlock, seccomp, and the system calls that they need."""
