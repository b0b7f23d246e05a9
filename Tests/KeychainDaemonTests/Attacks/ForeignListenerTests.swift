// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainHost
import KeychainTestSupport
import Testing

/// A process that listens in the place of the daemon, as one in a sandbox can that sees the folder of the socket, but
/// not the keychain's.
@Suite(.timeLimit(.minutes(20)))
struct ForeignListenerTests {
    private let folder: DaemonFolder
    private let shell: Shell

    init() throws {
        folder = try DaemonFolder(isEnabled: false)
        shell = try Shell.beside(folder)
    }

    /// Listens on a socket, and writes to a file what it is sent, after a line; ends with its standard input.
    private static let program = """
        import os, socket, sys, threading
        path, log = sys.argv[1:]
        if os.path.exists(path): os.unlink(path)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(50)
        out = open(log, "wb", buffering=0)
        def serve():
            while True:
                peer, _ = listener.accept()
                while True:
                    received = peer.recv(65536)
                    if not received: break
                    out.write(received)
        threading.Thread(target=serve, daemon=True).start()
        print("listens", flush=True)
        sys.stdin.read()
        """

    /// Puts such a process in the place of a socket while a function runs; returns what it was sent.
    private func sent(to socket: String, while body: () throws -> Void) throws -> Data {
        let log = folder.path(beside: "log")
        let process = try shell.process("/usr/bin/python3", ["-c", Self.program, socket, log])
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        try #require(output.fileHandleForReading.availableData == Data("listens\n".utf8))
        try body()
        return try Data(contentsOf: URL(fileURLWithPath: log))
    }

    @Test("is sent nothing while the daemon runs, a lock locks, and a restart takes the socket back")
    func besideDaemon() throws {
        #expect(try shell.security("add-generic-password -a anna -s service -w before").status == 0)
        #expect(try shell.control("device set-passcode --passcode-stdin", input: "1234\n").status == 0)
        #expect(try shell.control("service enable").status == 0)
        #expect(try shell.control("device unlock --passcode-stdin", input: "1234\n").status == 0)
        let socket = try #require(folder.record).socket
        let received = try sent(to: socket) { () throws in
            let unlock = try shell.control("device unlock --passcode-stdin", input: "1234\n")
            #expect(unlock.status != 0 && unlock.errors.contains("is sent nothing"), "\(unlock)")
            let added = try shell.security("add-generic-password -a bert -s service -w secret")
            #expect(added.status != 0, "\(added)")
            let lock = try shell.control("device lock")
            #expect(lock.status == 0 && lock.output.contains("Locked."), "\(lock)")
        }
        // A greeting has a mark and versions alone.
        #expect(received.count % 16 == 0 && !received.isEmpty, "\(String(decoding: received, as: UTF8.self))")
        for secret in ["1234", "secret", "bert"] {
            #expect(!String(decoding: received, as: UTF8.self).contains(secret), "\(secret)")
        }
        let restarted = try shell.control("service restart")
        #expect(restarted.status == 0, "\(restarted)")
        #expect(try shell.security("find-generic-password -a anna -s service -w").status != 0, "it is unlocked")
        #expect(try shell.control("device unlock --passcode-stdin", input: "1234\n").status == 0)
        #expect(try shell.security("find-generic-password -a anna -s service -w").output == "before\n")
    }

    @Test("is sent nothing after the daemon has ended, and the next program after it starts one")
    func afterDaemon() throws {
        #expect(try shell.security("add-generic-password -a anna -s service -w before").status == 0)
        #expect(try shell.control("service enable").status == 0)
        let socket = try #require(folder.record).socket
        try folder.whileStopped {}
        let received = try sent(to: socket) { () throws in
            #expect(try shell.security("add-generic-password -a bert -s service -w secret").status != 0)
            #expect(try shell.security("find-generic-password -a anna -s service -w").output == "")
        }
        #expect(!String(decoding: received, as: UTF8.self).contains("secret"))
        #expect(try shell.security("add-generic-password -a bert -s service -w secret").status == 0)
        #expect(folder.record != nil)
        #expect(try shell.security("find-generic-password -a anna -s service -w").output == "before\n")
        #expect(try shell.security("find-generic-password -a bert -s service -w").output == "secret\n")
    }
}
