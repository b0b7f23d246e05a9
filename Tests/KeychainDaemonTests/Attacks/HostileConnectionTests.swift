// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

/// What a program may do to the socket of each of the daemons of this build: others are served meanwhile.
///
/// With the system service, it is a program of one user, and the others are that user's and another one's.
@Suite(.timeLimit(.minutes(10)))
struct HostileConnectionTests {
    /// Whose daemon it is.
    enum Mode: Sendable, CaseIterable {
        case user
        case system

        static var possible: [Self] { allCases.filter { $0 == .user || SystemServiceFolder.isPossible } }
    }

    private struct Part {
        let name: String
        let greets: Bool
        let bytes: [UInt8]
    }

    private static func status() throws -> [UInt8] {
        try WireMessage.command(1, .device(.status)).encoded().unprotectedCopy
    }

    private static func parts() throws -> [Part] {
        let command = try status()
        let longest = withUnsafeBytes(of: UInt32(WireMessage.longestBody).bigEndian) { Array($0) }
        return [
            Part(name: "nothing", greets: false, bytes: []),
            Part(name: "half a greeting", greets: false, bytes: Array(ClientGreeting().bytes.prefix(8))),
            Part(name: "half a length", greets: true, bytes: Array(command.prefix(2))),
            Part(name: "a message without its last byte", greets: true, bytes: Array(command.dropLast())),
            Part(
                name: "the beginning of the longest message",
                greets: true,
                bytes: longest + [UInt8](repeating: 1, count: 1000)
            ),
        ]
    }

    @Test("more parts of messages than the daemon has threads hold up nobody", arguments: Mode.possible)
    func halfFrames(_ mode: Mode) throws {
        let scene = try ConnectionScene(mode)
        for part in try Self.parts() {
            let flood = try Flood(scene, greets: part.greets)
            if !part.bytes.isEmpty { #expect(try flood.transmit(part.bytes) == flood.count, "\(part.name)") }
            try withExtendedLifetime(flood) { try scene.expectAllAreServed(part.name) }
        }
    }

    @Test(
        "a message that says it is longer than any may be is refused at once, and takes no memory",
        arguments: Mode.possible
    )
    func longFrames(_ mode: Mode) throws {
        let scene = try ConnectionScene(mode)
        let program = try scene.program()
        let lengths: [[UInt8]] = [
            [0xff, 0xff, 0xff, 0xff],
            withUnsafeBytes(of: UInt32(WireMessage.longestBody + 1).bigEndian) { Array($0) },
        ]
        for length in lengths {
            try scene.connect(program)
            try scene.expectGreeting(program)
            #expect(try program.transmit(length))
            guard case .failure(0, let error)? = try program.message() else {
                Issue.record("the reason was not sent: \(length)")
                continue
            }
            // It is not that the rest took too long.
            #expect(error.status == .dataTooLarge, "\(error)")
            #expect(try program.receive(1).isEmpty, "the connection is ended")
        }
        try scene.expectAllAreServed("a connection")
        let before = try scene.peakMebibytes
        let flood = try Flood(scene)
        #expect(try flood.transmit(lengths[0]) == flood.count)
        let areEnded = try eventually("all are ended") { try flood.held == 0 }
        #expect(areEnded)
        try scene.expectAllAreServed("many connections")
        #expect(try scene.peakMebibytes - before < 64)
    }

    @Test(
        "descriptors that sleep when they are closed hold up neither others nor timeouts, nor the end of the daemon",
        arguments: Mode.possible
    )
    func lingeringDescriptors(_ mode: Mode) throws {
        let scene = try ConnectionScene(mode)
        let greeting = try Flood(scene, count: Self.lingeringCount, greets: false)
        // A kernel that lets the daemon refuse descriptors does so there.
        _ = try greeting.transmitLingering(ClientGreeting().bytes)
        try withExtendedLifetime(greeting) { try scene.expectAllAreServed("descriptors with greetings") }
        let command = try Flood(scene, count: Self.lingeringCount)
        #expect(try command.transmitLingering(Self.status()) == command.count)
        try scene.expectAllAreServed("descriptors with commands")
        let slow = try scene.program()
        try scene.connect(slow)
        try scene.expectGreeting(slow)
        #expect(try slow.transmit([0]))
        #expect(try slow.message() != nil, "it is told that it took too long")
        #expect(try slow.receive(1).isEmpty)
        try scene.expectAllAreServed("descriptors with commands, for longer")
        let daemon = try scene.daemon
        #expect(kill(daemon, SIGTERM) == 0)
        #expect(eventually("it has ended") { ConnectionScene.hasEnded(daemon) })
        withExtendedLifetime((greeting, command)) {}
    }

    /// More than a program may have sleep at the same time.
    private static let lingeringCount = 3 * ServerOptions().maximumSleepingCallsPerProcess

    @Test("programs that ask and do not read hold up nobody", arguments: Mode.possible)
    func slowReaders(_ mode: Mode) throws {
        let scene = try ConnectionScene(mode)
        // Together more than a socket takes; and all answers are less than what one process may have the daemon keep.
        let secret = String(repeating: "x", count: 100_000)
        for number in 1...4 { try scene.own.add("large\(number)", secret) }
        let everything: PropertyDictionary = [
            "class": .string("genp"), PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
            PropertyKey.returnData: .boolean(true),
        ]
        let request = KeychainRequest(.copyMatching(everything), client: .person)
        let flood = try Flood(scene, count: 200)
        let command = try WireMessage.command(1, .items(request)).encoded().unprotectedCopy
        #expect(try flood.transmit(command) == flood.count)
        let areFull = try eventually("the socket of each is full") { try flood.unread(1 << 16) == flood.count }
        #expect(areFull)
        try withExtendedLifetime(flood) { try scene.expectAllAreServed("slow readers") }
    }

    @Test(
        "more connections than a program or a user may have hold up no other",
        .enabled(if: Flood.isPossible, "the service gets too few descriptors for the connections of two users"),
        arguments: Mode.possible,
        [true, false]
    )
    func flood(_ mode: Mode, _ areIdle: Bool) throws {
        let scene = try ConnectionScene(mode)
        // The daemon of a user has one user, and its programs are the others.
        let ofProgram = ServerOptions().maximumConnectionsPerProcess
        let maximum = mode == .user ? ofProgram : ServerOptions.systemService.maximumConnectionsPerUser
        let programCount = mode == .user ? 1 : maximum / ofProgram + 1
        do {
            let floods = try (0..<programCount).map { _ in try Flood(scene, count: ofProgram + 40) }
            let isLimited = try eventually("what is too much is ended") {
                try floods.reduce(0) { sum, flood in sum + (try flood.held) } <= maximum
            }
            #expect(isLimited)
            if !areIdle {
                // None can be ended for the next one, because each has begun a message.
                let begun = try floods.reduce(0) { sum, flood in sum + (try flood.transmit([0])) }
                #expect(begun > maximum / 2)
            }
            try withExtendedLifetime(floods) { try scene.expectIsServed(scene.other, "a flood") }
        }
        let isServed = try eventually("the user is served again") {
            try scene.own.find().output == ConnectionScene.secret
        }
        #expect(isServed)
    }

    @Test(
        "a program that is stopped within messages holds up nobody, and is served when it goes on",
        arguments: Mode.possible
    )
    func stoppedProgram(_ mode: Mode) throws {
        let scene = try ConnectionScene(mode)
        let flood = try Flood(scene)
        let command = try Self.status()
        #expect(try flood.transmit(Array(command.prefix(command.count / 2))) == flood.count)
        flood.program.signal(SIGSTOP)
        let isStopped = try eventually("it is stopped") { try ConnectionScene.isStopped(flood.program.identifier) }
        #expect(isStopped)
        try scene.expectAllAreServed("a stopped program")
        flood.program.signal(SIGCONT)
        try scene.connect(flood.program)
        try scene.expectGreeting(flood.program)
        try scene.expectAnswer(flood.program, to: command)
    }

    @Test(
        "programs that connect or ask while the daemon is stopped are served when it goes on",
        arguments: Mode.possible
    )
    func stoppedDaemon(_ mode: Mode) throws {
        let scene = try ConnectionScene(mode)
        let daemon = try scene.daemon
        let (early, late) = (try scene.program(), try scene.program())
        try scene.connect(early)
        try scene.expectGreeting(early)
        #expect(kill(daemon, SIGSTOP) == 0)
        defer { kill(daemon, SIGCONT) }
        let isStopped = try eventually("it is stopped") { try ConnectionScene.isStopped(daemon) }
        #expect(isStopped)
        let command = try Self.status()
        #expect(try early.transmit(command))
        try scene.connect(late)
        #expect(kill(daemon, SIGCONT) == 0)
        try scene.expectAnswer(early)
        try scene.expectGreeting(late)
        try scene.expectAnswer(late, to: command)
        try scene.expectAllAreServed("a daemon that goes on")
    }
}

extension Shell {
    /// Adds an item.
    fileprivate func add(_ account: String, _ secret: String) throws {
        let outcome = try security("add-generic-password -a \(account) -s service -w \(secret)")
        try #require(outcome.status == 0, "\(outcome)")
    }

    /// The outcome of a search for the first one.
    fileprivate func find() throws -> Outcome { try security("find-generic-password -a name -s service -w") }
}

/// A daemon, and those whom it serves.
private final class ConnectionScene {
    /// The tools of the user whose program attacks.
    let own: Shell

    /// The tools of another user; of the same one, if the daemon has only one.
    let other: Shell

    private let shells: [Shell]
    private let socket: String
    private let prefix: [String]
    private let user: DaemonFolder?
    private let system: SystemServiceFolder?
    private static let anna: uid_t = 1
    private static let bert: uid_t = 2

    /// What those find who are served.
    static let secret = "token\n"

    init(_ mode: HostileConnectionTests.Mode) throws {
        switch mode {
        case .user:
            let folder = try DaemonFolder()
            user = folder
            system = nil
            socket = folder.socket
            prefix = []
            own = try Shell.beside(folder)
            other = own
            shells = [own]
        case .system:
            let service = try SystemServiceFolder()
            user = nil
            system = service
            socket = service.socket.path
            prefix = SystemServiceFolder.asUser(Self.anna)
            own = try service.enabledShell(of: Self.anna)
            other = try service.enabledShell(of: Self.bert)
            shells = [own, other]
        }
        for shell in shells { try shell.add("name", "token") }
        try expectAllAreServed("nothing")
    }

    /// A program that speaks the protocol byte by byte, and is not connected yet.
    func program() throws -> HelperProcess {
        let program = try HelperProcess(DaemonFolder.program("signed-program"), ["-"], prefix: prefix)
        #expect(try program.nextLine() == "ready")
        return program
    }

    /// Makes the connections of a flood.
    func connect(_ program: HelperProcess, count: Int) throws -> String { try program.ask("flood \(count) \(socket)") }

    /// Has a program connect and greet.
    func connect(_ program: HelperProcess) throws {
        #expect(try program.ask("connect \(socket)") == "connected")
        #expect(try program.transmit(ClientGreeting().bytes))
    }

    /// Expects that a program is greeted.
    func expectGreeting(_ program: HelperProcess) throws {
        var greeting = try program.receive(Greeting.byteCount).withUnsafeBytes { try ServerGreeting($0) }
        greeting.folder = nil
        #expect(greeting == ServerGreeting(to: ClientGreeting()))
    }

    /// Expects that a program is told the status of the device, once it has sent a command, or without that.
    func expectAnswer(_ program: HelperProcess, to command: [UInt8]? = nil) throws {
        if let command { #expect(try program.transmit(command)) }
        var message = try program.message()
        while case .working(_)? = message { message = try program.message() }
        guard case .reply(1, .deviceStatus(_))? = message else {
            Issue.record("\(String(describing: message))")
            return
        }
    }

    /// Expects that every other program is served.
    func expectAllAreServed(_ meanwhile: String) throws {
        for shell in shells { try expectIsServed(shell, meanwhile) }
    }

    /// Expects that the programs of a user are served.
    func expectIsServed(_ shell: Shell, _ meanwhile: String) throws {
        let found = try shell.find()
        #expect(found.status == 0 && found.output == Self.secret, "\(meanwhile): \(found)")
    }

    /// The daemon's process.
    var daemon: pid_t {
        get throws { try #require(user?.record?.process ?? system?.process) }
    }

    /// The most memory that the daemon has had so far, in MiB (proc(5), `VmHWM`).
    var peakMebibytes: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(daemon)/status", encoding: .utf8)
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let words = line.split(whereSeparator: \.isWhitespace)
            return try #require(words.count == 3 ? Int(words[1]) : nil) >> 10
        }
    }

    /// Whether a process has ended.
    static func hasEnded(_ process: pid_t) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
        return text.split(separator: ")").last?.hasPrefix(" Z ") == true
    }

    /// Whether all threads of a process are stopped (proc(5), `/proc/PID/task/TID/stat`).
    static func isStopped(_ process: pid_t) throws -> Bool {
        let folder = "/proc/\(process)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { thread in
            // One that has ended meanwhile does nothing more.
            let path = "\(folder)/\(thread)/stat"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return true }
            // The state stands behind the name, which is in parentheses.
            return text.split(separator: ")").last?.hasPrefix(" T ") == true
        }
    }
}

/// A program with many connections, which are ended with the object.
private struct Flood {
    let program: HelperProcess
    let count: Int

    /// More than the daemon has threads, and fewer than a program may have.
    private static let usualCount = ServerOptions().maximumWorkers + 22

    /// Whether the system service gets descriptors for more connections than one user may have (`DescriptorLimit`).
    static let isPossible: Bool = {
        var limit = rlimit()
        let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
        return getrlimit(resource, &limit) == 0 && limit.rlim_max >= 4096
    }()

    /// Has a program connect so often, and greet on each connection; the answers to that are read.
    init(_ scene: ConnectionScene, count: Int = Flood.usualCount, greets: Bool = true) throws {
        program = try scene.program()
        self.count = count
        let made = try scene.connect(program, count: count)
        try #require(made == "\(count)")
        guard greets else { return }
        // Where there are too many, some are refused before they have greeted; and are answered all the same.
        _ = try transmit(ClientGreeting().bytes)
        let greeted = try number("receive-all \(Greeting.byteCount)")
        try #require(greeted == count)
    }

    /// Sends the same bytes on each connection.
    ///
    /// - Returns: On how many that was possible.
    func transmit(_ bytes: [UInt8]) throws -> Int { try number("transmit-all \(HelperProcess.digits(bytes))") }

    /// The same, each with a descriptor that sleeps when it is closed.
    func transmitLingering(_ bytes: [UInt8]) throws -> Int {
        try number("transmit-lingering \(HelperProcess.digits(bytes))")
    }

    /// On how many connections so many bytes have arrived that it has not read.
    func unread(_ count: Int) throws -> Int { try number("unread \(count)") }

    /// How many connections the daemon has not ended.
    var held: Int { get throws { try number("held") } }

    private func number(_ line: String) throws -> Int {
        let answer = try program.ask(line)
        return try #require(Int(answer), "\(answer)")
    }
}
