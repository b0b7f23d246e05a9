// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainClient
import KeychainCore
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

/// Notifications of other programs' changes.
@Suite(.timeLimit(.minutes(10)))
struct ChangeTests {
    private let keychain = CountingKeychain()
    private let server: TestServer
    private let program: DaemonKeychain

    init() throws {
        server = try TestServer(admission: NumberedAdmission(keychain))
        program = server.client()
    }

    @Test("a program is notified where others changed something, in its groups only, and never what")
    func groups() throws {
        let notices = RecordedNotices(server.client(), ["mine", "shared"])
        #expect(notices.next() == .unknown, "earlier changes are not known")
        try program.add("a", in: "other")
        try program.add("b", in: "shared")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        // Two spellings of one letter are two groups.
        try program.add("c", in: "min\u{65}\u{301}")
        try program.add("d", in: "mine")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "mine")]))
    }

    @Test("there is no notice of a program's own changes, of reads, and of changes that failed")
    func notTold() throws {
        let admission = NumberedAdmission(keychain)
        admission.isOneProcess = true
        let server = try TestServer(admission: admission)
        let own = server.client()
        let notices = RecordedNotices(own, ["mine", "shared"])
        #expect(notices.next() == .unknown)
        try own.add("own", in: "mine")
        admission.isOneProcess = false
        let other = server.client()
        _ = try other.read()
        #expect(throws: KeychainError.self) {
            try other.perform(KeychainRequest(.add(["class": .string("inet")]), client: .of("shared")))
        }
        try other.add("other", in: "shared")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        #expect(notices.count == 0)
    }

    @Test("a program is not notified of changes in another keychain, as the system service has one for each user")
    func otherKeychain() throws {
        let admission = NumberedAdmission(keychain)
        let server = try TestServer(admission: admission)
        let notices = RecordedNotices(server.client(), ["mine", "shared"])
        #expect(notices.next() == .unknown)
        let program = server.client()
        _ = try program.read()
        admission.use(CountingKeychain())
        try server.client().add("another user's", in: "mine")
        try program.add("own user's", in: "shared")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        #expect(notices.count == 0)
    }

    @Test("what was changed right before the daemon stops is notified")
    func lastChanges() throws {
        let notices = RecordedNotices(server.client(), ["shared"])
        #expect(notices.next() == .unknown)
        try program.add("a", in: "shared")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        try program.add("b", in: "shared")
        server.stop()
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
    }

    @Test("a wrong passcode may have erased everything")
    func wrongPasscode() throws {
        let notices = RecordedNotices(server.client(), ["shared"])
        #expect(notices.next() == .unknown)
        keychain.failure = KeychainError(DeviceError.erased)
        #expect(throws: KeychainError.self) { try program.read() }
        #expect(notices.next() == .unknown)
    }

    @Test("a process has so many subscriptions at the most, and its other connections are served")
    func maximumSubscriptions() throws {
        let admission = NumberedAdmission(keychain)
        admission.isOneProcess = true
        var options = ServerOptions()
        options.maximumSubscriptionsPerProcess = 2
        let server = try TestServer(admission: admission, options)
        let held = try (0..<2).map { _ in
            let connection = try RawConnection.greeted(server.location)
            try connection.send(.observe(1, .of("shared")))
            #expect(try connection.message() == .reply(1, .done))
            return connection
        }
        let further = try RawConnection.greeted(server.location)
        try further.send(.observe(1, .of("shared")))
        guard case .failure(0, let error)? = try further.message() else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.kind == .unavailable && error.reason.contains("limit of subscriptions"))
        try server.client().add("a", in: "shared")
        withExtendedLifetime(held) {}
    }

    @Test("a change is notified after it was made, never before")
    func afterwards() throws {
        let notices = RecordedNotices(server.client(), ["shared"])
        #expect(notices.next() == .unknown)
        keychain.close()
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [program] in
            try? program.add("held", in: "shared")
            isDone.signal()
        }
        #expect(eventually("it is held") { keychain.held == 1 })
        // Another command is executed and notified meanwhile.
        _ = try server.client().perform(.device(.removePasscode(SecretBytes())))
        #expect(notices.next() == .unknown)
        #expect(notices.count == 0)
        keychain.open()
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        #expect(keychain.counts["held"] == 1)
        #expect(isDone.wait(timeout: .now() + .seconds(60)) == .success)
    }

    @Test("a program that does not read is notified that anything may have changed, not of each change")
    func slow() throws {
        let raw = try RawConnection.greeted(server.location)
        try raw.send(.observe(1, Client(accessGroups: [Client.everyGroup])))
        #expect(try raw.message() == .reply(1, .done))
        // More than the socket accepts: each notice names another group, with a long name.
        let name = String(repeating: "x", count: 5_000)
        let notices = RecordedNotices(server.client(), ["last"])
        #expect(notices.next() == .unknown)
        for number in 0..<400 {
            try program.add("\(number)", in: "\(name)\(number)")
            // Several batches.
            if number % 4 == 0 { usleep(25_000) }
        }
        try program.add("last", in: "last")
        #expect(
            notices.receives(.changed([ChangedItems(.genericPassword, in: "last")])),
            "others are notified meanwhile"
        )
        var told: [ChangeNotice] = []
        while told.last != .unknown {
            guard case .changed(let number, let notice) = try raw.message() else {
                Issue.record("it is not notified")
                return
            }
            #expect(number == UInt64(told.count) + 1)
            told.append(notice)
        }
        #expect(told.count < 400)
        try program.add("after", in: "after")
        while told.last != .changed([ChangedItems(.genericPassword, in: "after")]) {
            guard case .changed(_, let notice) = try raw.message(), told.count < 400 else {
                Issue.record("it is not notified after it has read")
                return
            }
            told.append(notice)
        }
    }
}
