// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainTestSupport
import KeychainWire
import Testing

/// Sessions without a session bus that begin at the same time, as `~/.profile` in two logins.
///
/// `SESSION_ROUNDS` sets how often.
@Suite(.timeLimit(.minutes(30)))
struct SessionStartTests {
    private static let rounds = getenv("SESSION_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 1
    private static let sessions = 8

    /// Whom a keychain belongs to when the sessions begin.
    enum Before: CaseIterable {
        case nobody
        case programs
        case daemon
        /// A daemon that a program has started, and which serves no bus.
        case runningDaemon
    }

    @Test("any number of them get the same bus, of the daemon that owns the keychain", arguments: Before.allCases)
    func sameBus(_ before: Before) throws {
        for _ in 0..<Self.rounds { try begin(before) }
    }

    private func begin(_ before: Before) throws {
        let folder = try DaemonFolder(isEnabled: false)
        let shell = try Shell.beside(folder)
        switch before {
        case .nobody: try FileManager.default.removeItem(atPath: folder.location.path)
        case .programs: #expect(try shell.security("add-generic-password -a a -s s -w secret").status == 0)
        case .daemon, .runningDaemon:
            #expect(try shell.control("service enable").status == 0)
            #expect(try shell.security("add-generic-password -a a -s s -w secret").status == 0)
        }
        if before == .daemon { #expect(folder.end(by: SIGTERM)) }
        let files = (0..<Self.sessions).map { folder.path(beside: "session\($0)") }
        let processes = try files.enumerated().map { index, file in
            // One half asks for the variable, the other one runs a program with it.
            let line = index % 2 == 0 ? "env" : "run -- printenv DBUS_SESSION_BUS_ADDRESS"
            let program = try DaemonFolder.program("keychainctl")
            let process = try shell.process(
                "/bin/sh",
                ["-c", "exec \"$0\" session \(line) > \"$1\" 2>&1", program, file]
            )
            try process.run()
            return process
        }
        for process in processes { process.waitUntilExit() }
        let bus = SocketLocation(path: "\(folder.path(beside: "runtime"))/swift-keychain/x")
        for (process, file) in zip(processes, files) {
            let output = try String(contentsOfFile: file, encoding: .utf8)
            #expect(process.terminationStatus == 0, "\(before): \(output)")
            #expect(output.contains("unix:path=\(bus.folder)/bus"), "\(before): \(output)")
        }
        let directory = try #require(try PrivateDirectory(existing: folder.location))
        let refusal = #expect(throws: KeychainError.self) { try EmbeddedKeychain(at: folder.location).checkOwner() }
        #expect(refusal?.foreignOwner == .daemon)
        let record = try #require(DaemonRecord(serving: directory))
        let words = try String(contentsOfFile: "/proc/\(record.process)/cmdline", encoding: .utf8)
        #expect(words.contains("--secret-service"))
        if before != .nobody {
            let found = try shell.security("find-generic-password -a a -s s -w")
            #expect(found.output == "secret\n", "\(found)")
        }
        #expect(folder.end(by: SIGTERM))
    }
}
