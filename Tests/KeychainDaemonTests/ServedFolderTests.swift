// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainRouting
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// A daemon serves one folder, and no other one that takes its place.
@Suite(.timeLimit(.minutes(10)))
struct ServedFolderTests {
    @Test("a folder is another one if it is made again, also if it gets the same number")
    func identity() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "served")
        for _ in 0..<20 {
            let made = try PrivateDirectory(KeychainLocation(path: path))
            let served = try ServedFolder(made)
            #expect(!served.isReplaced)
            try FileManager.default.removeItem(atPath: path)
            #expect(served.isReplaced)
            let again = try PrivateDirectory(KeychainLocation(path: path))
            #expect(served.isReplaced)
            try again.makeEmptyRecord()
            served.removeRecord()
            #expect(FileManager.default.fileExists(atPath: again.path(of: DaemonRecord.fileName)))
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("a folder is not another one because it cannot be looked at, and one that is not there is not served")
    func unknown() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "above/served")
        let made = try PrivateDirectory(KeychainLocation(path: path))
        let served = try ServedFolder(made)
        let above = folder.path(of: "above")
        try FileManager.default.moveItem(atPath: above, toPath: folder.path(of: "former"))
        // A path through a link to itself fails with ELOOP, for root too.
        try FileManager.default.createSymbolicLink(atPath: above, withDestinationPath: above)
        #expect(!served.isReplaced)
        #expect(throws: KeychainError.self) { try ServedFolder(made) }
        try FileManager.default.removeItem(atPath: above)
        #expect(served.isReplaced)
        try Data().write(to: URL(fileURLWithPath: above))
        #expect(served.isReplaced)
    }

    @Test(
        "the daemon of a keychain whose folder was replaced leaves it to another daemon at once",
        arguments: [true, false]
    )
    func folderMadeAgain(_ isConnected: Bool) throws {
        let folder = try DaemonFolder()
        let before = folder.keychain()
        try before.add("before")
        let first = try #require(folder.record)
        let former = folder.path(beside: "former")
        try FileManager.default.moveItem(atPath: folder.location.path, toPath: former)
        try FileManager.default.copyItem(atPath: former, toPath: folder.location.path)
        let after = isConnected ? before : folder.keychain()
        try after.add("after")
        let second = try #require(folder.record)
        #expect(second.process != first.process)
        #expect(eventually("the first has ended") { ProcessStartTime.of(first.process) != first.startTime })
        #expect(folder.record == second)
        try after.add("at last")
        #expect(folder.record == second)
    }
}

extension KeychainBackend {
    fileprivate func add(_ account: String) throws(KeychainError) {
        let item: PropertyDictionary = ["class": .string("genp"), "acct": .string(account)]
        _ = try perform(KeychainRequest(.add(item), client: .person))
    }
}

extension PrivateDirectory {
    fileprivate func makeEmptyRecord() throws {
        try #require(FileManager.default.createFile(atPath: path(of: DaemonRecord.fileName), contents: nil))
    }
}
