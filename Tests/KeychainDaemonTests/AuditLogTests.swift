// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainServer
import KeychainTestSupport
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainAudit
@testable import KeychainDaemon

/// The audit log.
@Suite(.timeLimit(.minutes(5)))
struct AuditLogTests {
    private let temporary: TemporaryFolder
    private let folder: PrivateDirectory
    private let silent = DaemonLog(descriptor: -1)
    private let caller = AuditCaller(user: 7, process: 8, program: "/usr/bin/app", identity: "anonymous")

    init() throws {
        temporary = try TemporaryFolder()
        folder = try PrivateDirectory(KeychainLocation(path: temporary.path(of: "keychain")))
    }

    @Test("a request is logged with its program, its function and its status, without secrets and attributes")
    func record() throws {
        let entries = try logged(AuditSettings())
        #expect(entries.count == 6)
        #expect(entries.map(\.itemClass) == ["genp", "genp", "inet", "genp", "unknown", nil])
        let record = try #require(entries.first)
        #expect(record.caller == caller)
        #expect(record.operation == "SecItemAdd")
        #expect(record.itemClass == "genp")
        #expect(record.accessGroups == ["group"])
        #expect(record.status == 0)
        #expect(abs(record.time.milliseconds - AuditTime.now.milliseconds) < 600_000)
        #expect(entries.map(\.status) == [0, -25299, -25300, -34018, -25306, 0])
        #expect(entries.map(\.operation).last == "device lock this process")
        #expect(entries[3].accessGroups == ["ABCDEFGHIJKLMNOPQRSTUVWX23.x"])
        let text = try contents()
        for secret in ["s3cret", "anna", "example.org", "lbl"] { #expect(!text.contains(secret), "\(text)") }
    }

    @Test("the attributes are logged that the owner selected, and no others")
    func attributes() throws {
        let entries = try logged(AuditSettings(attributes: [.account, .label]))
        #expect(entries.first?.attributes == [.account: "anna", .label: "lbl"])
        let text = try contents()
        for secret in ["s3cret", "example.org"] { #expect(!text.contains(secret), "\(text)") }
    }

    @Test("without a setting nothing is written; a change of it takes effect with the next connection")
    func settings() throws {
        let log = AuditLog(in: folder, log: silent)
        let program = AuditedProgram(caller, log)
        program.record(.device(.lock), .success(.done))
        try AuditSettings(attributes: [.service]).write(in: folder)
        log.reloadSettings()
        #expect(log.settings == AuditSettings(attributes: [.service]))
        program.record(.device(.lock), .success(.done))
        AuditSettings.remove(in: folder)
        log.reloadSettings()
        program.record(.device(.lock), .success(.done))
        try Data("{".utf8).write(to: URL(fileURLWithPath: folder.path(of: AuditSettings.fileName)))
        chmod(folder.path(of: AuditSettings.fileName), 0o600)
        log.reloadSettings()
        #expect(log.settings == AuditSettings(), "damage does not end a log")
        log.close()
        #expect(try entries().count == 1)
        var status = stat()
        #expect(stat(folder.path(of: AuditFile.name), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("the file and the one before it are bounded, and no entry of them is truncated")
    func rotation() throws {
        let log = AuditLog(in: folder, fixed: AuditSettings(), log: silent, maximumBytes: 4096)
        let program = AuditedProgram(caller, log)
        for _ in 0..<40 {
            for _ in 0..<5 { program.record(.device(.lock), .success(.done)) }
            usleep(2_000)
        }
        log.close()
        try expectBounded()
        var reader = AuditReader(in: folder)
        let part = try reader.next()
        #expect(part.unreadable == 0)
        #expect((20..<200).contains(part.entries.count))
    }

    @Test("many entries at once are bounded, too")
    func manyAtOnce() throws {
        var file = AuditFile(in: folder, maximumBytes: 4096)
        var entries = (1...1000).map { AuditEntry.lost($0, .now) }[...]
        try file.append(&entries)
        #expect(entries.isEmpty)
        try expectBounded()
        #expect(try allEntries().last.map { if case .lost(1000, _) = $0 { true } else { false } } == true)
    }

    private func expectBounded() throws {
        for name in [AuditFile.name, AuditFile.previousName] {
            let size = try #require(FileContentsMark(path: folder.path(of: name))).byteCount
            #expect((1...4096).contains(size), "\(name) has \(size) bytes")
        }
    }

    @Test("entries that cannot be written are lost; no call waits, and the log says how many")
    func lost() throws {
        // A folder of this name simulates a disk that cannot be written.
        #expect(mkdir(folder.path(of: AuditFile.name), 0o700) == 0)
        let log = AuditLog(in: folder, fixed: AuditSettings(), log: silent, maximumWaitingRecords: 10)
        let program = AuditedProgram(caller, log)
        for _ in 0..<10_000 { program.record(.device(.lock), .success(.done)) }
        #expect(rmdir(folder.path(of: AuditFile.name)) == 0)
        var noted = 10_000
        let isWritten = eventually("it is written") {
            // With each record the writer tries again.
            program.record(.device(.lock), .success(.done))
            noted += 1
            return FileContentsMark(path: folder.path(of: AuditFile.name)) != nil
        }
        #expect(isWritten)
        log.close()
        let lost = try allEntries().reduce(0) { if case .lost(let count, _) = $1 { $0 + count } else { $0 } }
        #expect(lost > 0)
        #expect(lost + (try entries().count) == noted)
    }

    @Test("on a full disk no entry is written in part, and later ones are written again")
    func fullDisk() throws {
        let room = Atomic<Int>(.max)
        var file = AuditFile(in: folder) { descriptor, bytes, count in
            let part = min(count, room.load(ordering: .relaxed))
            guard part > 0 else {
                errno = ENOSPC
                return -1
            }
            room.subtract(part, ordering: .relaxed)
            return write(descriptor, bytes, part)
        }
        let line = Array("\(AuditEntry.lost(1, .now).line)\n".utf8)
        try file.append(line)
        room.store(10, ordering: .relaxed)
        let failure: FileError?
        do throws(FileError) {
            try file.append(line)
            failure = nil
        } catch { failure = error }
        #expect(failure?.isOutOfSpace == true)
        #expect(FileContentsMark(path: folder.path(of: AuditFile.name))?.byteCount == line.count)
        room.store(.max, ordering: .relaxed)
        try file.append(line)
        #expect(try allEntries().count == 2)
    }

    @Test("an incomplete line of a killed daemon is ignored, and damages no other")
    func halfLine() throws {
        let line = "\(AuditEntry.lost(3, .now).line)\n"
        try Data("\(line)\(line.prefix(20))".utf8).write(to: URL(fileURLWithPath: folder.path(of: AuditFile.name)))
        chmod(folder.path(of: AuditFile.name), 0o600)
        var file = AuditFile(in: folder)
        try file.append(Array(line.utf8))
        var reader = AuditReader(in: folder)
        let part = try reader.next()
        #expect(part.entries.count == 2 && part.unreadable == 1)
    }

    @Test("a reader continues where it was when the file is replaced or removed")
    func following() throws {
        var file = AuditFile(in: folder, maximumBytes: 400)
        var reader = AuditReader(in: folder)
        #expect(try reader.next().entries.isEmpty)
        var count = 0
        for number in 1...30 {
            try append(number, to: &file)
            if number % 2 == 0 { continue }
            for case .lost(let found, _) in try reader.next().entries {
                count += 1
                #expect(found == count)
            }
        }
        unlink(folder.path(of: AuditFile.name))
        try append(31, to: &file)
        for case .lost(let found, _) in try reader.next().entries { count = found }
        #expect(count == 31)
    }

    private func append(_ number: Int, to file: inout AuditFile) throws {
        var entries = [AuditEntry.lost(number, .now)][...]
        try file.append(&entries)
    }

    @Test("a name with control characters ends no line and controls no terminal")
    func controlCharacters() throws {
        let odd = AuditCaller(user: 0, process: 1, program: "/tmp/a\u{1b}[2J\nb\u{2028}\u{9b}", identity: "x\r")
        let long = String(repeating: "é", count: 300)
        let record = AuditRecord(
            time: .now,
            caller: odd,
            operation: "SecItemAdd",
            itemClass: "ge\u{0}np",
            accessGroups: [long] + (0..<40).map { "\($0)" },
            status: -50,
            attributes: [.account: "\u{7}\u{7f}"]
        )
        let line = AuditEntry.call(record).line
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        #expect(!line.contains("\u{2028}"))
        #expect(AuditEntry(line: line.utf8) == .call(record))
        #expect(record.accessGroups.count == AuditRecord.maximumGroups + 1)
        #expect(record.accessGroups.allSatisfy { $0.utf8.count < 300 })
    }

    @Test("the path of a program is logged whatever its bytes are, and no two paths look the same")
    func paths() throws {
        for (path, text) in [
            ([UInt8]("/usr/bin/app".utf8), "/usr/bin/app"), (Array("/a/é\u{1F511}\n".utf8), "/a/é\u{1F511}\n"),
            ([0x2F, 0xFF, 0x0A, 0x78], "/\\xff\nx"), (Array(#"/\xff"#.utf8), #"/\\xff"#),
            // A character that is cut off, one that is too long, half of a pair, and one beyond the last.
            ([0x2F, 0xE2, 0x82], #"/\xe2\x82"#), ([0xC0, 0xAF], #"\xc0\xaf"#), ([0xED, 0xA0, 0x80], #"\xed\xa0\x80"#),
            ([0xF5, 0x41, 0x09], "\\xf5A\t"), ([0xE2, 0x82, 0xAC, 0x82], #"€\x82"#), ([], ""),
        ] {
            #expect(AuditCaller.text(ofPath: path) == text)
        }
        let script = #"""
            program="$0/$(printf 'p\\\nq\377')" && cp "$1" "$program" && exec "$program" -
            """#
        let program = try HelperProcess(
            "/bin/sh",
            ["-c", script, temporary.path, try DaemonFolder.program("signed-program")]
        )
        #expect(try program.nextLine() == "ready")
        let log = AuditLog(in: folder, fixed: AuditSettings(), log: silent)
        var record = IdentityRecord()
        let peer = try PeerProcess(identifier: program.identifier)
        let audited = AuditedProgram(ProgramExaminer(IdentityOptions()).identify(peer, &record), log)
        audited.record(.device(.lock), .success(.done))
        log.close()
        let real = try #require(realpath(temporary.path, nil).map { String(cString: $0) })
        #expect(try entries().first?.caller.program == real + "/p\\\\\nq\\xff")
        #expect(try contents().split(separator: "\n").count == 1)
    }

    @Test(
        "a line that is no entry is not read as one",
        arguments: [
            "", "{}", "null", "[]", #"{"time":"2026-01-01T00:00:00.000Z"}"#, #"{"time":"2026-01-01","lost":1}"#,
            #"{"time":"2026-02-30T00:00:00.000Z","lost":1}"#, #"{"time":"2026-01-01T00:00:00.000Z","lost":0}"#,
            #"{"time":"2026-01-01T00:00:00.000Z","lost":1"#,
            #"{"time":"2026-01-01T00:00:00.000Z","uid":-1,"pid":1,"identity":"x","operation":"x","status":0}"#,
            #"{"time":"2026-01-01T00:00:00.000Z","uid":1,"pid":1,"identity":"x","operation":"x","status":99999999999}"#,
            #"{"time":"2026-01-01T00:00:00.000Z","uid":1,"pid":1,"identity":"x","operation":"x","status":0,"groups":[1]}"#,
        ]
    )
    func noEntry(_ line: String) { #expect(AuditEntry(line: line.utf8) == nil) }

    @Test("a time is read as it was written", arguments: [0, 1, 1_700_000_000_123, 4_102_444_799_999, 951_782_400_000])
    func time(_ milliseconds: Int64) {
        let time = AuditTime(milliseconds: milliseconds)
        #expect(AuditTime(time.description) == time)
    }

    /// The log of an add, of another one of the same item, of reads of no item, in a group with another owner and with
    /// a class that is none, and of what a library does internally.
    private func logged(_ settings: AuditSettings) throws -> [AuditRecord] {
        let log = AuditLog(in: folder, fixed: settings, log: silent)
        let life = DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
        let program = UserProgram(
            ProcessInstance(identifier: 8, startTime: 1),
            as: ClientIdentity(.anonymous),
            keychain: EmbeddedKeychain.inMemory(),
            proofs: PasscodeProofs(),
            life: life,
            audited: AuditedProgram(caller, log)
        )
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("anna"), "svce": .string("example.org"),
            "labl": .string("lbl"), "v_Data": .data(SecretBytes(Array("s3cret".utf8))),
        ]
        let client = Client(accessGroups: ["group"])
        let other: PropertyDictionary = ["class": .string("genp"), "agrp": .string("ABCDEFGHIJKLMNOPQRSTUVWX23.x")]
        let commands: [KeychainCommand] = [
            .items(KeychainRequest(.add(item), client: client)), .items(KeychainRequest(.add(item), client: client)),
            .items(KeychainRequest(.copyMatching(["class": .string("inet")]), client: client)),
            .items(KeychainRequest(.copyMatching(other), client: client)),
            .items(KeychainRequest(.copyMatching(["class": .string("s3cret")]), client: client)),
            .authentication(.release(AuthenticationContext().identifier)), .device(.lockThisProcess),
        ]
        for command in commands {
            let result = Result { () throws(KeychainError) in try program.backend.perform(program.permitted(command)) }
            program.finished(command, result)
        }
        log.close()
        return try entries()
    }

    private func allEntries() throws -> [AuditEntry] {
        var reader = AuditReader(in: folder)
        return try reader.next().entries
    }

    private func entries() throws -> [AuditRecord] {
        try allEntries().compactMap { if case .call(let record) = $0 { record } else { nil } }
    }

    private func contents() throws -> String {
        try String(contentsOfFile: folder.path(of: AuditFile.name), encoding: .utf8)
    }
}
