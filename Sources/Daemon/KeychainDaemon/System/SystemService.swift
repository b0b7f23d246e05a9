// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainServer
import KeychainWire

/// The system service: one daemon, as a user of its own, for the programs of all users.
enum SystemService {
    /// The longest interval between two checks for keychains that are no longer needed, in seconds.
    private static let interval = 60

    /// Serves until it is asked to stop, or is idle.
    static func serve(_ start: ServiceStart) throws(DaemonFailure) {
        let (arguments, log) = (start.arguments, start.log)
        guard geteuid() != 0 else {
            throw DaemonFailure("the system service runs as a user of its own, not as root", .usage)
        }
        // Before there is a second thread.
        let failure = keychain_pass_no_capabilities()
        guard failure == 0 else { throw DaemonFailure(.system(call: "prctl", path: "keychaind", errno: failure)) }
        var options = PartitionOptions()
        if let folder = arguments.store { options.folder = folder }
        if let seconds = arguments.idleSeconds { options.idleSeconds = seconds }
        if let limit = arguments.keychainLimit { options.limitMebibytes = limit }
        (options.audit, options.log) = (arguments.audit, log)
        try checkFolder(options.folder)
        let place = arguments.socket.map { SocketLocation(path: $0, isSystemService: true) } ?? .system
        let listening: ListeningSocket?
        let server: KeychainServer
        let admission = SystemAdmission(options)
        do {
            listening = start.passedOn.isEmpty ? try ListeningSocket(place) : nil
            server = try KeychainServer(
                sockets: listening.map { [$0.descriptor] } ?? start.passedOn,
                options: DescriptorLimit.serverOptions(
                    DescriptorLimit.raise(reserving: DescriptorLimit.reservedOfSystemService),
                    .systemService,
                    reserving: DescriptorLimit.reservedOfSystemService
                ),
                admission: admission
            )
        } catch {
            throw DaemonFailure(error)
        }
        admission.removeRemains()
        // The socket is removed at the end of this function, even if a thread still waits.
        let isUnreachable: @Sendable () -> Bool = { [weak listening] in listening?.isReplaced ?? false }
        let life = DaemonLife(
            endsWhenIdleFor: arguments.idleSeconds,
            holdsKeys: { admission.isInUse },
            isUnreachable: start.passedOn.isEmpty ? isUnreachable : nil,
            checkedEvery: max(1, min(options.idleSeconds / 4, interval)),
            wake: { kill(getpid(), SIGTERM) }
        )
        let sessions = SessionLock(log) { event in admission.handle(event, log) }
        sessions.start()
        defer { sessions.stop() }
        log.write(.information, "\(ProductVersion.text) serves the keychains in \(options.folder)")
        try start.run(server, life: life)
        admission.close()
        _ = consume listening
    }

    /// Refuses a folder of keychains that other users could read or change.
    private static func checkFolder(_ path: String) throws(DaemonFailure) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw DaemonFailure("there is no folder \(path) for the keychains; create it for the service's user alone")
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw DaemonFailure("\(path), the keychains' folder, must be owned by the service's user, with mode 0700")
        }
    }
}
