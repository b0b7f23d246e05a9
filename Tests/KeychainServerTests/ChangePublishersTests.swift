// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
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
        let (slow, quick) = (Self.connection(of: 1, keychain), Self.connection(of: 2, keychain))
        let isOver = DispatchSemaphore(value: 0)
        let told = Mutex<[UInt32]>([])
        for connection in [slow, quick] {
            try publishers.add(connection, ChangeFilter { _ in true }) { connection, _ in
                if connection.user == 1 { isOver.wait() }
                told.withLock { $0.append(connection.user) }
            }
        }
        let notice = ChangeNotice.changed([ChangedItems(.genericPassword, in: "shared")])
        for user in [1, 2] as [uid_t] { publishers.record(notice, by: Self.connection(of: user, keychain, process: 9)) }
        #expect(eventually("the other user is told") { told.withLock(\.self) == [2] })
        isOver.signal()
        #expect(eventually("both are told") { told.withLock(\.self) == [2, 1] })
        publishers.stop()
        for connection in [slow, quick] { publishers.remove(connection) }
    }

    private static func connection(
        of user: uid_t,
        _ keychain: CountingKeychain,
        process: Int32 = 1
    ) -> Connection {
        let instance = ProcessInstance(identifier: process, startTime: 0)
        let peer = Peer(process: instance, backend: keychain)
        let share = ConnectedProcess.Share(user: user, program: .process(instance))
        return Connection(
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0),
            number: UInt64(user),
            user: user,
            sender: process,
            process: ConnectedProcess(peer, share: share, buffered: BufferedBytes(atMost: .max)),
            peer: peer,
            folder: nil,
            tick: 0,
            close: { close($0) }
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
