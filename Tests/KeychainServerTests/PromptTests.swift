// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

/// Questions that a keychain asks whoever sits before the program.
@Suite(.timeLimit(.minutes(10)))
struct PromptTests {
    private let keychain: EmbeddedKeychain

    init() throws {
        var device = DeviceOptions(authenticator: CallAuthenticator())
        device.passwordWork = .minimum
        keychain = EmbeddedKeychain.inMemory(device: device)
        try keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
    }

    private static let passcode = AuthenticationReply.secret(SecretBytes(Array("1234".utf8)))

    @Test("the passcode is typed at the program that called, and counts in its context")
    func passcode() throws {
        let server = try TestServer(keychain)
        let owner = ScriptedAuthenticator { _ in Self.passcode }
        let client = server.client(owner)
        let context = AuthenticationContext()
        try client.authentication.evaluate(.deviceOwner, reason: "to test", context)
        #expect(owner.prompts.map(\.kind) == [.passcode])
        #expect(owner.prompts.first?.reason == "to test")
        #expect(client.authentication.status(of: context.identifier).shown == [.passcode])
    }

    @Test("a program that can ask nobody is told so at once, while another is being asked")
    func notInteractive() throws {
        let server = try TestServer(keychain)
        let asking = Asking(server)
        #expect(asking.isOpen)
        let error = #expect(throws: AuthenticationFailure.self) {
            try server.client().authentication.evaluate(.deviceOwner, reason: "to test", AuthenticationContext())
        }
        #expect(error == .notInteractive)
        asking.end()
    }

    @Test("while a question is open, others are served, and the program that is asked, too")
    func others() throws {
        let server = try TestServer(keychain)
        let asking = Asking(server)
        #expect(asking.isOpen)
        #expect(try server.client().device.status().hasPasscode)
        #expect(try asking.client.device.status().hasPasscode)
        asking.end()
        #expect(asking.outcome() == .appCancel)
    }

    @Test("the program invalidates a context, and its question is taken from the screen")
    func invalidation() throws {
        let server = try TestServer(keychain)
        let asking = Asking(server)
        #expect(asking.isOpen)
        _ = try asking.client.perform(.authentication(.invalidate(asking.context.identifier)))
        #expect(asking.outcome() == .appCancel)
        #expect(eventually("the question is gone") { !asking.isOpen })
    }

    @Test("what an unknown program says of biometry is not believed")
    func biometry() throws {
        let server = try TestServer(keychain)
        let biometry = Biometry(.touchID, enrolledSet: Bytes16.random())
        let owner = ScriptedAuthenticator(biometry: biometry) { _ in .recognized }
        let client = server.client(owner)
        #expect(client.authentication.biometry == .none)
        let failure = #expect(throws: AuthenticationFailure.self) {
            try client.authentication.evaluate(.biometrics, reason: "to test", AuthenticationContext())
        }
        #expect(failure == .biometryNotAvailable)
        #expect(throws: AuthenticationFailure.authenticationFailed) {
            try client.authentication.evaluate(.deviceOwner, reason: "to test", AuthenticationContext())
        }
    }

    @Test("a context belongs to the process that named it first")
    func foreignContext() throws {
        let server = try TestServer(admission: EachAnotherProcess(keychain))
        let owner = ScriptedAuthenticator { _ in Self.passcode }
        var options = ClientOptions()
        options.maximumConnections = 1
        let (first, second) = (server.client(owner, options: options), server.client(options: options))
        let context = AuthenticationContext()
        try first.authentication.evaluate(.deviceOwner, reason: "to test", context)
        let commands: [KeychainCommand] = [
            .authentication(.status(of: context.identifier)), .authentication(.invalidate(context.identifier)),
            .authentication(.release(context.identifier)), .authentication(.check(.deviceOwner, context)),
            .items(
                KeychainRequest(
                    .copyMatching([PropertyKey.useAuthenticationContext: .authenticationContext(context)]),
                    client: Client(accessGroups: ["a"])
                )
            ), .enclave(.use(.sign(digest: []), SecretBytes(), context)),
        ]
        for command in commands {
            let error = #expect(throws: KeychainError.self) { try second.perform(command) }
            #expect(error?.kind == .authentication(.invalidContext))
        }
        #expect(first.authentication.status(of: context.identifier).shown == [.passcode])
    }

    @Test("when the last connection of a process ends, its contexts go, and what was shown in them")
    func releasedContexts() throws {
        let server = try TestServer(admission: EachAnotherProcess(keychain))
        let context = AuthenticationContext()
        do {
            let client = server.client(ScriptedAuthenticator { _ in Self.passcode })
            try client.authentication.evaluate(.deviceOwner, reason: "to test", context)
        }
        #expect(eventually("it is forgotten") { server.connectionCount == 0 })
        #expect(
            eventually("what was shown is gone") {
                keychain.authentication.status(of: context.identifier).shown.isEmpty
            }
        )
        // Nobody's any more.
        let other = server.client()
        #expect(other.authentication.status(of: context.identifier).shown.isEmpty)
    }

    @Test("programs are prompted beside each other, and one after the other in a program")
    func queues() throws {
        // Each server takes this process for another one.
        let (first, second) = (Asking(try TestServer(keychain)), Asking(try TestServer(keychain)))
        #expect(first.isOpen && second.isOpen)
        let alone = try TestServer(keychain)
        let (third, fourth) = (Asking(alone), Asking(alone, isWaiting: true))
        #expect(third.isOpen && !fourth.isOpen)
        third.end()
        #expect(eventually("it is its turn") { fourth.isOpen })
        for asking in [first, second, fourth] { asking.end() }
        for asking in [first, second, third, fourth] { #expect(asking.outcome() == .appCancel) }
    }

    @Test("prompts that nobody answers keep no other program waiting, and end with their programs")
    func promptFlood() throws {
        let server = try TestServer(admission: GroupedProcesses(keychain, connectionsOfEach: 16))
        var connections: [RawConnection] = []
        for _ in 0..<8 * 16 {
            let connection = try RawConnection.greeted(server.location)
            let context = AuthenticationContext()
            let evaluation = KeychainCommand.authentication(.evaluate(.policy(.deviceOwner), reason: "", context))
            try connection.send(.command(1, evaluation, canAskForSecrets: true))
            connections.append(connection)
        }
        // Of each process eight prompt or wait for their turn, and of all of them 48.
        var prompted = 0
        var refused: [KeychainError] = []
        var waiting = connections
        let isSettled = try eventually("all that may prompt do") {
            var rest: [RawConnection] = []
            for connection in waiting {
                guard SocketReadiness.wait(for: .readable, of: connection.socket, milliseconds: 0).contains(.readable)
                else {
                    rest.append(connection)
                    continue
                }
                switch try connection.message() {
                case .prompt?: prompted += 1
                case .failure(1, let error)?: refused.append(error)
                case let other: Issue.record("\(String(describing: other))")
                }
            }
            waiting = rest
            return refused.count == 80 && prompted == 6
        }
        #expect(isSettled, "\(prompted) \(refused.count)")
        #expect(refused.allSatisfy { $0.kind == .authentication(.notInteractive) })
        // Those that are refused hear that at once; so does everybody else.
        #expect(try server.client().device.status().hasPasscode)
        connections.removeAll()
        waiting.removeAll()
        #expect(eventually("they are forgotten, as soon as one looks after them") { server.connectionCount <= 1 })
        let owner = ScriptedAuthenticator { _ in Self.passcode }
        try server.client(owner).authentication.evaluate(.deviceOwner, reason: "to test", AuthenticationContext())
    }

    @Test("however many contexts a process names, those of others stay as they are")
    func manyContexts() throws {
        let server = try TestServer(admission: EachAnotherProcess(keychain))
        var options = ClientOptions()
        options.maximumConnections = 1
        let first = server.client(ScriptedAuthenticator { _ in Self.passcode }, options: options)
        let second = server.client(options: options)
        let context = AuthenticationContext()
        try first.authentication.evaluate(.deviceOwner, reason: "to test", context)
        for _ in 0..<2_000 { _ = try second.perform(.authentication(.invalidate(.random()))) }
        #expect(first.authentication.status(of: context.identifier).shown == [.passcode])
    }

    @Test("however many contexts the processes of a user name together, one with few keeps them")
    func contextsOfManyProcesses() throws {
        var options = ServerOptions()
        options.maximumContextsPerUser = 64
        var device = DeviceOptions(authenticator: CallAuthenticator())
        device.passwordWork = .minimum
        device.maximumContexts = 2 * options.maximumContextsPerUser
        let keychain = EmbeddedKeychain.inMemory(device: device)
        try keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        let server = try TestServer(admission: EachAnotherProcess(keychain), options)
        var clientOptions = ClientOptions()
        clientOptions.maximumConnections = 1
        let few = server.client(ScriptedAuthenticator { _ in Self.passcode }, options: clientOptions)
        let contexts = (0..<2).map { _ in AuthenticationContext() }
        for context in contexts { try few.authentication.evaluate(.deviceOwner, reason: "to test", context) }
        let others = (0..<8).map { _ in server.client(options: clientOptions) }
        for _ in 0..<200 {
            for other in others { _ = try other.perform(.authentication(.invalidate(.random()))) }
        }
        for context in contexts {
            #expect(few.authentication.status(of: context.identifier).shown == [.passcode])
        }
    }

    @Test("a context that is displaced while a command uses it is released again after that")
    func displacedDuringCommand() throws {
        var options = ServerOptions()
        options.maximumContextsPerProcess = 1
        let keychain = CountingKeychain()
        let server = try TestServer(keychain, options)
        let client = server.client()
        let used = AuthenticationContext()
        keychain.close()
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            let query: PropertyDictionary = [PropertyKey.useAuthenticationContext: .authenticationContext(used)]
            _ = try? client.perform(KeychainRequest(.copyMatching(query), client: Client(accessGroups: ["test"])))
            group.leave()
        }
        #expect(eventually("it is executed") { keychain.held == 1 })
        let newer = Bytes16.random()
        _ = try client.perform(.authentication(.status(of: newer)))
        #expect(keychain.released == [used.identifier])
        keychain.open()
        group.wait()
        #expect(keychain.released == [used.identifier, used.identifier])
    }

    @Test("what is typed at a prompt is not larger than an application password that is set may be")
    func longAnswer() throws {
        let server = try TestServer(keychain)
        let constraints = try #require(AccessConstraints(.applicationPassword))
        let accessControl = AccessControl(protection: .whenUnlocked, constraints: constraints)
        let evaluation = { (byteCount: Int) in
            let owner = ScriptedAuthenticator { _ in .secret(SecretBytes(count: byteCount) { _ in }) }
            let command = KeychainCommand.Authentication.evaluate(
                .accessControl(accessControl),
                reason: "to test",
                AuthenticationContext()
            )
            _ = try server.client(owner).perform(.authentication(command))
        }
        try evaluation(64 << 10)
        let error = #expect(throws: KeychainError.self) { try evaluation((64 << 10) + 1) }
        #expect(error?.kind == .authentication(.authenticationFailed))
    }

    @Test("a daemon that ends takes its questions from the screen, and answers")
    func stop() throws {
        let server = try TestServer(keychain)
        let asking = Asking(server)
        #expect(asking.isOpen)
        server.stop()
        #expect(asking.outcome() == .systemCancel)
        #expect(!asking.isOpen)
    }

    @Test("a program that says nothing of the question that it was to put is given up after the question's time")
    func silentProgram() throws {
        var options = ServerOptions()
        options.tickMilliseconds = 10
        options.promptGraceMilliseconds = 100
        let server = try TestServer(keychain, options)
        let connection = try RawConnection.greeted(server.location)
        let context = AuthenticationContext()
        let evaluation = KeychainCommand.authentication(.evaluate(.policy(.deviceOwner), reason: "", context))
        try connection.send(.command(1, evaluation, canAskForSecrets: true))
        guard case .prompt? = try connection.message() else {
            Issue.record("no question")
            return
        }
        _ = try server.client().perform(.authentication(.biometry))
        // Another connection of the process ends the question; the program does not say that it was ended.
        _ = try server.client().perform(.authentication(.invalidate(context.identifier)))
        #expect(try connection.isEnded())
    }
}

/// A question that is open until it is ended.
private final class Asking: Sendable {
    let client: DaemonKeychain
    let context = AuthenticationContext()
    private let owner = WaitingAuthenticator()
    private let result = Mutex<AuthenticationFailure?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    private let server: TestServer

    init(_ server: TestServer, isWaiting: Bool = false) {
        self.server = server
        client = server.client(owner)
        Thread.detachNewThread { [self] in
            do throws(AuthenticationFailure) {
                try client.authentication.evaluate(.deviceOwner, reason: "to test", context)
            } catch {
                result.withLock { $0 = error }
            }
            ended.signal()
        }
        if !isWaiting { _ = eventually("it is asked") { owner.isAsking } }
    }

    var isOpen: Bool { owner.isAsking }

    func end() { _ = try? client.perform(.authentication(.invalidate(context.identifier))) }

    /// How the evaluation failed.
    func outcome() -> AuthenticationFailure? {
        ended.wait()
        ended.signal()
        return result.withLock(\.self)
    }
}

/// Somebody who looks at a question and does nothing until it is ended.
private final class WaitingAuthenticator: Authenticator {
    private let asking = Mutex(false)

    var isAsking: Bool { asking.withLock(\.self) }

    var biometry: Biometry { .none }

    var canAskForSecrets: Bool { true }

    func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        let ended = DispatchSemaphore(value: 0)
        asking.withLock { $0 = true }
        prompt.cancellation.onCancel { ended.signal() }
        ended.wait()
        asking.withLock { $0 = false }
        return .ended
    }
}

/// Takes every connection for one of another process.
private final class EachAnotherProcess: Admission {
    private let keychain: any KeychainBackend
    private let count = Atomic<UInt64>(0)

    init(_ keychain: any KeychainBackend) { self.keychain = keychain }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        let number = count.add(1, ordering: .relaxed).newValue
        return OpenPeer(process: ProcessInstance(identifier: getpid(), startTime: number), backend: keychain)
    }
}

/// Takes so many connections, one after the other, for those of one process.
private final class GroupedProcesses: Admission {
    private let keychain: any KeychainBackend
    private let connectionsOfEach: UInt64
    private let count = Atomic<UInt64>(0)

    init(_ keychain: any KeychainBackend, connectionsOfEach: UInt64) {
        self.keychain = keychain
        self.connectionsOfEach = connectionsOfEach
    }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        let number = (count.add(1, ordering: .relaxed).newValue - 1) / connectionsOfEach
        return OpenPeer(process: ProcessInstance(identifier: getpid(), startTime: number), backend: keychain)
    }
}
