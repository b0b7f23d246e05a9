// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// Whether a process sees the same mounts as this one, or is in a sandbox.
enum MountView: Sendable, Hashable {
    case same
    /// It is in another mount namespace.
    case other(FileIdentity)
    /// It cannot be inspected, as a process that is in a sandbox can bring about, and programs like `keychainctl` do.
    case unknown

    /// The view of a process.
    ///
    /// The kernel is asked (namespaces(7)), which asks no file system.
    init(of process: pid_t) {
        guard let own = FileIdentity(target: "/proc/self/ns/mnt") else {
            self = .same
            return
        }
        guard let identity = FileIdentity(target: "/proc/\(process)/ns/mnt") else {
            self = .unknown
            return
        }
        self = identity == own ? .same : .other(identity)
    }
}
