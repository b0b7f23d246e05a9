// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainOnDemand
import KeychainTestSupport
import ServerTestSupport
import Testing

@testable import KeychainRouting

/// What a program that listens is notified of when its store changes owner.
struct RouteObserversTests {
    @Test("a change of owner is notified once, by the next daemon or, if there is none, for want of one")
    func once() {
        let backends: [StoreOwner: any KeychainBackend] = [
            .embedded: SilentKeychain(), .daemon: NotifyingDaemon(), .system: NotifyingDaemon(),
        ]
        let observers = RouteObservers(backends, folder: nil, retryMilliseconds: 60_000)
        let notices = RecordedNotices()
        let observation = observers.add(Client(accessGroups: ["shared"]), notices.record)
        observers.resubscribe(to: .embedded)
        for owner in [.daemon, .system, .daemon, .embedded, .system, .embedded] as [StoreOwner] {
            observers.resubscribe(to: owner)
            #expect(notices.next() == .unknown, "\(owner)")
        }
        // What came too often came before the last one, which a serial queue delivers.
        #expect(notices.isEmpty)
        withExtendedLifetime(observation) {}
    }
}

/// A daemon whose observations begin with a notice, as those of every daemon do.
private struct NotifyingDaemon: NotifyingKeychain {
    var identity: ObjectIdentifier { ObjectIdentifier(RecordedNotices.self) }

    let families = CommandFamily.all

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply { .done }

    func observe(
        as client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) throws(KeychainError) -> ChangeObservation {
        handler(.unknown)
        return ChangeObservation {}
    }
}

/// An embedded keychain, which notifies nobody.
private struct SilentKeychain: KeychainBackend {
    var identity: ObjectIdentifier { ObjectIdentifier(RecordedNotices.self) }

    let families = CommandFamily.all

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply { .done }
}
