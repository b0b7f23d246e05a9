// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HostFiles
import KeychainCore
import KeychainDefaultBackend
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

@testable import KeychainIdentity

/// Attempts to be taken for a signed program by each of the daemons of this build: what a program that speaks the
/// protocol gets of that program's item.
@Suite(.timeLimit(.minutes(10)))
struct ProgramAttackTests {
    /// Whose daemon it is.
    enum Mode: Sendable, CaseIterable {
        case user
        case system

        var isPossible: Bool { self == .user || SystemServiceFolder.mayLookAtPrograms }
    }

    @Test("nobody but the signed program itself gets its item", arguments: Mode.allCases.filter(\.isPossible))
    func attacks(_ mode: Mode) throws {
        let scene = try AttackScene(mode)
        for attack in Attack.all where geteuid() == 0 || !attack.takesRoot {
            let answer = try scene.answer(to: attack)
            #expect(answer == attack.expected, "\(attack.name)")
        }
    }
}

/// What is done to a program, or by it, before its command.
private struct Attack {
    let name: String
    let expected: AttackScene.Answer
    /// The words before those of the user who runs the program.
    var launcher: [String] = []
    /// The words before the program.
    var prefix: (AttackScene) throws -> [String] = { _ in [] }
    /// Changes the program's files, and returns the words that run it.
    var words: (_ folder: String, AttackScene) throws -> [String] = { folder, _ in ["\(folder)/tool"] }
    /// What it is told before it connects, each with the line that it answers.
    var before: [(String, String)] = []
    /// Changes the program's files while it runs.
    var meanwhile: (_ folder: String, AttackScene) throws -> Void = { _, _ in }
    /// What it is told once the daemon has greeted it.
    var after: (_ folder: String, AttackScene) throws -> [(String, String)] = { _, _ in [] }
    /// Whether its command is bytes from elsewhere, which it copies to the connection as to any output.
    var isCopied = false
    var takesRoot = false

    private static let refused = AttackScene.Answer.refused(.missingEntitlement)

    static var all: [Attack] {
        [
            Attack(name: "none", expected: .secret),
            Attack(
                name: "LD_PRELOAD",
                expected: refused,
                prefix: { ["/usr/bin/env", "LD_PRELOAD=\(try $0.library)"] }
            ),
            Attack(name: "LD_AUDIT", expected: refused, prefix: { ["/usr/bin/env", "LD_AUDIT=\(try $0.library)"] }),
            Attack(
                name: "a changed executable",
                expected: refused,
                words: { folder, scene in
                    try scene.run("/bin/sh", "-c", "printf x >> \"$0\"", "\(folder)/tool")
                    return ["\(folder)/tool"]
                }
            ),
            Attack(
                name: "another program with its manifest",
                expected: refused,
                words: { folder, scene in
                    try scene.run("/bin/cp", scene.other, "\(folder)/tool")
                    return ["\(folder)/tool"]
                }
            ),
            Attack(
                name: "an executable in memory",
                expected: refused,
                words: { folder, _ in ["\(folder)/tool", "memfd"] }
            ),
            Attack(
                name: "an executable that is replaced",
                expected: refused,
                meanwhile: { folder, scene in
                    try scene.run("/bin/cp", scene.other, "\(folder)/new")
                    try scene.run("/bin/mv", "\(folder)/new", "\(folder)/tool")
                }
            ),
            Attack(
                name: "an executable that is removed",
                expected: refused,
                meanwhile: { folder, scene in
                    try scene.run("/bin/rm", "\(folder)/tool")
                }
            ),
            Attack(name: "a debugger", expected: refused, before: [("trace", "traced")]),
            Attack(name: "a debugger of another thread", expected: refused, before: [("trace-thread", "traced")]),
            Attack(name: "a command that it copies to the connection", expected: refused, isCopied: true),
            Attack(name: "generated code", expected: refused, before: [("generate", "generated")]),
            Attack(name: "code that was written to", expected: refused, before: [("write", "written")]),
            Attack(
                name: "a mount namespace",
                expected: refused,
                launcher: ["/usr/bin/unshare", "--mount"],
                takesRoot: true
            ),
            Attack(
                name: "a PID namespace",
                expected: refused,
                launcher: ["/usr/bin/unshare", "--pid", "--fork", "--kill-child"],
                takesRoot: true
            ),
            Attack(name: "a debugger afterwards", expected: refused, after: { _, _ in [("trace", "traced")] }),
            Attack(
                name: "code generated afterwards",
                expected: refused,
                after: { _, _ in [("generate", "generated")] }
            ),
            Attack(
                name: "a library loaded afterwards",
                expected: refused,
                after: { _, scene in
                    [("load \(try scene.library)", "loaded")]
                }
            ),
            Attack(
                name: "another program afterwards",
                expected: refused,
                after: { _, scene in
                    [("exec \(scene.other)", "ready")]
                }
            ),
            Attack(
                name: "another program in between",
                expected: refused,
                after: { folder, scene in
                    [("exec \(scene.other)", "ready"), ("exec \(folder)/tool", "ready")]
                }
            ),
            Attack(name: "a child that goes on alone", expected: refused, after: { _, _ in [("leave", "left")] }),
        ]
    }
}

/// A daemon with an item of a signed program, and that program.
private final class AttackScene {
    /// What a program gets for its command.
    enum Answer: Equatable {
        case secret
        case refused(Status)
        /// The connection is closed.
        case nothing
    }

    struct Failure: Error { let reason: String }

    /// A program that nobody signed.
    let other: String

    private let mode: ProgramAttackTests.Mode
    private let user: DaemonFolder?
    private let system: SystemServiceFolder?
    private let folder: String
    private let group: String
    private let manifest: String
    private var number = 0
    private static let secret = Array("the secret of the signed program".utf8)
    private static let anna: uid_t = 1

    init(_ mode: ProgramAttackTests.Mode) throws {
        self.mode = mode
        user = mode == .user ? try DaemonFolder() : nil
        system = mode == .system ? try SystemServiceFolder(looksAtPrograms: true) : nil
        if let user { _ = try user.parts().daemon.perform(.device(.status)) }
        folder = user?.path(beside: "programs") ?? system?.path(of: "programs") ?? ""
        other = "\(folder)/other"
        let key = TeamKey()
        let team = TeamIdentifier(firstKey: key.publicKey)
        group = "\(team.prefix)com.example.tool"
        try Self.makeFolder(folder)
        let source = try DaemonFolder.program("signed-program")
        let contents = ProgramManifest.Contents(
            team: team,
            applicationIdentifier: group,
            accessGroups: [group],
            executable: try ProgramFile(path: source).digest,
            serial: 1,
            created: "2026-11-23T03:00:00Z"
        )
        manifest = try ProgramManifest(signing: contents, by: key).document.text + "\n"
        try run("/bin/cp", source, other)
        // It is another executable, and does the same.
        try run("/bin/sh", "-c", "printf x >> \"$0\"", other)
        if let system {
            let shell = try system.enabledShell(of: Self.anna)
            let set = try shell.control("device set-passcode --passcode-stdin", input: "1234\n")
            guard set.status == 0 else { throw Failure(reason: "\(set)") }
        }
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("name"), "agrp": .string(group),
            PropertyKey.valueData: .data(SecretBytes(Self.secret)),
        ]
        let added = try answer(to: Attack(name: "the add", expected: .nothing), .add(item))
        guard added == .nothing else { throw Failure(reason: "\(added)") }
    }

    /// Makes a folder that every user can look into.
    private static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o755) == 0, chmod(path, 0o755) == 0 else { throw Failure(reason: "\(path): \(errno)") }
    }

    /// A library that nobody signed.
    var library: String {
        get throws {
            let path = "\(folder)/evil.so"
            guard access(path, F_OK) != 0 else { return path }
            let source = "unsigned la_version(unsigned version) { return version; }"
            try Data(source.utf8).write(to: URL(fileURLWithPath: "\(path).c"))
            try run("/usr/bin/env", "clang", "-O2", "-shared", "-fPIC", "-o", path, "\(path).c")
            try run("/bin/chmod", "755", path)
            return path
        }
    }

    /// Runs a program to its end: what this process has open for writing, a child that another test starts meanwhile
    /// has open as well, and the kernel executes no such file.
    func run(_ words: String...) throws {
        let process = try HelperProcess(words[0], Array(words.dropFirst()))
        let status = try process.wait()
        guard status == 0 else { throw HelperProcess.Failure.system("\(words)", status) }
    }

    /// What the program gets when it asks for its item, under attack.
    func answer(to attack: Attack) throws -> Answer {
        let query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("name"), "agrp": .string(group),
            PropertyKey.returnData: .boolean(true),
        ]
        return try answer(to: attack, .copyMatching(query))
    }

    private func answer(to attack: Attack, _ operation: KeychainRequest.Operation) throws -> Answer {
        number += 1
        let place = "\(folder)/\(number)"
        try Self.makeFolder(place)
        try run("/bin/cp", DaemonFolder.program("signed-program"), "\(place)/tool")
        let file = "\(place)/tool\(ProgramManifest.fileSuffix)"
        try Data(manifest.utf8).write(to: URL(fileURLWithPath: file))
        try run("/bin/chmod", "644", file)
        let asUser = mode == .system ? SystemServiceFolder.asUser(Self.anna) : []
        let words = try attack.launcher + asUser + attack.prefix(self) + attack.words(place, self) + ["-"]
        let program = try HelperProcess(words[0], Array(words.dropFirst()))
        #expect(try program.nextLine() == "ready", "\(attack.name)")
        try attack.meanwhile(place, self)
        try tell(program, attack.before + [("connect \(socket)", "connected")], attack)
        try tell(program, [("transmit \(Self.digits(ClientGreeting().bytes))", "sent")], attack)
        guard try receive(program, Greeting.byteCount).count == Greeting.byteCount else { return .nothing }
        try tell(program, attack.after(place, self), attack)
        let request = KeychainRequest(operation, client: Client(accessGroups: [group]))
        let frame = try WireMessage.command(1, .items(request)).encoded()
        let send = attack.isCopied ? "copy" : "transmit"
        _ = try program.ask("\(send) \(frame.withUnsafeBytes { Self.digits(Array($0)) })")
        return try receiveAnswer(program)
    }

    private func tell(_ program: HelperProcess, _ steps: [(String, String)], _ attack: Attack) throws {
        for (command, answer) in steps { #expect(try program.ask(command) == answer, "\(attack.name): \(command)") }
    }

    private func receiveAnswer(_ program: HelperProcess) throws -> Answer {
        while true {
            let header = try receive(program, WireMessage.headerByteCount)
            guard header.count == WireMessage.headerByteCount else { return .nothing }
            let count = try header.withUnsafeBytes { bytes in
                try Result { () throws(WireError) in try WireMessage.bodyLength(bytes) }.get()
            }
            let frame = header + (try receive(program, count))
            if frame.firstRange(of: Self.secret) != nil { return .secret }
            switch try WireMessage(SecretBytes(frame)) {
            case .working: continue
            case .failure(_, let error): return .refused(error.status)
            default: return .nothing
            }
        }
    }

    private func receive(_ program: HelperProcess, _ count: Int) throws -> [UInt8] {
        var digits = Array(try program.ask("receive \(count)").utf8)[...]
        var bytes: [UInt8] = []
        while digits.count >= 2 {
            guard let byte = UInt8(String(decoding: digits.prefix(2), as: UTF8.self), radix: 16) else { break }
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    private var socket: String { user?.socket ?? system?.socket.path ?? "" }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
