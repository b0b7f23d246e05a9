// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Synchronization
import Testing

/// Changes that are bound to be made together: while the sync of a first one is held, they all come to wait.
///
/// For a test in a process of its own, which has no other syncs of a log meanwhile.
struct HeldSync {
    let keychain: EmbeddedKeychain

    /// What is done before the sync of the changes that waited: the second of them all.
    var beforeSync: @Sendable () -> Void = {}

    /// The answers, the first change's left out, and how many syncs all of them took.
    func answers(_ calls: [@Sendable (EmbeddedKeychain) -> Answer]) -> (answers: [Answer], syncs: Int) {
        let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let syncs = Atomic(0)
        FaultyFileSystem.beforeLogSync = { [beforeSync] in
            switch syncs.add(1, ordering: .relaxed).newValue {
            case 1:
                isHeld.signal()
                mayGoOn.wait()
            case 2: beforeSync()
            default: break
            }
        }
        defer { FaultyFileSystem.beforeLogSync = {} }
        let first = Call(keychain) { $0.add("first", "secret") }
        isHeld.wait()
        var others: [Call] = []
        for call in calls {
            let other = Call(keychain, call)
            others.append(other)
            // In the order in which they were given; one that fails before it waits is not waited for.
            while keychain.waitingChangeCount < others.count, other.current == nil { sched_yield() }
        }
        mayGoOn.signal()
        #expect(first.answer == .done)
        return (others.map(\.answer), syncs.load(ordering: .relaxed))
    }

    /// A call on a thread of its own.
    final class Call: Sendable {
        private let given = Mutex<Answer?>(nil)
        private let hasEnded = DispatchSemaphore(value: 0)

        init(_ keychain: EmbeddedKeychain, _ call: @escaping @Sendable (EmbeddedKeychain) -> Answer) {
            Thread.detachNewThread { [self] in
                let answer = call(keychain)
                given.withLock { $0 = answer }
                hasEnded.signal()
            }
        }

        /// The answer so far.
        var current: Answer? { given.withLock(\.self) }

        /// The answer, which is waited for.
        var answer: Answer {
            hasEnded.wait()
            defer { hasEnded.signal() }
            return given.withLock(\.self) ?? .failed(.internalComponent)
        }
    }
}
