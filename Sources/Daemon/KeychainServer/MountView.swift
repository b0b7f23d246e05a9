// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// Whether a process sees the same mounts as this one, or is in a sandbox.
enum MountView: Sendable, Hashable {
    case same
    /// It is in another mount namespace.
    case other(Namespace)
    /// It is gone, or not visible.
    case unknown

    /// A mount namespace: by its identity, or for a process that others may not inspect, by the identifier of its first
    /// mount, which is unique on the host (proc(5), `mountinfo`).
    enum Namespace: Sendable, Hashable {
        case identity(FileIdentity)
        case firstMount(String)
    }

    /// The view of a process.
    ///
    /// The kernel is asked (namespaces(7)), which asks no file system.
    init(of process: pid_t) {
        guard let own = FileIdentity(target: "/proc/self/ns/mnt") else {
            self = .same
            return
        }
        guard let identity = FileIdentity(target: "/proc/\(process)/ns/mnt") else {
            self.init(ofAnybody: process)
            return
        }
        self = identity == own ? .same : .other(.identity(identity))
    }

    /// The view of a process that others may not inspect, as one in a sandbox can bring about, and programs like
    /// `keychainctl` do: both are told apart, so that the first does not take the places of the second.
    init(ofAnybody process: pid_t) {
        guard let own = Self.firstMount(of: "self"), let theirs = Self.firstMount(of: "\(process)") else {
            self = .unknown
            return
        }
        self = theirs == own ? .same : .other(.firstMount(theirs))
    }

    /// The identifier of the first mount that a process sees.
    private static func firstMount(of process: String) -> String? {
        let descriptor = open("/proc/\(process)/mountinfo", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Each line begins with an identifier and a space.
        var start = [UInt8](repeating: 0, count: 32)
        let count = read(descriptor, &start, start.count)
        let digits = start.prefix(max(0, count)).prefix { $0 != UInt8(ascii: " ") }
        return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
    }
}
