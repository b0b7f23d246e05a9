// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainAudit
import KeychainHost
import KeychainTestSupport
import Testing

/// The audit log as its owner uses it: the tools of this build.
@Suite(.timeLimit(.minutes(20)))
struct AuditServiceTests {
    private let folder: DaemonFolder
    private let shell: Shell

    init() throws {
        folder = try DaemonFolder(isEnabled: false)
        shell = try Shell.beside(folder)
    }

    @Test("requests are logged once that is set, also by the next daemon, and no more when it is reset")
    func service() throws {
        #expect(try shell.control("log").errors.contains("not logged"))
        #expect(try shell.control("service audit on").errors.contains("service enable"))
        #expect(try shell.control("service audit off").status == 0)
        #expect(try shell.control("service enable").status == 0)
        #expect(try shell.security("add-generic-password -a anna -s service -w t0ken").status == 0)
        #expect(try shell.control("log").output.isEmpty)

        #expect(try shell.control("service audit on").output.contains("without attributes"))
        #expect(try shell.security("find-generic-password -a nobody -s service").status == 44)
        let text = try log("", until: "-25300  SecItemCopyMatching genp in ")
        // This program forbids inspection: only a daemon of root knows its path.
        #expect(text.contains(#"/security" (process "#) || text.contains("unknown program (process "), "\(text)")
        #expect(text.contains(", anonymous)"), "\(text)")
        for secret in ["t0ken", "anna", "nobody"] { #expect(!text.contains(secret)) }

        #expect(try shell.control("service restart").status == 0)
        #expect(try shell.control("service audit on --attributes account").output.contains("account"))
        #expect(try shell.security("find-generic-password -a anna -s service -w").output == "t0ken\n")
        let json = try log("--json --last 500", until: #""attributes":{"account":"anna"}"#)
        #expect(!json.contains("t0ken"))
        let lines = json.split(separator: "\n")
        #expect(lines.count >= 2 && lines.allSatisfy { AuditEntry(line: $0.utf8) != nil })
        #expect(try shell.control("log --last 1").output.split(separator: "\n").count == 1)

        // The last request that is logged: those before it are in the log once it is.
        _ = try shell.control("device lock")
        _ = try log("--json", until: #""operation":"device lock""#)
        #expect(try shell.control("service audit off").output.contains("not log"))
        let before = try settledLog()
        #expect(try shell.security("find-generic-password -a anna -s service").status == 0)
        #expect(try shell.control("log --json").output == before)
        #expect(try shell.control("service audit off --attributes account").status == 2)
        #expect(try shell.control("service audit on --attributes secret").status == 2)
        #expect(try shell.control("service audit").output.contains("not log"))
    }

    @Test(
        "the item is named for each read, whichever program reads it",
        arguments: [
            ["security", "find-generic-password", "-s", "service", "-w"],
            ["keychainctl", "get", "service"], ["keychainctl", "get", "service", "--json"],
            ["keychainctl", "exec", "--env", "A=keychain://service", "--", "/bin/true"],
            ["keychainctl", "inject", "TEMPLATE"],
        ]
    )
    func reads(_ words: [String]) throws {
        #expect(try shell.control("service enable").status == 0)
        #expect(try shell.control("service audit on --attributes service,account").status == 0)
        #expect(try shell.security("add-generic-password -a anna -s service -w t0ken").status == 0)
        let template = folder.path(beside: "template")
        try Data("{{ keychain://service }}".utf8).write(to: URL(fileURLWithPath: template))
        let arguments = words.dropFirst().map { $0 == "TEMPLATE" ? template : $0 }
        #expect(try shell.run(words[0], arguments).status == 0)
        _ = try log("--json", until: #""account":"anna","service":"service"}"#)
        _ = try shell.control("device lock")
        let lines = try log("--json", until: #""operation":"device lock""#).split(separator: "\n")
        let reads = lines.filter { $0.contains(#""SecItemCopyMatching""#) && $0.contains(#""status":0"#) }
        #expect(reads.last?.contains(#""account":"anna","service":"service""#) == true, "\(reads)")
        #expect(reads.last?.contains(#""class":"genp""#) == true)
        #expect(reads.last?.contains(#""groups":["swift-keychain.common"]"#) == true)
    }

    /// The log, once two reads show the same: the last entries are written after their replies.
    private func settledLog() throws -> String {
        var log = try shell.control("log --json").output
        while true {
            let next = try shell.control("log --json").output
            if next == log { return log }
            log = next
        }
    }

    /// The log, once it contains a text: it is written after the reply.
    private func log(_ options: String, until text: String) throws -> String {
        let limit = ContinuousClock.now + .seconds(60)
        while true {
            let log = try shell.control("log \(options)")
            #expect(log.status == 0)
            if log.output.contains(text) { return log.output }
            try #require(ContinuousClock.now < limit, "\(text) is not in \(log)")
        }
    }

    @Test("--follow shows new entries, also when the file is replaced")
    func follow() throws {
        #expect(try shell.control("service enable").status == 0)
        #expect(try shell.control("service audit on").status == 0)
        let process = try shell.process("keychainctl", ["log", "--follow", "--json"])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        var shown = LineBuffer(output.fileHandleForReading.fileDescriptor)
        // Each entry that is waited for is one that only its own round makes.
        for itemClass in ["generic", "internet"] {
            if itemClass == "internet" {
                let path = "\(folder.location.path)/\(AuditFile.name)"
                #expect(rename(path, "\(folder.location.path)/\(AuditFile.previousName)") == 0)
            }
            #expect(try shell.security("find-\(itemClass)-password -a nobody -s service").status == 44)
            let name = itemClass == "generic" ? "genp" : "inet"
            #expect(try shown.next { $0.contains(#""status":-25300"#) && $0.contains(#""\#(name)""#) } != nil)
        }
    }
}

/// The lines of a pipe.
private struct LineBuffer {
    private let descriptor: Int32
    private var rest: [UInt8] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next wanted line; `nil` if there is none within a minute.
    mutating func next(_ isWanted: (String) -> Bool) throws -> String? {
        while true {
            while let end = rest.firstIndex(of: 0x0A) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + 1)
                if isWanted(line) { return line }
            }
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 60_000) > 0 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            rest += buffer[..<count]
        }
    }
}
