"""Numbers of the system calls that the seccomp filter names, for the two supported architectures.

From the kernel's `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`. A number never
changes its meaning; a call that an architecture never had is missing from its table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """System-call numbers of one architecture.

    Attributes:
        audit: the kernel's identifier of the calling convention.
        numbers: call → number.
        foreign_from: first number that belongs to another calling convention of the same machine, or None.
    """

    audit: int
    numbers: Mapping[str, int]
    foreign_from: int | None = None


_EVERYWHERE = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "pidfd_open": 434, "clone3": 435, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443,
    "process_mrelease": 448, "fchmodat2": 452,
    "setxattrat": 463, "removexattrat": 466, "file_setattr": 469,
}  # fmt: skip

_X86_64 = {
    "ioctl": 16, "shmget": 29, "socket": 41, "connect": 42, "sendto": 44, "sendmsg": 46, "bind": 49, "socketpair": 53,
    "fcntl": 72, "flock": 73, "utime": 132, "setpriority": 141, "sched_setparam": 142, "sched_setscheduler": 144,
    "sched_setaffinity": 203, "utimes": 235, "ioprio_set": 251, "migrate_pages": 256, "futimesat": 261,
    "move_pages": 279, "utimensat": 280, "sendmmsg": 307, "sched_setattr": 314, "clone": 56, "fork": 57, "vfork": 58, "execve": 59,
    "kill": 62, "semget": 64, "msgget": 68, "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93, "lchown": 94,
    "ptrace": 101, "syslog": 103, "setpgid": 109, "setsid": 112, "rt_sigqueueinfo": 129,
    "vhangup": 153, "pivot_root": 155, "prctl": 157, "adjtimex": 159, "chroot": 161, "acct": 163,
    "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169,
    "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173, "init_module": 175,
    "delete_module": 176, "quotactl": 179, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190,
    "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199, "tkill": 200, "lookup_dcookie": 212,
    "clock_settime": 227, "tgkill": 234, "mq_open": 240, "kexec_load": 246, "add_key": 248,
    "request_key": 249, "keyctl": 250, "fchownat": 260, "fchmodat": 268, "unshare": 272,
    "rt_tgsigqueueinfo": 297, "perf_event_open": 298, "prlimit64": 302,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308,
    "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "seccomp": 317,
    "inotify_init": 253, "inotify_add_watch": 254, "inotify_init1": 294, "fanotify_init": 300, "fanotify_mark": 301,
    "kexec_file_load": 320, "bpf": 321, "execveat": 322, "userfaultfd": 323,
}  # fmt: skip

_AARCH64 = {
    "fcntl": 25, "ioctl": 29, "ioprio_set": 30, "flock": 32, "utimensat": 88, "sched_setparam": 118,
    "sched_setscheduler": 119, "sched_setaffinity": 122, "setpriority": 140, "socketpair": 199, "sendto": 206,
    "sendmsg": 211, "migrate_pages": 238, "move_pages": 239, "sendmmsg": 269, "sched_setattr": 274,
    "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
    "lookup_dcookie": 18, "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "fchmod": 52,
    "fchmodat": 53, "fchownat": 54, "fchown": 55, "vhangup": 58, "quotactl": 60, "acct": 89,
    "unshare": 97, "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112,
    "syslog": 116, "ptrace": 117, "kill": 129, "tkill": 130, "tgkill": 131, "rt_sigqueueinfo": 138,
    "reboot": 142, "setpgid": 154, "setsid": 157, "sethostname": 161, "setdomainname": 162, "prctl": 167,
    "settimeofday": 170, "adjtimex": 171, "mq_open": 180, "msgget": 186, "semget": 190, "shmget": 194,
    "socket": 198, "bind": 200, "connect": 203, "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220,
    "execve": 221, "swapon": 224, "swapoff": 225, "rt_tgsigqueueinfo": 240, "perf_event_open": 241,
    "prlimit64": 261, "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
    "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "seccomp": 277,
    "inotify_init1": 26, "inotify_add_watch": 27, "fanotify_init": 262, "fanotify_mark": 263,
    "bpf": 280, "execveat": 281, "userfaultfd": 282, "kexec_file_load": 294,
}  # fmt: skip

ARCHITECTURES: Mapping[str, Architecture] = {
    "x86_64": Architecture(audit=0xC000003E, numbers=_EVERYWHERE | _X86_64, foreign_from=0x40000000),
    "aarch64": Architecture(audit=0xC00000B7, numbers=_EVERYWHERE | _AARCH64),
}
"""Machine, as `platform.machine` names it → its architecture."""
