// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync
import KeychainSynchronization
import SyncTestSupport
import Testing

/// What a person sees on two devices.
struct RoundTests {
    @Test("an item is on the other device after a round of each; an update and a delete, too")
    func everyday() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set("a", "one")
        let sent = try await circle.round(0)
        #expect(sent.sent == 1 && sent.queued == 0 && sent.isComplete)
        let received = try await circle.round(1)
        #expect(received.merged == 1 && circle[1].secret("a") == "one")
        try circle[1].set("a", "two")
        try await circle.settle()
        #expect(circle[0].secret("a") == "two" && circle[0].versions == circle[1].versions)
        try circle[0].delete("a")
        try await circle.settle()
        #expect(circle[1].secret("a") == nil && circle[1].tombstones.count == 1)
        #expect(circle[0].overwritten.isEmpty && circle[1].overwritten.isEmpty)
    }

    @Test("of two changes the later one stays on both, and the other one is kept where it was made")
    func conflict() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set("a", "old")
        try await circle.settle()
        try circle[0].set("a", "earlier")
        circle.time.advance(by: 10)
        try circle[1].set("a", "later")
        try await circle.round(0)
        try await circle.settle()
        #expect(circle[0].secret("a") == "later" && circle[1].secret("a") == "later")
        #expect(circle[0].overwritten.isEmpty && circle[1].overwritten.isEmpty)
        // The other order: the earlier change was sent by nobody.
        try circle[0].set("a", "unsent")
        circle.time.advance(by: 10)
        try circle[1].set("a", "newest")
        try await circle.round(1)
        let report = try await circle.round(0)
        #expect(report.overwritten.count == 1 && circle[0].overwritten == ["unsent"])
        #expect(circle[0].secret("a") == "newest")
    }

    @Test("the change of a device whose clock is behind never loses to what was seen there")
    func clockBehind() async throws {
        let circle = try await ModelCircle(2)
        circle[1].setClock(ahead: -10 * 365 * 86_400)
        try circle[0].set("a", "first")
        try await circle.settle()
        try circle[1].set("a", "second")
        try await circle.settle()
        #expect(circle[0].secret("a") == "second")
        try circle[1].delete("a")
        try await circle.settle()
        #expect(circle[0].secret("a") == nil)
        try circle[1].set("a", "third")
        try await circle.settle()
        #expect(circle[0].secret("a") == "third")
    }

    @Test("a change that is dated far ahead is applied and reported, and a later one beats it")
    func clockAhead() async throws {
        let circle = try await ModelCircle(2)
        circle[0].setClock(ahead: 80 * 365 * 86_400)
        let (slot, _) = try circle[0].set("a", "future")
        try await circle.round(0)
        let report = try await circle.round(1)
        let author = circle.members[0].identity.keys.identifier
        #expect(report.problems == [.dateAhead(slot, author: author)] && circle[1].secret("a") == "future")
        try circle[1].set("a", "present")
        try await circle.settle()
        #expect(circle[0].secret("a") == "present")
    }

    @Test("while locked an item of class C arrives, one of class A after the unlock; the query gives the old one")
    func locked() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set("a", "old")
        try await circle.settle()
        circle[1].setLocked(true)
        try circle[0].set("a", "new")
        try circle[0].set("c", "class C", level: "ck")
        try await circle.round(0)
        let report = try await circle.round(1)
        #expect(report.waiting == 1 && circle[1].secret("a") == "old" && circle[1].secret("c") == "class C")
        circle[1].setLocked(false)
        #expect(try await circle.round(1).waiting == 0)
        #expect(circle[1].secret("a") == "new")
    }

    @Test("before the first unlock nothing is opened, and nothing is lost")
    func beforeFirstUnlock() async throws {
        let circle = try await ModelCircle(2)
        circle[1].reboot()
        try circle[0].set("a", "one")
        try circle[0].set("c", "two", level: "ck")
        try await circle.round(0)
        circle.restart(1)
        #expect(try await circle.round(1).waiting == 2)
        circle[1].setLocked(true)
        #expect(try await circle.round(1).waiting == 1)
        circle[1].setLocked(false)
        try await circle.round(1)
        #expect(circle[1].secrets == ["a": "one", "c": "two"])
    }

    @Test("what was changed before the lock is sent while locked; a delete then, too, as one of class C")
    func sendsWhileLocked() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set("b", "stays")
        try await circle.settle()
        let (slot, _) = try circle[0].set("a", "one")
        circle[0].setLocked(true)
        try circle[0].delete("b")
        #expect(try await circle.round(0).queued == 0)
        try await circle.round(1)
        #expect(circle[1].secrets == ["a": "one"])
        let tombstone = try #require(circle[1].tombstones.first)
        let bytes = try #require(try await circle.record(tombstone))
        #expect(try SyncRecord(bytes).level == .afterFirstUnlock && tombstone != slot)
    }

    @Test("a change at a slot whose record waits for the unlock is held until both are merged")
    func heldWhileWaiting() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set("a", "old")
        try await circle.settle()
        circle[1].setLocked(true)
        try circle[0].set("a", "unseen")
        try await circle.round(0)
        try await circle.round(1)
        circle.time.advance(by: 10)
        try circle[1].delete("a")
        let report = try await circle.round(1)
        #expect(report.queued == 1 && report.waiting == 1)
        circle[1].setLocked(false)
        try await circle.settle()
        #expect(circle[0].secret("a") == nil && circle[0].versions == circle[1].versions)
    }

    @Test("a device that joins gives what it has and gets what there is; of the same item the later one stays")
    func joining() async throws {
        let circle = try await ModelCircle(1)
        try circle[0].set("there", "old")
        try circle[0].set("both", "in the circle")
        try await circle.settle()
        let new = try await circle.join()
        try circle[new].addBeforeJoining("here", "mine", at: 5)
        try circle[new].addBeforeJoining("both", "older", at: 6)
        try await circle.settle()
        let expected = ["there": "old", "here": "mine", "both": "in the circle"]
        #expect(circle[0].secrets == expected && circle[new].secrets == expected)
        #expect(circle[new].book.outgoingSlots.isEmpty)
    }

    @Test("a damaged row is fetched again, from the circle or from the queue")
    func healing() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set("a", "sent")
        try await circle.settle()
        circle[0].damage("a")
        circle[1].damage("a")
        try await circle.round(1)
        #expect(circle[1].secret("a") == "sent")
        await circle.members[0].connection.setReachable(false)
        await #expect(throws: EngineError.unreachable) { try await circle.round(0) }
        #expect(circle[0].secret("a") == nil)
        await circle.members[0].connection.setReachable(true)
        try await circle.round(0)
        #expect(circle[0].secret("a") == "sent")
        try circle[0].set("a", "unsent")
        circle[0].damage("a")
        try await circle.settle()
        #expect(circle[0].secret("a") == "unsent" && circle[1].secret("a") == "unsent")
    }

    @Test("changes of one transaction are in one commit, and a hundred and thirty of them in three")
    func groups() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set(all: (0..<40).map { ("a\($0)", "x") })
        try circle[0].set(all: (0..<40).map { ("b\($0)", "x") })
        let before = try await circle.round(1).number
        #expect(try await circle.round(0).number == before + 2)
        try circle[0].set(all: (0..<130).map { ("c\($0)", "x") })
        #expect(try await circle.round(0).number == before + 5)
        try await circle.round(1)
        #expect(circle[1].secrets.count == 210)
    }

    @Test("an item that is larger than a record stays on its device")
    func tooLarge() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set("a", String(repeating: "x", count: 600_000), level: "ck")
        try await circle.settle()
        #expect(circle[1].secret("a") == nil && circle[0].secret("a") != nil)
    }

    @Test("an item that a device refuses waits there, and travels on")
    func refused() async throws {
        let circle = try await ModelCircle(3)
        circle[1].refuse(service: "service")
        let (slot, _) = try circle[0].set("a", "one")
        try await circle.round(0)
        let author = circle.members[0].identity.keys.identifier
        #expect(try await circle.round(1).problems == [.refused(slot, author: author)])
        try await circle.round(2)
        #expect(circle[1].secret("a") == nil && circle[2].secret("a") == "one")
    }

    @Test("what the engine has shows no attribute and no secret")
    func nothingReadable() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set("an account to look for", "a secret to look for")
        try await circle.settle()
        try circle[1].delete("an account to look for")
        try await circle.settle()
        for bytes in await circle.engine.history() {
            for word in ["to look for", "service", "group", "default"] {
                #expect(bytes.firstRange(of: Array(word.utf8)) == nil)
            }
        }
    }
}
