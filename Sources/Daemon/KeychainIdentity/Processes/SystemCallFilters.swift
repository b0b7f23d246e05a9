// SPDX-License-Identifier: Apache-2.0

import Glibc

/// System call filters (seccomp(2)) that a process inherited from the process that started it.
///
/// With such a filter another process can answer system calls (`SECCOMP_RET_USER_NOTIF`): the program gets a socket of
/// that process's own, and that process reads the replies. It can also make them fail, such as those with which the
/// loader finds the folder of the program.
enum SystemCallFilters {
    /// Checks that threads have no filters beyond those of every process in the system, such as those of a container.
    ///
    /// - Parameters:
    ///   - states: the threads.
    ///   - common: the number of filters that every process has.
    /// - Throws: ``IdentityError`` for a thread that has more.
    static func check(_ states: [PeerProcess.State], common: UInt64 = ofFirstProcess()) throws(IdentityError) {
        guard states.contains(where: { $0.filterCount > common }) else { return }
        throw IdentityError(
            "its system calls are filtered (seccomp), and who started it may answer them in the system's place: start it "
                + "without, or have its manifest allow that ('keychainctl sign --seccomp')"
        )
    }

    /// The filters of the first process of the PID namespace, from which all others inherit.
    private static func ofFirstProcess() -> UInt64 {
        guard let file = Descriptor("/proc/1/status", O_RDONLY),
            let status = file.contents(limit: ProcessFolder.maximumStatusBytes)
        else { return 0 }
        return ProcessStatus.filterCount(status)
    }
}
