// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainAudit
@testable import KeychainDaemon

/// How programs share the room of a log, and how it is read while it changes or if it is damaged.
@Suite(.timeLimit(.minutes(5)))
struct AuditSharesTests {
    private let temporary: TemporaryFolder
    private let folder: PrivateDirectory

    init() throws {
        temporary = try TemporaryFolder()
        folder = try PrivateDirectory(KeychainLocation(path: temporary.path(of: "keychain")))
    }

    @Test("a program that requests much removes its own older entries, and none of another program")
    func flood() throws {
        var file = AuditFile(in: folder, maximumBytes: 4096)
        var quiet = (1...3).map { Self.call("/bin/quiet", $0) }[...]
        try file.append(&quiet)
        for number in 1...500 {
            var flood = [Self.call("/bin/flood", number)][...]
            try file.append(&flood)
        }
        let statuses = try Self.statuses(folder)
        #expect(statuses["/bin/quiet"] == [1, 2, 3])
        let ofFlood = try #require(statuses["/bin/flood"])
        #expect(ofFlood == Array(ofFlood[0]...500), "the oldest ones go first")
        #expect(ofFlood.count > 10)
        for name in [AuditFile.name, AuditFile.previousName] {
            #expect(try #require(FileContentsMark(path: folder.path(of: name))).byteCount <= 4096)
        }
    }

    @Test("two programs that request much get equal shares, in the order of their requests")
    func equalShares() throws {
        let lines = (0..<400).map { number in
            NumberedAuditEntry(number: number + 1, entry: Self.call("/bin/\(number % 4 == 0)", number)).line
        }
        let kept = AuditShares.kept(of: lines.map { Array($0.utf8)[...] }, maximumBytes: 4096)
        let entries = kept.compactMap { NumberedAuditEntry(line: $0) }
        #expect(entries.map(\.number) == entries.map(\.number).sorted())
        #expect(kept.reduce(0) { $0 + $1.count + 1 } <= 4096)
        let counts = Dictionary(grouping: entries, by: \.entry.shareName).mapValues(\.count)
        let (one, other) = (try #require(counts["/bin/true"]), try #require(counts["/bin/false"]))
        #expect(abs(one - other) <= 1 && one > 5, "\(counts)")
    }

    @Test("pending entries of one program leave room for those of others")
    func pending() throws {
        var queue = AuditQueue(atMost: 40)
        for number in 0..<1000 { _ = queue.add(Self.record("/bin/flood", number)) }
        let hasRoom = queue.add(Self.record("/bin/quiet", 7))
        #expect(hasRoom)
        let (records, lost) = queue.takeAll()
        #expect(records.map(\.status) == (0..<10) + [7] && lost == 990)
        #expect(queue.records.isEmpty && queue.lost == 0)
        let hasRoomAgain = queue.add(Self.record("/bin/flood", 1))
        #expect(hasRoomAgain)
        var full = AuditQueue(atMost: 40)
        for number in 0..<50 { _ = full.add(Self.record("/bin/\(number)", number)) }
        #expect(full.records.count == 40 && full.lost == 10)
    }

    @Test("each entry is read once, and none is missed, while a writer replaces the files")
    func racing() throws {
        let folder = folder
        let writing = Thread {
            var file = AuditFile(in: folder, maximumBytes: 1 << 16)
            for number in 1...3000 {
                var entries = [Self.call("/bin/\(number % 2)", number)][...]
                try? file.append(&entries)
            }
        }
        writing.start()
        var reader = AuditReader(in: folder)
        var found: [Int32] = []
        var isLast = false
        while !isLast {
            isLast = writing.isFinished
            let part = try reader.next()
            #expect(part.unreadable == 0)
            for case .call(let record) in part.entries { found.append(record.status) }
        }
        #expect(Set(found).count == found.count, "an entry was read twice")
        #expect(found == found.sorted())
        #expect(found.last == 3000)
    }

    @Test("the reader of a page continues after its last entry, also when files were replaced, and ends")
    func pages() throws {
        var file = AuditFile(in: folder, maximumBytes: 8192)
        var (last, found, written): (Int, [Int32], Int) = (0, [], 0)
        for _ in 0..<6 {
            for _ in 0..<20 {
                written += 1
                var entries = [Self.call("/bin/a", written)][...]
                try file.append(&entries)
            }
            var isEmpty = false
            while !isEmpty {
                var reader = AuditReader(in: folder, after: last, maximumBytes: 1000)
                let part = try reader.next()
                #expect(part.entries.count < 10)
                let isNew = part.numbered.allSatisfy { $0.number > last }
                try #require(isNew)
                for case .call(let record) in part.entries { found.append(record.status) }
                isEmpty = part.entries.isEmpty
                last = part.numbered.last?.number ?? last
            }
        }
        #expect(found == (1...Int32(written)).map(\.self))
    }

    @Test("a line with a forged number hides no other entry, and the next entries have usual numbers")
    func forgedNumber() throws {
        let forged = NumberedAuditEntry(number: NumberedAuditEntry.maximumNumber, entry: Self.call("/bin/f", 0)).line
        try write("\(forged)\n", AuditFile.name)
        var file = AuditFile(in: folder)
        for number in 1...3 {
            var entries = [Self.call("/bin/a", number)][...]
            try file.append(&entries)
        }
        var reader = AuditReader(in: folder)
        let part = try reader.next()
        #expect(part.entries.count == 4 && part.unreadable == 0)
        #expect(part.numbered.dropFirst().allSatisfy { $0.number < NumberedAuditEntry.maximumNumber })
        try append(4, &file)
        #expect(try reader.next().entries.count == 1)
        var next = AuditReader(in: folder, after: part.numbered.last?.number ?? 0)
        #expect(try next.next().entries.count == 2, "the forged one, whose number is higher, and the next")
    }

    @Test("a log that is truncated is read on, and no entry of it twice")
    func truncated() throws {
        var file = AuditFile(in: folder)
        var reader = AuditReader(in: folder)
        for number in 1...3 { try append(number, &file) }
        #expect(try reader.next().entries.count == 3)
        let path = folder.path(of: AuditFile.name)
        let byteCount = try #require(FileContentsMark(path: path)).byteCount
        #expect(truncate(path, off_t(byteCount - 10)) == 0)
        #expect(try reader.next().entries.isEmpty)
        #expect(truncate(path, 0) == 0)
        try append(4, &file)
        #expect(try reader.next().entries.count == 1)
    }

    /// Contents of a file that no daemon wrote.
    enum Damage: CaseIterable {
        case zeros
        case longLine
        case noNewline
        case nesting
        case random
    }

    @Test("whatever a file contains, the entries after it are read, in bounded memory", arguments: Damage.allCases)
    func damaged(_ damage: Damage) throws {
        let bytes: [UInt8] =
            switch damage {
            case .zeros: [UInt8](repeating: 0, count: 3 << 20)
            case .longLine: [UInt8](repeating: 0x7B, count: 3 << 20) + [0x0A]
            case .noNewline: [UInt8](repeating: 0x22, count: 3 << 20)
            case .nesting: Array(String(repeating: "[", count: 100_000).utf8) + [0x0A]
            case .random: (0..<100_000).map { _ in .random(in: 0...255) }
            }
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path(of: AuditFile.name)))
        chmod(folder.path(of: AuditFile.name), 0o600)
        var file = AuditFile(in: folder)
        try append(1, &file)
        var reader = AuditReader(in: folder)
        let part = try reader.next()
        #expect(part.entries.count == 1 && part.unreadable > 0)
    }

    @Test("of a file that is larger than any log, the end is read")
    func large() throws {
        try write("", AuditFile.name)
        // It has no blocks, and would be read for minutes.
        #expect(truncate(folder.path(of: AuditFile.name), 1 << 40) == 0)
        let descriptor = open(folder.path(of: AuditFile.name), O_WRONLY | O_APPEND)
        let line = "\n\(AuditEntry.lost(1, .now).line)\n"
        #expect(line.withCString { Glibc.write(descriptor, $0, line.utf8.count) } == line.utf8.count)
        close(descriptor)
        var reader = AuditReader(in: folder)
        let part = try reader.next()
        #expect(part.entries.count == 1 && part.unreadable == 1)
    }

    @Test("a link, a pipe, a file of others and one that others can read are refused")
    func refused() throws {
        let path = folder.path(of: AuditFile.name)
        #expect(symlink("/etc/passwd", path) == 0)
        expectRefusal()
        #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        expectRefusal()
        unlink(path)
        try write("", AuditFile.name)
        chmod(path, 0o644)
        expectRefusal()
        chmod(path, 0o600)
        var others = AuditReader(path: folder.path, of: geteuid() + 1)
        #expect(throws: FileError.self) { try others.next() }
        var mine = AuditReader(in: folder)
        #expect(try mine.next().entries.isEmpty)
    }

    private func expectRefusal() {
        var reader = AuditReader(in: folder)
        #expect(throws: FileError.self) { try reader.next() }
    }

    private func append(_ number: Int, _ file: inout AuditFile) throws {
        var entries = [Self.call("/bin/a", number)][...]
        try file.append(&entries)
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(of: name)))
        chmod(folder.path(of: name), 0o600)
    }

    private static func record(_ program: String, _ number: Int) -> AuditRecord {
        let caller = AuditCaller(user: 7, process: 8, program: program, identity: AuditCaller.anonymous)
        return AuditRecord(time: .now, caller: caller, operation: "SecItemAdd", status: Int32(number))
    }

    private static func call(_ program: String, _ number: Int) -> AuditEntry { .call(record(program, number)) }

    /// The statuses of the entries of each program.
    private static func statuses(_ folder: PrivateDirectory) throws -> [String: [Int32]] {
        var reader = AuditReader(in: folder)
        var statuses: [String: [Int32]] = [:]
        for entry in try reader.next().entries {
            guard case .call(let record) = entry else { continue }
            statuses[record.caller.program ?? "", default: []].append(record.status)
        }
        return statuses
    }
}
