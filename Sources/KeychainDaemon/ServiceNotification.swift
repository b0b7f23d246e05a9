// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc

/// Tells the service manager what state the daemon is in: one datagram to the socket that it names (sd_notify(3)).
struct ServiceNotification: Sendable {
    /// The socket; `nil` where no service manager listens.
    private let socket: String?

    /// The service manager of this process; children do not inherit the variable.
    static func take() -> ServiceNotification {
        defer { unsetenv("NOTIFY_SOCKET") }
        return ServiceNotification(socket: getenv("NOTIFY_SOCKET").map { String(cString: $0) })
    }

    /// A service manager at this socket: a path, or an abstract name after `@`.
    init(socket: String?) { self.socket = socket.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil } }

    /// The daemon is ready.
    func ready(_ status: String) { send(["READY=1", "STATUS=\(status)"]) }

    /// The daemon is stopping, once calls in progress are answered.
    func stopping() { send(["STOPPING=1", "STATUS=Ending."]) }

    private func send(_ assignments: [String]) {
        guard let socket else { return }
        _ = keychain_send_datagram(socket, assignments.joined(separator: "\n"))
    }
}
