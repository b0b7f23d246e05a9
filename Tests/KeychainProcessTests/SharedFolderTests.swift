// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import ServerTestSupport
import Testing

/// One folder that two hosts see, as two FUSE mounts that share neither memory nor locks.
///
/// bindfs(1) and `/dev/fuse` have to be there: `Scripts/setup tests` installs the first.
@Suite(.serialized, .timeLimit(.minutes(30)))
final class SharedFolderTests {
    private let folder: TemporaryFolder
    private var mounts: [FUSEMount] = []

    init() throws {
        folder = try TemporaryFolder(prefix: "shared")
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "disk"),
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        for name in ["one", "two"] {
            mounts.append(try FUSEMount(of: folder.path(of: "disk"), at: folder.path(of: name)))
        }
    }

    // Before the folder is removed.
    deinit { mounts = [] }

    private func start(_ mount: String, isAllowed: Bool = true) throws -> StormProcess {
        let prefix = isAllowed ? ["/usr/bin/env", "SWIFT_KEYCHAIN_NETWORK_HOME=1"] : []
        return try StormProcess(folder.path(of: "\(mount)/keychain"), prefix: prefix)
    }

    private func keychainOnDisk() -> EmbeddedKeychain { StormFolder.keychain(at: folder.path(of: "disk/keychain")) }

    @Test("no store is made there unless the user says so, and the refusal says what to do")
    func refused() throws {
        let process = try start("one", isAllowed: false)
        let step = try process.ask("add anna")
        #expect(step.status == Int(Status.notAvailable.rawValue), "\(step)")
        #expect(step.description.contains("SWIFT_KEYCHAIN_HOME"), "\(step)")
        #expect(step.description.contains("SWIFT_KEYCHAIN_NETWORK_HOME=1"), "\(step)")
        #expect(try process.ask("read anna").status == Int(Status.itemNotFound.rawValue))
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "disk/keychain/keychain.db")))
    }

    @Test("a store that is there is read, and not changed")
    func readOnly() throws {
        do {
            let local = try StormProcess(folder.path(of: "disk/keychain"))
            #expect(try local.ask("add anna").isDone)
            try local.end()
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "disk/keychain/keychain.db")))
        let process = try start("one", isAllowed: false)
        #expect(try process.ask("read anna").isDone)
        for change in ["add bert", "delete anna", "update anna"] {
            let step = try process.ask(change)
            #expect(step.status == Int(Status.notAvailable.rawValue), "\(step)")
            #expect(step.description.contains("SWIFT_KEYCHAIN_HOME"), "\(step)")
        }
        #expect(try process.ask("read anna").isDone)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "disk/keychain/keychain.db"))) == before)
    }

    @Test("two hosts that add items at the same time lose none, also beside one whose disk it is")
    func twoHosts() throws {
        let processes = try [start("one"), start("two"), start("disk")]
        // The mark that the store is shared is there before the host of the disk opens it.
        #expect(try processes[0].ask("add first").isDone)
        for (index, process) in processes.enumerated() { try process.send("adds host\(index) 50") }
        var acknowledged = ["first"]
        for process in processes {
            let steps = try process.steps(upTo: "done")
            let failures = steps.filter { !$0.isDone }
            #expect(failures.isEmpty, "\(failures.prefix(3))")
            acknowledged += steps.map(\.subject)
        }
        #expect(acknowledged.count == 151)
        expectKept(acknowledged, in: try StormFolder.items(at: folder.path(of: "disk/keychain")))
        #expect(try keychainOnDisk().check().isSound)
    }

    @Test("what a host has stored, the other reads at once; a killed process keeps nobody out")
    func handsOver() throws {
        let (one, two) = (try start("one"), try start("two"))
        for index in 0..<5 {
            #expect(try one.ask("add a\(index)").isDone)
            #expect(try two.ask("read a\(index)").isDone)
            #expect(try two.ask("delete a\(index)").isDone)
            #expect(try one.ask("read a\(index)").status == Int(Status.itemNotFound.rawValue))
        }
        for round in 0..<5 {
            let killed = try start("one")
            try killed.send("adds k\(round) 1000")
            _ = try killed.nextStep()
            kill(killed.identifier, SIGKILL)
            let step = try two.ask("add after\(round)")
            #expect(step.isDone, "\(step)")
        }
        #expect(try keychainOnDisk().check().isSound)
    }

    /// In the midst of what a process of the disk's host is when another host begins to share its store.
    enum Moment: String, CaseIterable { case logIsBegun, changeIsInLog, logIsWrittenBack }

    @Test(
        "a host that begins to share a store waits for a process of the disk's host that is in the midst of a change",
        arguments: Moment.allCases
    )
    func firstUse(_ moment: Moment) async {
        let (disk, mount) = (folder.path(of: "disk/keychain"), folder.path(of: "one/keychain"))
        await #expect(processExitsWith: .success) {
            [disk = disk as String, mount = mount as String, moment = moment.rawValue as String] in
            FaultyFileSystem.install()
            try SharedFolderTests.add("first", to: StormFolder.keychain(at: disk))
            let sharing = Sharing(mount, atLook: moment == Moment.changeIsInLog.rawValue ? 2 : 1)
            let isLater = moment == Moment.logIsWrittenBack.rawValue
            if !isLater { FaultyFileSystem.beforeLogSync = { sharing.look() } }
            try SharedFolderTests.addAndClose("middle", at: disk) {
                if isLater { FaultyFileSystem.beforeDatabaseWrite = { sharing.look() } }
            }
            #expect(sharing.statuses == [Int(Status.notAvailable.rawValue)])
            #expect(try SharedFolderTests.otherHost(mount).ask("add late").isDone)
            try SharedFolderTests.add("last", to: StormFolder.keychain(at: disk))
            #expect(try StormFolder.keychain(at: disk).check().isSound)
            let count = try RawStore(path: "\(disk)/keychain.db").run("SELECT count(*) FROM items_genp")
            #expect(count == [Array("4".utf8)])
        }
    }

    fileprivate static func addAndClose(_ account: String, at path: String, beforeClose: () -> Void) throws {
        let keychain = StormFolder.keychain(at: path)
        try add(account, to: keychain)
        withExtendedLifetime(keychain) { beforeClose() }
    }

    /// Another host, which begins to share a store in the midst of something.
    private final class Sharing {
        private let mount: String
        private let number: Int
        private var lookCount = 0

        /// What it got.
        private(set) var statuses: [Int] = []

        init(_ mount: String, atLook number: Int) { (self.mount, self.number) = (mount, number) }

        func look() {
            lookCount += 1
            guard lookCount == number else { return }
            let step = try? SharedFolderTests.otherHost(mount, busyTimeoutMilliseconds: 300).ask("add early")
            statuses.append(step?.status ?? -1)
        }
    }

    @Test("a store that a process of the disk's host keeps open is handed over by its next call")
    func handsOverOpenStore() throws {
        let local = try start("disk")
        #expect(try local.ask("add first").isDone)
        let other = try Self.otherHost(folder.path(of: "one/keychain"), busyTimeoutMilliseconds: 300)
        let step = try other.ask("add early")
        #expect(step.status == Int(Status.notAvailable.rawValue))
        #expect(step.description.contains("keychainctl check"), "\(step)")
        #expect(try local.ask("read first").isDone)
        #expect(try other.ask("add late").isDone)
        #expect(try local.ask("read late").isDone)
        #expect(try keychainOnDisk().check().isSound)
    }

    fileprivate static func otherHost(_ path: String, busyTimeoutMilliseconds: Int32 = 120_000) throws -> StormProcess {
        try StormProcess(
            path,
            busyTimeoutMilliseconds: busyTimeoutMilliseconds,
            prefix: ["/usr/bin/env", "SWIFT_KEYCHAIN_NETWORK_HOME=1"]
        )
    }

    fileprivate static func add(_ account: String, to keychain: EmbeddedKeychain) throws {
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), "v_Data": .data(SecretBytes([1, 2, 3])),
        ]
        _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: ["group"])))
    }
}
