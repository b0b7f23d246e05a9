// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainTestSupport
import KeychainWire
import Synchronization
import Testing

@testable import KeychainServer

/// The threads that notify subscribers, one for each user.
struct ChangePublishersTests {
    @Test("a subscriber that takes long to check delays no other user's notices")
    func otherUsers() throws {
        let keychain = CountingKeychain()
        let publishers = ChangePublishers(ServerOptions())
        let (slow, quick) = (Self.subscriber(1, keychain), Self.subscriber(2, keychain))
        let isOver = DispatchSemaphore(value: 0)
        let told = Mutex<[UInt32]>([])
        for subscriber in [slow, quick] {
            let user = subscriber.share.user
            try publishers.add(subscriber, ChangeFilter { _ in true }) { _ in
                if user == 1 { isOver.wait() }
                told.withLock { $0.append(user) }
            }
        }
        let notice = ChangeNotice.changed([ChangedItems(.genericPassword, in: "shared")])
        for user in [1, 2] as [UInt32] {
            publishers.record(notice, by: Self.subscriber(user, keychain, process: 9).peer, of: user)
        }
        #expect(eventually("the other user is told") { told.withLock(\.self) == [2] })
        isOver.signal()
        #expect(eventually("both are told") { told.withLock(\.self) == [2, 1] })
        publishers.stop()
        for subscriber in [slow, quick] { publishers.remove(subscriber) }
    }

    private static func subscriber(
        _ user: UInt32,
        _ keychain: CountingKeychain,
        process: Int32 = 1
    ) -> ChangeSubscriber {
        let instance = ProcessInstance(identifier: process, startTime: 0)
        return ChangeSubscriber(
            number: UInt64(user),
            peer: Peer(process: instance, backend: keychain),
            share: ConnectedProcess.Share(user: user, program: .process(instance))
        )
    }

    private struct Peer: ConnectedPeer {
        let process: ProcessInstance
        let backend: any KeychainBackend
        let vouchesForBiometry = false

        func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

        func confirm() throws(KeychainError) {}
    }
}
