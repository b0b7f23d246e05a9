// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import KeychainTestSupport
import ServerTestSupport
import Testing

@testable import KeychainRouting

/// A program whose keychain is in the system service finds that in the records of its folder, without opening the
/// store; records that do not belong to the store as it is lead nowhere.
@Suite(
    .enabled(if: SystemServiceFolder.isPossible, "only root runs programs as other users"),
    .timeLimit(.minutes(10))
)
struct RecordedOwnerTests {
    private let service: SystemServiceFolder
    private let root: Shell
    private let location: KeychainLocation

    init() throws {
        service = try SystemServiceFolder()
        root = try service.shell(of: 0)
        location = KeychainLocation(path: service.path(of: "home-0/swift-keychain"))
        try expectDone(root.control(service.enable))
        try NamedItems.add("there", to: router().program)
    }

    @Test("the first command of a program goes to the service, and the store is not opened")
    func first() throws {
        let (program, looks) = router()
        #expect(program.unlocksForAll)
        #expect(try NamedItems.accounts(program) == ["there"])
        try NamedItems.add("second", to: program)
        #expect(try program.device.status().hasPasscode == false)
        #expect(looks.count == 0)
        // Asking the store does not change it.
        #expect(program.owner == .system)
        #expect(looks.count == 1)
        let next = router()
        #expect(try NamedItems.accounts(next.program) == ["second", "there"])
        #expect(next.looks.count == 0)
        try service.restart()
        let afterRestart = router()
        #expect(try NamedItems.accounts(afterRestart.program) == ["second", "there"])
        #expect(afterRestart.looks.count == 0)
    }

    @Test("a program that found the service by the record follows the keychain when it is taken back")
    func takenBack() throws {
        let (program, _) = router()
        #expect(try NamedItems.accounts(program) == ["there"])
        try expectDone(root.control("service disable --leave-items"))
        #expect(!hasFile("owner.record"))
        try NamedItems.add("own", to: program)
        #expect(try NamedItems.accounts(program) == ["own"])
        let (next, looks) = router()
        #expect(try NamedItems.accounts(next) == ["own"])
        #expect(looks.count > 0)
        #expect(program.owner == .embedded)
    }

    @Test("where the service does not listen, one connect fails, and the store is asked")
    func stopped() throws {
        service.stop()
        let (program, looks) = router()
        let failure = #expect(throws: KeychainError.self) { try NamedItems.accounts(program) }
        #expect(failure?.kind == .service(.missing))
        #expect(looks.count == 1)
        try service.start()
        #expect(try NamedItems.accounts(program) == ["there"])
    }

    @Test("the records of a store that was taken back while the service was away do not count")
    func takenBackAlone() throws {
        let records = try ["service.record", "owner.record"].map { ($0, try Data(contentsOf: file($0))) }
        service.stop()
        try expectDone(root.control("service disable --leave-items"))
        let own = router().program
        try NamedItems.add("own", to: own)
        try service.start()
        for (name, bytes) in records { try write(bytes, to: name) }
        // The service would answer.
        #expect(try NamedItems.accounts(DaemonKeychain(at: service.socket)) == ["there"])
        let (program, looks) = router()
        #expect(!program.unlocksForAll)
        #expect(try NamedItems.accounts(program) == ["own"])
        try NamedItems.add("second", to: program)
        #expect(looks.count > 0)
        #expect(try NamedItems.accounts(DaemonKeychain(at: service.socket)) == ["there"])
    }

    /// What happened to the record, or to the file that it is about.
    enum Change: CaseIterable {
        case gone, empty, truncated, longer, otherOwner, otherNumber, exposed, link, folder, foreign
        case replacedStore, touchedStore, linkedStore, changedLog
    }

    @Test(
        "a record that is not the one of the store as it is has the store asked, which gives the same answer",
        arguments: Change.allCases
    )
    func changed(_ change: Change) throws {
        let (record, store) = (file("owner.record").path, file("keychain.db").path)
        let text = try String(contentsOfFile: record, encoding: .utf8)
        let bytes = try Data(contentsOf: file("owner.record"))
        // What it changes stays in the log for as long as it is there.
        let writer = EmbeddedKeychain(at: location, of: .system)
        defer { withExtendedLifetime(writer) {} }
        switch change {
        case .gone: #expect(unlink(record) == 0)
        case .empty: try write(Data(), to: "owner.record")
        case .truncated: try write(bytes.dropLast(), to: "owner.record")
        case .longer: try write(bytes + Data("\n".utf8), to: "owner.record")
        case .otherOwner: try write(Data(text.replacing("system", with: "daemon").utf8), to: "owner.record")
        case .otherNumber: try write(Data(text.replacing(":", with: ":1", maxReplacements: 1).utf8), to: "owner.record")
        case .exposed: #expect(chmod(record, 0o644) == 0)
        case .link: #expect(rename(record, record + ".moved") == 0 && symlink(record + ".moved", record) == 0)
        case .folder: #expect(unlink(record) == 0 && mkdir(record, 0o700) == 0)
        case .foreign: #expect(chown(record, SystemServiceFolder.user, SystemServiceFolder.user) == 0)
        case .replacedStore:
            let contents = try Data(contentsOf: file("keychain.db"))
            try write(contents, to: "keychain.db")
        case .touchedStore: #expect(utimes(store, nil) == 0)
        case .linkedStore: #expect(link(store, store + ".linked") == 0 && unlink(store + ".linked") == 0)
        case .changedLog: try NamedItems.add("unseen", to: writer)
        }
        let (program, looks) = router()
        #expect(try NamedItems.accounts(program) == ["there"])
        #expect(looks.count > 0)
        #expect(program.owner == .system)
    }

    @Test("in a copy of the folder the record leads nowhere, also if it is the only file that tells of the service")
    func copy() throws {
        let copied = service.path(of: "copied")
        try FileManager.default.copyItem(atPath: location.path, toPath: copied)
        let parts = ProcessKeychain.Parts(
            storeAt: KeychainLocation(path: copied),
            authenticator: NoAuthenticator()
        )
        #expect(!parts.system.isRecordedOwner)
        let looks = Looks()
        let failure = #expect(throws: KeychainError.self) { try NamedItems.accounts(looks.router(parts)) }
        #expect(failure?.kind == .service(.otherFolder))
        #expect(looks.count > 0)
    }

    @Test("a repeated enable records the owner again")
    func recordedAgain() throws {
        #expect(utimes(file("keychain.db").path, nil) == 0)
        #expect(!parts.system.isRecordedOwner)
        try expectDone(root.control(service.enable))
        #expect(parts.system.isRecordedOwner)
    }

    // MARK: Programs

    private var parts: ProcessKeychain.Parts {
        ProcessKeychain.Parts(storeAt: location, authenticator: NoAuthenticator())
    }

    private func router() -> (program: RoutedKeychain, looks: Looks) {
        let looks = Looks()
        return (looks.router(parts), looks)
    }

    private func file(_ name: String) -> URL { URL(fileURLWithPath: "\(location.path)/\(name)") }

    private func hasFile(_ name: String) -> Bool { access(file(name).path, F_OK) == 0 }

    private func write(_ bytes: Data, to name: String) throws {
        try? FileManager.default.removeItem(at: file(name))
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        #expect(FileManager.default.createFile(atPath: file(name).path, contents: bytes, attributes: attributes))
    }

    private func expectDone(
        _ outcome: Shell.Outcome,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try #require(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
    }
}
