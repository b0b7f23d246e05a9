// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainServer
import KeychainWire

/// What a service of the daemon is started with.
struct ServiceStart: Sendable {
    /// The command line.
    let arguments: DaemonArguments
    /// The listening sockets of the service manager; empty for none.
    let passedOn: [Int32]
    /// The signals that end it.
    let termination: Termination
    /// Notifies the service manager.
    let notification: ServiceNotification
    /// For messages.
    let log: DaemonLog

    /// The time limit for the daemon to exit: longer than it waits for calls in progress, and shorter than the service
    /// manager waits.
    private static let longestEndSeconds: UInt32 = 17

    /// Listens at a place of a user's daemon; `nil` if the service manager does.
    func listen(at place: SocketLocation) throws(DaemonFailure) -> ListeningSocket? {
        do { return passedOn.isEmpty ? try ListeningSocket(place) : nil } catch {
            throw place.answers ? DaemonFailure(error.reason, .done) : DaemonFailure(error)
        }
    }

    /// Serves until the daemon is to exit.
    func run(_ server: KeychainServer, life: DaemonLife) throws(DaemonFailure) {
        let isWatched = HostThread.start(.blocked) {
            let reason = life.waitForEnd(termination)
            log.write(.notice, "stopping: \(reason)")
            notification.stopping()
            server.stop()
            // The process ends before that, or something in it does not, such as a file system.
            sleep(Self.longestEndSeconds)
            log.write(.error, "ending without what does not respond")
            _exit(DaemonStatus.failed.rawValue)
        }
        guard isWatched else { throw DaemonFailure("the system cannot create another thread") }
        notification.ready("Serving.")
        keychain_background_report(DaemonStatus.done.rawValue, "")
        server.run(beatingEvery: notification.watchdogMilliseconds) { notification.alive() }
    }
}
