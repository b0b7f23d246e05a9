// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainHost
import Synchronization

/// A program that is notified of changes, or is about to be.
struct ChangeSubscriber: Sendable {
    /// The number of its connection, which no other one has.
    let number: UInt64
    let peer: any ConnectedPeer
    let share: ConnectedProcess.Share
}

/// Notifies the subscribers of one user of other programs' changes.
///
/// The thread that executed a command only records where it changed something. A thread of the publisher, created for
/// the first subscriber, notifies all of them in batches.
final class ChangePublisher: Sendable {
    /// A subscriber with a subscription.
    private struct Observer {
        let peer: any ConnectedPeer
        let share: ConnectedProcess.Share
        let filter: ChangeFilter
        let tell: @Sendable (ChangeNotice) -> Void
    }

    /// The process that made changes, and the keychain.
    private struct Source: Hashable {
        let process: ProcessInstance
        let keychain: ObjectIdentifier
    }

    private struct State {
        var observers: [UInt64: Observer] = [:]
        /// The subscriptions that wait for their turn.
        var reserved: [UInt64: ConnectedProcess.Share] = [:]
        var recorded: [Source: ChangeNotice] = [:]
        /// The keychains that too many processes changed to record each.
        var crowded: Set<ObjectIdentifier> = []
        var hasThread = false
        var isOver = false

        var hasNothing: Bool { recorded.isEmpty && crowded.isEmpty }
    }

    private let state = Mutex(State())
    private let hasObservers = Atomic<Bool>(false)
    private let wake = DispatchSemaphore(value: 0)
    private let isOver = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let maximumPerProcess: Int

    /// The maximum number of processes whose changes are recorded for one batch.
    private static let maximumSources = 256

    /// How long changes are collected between two batches.
    private static let pauseMilliseconds = 20

    /// A publisher for the subscriptions that the options allow.
    init(_ options: ServerOptions) { maximumPerProcess = options.maximumSubscriptionsPerProcess }

    /// Reserves a subscription, until ``add(_:_:tell:)`` or ``remove(_:)``.
    ///
    /// - Throws: `errSecNotAvailable` if the process has too many.
    func reserve(_ subscriber: ChangeSubscriber) throws(KeychainError) {
        let share = subscriber.share
        let isReserved = state.withLock { state in
            let others = state.observers.values.count { $0.share == share }
            guard others + state.reserved.values.count(where: { $0 == share }) < maximumPerProcess else { return false }
            state.reserved[subscriber.number] = share
            return true
        }
        guard !isReserved else { return }
        throw KeychainError(
            .notAvailable,
            "the keychain daemon has reached its limit of subscriptions of this process; end some",
            kind: .unavailable
        )
    }

    /// Adds a subscriber whose subscription was reserved.
    ///
    /// - Parameters:
    ///   - subscriber: the subscriber.
    ///   - filter: the groups that it may access.
    ///   - tell: sends it a notice.
    /// - Throws: `errSecNotAvailable` if the system cannot create another thread.
    func add(
        _ subscriber: ChangeSubscriber,
        _ filter: ChangeFilter,
        tell: @escaping @Sendable (ChangeNotice) -> Void
    ) throws(KeychainError) {
        let needsThread = state.withLock { state in
            state.reserved[subscriber.number] = nil
            state.observers[subscriber.number] = Observer(
                peer: subscriber.peer,
                share: subscriber.share,
                filter: filter,
                tell: tell
            )
            hasObservers.store(true, ordering: .sequentiallyConsistent)
            defer { state.hasThread = true }
            return !state.hasThread && !state.isOver
        }
        guard needsThread, !HostThread.start(.blocked, { [self] in publish() }) else { return }
        state.withLock { $0.hasThread = false }
        remove(subscriber.number)
        throw KeychainError(.notAvailable, "the keychain daemon cannot create another thread", kind: .unavailable)
    }

    /// Removes a subscriber, or a reserved subscription, by its number.
    func remove(_ number: UInt64) {
        state.withLock { state in
            state.reserved[number] = nil
            state.observers[number] = nil
            hasObservers.store(!state.observers.isEmpty, ordering: .sequentiallyConsistent)
        }
    }

    /// Records what a program changed, once that is stored.
    func record(_ notice: ChangeNotice, by peer: any ConnectedPeer) {
        guard hasObservers.load(ordering: .sequentiallyConsistent) else { return }
        let isFirst = state.withLock { state in
            let isFirst = state.hasNothing
            let source = Source(process: peer.process, keychain: peer.backend.identity)
            if state.crowded.contains(source.keychain) { return false }
            if state.recorded[source] == nil, state.recorded.count >= Self.maximumSources {
                state.crowded.formUnion(state.recorded.keys.map(\.keychain))
                state.crowded.insert(source.keychain)
                state.recorded = [:]
                return false
            }
            state.recorded[source]?.merge(notice)
            if state.recorded[source] == nil { state.recorded[source] = notice }
            return isFirst
        }
        if isFirst { wake.signal() }
    }

    /// Has the thread notify of the last changes, and end.
    func stop() {
        state.withLock { $0.isOver = true }
        isOver.signal()
        wake.signal()
    }

    /// Waits until the thread has ended, after ``stop()``, but not beyond a time.
    func waitForEnd(until time: DispatchTime) {
        guard state.withLock(\.hasThread) else { return }
        _ = ended.wait(timeout: time)
    }

    private func publish() {
        defer { ended.signal() }
        while true {
            wake.wait()
            let (observers, recorded, crowded, isStopped) = state.withLock { state in
                defer { (state.recorded, state.crowded) = ([:], []) }
                return (Array(state.observers.values), state.recorded, state.crowded, state.isOver)
            }
            for observer in observers {
                if let notice = Self.notice(for: observer, recorded, crowded) { observer.tell(notice) }
            }
            if isStopped { return }
            // Frequent changes make few notices.
            _ = isOver.wait(timeout: .now() + .milliseconds(Self.pauseMilliseconds))
        }
    }

    /// The notice for a subscriber; `nil` for none.
    private static func notice(
        for observer: Observer,
        _ recorded: [Source: ChangeNotice],
        _ crowded: Set<ObjectIdentifier>
    ) -> ChangeNotice? {
        let peer = observer.peer
        let keychain = peer.backend.identity
        var notice: ChangeNotice? = crowded.contains(keychain) ? .unknown : nil
        for (source, changes) in recorded where source.keychain == keychain && source.process != peer.process {
            guard let visible = observer.filter.visiblePart(of: changes) else { continue }
            if notice == nil { notice = visible } else { notice?.merge(visible) }
        }
        return notice
    }
}
