// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import ServerTestSupport
import Testing

@testable import KeychainRouting

/// Notifications while the store changes owner, and daemons stop and start.
@Suite(.timeLimit(.minutes(20)))
struct RouteObserverTests {
    private static let client = Client(accessGroups: ["swift-keychain.common"])

    private let folder: DaemonFolder
    private let shell: Shell

    init() throws {
        folder = try DaemonFolder(isEnabled: false)
        shell = try Shell.beside(folder)
    }

    @Test("a program that only listens is notified from the hand-over on, and that it is notified no more afterwards")
    func handOver() throws {
        let program = folder.keychain()
        let notices = RecordedNotices()
        let observation = program.observeChanges(as: Self.client, notices.record)
        #expect(try shell.security("add-generic-password -a embedded -s service -w x").status == 0)
        #expect(notices.isEmpty, "changes of an embedded keychain are not notified")
        for round in 0..<2 {
            #expect(try shell.control("service enable").status == 0)
            #expect(notices.next() == .unknown)
            #expect(try shell.security("add-generic-password -a a\(round) -s service -w x").status == 0)
            #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "swift-keychain.common")]))
            #expect(try shell.control("service disable").status == 0)
            #expect(notices.next() == .unknown)
        }
        withExtendedLifetime((program, observation)) {}
    }

    @Test("a program that listens before there is a keychain is notified when a daemon has one")
    func early() throws {
        let home = "\(folder.path(beside: "data"))/keychain"
        let program = RoutedKeychain(
            ProcessKeychain.Parts(
                storeAt: KeychainLocation(path: home),
                authenticator: NoAuthenticator(),
                retryMilliseconds: 1_000
            )
        )
        let notices = RecordedNotices()
        let observation = program.observeChanges(as: Self.client, notices.record)
        let shell = try Shell(home: home, runtime: folder.path(beside: "runtime"))
        #expect(mkdir(folder.path(beside: "data"), 0o700) == 0)
        #expect(try shell.control("service enable").status == 0)
        defer { _ = try? shell.control("service disable") }
        #expect(notices.next() == .unknown)
        #expect(try shell.security("add-generic-password -a a -s service -w x").status == 0)
        #expect(notices.receives(.changed([ChangedItems(.genericPassword, in: "swift-keychain.common")])))
        withExtendedLifetime((program, observation)) {}
    }

    @Test("after a daemon was killed, the next one notifies, and changes may have been missed")
    func killed() throws {
        #expect(try shell.control("service enable").status == 0)
        let notices = RecordedNotices()
        let program = folder.keychain()
        let observation = program.observeChanges(as: Self.client, notices.record)
        #expect(notices.next() == .unknown)
        for round in 0..<3 {
            #expect(folder.end(by: SIGKILL))
            #expect(try shell.security("add-generic-password -a \(round) -s service -w x").status == 0)
            // There may be a notice of the add, too.
            #expect(notices.receives(.unknown))
            #expect(try isNotified(ofChangesTo: "\(round)", notices))
        }
        withExtendedLifetime((program, observation)) {}
    }

    /// Whether a notice of a change arrives.
    ///
    /// That changes may have been missed is said when a daemon ends, and again once the next one is listened to: a
    /// change in between has no other notice, so it is made again.
    private func isNotified(ofChangesTo account: String, _ notices: RecordedNotices) throws -> Bool {
        let expected = ChangeNotice.changed([ChangedItems(.internetPassword, in: "swift-keychain.common")])
        for secret in 0..<10 {
            let change = "add-internet-password -U -a \(account) -s server -w \(secret)"
            #expect(try shell.security(change).status == 0)
            while let notice = notices.next(), notice != .unknown {
                if notice == expected { return true }
            }
        }
        return false
    }

    @Test("a program that listens starts no daemon, and does not prevent one from stopping")
    func starts() throws {
        #expect(try shell.control("service enable").status == 0)
        let notices = RecordedNotices()
        let program = folder.keychain()
        let observation = program.observeChanges(as: Self.client, notices.record)
        #expect(notices.next() == .unknown)
        #expect(folder.end(by: SIGTERM))
        usleep(300_000)
        #expect(folder.record == nil)
        withExtendedLifetime((program, observation)) {}
    }
}
