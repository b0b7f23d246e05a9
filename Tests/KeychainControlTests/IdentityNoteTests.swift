// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl identity-note`, and what the compiler makes of its line.
struct IdentityNoteTests {
    @Test(
        "a program with the line has the note, which readelf(1) shows",
        arguments: ["com.example.tool", "a.b", "com.example.abc", "com." + String(repeating: "x", count: 251)]
    )
    func compiled(name: String) throws {
        let folder = try TemporaryFolder()
        let identity = try #require(ProgramIdentity(name.utf8))
        let source = folder.path(of: "main.swift")
        try Data((IdentityNoteCommand.code(identity) + "\nprint(1)\n").utf8).write(to: URL(fileURLWithPath: source))
        let object = folder.path(of: "main.o")
        let cache = folder.path(of: "cache")
        #expect(try output(of: ["swiftc", "-c", "-module-cache-path", cache, source, "-o", object]).isEmpty)
        let notes = try output(of: ["readelf", "-nW", object])
        let bytes = name.utf8.map { String(format: "%02x", $0) }.joined(separator: " ")
        #expect(notes.contains("swift-keychain"))
        #expect(notes.contains("description data: \(bytes)"))
        // Of four, as other notes are: a larger alignment is another format.
        let sections = try output(of: ["readelf", "-SW", object])
        #expect(sections.split(separator: "\n").contains { $0.contains(ProgramIdentity.section) && $0.hasSuffix(" 4") })
    }

    @Test(
        "a program reads its own identity, also one that is linked statically; one without a note has none",
        arguments: [(true, []), (true, ["-static-executable"]), (false, [])] as [(Bool, [String])]
    )
    func read(hasNote: Bool, options: [String]) throws {
        let folder = try TemporaryFolder()
        let identity = try #require(ProgramIdentity("com.example.tool".utf8))
        let source = """
            \(hasNote ? IdentityNoteCommand.code(identity) : "")
            @_extern(c, "keychain_program_identity")
            func read(_ identity: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int32
            var text = [CChar](repeating: 0, count: 256)
            let count = read(&text, 255)
            print(count, String(cString: text), read(&text, 3))
            """
        let main = folder.path(of: "main.swift")
        try Data(source.utf8).write(to: URL(fileURLWithPath: main))
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Sources/Host/CKeychainSupport")
            .standardized.path
        let object = folder.path(of: "note.o")
        let compiled = ["clang", "-c", "\(file)/program_identity.c", "-I", "\(file)/include", "-o", object]
        #expect(try output(of: compiled).isEmpty)
        let program = folder.path(of: "program")
        let cache = folder.path(of: "cache")
        _ = try output(
            of: ["swiftc", "-enable-experimental-feature", "Extern", "-module-cache-path", cache] + options
                + [main, object, "-o", program]
        )
        #expect(try output(of: [program]) == (hasNote ? "16 com.example.tool 16\n" : "-1  -1\n"))
    }

    @Test("what is no identity is refused", arguments: ["", "tool", "com..tool", "com.example/tool"])
    func refused(name: String) {
        #expect(throws: (any Error).self) { try KeychainControl.parseAsRoot(["identity-note", name]) }
    }

    private func output(of command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
