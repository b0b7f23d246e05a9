// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost
import KeychainIdentity

/// Whether who connects is in the unit that the address names, as root or the user of this process.
///
/// A service manager connects from a process that it has already put into the control group of the unit. The address
/// alone proves nothing.
struct CredentialPeers: Sendable {
    /// The units of the user's own manager, and those of the system's.
    private let units: [uid_t: [ManagedUnits]]

    /// The file `cgroup` of a process; `nil` if it cannot be read.
    private let controlGroup: @Sendable (pid_t) -> [UInt8]?

    /// The peers of this process, which a service manager has started.
    ///
    /// - Parameters:
    ///   - user: the user of this process.
    ///   - controlGroup: reads the control group of a process.
    /// - Throws: ``Refusal`` if this process is in no unit.
    init(
        user: uid_t = geteuid(),
        controlGroup: @escaping @Sendable (pid_t) -> [UInt8]? = Self.controlGroup(of:)
    ) throws(Refusal) {
        guard let own = controlGroup(getpid()).flatMap(ManagedUnits.init(ofManagerOf:)) else {
            throw Refusal("this process is in no unit of systemd, so it knows no other units: have systemd start it")
        }
        let outer = own.ofOuterManager
        // Root has a manager of its own, too, besides the system's.
        units = user == 0 ? [0: [own, outer].compactMap(\.self)] : [user: [own], 0: [outer ?? own]]
        self.controlGroup = controlGroup
    }

    /// Checks that a request comes from its unit.
    ///
    /// - Throws: ``Refusal`` with the reason why it does not.
    func check(_ request: CredentialRequest, of socket: Int32) throws(Refusal) {
        var (process, user): (pid_t, uid_t) = (0, 0)
        guard keychain_peer(socket, &process, &user) == 0, process > 0 else {
            throw Refusal("the process that asks is not known")
        }
        guard let units = units[user] else { throw Refusal("a process of another user (\(user)) asks") }
        var isExact: Int32 = 0
        let descriptor = keychain_peer_open(socket, process, &isExact)
        guard descriptor >= 0 else { throw Refusal("the process that asks has ended") }
        defer { close(descriptor) }
        // The number is still that of the same process afterwards.
        guard let text = controlGroup(process), keychain_peer_is_alive(descriptor) != 0 else {
            throw Refusal("the process that asks has ended")
        }
        let found = units.compactMap { $0.unit(of: text) }
        guard found.contains(request.unit) else {
            throw Refusal("process \(process), which asks for it, is not in this unit")
        }
    }

    @Sendable
    private static func controlGroup(of process: pid_t) -> [UInt8]? {
        let descriptor = open("/proc/\(process)/cgroup", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let contents = DescriptorContents(of: descriptor, atMost: 1 << 16)
        return contents.end == .complete ? contents.bytes : nil
    }
}
