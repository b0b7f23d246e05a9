// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainClient
import KeychainCore
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

/// Daemons that end and begin under their clients, in one process and in several.
@Suite(.timeLimit(.minutes(15)))
struct RestartTests {
    @Test("a daemon that ends answers what is under way")
    func stopUnderWay() throws {
        let keychain = CountingKeychain()
        keychain.close()
        let server = try TestServer(keychain)
        let client = server.client()
        let results = Results()
        results.run { try client.add("under way") }
        #expect(eventually("it is held") { keychain.held == 1 })
        let stopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.stop()
            stopped.signal()
        }
        keychain.open()
        stopped.wait()
        #expect(results.wait() == [nil])
        #expect(keychain.counts == ["under way": 1])
    }

    @Test("clients find the next daemon by themselves, and nothing is lost or done twice by a graceful end")
    func graceful() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        var options = ClientOptions()
        options.returnMilliseconds = 60_000
        let client = server.client(options: options)
        let results = Results()
        for thread in 0..<4 {
            results.run { for number in 0..<200 { try client.add("\(thread)-\(number)") } }
        }
        for round in 1...10 {
            _ = eventually("some are added") { keychain.counts.count >= round * 40 }
            server.stop()
            try server.start()
        }
        #expect(results.wait() == [nil, nil, nil, nil])
        #expect(keychain.counts.count == 800)
        #expect(keychain.counts.values.allSatisfy { $0 == 1 })
    }

    @Test("a forked child opens connections of its own, and leaves the parent's alone")
    func fork() throws {
        let folder = try TemporaryFolder(prefix: "kd")
        let (socket, log) = (folder.path(of: "s"), folder.path(of: "log"))
        let daemon = try HelperProcess("keychain-peer", ["serve", socket, log])
        #expect(try daemon.nextLine() == "ready")
        let program = try HelperProcess("keychain-peer", ["fork", socket, "x"])
        let lines = try program.lines(upTo: { $0.hasPrefix("done") })
        #expect(lines == ["ok x-before", "ok x-child", "ok x-after"])
        #expect(Self.lines(log) == ["x-before", "x-child", "x-after"])
    }

    @Test("a program that closes all descriptors, and opens sockets under their numbers, gets none of what is sent")
    func closedDescriptors() throws {
        let folder = try TemporaryFolder(prefix: "kd")
        let (socket, log) = (folder.path(of: "s"), folder.path(of: "log"))
        let daemon = try HelperProcess("keychain-peer", ["serve", socket, log])
        #expect(try daemon.nextLine() == "ready")
        let program = try HelperProcess("keychain-peer", ["close", socket, "x"])
        let lines = try program.lines(upTo: { $0.hasPrefix("done") })
        #expect(lines == ["ok x-before", "ok x-after", "arrived 0", "open 128"])
        #expect(Self.lines(log) == ["x-before", "x-after"])
    }

    @Test("a program that is stopped while it is asked keeps nobody else waiting")
    func stoppedProgram() throws {
        let folder = try TemporaryFolder(prefix: "kd")
        let socket = folder.path(of: "s")
        let daemon = try HelperProcess("keychain-peer", ["serve", socket, folder.path(of: "log")])
        #expect(try daemon.nextLine() == "ready")
        let program = try HelperProcess("keychain-peer", ["ask", socket, "-"])
        #expect(try program.nextLine() == "asked")
        program.signal(SIGSTOP)
        let client = DaemonKeychain(at: SocketLocation(path: socket))
        for number in 0..<20 { try client.add("\(number)") }
        program.signal(SIGCONT)
        program.signal(SIGKILL)
        #expect(try daemon.nextLine() != nil)
    }

    @Test("a daemon that is killed under its clients: what was acknowledged was done once, what was not at most once")
    func killed() throws {
        let folder = try TemporaryFolder(prefix: "kd")
        let (socket, log) = (folder.path(of: "s"), folder.path(of: "log"))
        var daemon = try HelperProcess("keychain-peer", ["serve", socket, log])
        #expect(try daemon.nextLine() == "ready")
        let clients = try (0..<8).map { try HelperProcess("keychain-peer", ["add", socket, "\($0)", "150"]) }
        for round in 1...3 {
            let isBusy = eventually("they add") { Self.lines(log).count >= round * 100 }
            #expect(isBusy)
            try daemon.kill9()
            daemon = try HelperProcess("keychain-peer", ["serve", socket, log])
            #expect(try daemon.nextLine() == "ready")
        }
        let told = try clients.flatMap { try $0.lines(upTo: { $0 == "done" }) }
        let added = Self.lines(log).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        #expect(told.count == 8 * 150)
        for line in told {
            let words = line.split(separator: " ").map(String.init)
            let count = added[words[1], default: 0]
            switch words[0] {
            case "ok": #expect(count == 1, "\(line)")
            case "unknown": #expect(count <= 1, "\(line)")
            default: #expect(count == 0, "\(line)")
            }
        }
        #expect(told.filter { $0.hasPrefix("ok") }.count >= 1000)
        daemon.signal(SIGTERM)
        #expect(try daemon.lines(upTo: { $0 == "ended" }).filter { $0 != "released" }.isEmpty)
    }

    @Test(
        "a program that is killed while it is asked ends its question and its context",
        arguments: [SIGKILL, SIGTERM]
    )
    func killedProgram(_ signal: Int32) throws {
        let folder = try TemporaryFolder(prefix: "kd")
        let socket = folder.path(of: "s")
        let daemon = try HelperProcess("keychain-peer", ["serve", socket, folder.path(of: "log")])
        #expect(try daemon.nextLine() == "ready")
        let program = try HelperProcess("keychain-peer", ["ask", socket, "-"])
        #expect(try program.nextLine() == "asked")
        program.signal(signal)
        #expect(try program.wait() == signal)
        let lines = [try daemon.nextLine(), try daemon.nextLine()]
        #expect(Set(lines) == ["answered ended", "released"])
    }

    private static func lines(_ path: String) -> [String] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }
}

/// What becomes of work on threads of its own.
private final class Results: Sendable {
    private let group = DispatchGroup()
    private let errors = Mutex<[String?]>([])

    func run(_ body: @escaping @Sendable () throws -> Void) {
        group.enter()
        Thread.detachNewThread { [self] in
            var text: String?
            do { try body() } catch { text = "\(error)" }
            errors.withLock { $0.append(text) }
            group.leave()
        }
    }

    /// Waits for all; a text for each that failed.
    func wait() -> [String?] {
        group.wait()
        return errors.withLock(\.self)
    }
}
