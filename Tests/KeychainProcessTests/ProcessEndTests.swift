// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// How programs leave the files of a keychain when they end.
@Suite(.timeLimit(.minutes(30)))
struct ProcessEndTests {
    private static func copyWithoutLog(_ folder: StormFolder, _ name: String) throws -> String {
        let path = folder.path(beside: name)
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        for file in ["keychain.db", "root.key"] {
            try FileManager.default.copyItem(atPath: "\(folder.path)/\(file)", toPath: "\(path)/\(file)")
        }
        return path
    }

    private static func status(_ path: String) throws -> Int32? {
        let process = try StormProcess(path)
        return try process.ask("read item-0").status.map { Int32($0) }
    }

    @Test("a program that ends by exit leaves a file that is the whole store; one that is killed leaves the log")
    func exit() throws {
        let folder = try StormFolder()
        for round in 0..<5 {
            let process = try folder.start(likeDaemon: round % 2 == 1)
            try process.send("adds item\(round == 0 ? "" : "-\(round)") 10")
            expectDone(try process.steps(upTo: "done"))
            try process.end()
            #expect(try Self.status(Self.copyWithoutLog(folder, "copy-\(round)")) == 0)
        }
        for (index, end) in ["kill", "exit-now"].enumerated() {
            let process = try folder.start()
            #expect(try process.ask("add \(end)").isDone)
            if end == "kill" { try process.kill9() } else { try process.send(end) }
            _ = try? process.wait()
            #expect(try Self.status(Self.copyWithoutLog(folder, end)) == Status.notAvailable.rawValue)
            #expect(try folder.items().count == 51 + index)
        }
    }

    @Test("the end of a program waits for no lock that another one holds, and for no thread in the midst of a call")
    func hangsOnNothing() throws {
        let folder = try StormFolder()
        let process = try folder.start()
        #expect(try process.ask("add item-0").isDone)
        let holder = try folder.raw()
        try holder.execute("BEGIN IMMEDIATE")
        // It retries for two minutes.
        try process.send("exit-in-call")
        #expect(try process.wait() == 0)
        try holder.execute("ROLLBACK")
        #expect(try folder.items().count == 1)
    }

    @Test("a forked child that ends leaves the store of its parent as it is")
    func forkedChild() throws {
        let (folder, process) = try StormFolder.started("add item-0")
        let before = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/keychain.db"))
        try process.send("fork-exit")
        #expect(try process.nextStep()?.isDone == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/keychain.db")) == before)
        #expect(try process.ask("read item-0").isDone)
        try process.end()
        #expect(try Self.status(Self.copyWithoutLog(folder, "copy")) == 0)
    }
}
