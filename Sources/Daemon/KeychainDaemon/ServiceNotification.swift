// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc

/// Tells the service manager what state the daemon is in: one datagram to the socket that it names (sd_notify(3)).
struct ServiceNotification: Sendable {
    /// The socket; `nil` where no service manager listens.
    private let socket: String?

    /// How often to say that the daemon works, in milliseconds: twice in the time after which the service manager ends
    /// it otherwise (`WatchdogSec=`, sd_watchdog_enabled(3)); `nil` for never.
    let watchdogMilliseconds: Int32?

    /// The service manager of this process; children do not inherit the variables.
    static func take() -> ServiceNotification {
        let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        let values = names.map { getenv($0).map { String(cString: $0) } }
        for name in names { unsetenv(name) }
        return ServiceNotification(socket: values[0], watchdog: values[1], process: values[2])
    }

    /// A service manager.
    ///
    /// - Parameters:
    ///   - socket: its socket: a path, or an abstract name after `@`.
    ///   - watchdog: within how many microseconds it wants to hear from the daemon.
    ///   - process: from which process; `nil` for this one.
    init(socket: String?, watchdog: String? = nil, process: String? = nil) {
        self.socket = socket.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isMeant = process.map { $0 == "\(getpid())" } ?? true
        let microseconds = isMeant ? watchdog.flatMap { UInt64($0) } ?? 0 : 0
        watchdogMilliseconds = microseconds == 0 ? nil : Int32(clamping: max(1, microseconds / 2000))
    }

    /// The daemon is ready.
    func ready(_ status: String) { send(["READY=1", "STATUS=\(status)"]) }

    /// The daemon is stopping, once calls in progress are answered.
    func stopping() { send(["STOPPING=1", "STATUS=Ending."]) }

    /// The daemon works.
    func alive() { send(["WATCHDOG=1"]) }

    private func send(_ assignments: [String]) {
        guard let socket else { return }
        _ = keychain_send_datagram(socket, assignments.joined(separator: "\n"))
    }
}
