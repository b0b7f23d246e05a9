// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

@Suite("The leader of a group waits for others by what short commits take")
struct CommitTimeTests {
    @Test("the shortest counts, and is forgotten by an eighth with each longer one")
    func shortest() {
        let queue = ChangeQueue()
        var times: [UInt64] = []
        for nanoseconds in [800, 100, 10_000, 10_000, 90, 3, 10_000] as [UInt64] {
            queue.recordCommit(nanoseconds: nanoseconds)
            times.append(queue.commitNanoseconds)
        }
        #expect(times == [800, 100, 112, 126, 90, 3, 4])
    }

    @Test("a call that changes nothing is no commit")
    func failed() throws {
        let store = try TestStore()
        let keychain = store.open(StoreOptions(makesChangesTogether: true))
        #expect(keychain.delete("nobody") == .failed(.itemNotFound))
        #expect(keychain.access.changes.commitNanoseconds == 0)
        #expect(keychain.add("anna", "secret") == .done)
        let time = keychain.access.changes.commitNanoseconds
        #expect(time > 0)
        #expect(keychain.add("anna", "secret") == .failed(.duplicateItem))
        #expect(keychain.access.changes.commitNanoseconds == time)
    }
}
