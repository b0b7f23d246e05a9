// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The process that listens on a daemon's socket (`SO_PEERCRED`, unix(7)).
///
/// The folder of the socket may be visible in sandboxes whose processes see neither the keychain's folder nor the items
/// of other programs. Such a process can put its own socket there.
struct ListeningProcess {
    let identifier: pid_t

    /// Whether it is the daemon that holds the lock of a keychain's folder, or the user's systemd, listening for one.
    ///
    /// Also where that cannot be determined: if it runs outside of this PID namespace, or if the folder is not visible
    /// here, as to a program that is in a sandbox itself.
    func serves(_ path: String) -> Bool {
        // A process that inspects a lock of its own releases it.
        guard identifier > 0, identifier != getpid(),
            let folder = (try? PrivateDirectory(existing: KeychainLocation(path: path))) ?? nil
        else { return true }
        if FileLock.holder(of: DaemonRecord.lockName, in: folder) == identifier { return true }
        return ServiceRecord(in: folder)?.unit != nil && isUserManager
    }

    /// Whether it is in the control group of the user's systemd, which a process in a sandbox cannot enter.
    private var isUserManager: Bool {
        let scope = "/user@\(geteuid()).service/init.scope"
        guard let file = fopen("/proc/\(identifier)/cgroup", "re") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            if String(decoding: text, as: UTF8.self).hasSuffix("\(scope)\n") { return true }
        }
        return false
    }
}
