// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainClient
import KeychainCore
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

/// What a client makes of a daemon that is another, that is gone or that is stopped.
@Suite(.timeLimit(.minutes(10)))
struct HostileServerTests {
    private let folder: TemporaryFolder
    private let server: RawServer

    init() throws {
        folder = try TemporaryFolder(prefix: "kd")
        server = RawServer(folder.path)
    }

    private func client(silence: Int32 = 60_000, clock: ManualClock? = nil) -> DaemonKeychain {
        var options = ClientOptions()
        options.silenceMilliseconds = silence
        options.returnMilliseconds = 100
        if let clock { options.clock = clock.timeouts }
        return DaemonKeychain(at: server.location, options: options)
    }

    /// Serves connections on a thread, each by `serve`, until the object goes away.
    private func serving(_ serve: @escaping @Sendable (RawServer.Accepted, Int) throws -> Void) -> Serving {
        Serving(server, serve)
    }

    private final class Serving {
        private let state = State()

        private final class State: Sendable {
            let connections = Mutex(0)
            let isOver = Mutex(false)
            let ended = DispatchSemaphore(value: 0)
        }

        init(_ server: RawServer, _ serve: @escaping @Sendable (RawServer.Accepted, Int) throws -> Void) {
            Thread.detachNewThread { [state] in
                while !state.isOver.withLock(\.self) {
                    guard let accepted = server.accept(milliseconds: 20) else { continue }
                    let number = state.connections.withLock { count in
                        count += 1
                        return count
                    }
                    try? serve(accepted, number)
                }
                state.ended.signal()
            }
        }

        deinit {
            state.isOver.withLock { $0 = true }
            state.ended.wait()
        }

        /// How many connections there were.
        var connections: Int { state.connections.withLock(\.self) }
    }

    private static func greeting(_ version: UInt16, _ highest: UInt16) -> [UInt8] {
        ClientGreeting().bytes.prefix(8) + [UInt8(version >> 8), UInt8(version & 0xff)]
            + [UInt8(highest >> 8), UInt8(highest & 0xff), 0, 0, 0, 0]
    }

    @Test("a daemon of another version is named, with what to do")
    func versions() {
        for (highest, words) in [(0, "older"), (9, "newer")] as [(UInt16, String)] {
            let serving = serving { connection, _ in
                connection.send(Self.greeting(0, highest))
                _ = try connection.command()
            }
            let error = #expect(throws: KeychainError.self) { try client().add("a") }
            #expect(error?.status == .notAvailable && error?.kind == .unavailable)
            #expect(error?.reason.contains(words) == true, "\(String(describing: error))")
            #expect(serving.connections == 1)
        }
    }

    @Test("what is no daemon is named")
    func noDaemon() {
        let serving = serving { connection, _ in
            connection.send(Array("220 mail.example.com ESMTP\r\n".utf8))
            _ = try connection.command()
        }
        let error = #expect(throws: KeychainError.self) { try client().add("a") }
        #expect(error?.reason.contains("not a keychain daemon") == true)
        #expect(serving.connections == 1)
    }

    @Test("where nobody listens, the error says what to do")
    func missing() throws {
        let empty = try TemporaryFolder(prefix: "kd")
        for path in [empty.path(of: "s"), empty.path(of: "none/s")] {
            let error = #expect(throws: KeychainError.self) {
                try DaemonKeychain(at: SocketLocation(path: path)).add("a")
            }
            #expect(error?.status == .notAvailable)
            #expect(error?.reason.contains("keychainctl service restart") == true, "\(String(describing: error))")
        }
    }

    @Test("where nobody listens, a daemon is started, and again if it is gone at once, but not for ever")
    func start() throws {
        let empty = try TemporaryFolder(prefix: "kd")
        let starts = Mutex(0)
        let client = DaemonKeychain(at: SocketLocation(path: empty.path(of: "s"))) { () throws(KeychainError) in
            starts.withLock { $0 += 1 }
        }
        #expect(throws: KeychainError.self) { try client.add("a") }
        #expect(starts.withLock(\.self) == 3)
    }

    @Test("a change whose answer never comes is not sent again, and the error says that nobody knows")
    func lostAnswer() throws {
        let taken = Mutex<[KeychainCommand]>([])
        let serving = serving { connection, _ in
            try connection.greet()
            if let (_, command) = try connection.command() { taken.withLock { $0.append(command) } }
        }
        let error = #expect(throws: KeychainError.self) { try client().add("a") }
        #expect(error?.kind == .transport && error?.status == .notAvailable)
        #expect(error?.reason.contains("not known") == true)
        #expect(taken.withLock(\.count) == 1)
        #expect(serving.connections == 1)
    }

    @Test("a read whose answer never comes is sent once more")
    func lostReadAnswer() throws {
        let serving = serving { connection, number in
            try connection.greet()
            guard let (command, _) = try connection.command(), number > 1 else { return }
            try connection.send(.reply(command, .answer(.nothing)))
        }
        #expect(try client().read() == .nothing)
        #expect(serving.connections == 2)
    }

    @Test("a command that was not taken before a goodbye is sent to the next daemon")
    func goodbye() throws {
        let serving = serving { connection, number in
            try connection.greet()
            guard let (command, _) = try connection.command() else { return }
            try connection.send(number == 1 ? .goodbye(command - 1) : .reply(command, .answer(.nothing)))
        }
        try client().add("a")
        #expect(serving.connections == 2)
    }

    @Test("a command that was taken before a goodbye is not")
    func lateGoodbye() throws {
        let serving = serving { connection, _ in
            try connection.greet()
            if let (command, _) = try connection.command() { try connection.send(.goodbye(command)) }
        }
        let error = #expect(throws: KeychainError.self) { try client().add("a") }
        #expect(error?.kind == .transport)
        #expect(serving.connections == 1)
    }

    @Test("a daemon that was stopped before it greets is given up; nothing was done")
    func stoppedAtGreeting() {
        let error = #expect(throws: KeychainError.self) { try client(silence: 100).add("a") }
        #expect(error?.status == .notAvailable && error?.kind == .service(.silent))
        #expect(error?.reason.contains("nothing was done") == true)
    }

    @Test(
        "a daemon that was stopped in the midst of a command is given up, and not asked again",
        arguments: [true, false]
    )
    func stoppedAtCommand(_ changes: Bool) throws {
        let gate = DispatchSemaphore(value: 0)
        let clock = ManualClock()
        let serving = serving { connection, _ in
            try connection.greet()
            _ = try connection.command()
            clock.advancingContinuously { gate.wait() }
        }
        let client = client(clock: clock)
        let error = #expect(throws: KeychainError.self) {
            if changes { try client.add("a") } else { _ = try client.read() }
        }
        #expect(error?.kind == .service(.silentAfterCommand))
        gate.signal()
        #expect(error?.reason.contains("does not respond") == true)
        #expect(serving.connections == 1)
    }

    @Test("an answer that is none ends the connection, and is never taken for one")
    func wrongAnswers() throws {
        let wrong: [WireMessage] = [
            .reply(99, .answer(.nothing)), .failure(99, KeychainError(.itemNotFound, "none")), .endPrompt(1),
            .goodbye(7),
            .command(1, .device(.status)), .promptReply(1, .cancelled),
        ]
        for message in wrong {
            let serving = serving { connection, _ in
                try connection.greet()
                _ = try connection.command()
                try connection.send(message)
            }
            let error = #expect(throws: KeychainError.self) { try client().add("a") }
            #expect(error?.kind == .transport, "\(message)")
            #expect(serving.connections == 1)
        }
    }

    @Test("a socket in a folder that others can write to is not used")
    func exposedFolder() throws {
        #expect(chmod(folder.path, 0o777) == 0)
        let error = #expect(throws: KeychainError.self) { try client().add("a") }
        #expect(error?.reason.contains("open to other users") == true, "\(String(describing: error))")
    }

    @Test("a daemon that says in time, each time, that it is working is waited for, however long it takes")
    func working() throws {
        let clock = ManualClock()
        let serving = serving { connection, _ in
            try connection.greet()
            guard let (number, _) = try connection.command() else { return }
            for _ in 0..<10 {
                clock.advance(milliseconds: 50_000)
                try connection.send(.working(number))
                #expect(eventually("it was read") { connection.isRead })
            }
            try connection.send(.reply(number, .answer(.nothing)))
        }
        try client(silence: 60_000, clock: clock).add("slow")
        #expect(serving.connections == 1)
    }

    @Test("a daemon has its whole time again once the user was prompted, for as long as that took")
    func timeAfterPrompt() throws {
        let clock = ManualClock()
        let serving = serving { connection, _ in
            try connection.greet()
            guard let (number, _) = try connection.command() else { return }
            try connection.send(.prompt(1, WirePrompt(AuthenticationPrompt(.passcode, reason: ""))))
            guard case .promptReply(1, .cancelled)? = try connection.message() else { return }
            // It makes a key of what was typed.
            clock.advance(milliseconds: 9_000)
            try connection.send(.reply(number, .done))
        }
        var options = ClientOptions()
        options.silenceMilliseconds = 10_000
        options.clock = clock.timeouts
        // The answer comes as the time is over that began with the prompt.
        let owner = ScriptedAuthenticator { _ in
            clock.advance(milliseconds: 9_800)
            return .cancelled
        }
        let client = DaemonKeychain(at: server.location, authenticator: owner, options: options)
        #expect(try client.perform(.device(.lock)) == .done)
        #expect(serving.connections == 1)
    }

    @Test(
        "an authenticator that ignores that its prompt was ended holds up no answer, and what it says later is dropped"
    )
    func stubbornAuthenticator() throws {
        let served = DispatchSemaphore(value: 0)
        let asked = DispatchSemaphore(value: 0)
        let messages = Mutex<[WireMessage?]>([])
        let serving = serving { connection, _ in
            try connection.greet()
            for _ in 0..<2 {
                guard let (number, _) = try connection.command() else { return }
                let prompt = WirePrompt(AuthenticationPrompt(.passcode, reason: ""))
                if number == 1 {
                    try connection.send(.prompt(1, prompt))
                    asked.wait()
                }
                try connection.send(.reply(number, .done))
            }
            let last = try connection.message()
            messages.withLock { $0.append(last) }
            served.signal()
        }
        let gate = DispatchSemaphore(value: 0)
        let answered = DispatchSemaphore(value: 0)
        let owner = ScriptedAuthenticator { _ in
            asked.signal()
            gate.wait()
            defer { answered.signal() }
            return .cancelled
        }
        do {
            var options = ClientOptions()
            options.promptEndMilliseconds = 100
            let client = DaemonKeychain(at: server.location, authenticator: owner, options: options)
            #expect(try client.perform(.device(.lock)) == .done)
            gate.signal()
            answered.wait()
            #expect(try client.perform(.device(.lock)) == .done)
        }
        served.wait()
        #expect(messages.withLock(\.self) == [nil], "the connection ends, and nothing came before")
        #expect(serving.connections == 1)
    }

    @Test("a daemon that was there before is waited for, also by a connection that is new")
    func expectedBack() throws {
        let daemon = try TestServer(CountingKeychain())
        var options = ClientOptions()
        options.maximumIdleConnections = 0
        options.returnMilliseconds = 60_000
        let client = daemon.client(options: options)
        try client.add("a")
        daemon.stop()
        let begun = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let failure = Mutex<KeychainError?>(nil)
        Thread.detachNewThread {
            begun.signal()
            do throws(KeychainError) { try client.add("b") } catch { failure.withLock { $0 = error } }
            ended.signal()
        }
        begun.wait()
        // Long enough for a first try, which would fail.
        #expect(ended.wait(timeout: .now() + .milliseconds(300)) == .timedOut)
        try daemon.start()
        ended.wait()
        #expect(failure.withLock(\.self) == nil)
    }
}
