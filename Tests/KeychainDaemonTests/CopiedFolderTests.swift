// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import KeychainTestSupport
import KeychainWire
import Testing

@testable import KeychainRouting

/// A copy of the folder of a keychain that a service has: what is done in the copy is done there, or not at all.
@Suite(.timeLimit(.minutes(10)))
struct CopiedFolderTests {
    private let folder: DaemonFolder
    private let original: Shell
    private let copy: Shell
    private let copyPath: String

    /// A keychain with one item, its running daemon, and a copy.
    init() throws {
        folder = try DaemonFolder(isEnabled: false)
        original = try Shell.beside(folder)
        copyPath = folder.path(beside: "copy")
        copy = try Shell(home: copyPath, runtime: folder.path(beside: "runtime"))
        #expect(try original.security("add-generic-password -a one -s service -w first").status == 0)
        let enabled = try original.control("service enable")
        #expect(enabled.status == 0, "\(enabled)")
        try #require(folder.record != nil)
        try copyFolder()
    }

    private func copyFolder() throws {
        let made = try original.run("/bin/cp", ["-a", folder.location.path, copyPath])
        try #require(made.status == 0, "\(made)")
    }

    private static func secret(_ account: String, _ shell: Shell) throws -> String? {
        let found = try shell.security("find-generic-password -a \(account) -s service -w")
        return found.status == 0 ? found.output : nil
    }

    /// Ends the daemon of the copy, whatever the test has shown.
    private func endCopy() throws {
        _ = try DaemonRecord.stop(
            in: PrivateDirectory(KeychainLocation(path: copyPath)),
            until: Deadline(milliseconds: 60_000)
        )
    }

    @Test("programs that use the copy add and delete there, and those that use the original see none of it")
    func items() throws {
        defer { #expect(throws: Never.self) { try endCopy() } }
        #expect(try copy.security("add-generic-password -a two -s service -w second").status == 0)
        #expect(try copy.security("delete-generic-password -a one -s service").status == 0)
        for _ in 0..<2 {
            #expect(try Self.secret("one", original) == "first\n")
            #expect(try Self.secret("two", original) == nil)
            #expect(try Self.secret("one", copy) == nil)
            #expect(try Self.secret("two", copy) == "second\n")
            // Once more without the daemon of the original.
            #expect(folder.end(by: SIGTERM))
        }
    }

    @Test("a passcode that is set in the copy is that of the copy alone")
    func passcode() throws {
        defer { #expect(throws: Never.self) { try endCopy() } }
        let set = try copy.control("device set-passcode --passcode-stdin", input: "1234\n1234\n")
        #expect(set.status == 0, "\(set)")
        #expect(try original.control("device status --json").output.contains(#""passcodeSet" : false"#))
        #expect(try copy.control("device status --json").output.contains(#""passcodeSet" : true"#))
    }

    @Test("'service disable' in the copy, before and after a use of it, leaves the daemon of the original alone")
    func disable() throws {
        let running = try #require(folder.record)
        #expect(try copy.control("service status").output.contains("not running"))
        let disabled = try copy.control("service disable")
        #expect(disabled.status == 0, "\(disabled)")
        #expect(folder.record == running)
        #expect(try Self.secret("one", copy) == "first\n")
        #expect(try copy.security("delete-generic-password -a one -s service").status == 0)
        #expect(try Self.secret("one", original) == "first\n")
        try FileManager.default.removeItem(atPath: copyPath)
        try copyFolder()
        #expect(try Self.secret("one", copy) == "first\n")
        #expect(try copy.control("service restart").status == 0)
        #expect(try copy.control("service disable").status == 0)
        #expect(folder.record == running)
        #expect(try Self.secret("one", original) == "first\n")
    }

    @Test("'service enable' in the copy gives it a daemon and a record of its own")
    func enable() throws {
        defer { #expect(throws: Never.self) { try endCopy() } }
        let running = try #require(folder.record)
        let enabled = try copy.control("service enable")
        #expect(enabled.status == 0, "\(enabled)")
        let directory = try PrivateDirectory(KeychainLocation(path: copyPath))
        let record = try #require(ServiceRecord(in: directory))
        #expect(record.socket != running.socket)
        #expect(DaemonRecord(in: directory)?.socket == record.socket)
        #expect(folder.record == running)
    }

    @Test("the records of a folder count in it, also after it was moved or put back, and in no copy of it")
    func records() throws {
        let own = try PrivateDirectory(folder.location)
        let copied = try PrivateDirectory(KeychainLocation(path: copyPath))
        let record = try #require(ServiceRecord(in: own))
        #expect(DaemonRecord(in: own) != nil && DaemonRecord.process(in: own) == folder.record?.process)
        #expect(ServiceRecord(in: copied) == nil && ServiceRecord.isCopied(in: copied))
        #expect(ServiceRecord.program(in: copied) == record.program)
        #expect(DaemonRecord(in: copied) == nil && DaemonRecord.process(in: copied) == nil)
        #expect(folder.end(by: SIGTERM))
        let (path, moved) = (folder.location.path, folder.path(beside: "moved"))
        #expect(rename(path, moved) == 0)
        #expect(ServiceRecord(in: try PrivateDirectory(KeychainLocation(path: moved))) == record)
        #expect(rename(copyPath, path) == 0)
        #expect(ServiceRecord(in: try PrivateDirectory(folder.location)) == record)
    }

    @Test("a daemon that serves another folder is sent nothing, whatever led to it")
    func otherDaemon() throws {
        let running = try #require(folder.record)
        for (path, isServed) in [(folder.location.path, true), (copyPath, false)] {
            var options = ClientOptions()
            options.servedFolder = path
            let client = DaemonKeychain(at: SocketLocation(path: running.socket), options: options)
            guard !isServed else {
                #expect(throws: Never.self) { try client.perform(.device(.status)) }
                continue
            }
            let failure = #expect(throws: KeychainError.self) { try client.perform(.device(.status)) }
            #expect(failure?.status == .notAvailable && failure?.kind == .service(.otherFolder))
            for text in [path, running.socket, "may be a copy", "service enable", "service disable"] {
                #expect(failure?.reason.contains(text) ?? false, "\(text)")
            }
        }
    }

    @Test("a copy of a folder whose keychain is in the system service does nothing there, and can begin one of its own")
    func ofSystem() throws {
        let (moved, copied) = (folder.path(beside: "moved"), folder.path(beside: "moved copy"))
        let location = KeychainLocation(path: moved)
        try EmbeddedKeychain(at: location, of: .embedded).handOver(to: .system)
        let socket = folder.path(beside: "system.sock")
        try ServiceRecord(program: nil, socket: socket).write(in: PrivateDirectory(location))
        #expect(try original.run("/bin/cp", ["-a", moved, copied]).status == 0)
        func system(_ path: String) -> DaemonOnDemand {
            ProcessKeychain.Parts(storeAt: KeychainLocation(path: path), authenticator: NoAuthenticator()).system
        }
        #expect(try system(moved).socket().path == socket)
        let shell = try Shell(home: copied, runtime: folder.path(beside: "runtime"))
        for _ in 0..<2 {
            let failure = #expect(throws: KeychainError.self) { try system(copied).socket() }
            #expect(failure?.kind == .service(.otherFolder) && failure?.reason.contains("is a copy") ?? false)
            #expect(try shell.security("add-generic-password -a one -s service -w x").status != 0)
            for line in ["service status", "service disable", "service enable --system"] {
                let outcome = try shell.control(line)
                #expect((outcome.output + outcome.errors).contains(copied) || line.hasSuffix("--system"), "\(outcome)")
                #expect(outcome.status == (line == "service status" ? 0 : 1), "\(line): \(outcome)")
            }
            // A store that was copied alone.
            _ = unlink("\(copied)/service.record")
        }
        let begun = try shell.control("service disable --leave-items")
        #expect(begun.status == 0, "\(begun)")
        #expect(try shell.security("add-generic-password -a one -s service -w own").status == 0)
        #expect(try Self.secret("one", shell) == "own\n")
        #expect(try system(moved).socket().path == socket)
    }
}
