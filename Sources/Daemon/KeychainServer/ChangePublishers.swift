// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainWire
import Synchronization

/// Notifies subscribers of other programs' changes, each user's on a thread of their own: checking whether a subscriber
/// is still the same program may take long, and no other user waits for that.
final class ChangePublishers: Sendable {
    private let options: ServerOptions
    private let publishers = Mutex<[UInt32: ChangePublisher]>([:])

    /// The time limit for the last batches in total.
    private static let stopMilliseconds = 1_000

    /// Publishers for the subscriptions that the options allow.
    init(_ options: ServerOptions) { self.options = options }

    /// Reserves a subscription, as ``ChangePublisher/reserve(_:)`` does.
    func reserve(_ subscriber: ChangeSubscriber) throws(KeychainError) {
        try publisher(of: subscriber).reserve(subscriber)
    }

    /// Adds a subscriber, like ``ChangePublisher/add(_:_:tell:)``.
    func add(
        _ subscriber: ChangeSubscriber,
        _ filter: ChangeFilter,
        tell: @escaping @Sendable (ChangeNotice) -> Void
    ) throws(KeychainError) {
        try publisher(of: subscriber).add(subscriber, filter, tell: tell)
    }

    private func publisher(of subscriber: ChangeSubscriber) -> ChangePublisher {
        publishers.withLock { publishers in
            let user = subscriber.share.user
            let publisher = publishers[user] ?? ChangePublisher(options)
            publishers[user] = publisher
            return publisher
        }
    }

    /// Removes a subscriber.
    func remove(_ subscriber: ChangeSubscriber) { self[subscriber.share.user]?.remove(subscriber.number) }

    /// Records what a user's program changed, once that is stored.
    func record(_ notice: ChangeNotice, by peer: any ConnectedPeer, of user: UInt32) {
        self[user]?.record(notice, by: peer)
    }

    /// Notifies of the last changes, and ends the threads.
    func stop() {
        let publishers = publishers.withLock { Array($0.values) }
        for publisher in publishers { publisher.stop() }
        let end = DispatchTime.now() + .milliseconds(Self.stopMilliseconds)
        for publisher in publishers { publisher.waitForEnd(until: end) }
    }

    private subscript(_ user: UInt32) -> ChangePublisher? { publishers.withLock { $0[user] } }
}
