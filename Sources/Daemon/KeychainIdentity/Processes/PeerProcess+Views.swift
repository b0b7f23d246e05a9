// SPDX-License-Identifier: Apache-2.0

import Glibc

// MARK: - How it sees the system

extension PeerProcess {
    /// In which ways its view of the system differs from this process's: names of namespaces, or its root folder.
    func foreignViews() throws(IdentityError) -> [String] {
        var views = [("ns/pid", "PID namespace"), ("ns/mnt", "mount namespace"), ("root", "root folder")]
        // In one of its own, a process has capabilities with which it can appear to run any executable, without any
        // privilege outside of it (prctl(2), PR_SET_MM). Some kernels are built without it.
        if access("/proc/self/ns/user", F_OK) == 0 { views.append(("ns/user", "user namespace")) }
        var foreign: [String] = []
        for (name, text) in views {
            var theirs = stat()
            var ours = stat()
            guard fstatat(folder.number, name, &theirs, 0) == 0, stat("/proc/self/\(name)", &ours) == 0 else {
                if errno == EACCES || errno == EPERM { return try foreignViewsOfAnybody() }
                throw folder.failure("its \(text) cannot be inspected")
            }
            if theirs.st_dev != ours.st_dev || theirs.st_ino != ours.st_ino { foreign.append(text) }
        }
        return foreign
    }

    /// The same from world-readable files, for a process that others may not inspect, such as `keychainctl`: its
    /// mounts, by identifiers that are unique on the host (proc(5), `mountinfo`), its PID namespaces, and the users of
    /// its user namespace (user_namespaces(7)).
    ///
    /// Only root can create a user namespace with the users of the first one. If the daemon itself is in another one, a
    /// user can create one with the same users; the executable of such a process is not visible either.
    func foreignViewsOfAnybody() throws(IdentityError) -> [String] {
        guard let theirs = folder.contents("status", limit: ProcessFolder.maximumStatusBytes),
            let ours = Self.contents("/proc/self/status", limit: ProcessFolder.maximumStatusBytes)
        else { throw folder.failure("its PID namespace cannot be inspected") }
        var foreign: [String] = []
        let counts = [theirs, ours].map(ProcessStatus.namespaceCount)
        if counts[0] != counts[1] { foreign.append("PID namespace") }
        var hasSameMounts = false
        // Something may be mounted between the two reads.
        for _ in 0..<3 where !hasSameMounts {
            guard let theirs = folder.contents("mountinfo", limit: Self.maximumMountBytes), !theirs.isEmpty,
                let ours = Self.contents("/proc/self/mountinfo", limit: Self.maximumMountBytes)
            else { throw folder.failure("its mount namespace cannot be inspected") }
            hasSameMounts = theirs == ours
        }
        if !hasSameMounts { foreign.append("mount namespace") }
        let users = "uid_map"
        if let ours = Self.contents("/proc/self/\(users)", limit: Self.maximumUserBytes) {
            guard let theirs = folder.contents(users, limit: Self.maximumUserBytes) else {
                throw folder.failure("its user namespace cannot be inspected")
            }
            if theirs != ours { foreign.append("user namespace") }
        }
        return foreign
    }

    private static let maximumMountBytes = 1 << 22

    /// The map has at most 340 lines (user_namespaces(7)).
    private static let maximumUserBytes = 1 << 15

    private static func contents(_ path: String, limit: Int) -> [UInt8]? {
        guard let file = Descriptor(path, O_RDONLY) else { return nil }
        return file.contents(limit: limit)
    }
}
