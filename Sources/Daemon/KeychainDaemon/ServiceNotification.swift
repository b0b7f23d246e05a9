// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// Notifies the service manager of the daemon's state by the protocol of sd_notify(3); does nothing without a service
/// manager.
///
/// The protocol is spoken here, because a statically linked daemon has no libsystemd.
struct ServiceNotification: Sendable {
    /// The interval of watchdog notifications in milliseconds: half of the time after which the service manager would
    /// otherwise kill it (`WatchdogSec=`, sd_watchdog_enabled(3)); `nil` for never.
    let watchdogMilliseconds: Int32?

    /// The service manager of this process.
    init() {
        let process = ProcessEnvironment.value("WATCHDOG_PID")
        let microseconds = ProcessEnvironment.value("WATCHDOG_USEC").flatMap { UInt64($0) } ?? 0
        let isWatched = microseconds > 0 && (process == nil || process == "\(getpid())")
        watchdogMilliseconds = isWatched ? Int32(clamping: max(1, microseconds / 2000)) : nil
    }

    /// The daemon is ready.
    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// The daemon is stopping, once calls in progress are answered.
    func stopping() { send("STOPPING=1\nSTATUS=Ending.") }

    /// The daemon works.
    func alive() { send("WATCHDOG=1") }

    /// Sends a datagram to the socket that `NOTIFY_SOCKET` names: by a path, or by an abstract name after an `@`.
    private func send(_ state: String) {
        guard let name = ProcessEnvironment.value("NOTIFY_SOCKET"), name.hasPrefix("/") || name.hasPrefix("@") else {
            return
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // The length says where an abstract name ends (unix(7)).
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(socket, state, state.utf8.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
