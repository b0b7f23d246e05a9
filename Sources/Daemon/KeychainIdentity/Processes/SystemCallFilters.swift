// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Filters of system calls (seccomp(2)) that a process inherited from the process that started it.
///
/// Such a filter can have system calls answered by another process (`SECCOMP_RET_USER_NOTIF`): the program gets a
/// socket of that process's own, and its replies with it. It can also have them fail, such as those by which the loader
/// finds the folder of the program.
enum SystemCallFilters {
    /// Checks that threads have no filter that not every process of the system has, such as those of a container.
    ///
    /// - Parameters:
    ///   - states: the threads.
    ///   - common: how many filters every process has.
    /// - Throws: ``IdentityError`` for one that has more.
    static func check(_ states: [PeerProcess.State], common: UInt64 = ofFirstProcess()) throws(IdentityError) {
        guard states.contains(where: { $0.filterCount > common }) else { return }
        throw IdentityError(
            "its system calls are filtered (seccomp), and who started it may answer them in the system's place: start it "
                + "without, or have its manifest allow that ('keychainctl sign --seccomp')"
        )
    }

    /// The filters of the first process of the PID namespace, from which all others are descended: they are inherited.
    private static func ofFirstProcess() -> UInt64 {
        guard let file = Descriptor("/proc/1/status", O_RDONLY),
            let status = file.contents(limit: ProcessFolder.mostStatusBytes)
        else { return 0 }
        return ProcessStatus.filterCount(status)
    }
}
