// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainCore
import KeychainHost
import KeychainServer
import KeychainTestSupport
import ServerTestSupport
import Synchronization
import Testing

/// The commands of a front's programs, which count as those of the socket do.
@Suite(.timeLimit(.minutes(5)))
struct FrontConnectionTests {
    private static func peer(_ process: Int32, _ keychain: any KeychainBackend) -> OpenPeer {
        OpenPeer(process: ProcessInstance(identifier: process, startTime: 0), backend: keychain)
    }

    private static let read = KeychainCommand.items(KeychainRequest(.copyMatching([:]), client: .person))

    /// A user who types a text.
    private final class Typist: Authenticator {
        let text: SecretBytes
        let asked = Mutex<[String]>([])

        init(_ text: SecretBytes) { self.text = text }

        var biometry: Biometry { .none }
        var canAskForSecrets: Bool { true }

        func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
            asked.withLock { $0.append(prompt.reason) }
            return .secret(text)
        }
    }

    /// A keychain that prompts for a passcode with each request, and remembers the replies.
    private final class Prompting: Sendable {
        let replies = Mutex<[AuthenticationReply]>([])
        let queues = Mutex<[UInt64?]>([])

        var keychain: FakeKeychain {
            FakeKeychain { [self] _ throws(KeychainError) in
                let authenticator = CallAuthenticator()
                let ticket = authenticator.enqueue(PromptCancellation())
                queues.withLock { $0.append(ticket?.queue) }
                let reply =
                    authenticator.canAskForSecrets
                    ? authenticator.ask(AuthenticationPrompt(.passcode, reason: "to test")) : .unavailable
                replies.withLock { $0.append(reply) }
                return .nothing
            }
        }
    }

    @Test("without prompts of its own a front's user cannot be prompted; those of a front are shown")
    func prompts() throws {
        let prompting = Prompting()
        let keychain = prompting.keychain
        let server = try TestServer(keychain)
        let connection = try #require(server.server).connect(Self.peer(8, keychain), of: 1)
        _ = try connection.perform(Self.read)
        let typist = Typist(SecretBytes([1]))
        _ = try connection.perform(Self.read, prompting: typist)
        let long = Typist(SecretBytes(Array(repeating: 1, count: KeychainCommand.longestPassword + 1)))
        _ = try connection.perform(Self.read, prompting: long)
        #expect(prompting.replies.withLock(\.self) == [.unavailable, .secret(SecretBytes([1])), .notRecognized])
        #expect(typist.asked.withLock(\.self) == ["to test"])
        let queues = prompting.queues.withLock(\.self)
        #expect(Set(queues).count == 1 && queues[0] != nil && queues[0] != 0, "the queue is the program's own")
    }

    @Test("prompts at a front count against the limit of their program")
    func numberOfPrompts() throws {
        let prompting = Prompting()
        let keychain = prompting.keychain
        var options = ServerOptions()
        options.maximumQuestionsPerProcess = 0
        let server = try TestServer(keychain, options)
        let connection = try #require(server.server).connect(Self.peer(8, keychain), of: 1)
        _ = try connection.perform(Self.read, prompting: Typist(SecretBytes([1])))
        #expect(prompting.queues.withLock(\.self) == [nil])
    }

    @Test("a process has the same share at a front as on the socket, and its connections there count together")
    func shares() throws {
        let numbers = Mutex<[UInt64?]>([])
        let keychain = FakeKeychain { _ throws(KeychainError) in
            numbers.withLock { $0.append(CallShare.number()) }
            return .nothing
        }
        var options = ServerOptions()
        options.maximumConnectionsPerProcess = 2
        let server = try TestServer(keychain, options)
        let front = try #require(server.server)
        let peer = Self.peer(8, keychain)
        var connections = [try front.connect(peer, of: 1), try front.connect(peer, of: 1)]
        let error = #expect(throws: KeychainError.self) { try front.connect(peer, of: 1) }
        #expect(error?.status == .notAvailable)
        let other = try front.connect(Self.peer(9, keychain), of: 1)
        for connection in connections + [other] { _ = try connection.perform(Self.read) }
        let seen = numbers.withLock(\.self)
        #expect(seen[0] == seen[1] && seen[0] != seen[2] && !seen.contains(nil))
        #expect(connections[0].share == connections[1].share && connections[0].share != other.share)
        connections.removeLast()
        connections.append(try front.connect(peer, of: 1))
    }

    @Test("a front's commands count as the socket's: beyond the limit they wait, and the others of the user, too")
    func calls() throws {
        let keychain = CountingKeychain()
        keychain.close()
        var options = ServerOptions()
        options.maximumCallsPerUser = 2
        let server = try TestServer(keychain, options)
        let connection = try #require(server.server).connect(Self.peer(8, keychain), of: geteuid())
        let all = DispatchGroup()
        let isDone = Mutex(0)
        for _ in 0..<4 {
            all.enter()
            _ = HostThread.start(.blocked) {
                if (try? connection.perform(Self.read)) != nil { isDone.withLock { $0 += 1 } }
                all.leave()
            }
        }
        #expect(eventually("two are executed") { keychain.held == 2 })
        // A lock is not queued.
        _ = try connection.perform(.device(.lock))
        let client = server.client()
        all.enter()
        _ = HostThread.start(.blocked) {
            try? client.add("a")
            all.leave()
        }
        #expect(server.connectionCount <= 1 && keychain.counts == [:] && keychain.held == 2)
        keychain.open()
        all.wait()
        #expect(isDone.withLock(\.self) == 4 && keychain.counts == ["a": 1])
    }

    @Test("a front's command that waits for its turn ends with its program, and with the server")
    func endOfWaiting() throws {
        for endsServer in [false, true] {
            let keychain = CountingKeychain()
            keychain.close()
            var options = ServerOptions()
            options.maximumCallsPerProcess = 1
            let server = try TestServer(keychain, options)
            let front = try #require(server.server)
            let connections = try (0..<2).map { _ in try front.connect(Self.peer(8, keychain), of: 1) }
            let all = DispatchGroup()
            let failure = Mutex<Status?>(nil)
            for connection in connections {
                all.enter()
                _ = HostThread.start(.blocked) {
                    do throws(KeychainError) { _ = try connection.perform(Self.read) } catch {
                        failure.withLock { $0 = error.status }
                    }
                    all.leave()
                }
                #expect(eventually("one is executed") { keychain.held == 1 })
            }
            if endsServer { front.stop() } else { for connection in connections { connection.end() } }
            #expect(eventually("the other one has ended") { failure.withLock(\.self) == .notAvailable })
            #expect(keychain.held == 1)
            keychain.open()
            all.wait()
        }
    }

    @Test("what is kept of a program's identity counts for each of its connections, as messages do")
    func identities() throws {
        var options = ServerOptions()
        options.maximumBufferedBytesPerProcess = 100_000
        let keychain = CountingKeychain()
        let server = try TestServer(keychain, options)
        let front = try #require(server.server)
        let peer = LargePeer(backend: keychain)
        var kept = [try front.connect(peer, of: 1)]
        let error = #expect(throws: KeychainError.self) { try front.connect(peer, of: 1) }
        #expect(error?.status == .notAvailable)
        kept.removeAll()
        kept.append(try front.connect(peer, of: 1))
        _ = try kept[0].perform(Self.read)
    }

    /// A program with a large manifest.
    private struct LargePeer: ConnectedPeer {
        let process = ProcessInstance(identifier: 8, startTime: 0)
        let backend: any KeychainBackend
        let vouchesForBiometry = false
        let keptByteCount = 80_000

        func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

        func confirm() throws(KeychainError) {}
    }

    @Test("what a front has received of a program counts against its limit of memory, until it is released")
    func memory() throws {
        let taken = Mutex<[Bool]>([])
        let keychain = FakeKeychain { _ throws(KeychainError) in
            taken.withLock { $0.append(CallMemory.reserve(60_000)) }
            return .nothing
        }
        var options = ServerOptions()
        options.maximumBufferedBytesPerProcess = 100_000
        let server = try TestServer(keychain, options)
        let connection = try #require(server.server).connect(Self.peer(8, keychain), of: 1)
        let held = try connection.hold(90_000)
        let error = #expect(throws: KeychainError.self) { try connection.hold(90_000) }
        #expect(error?.status == .notAvailable)
        _ = try connection.perform(Self.read)
        held.end()
        _ = try connection.perform(Self.read)
        _ = try connection.perform(Self.read)
        #expect(taken.withLock(\.self) == [false, true, true], "a command's bytes are released with it")
    }

    @Test("the contexts of a front's program are released when its last connection is")
    func contexts() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let context = AuthenticationContext()
        do {
            let connection = try #require(server.server).connect(Self.peer(8, keychain), of: 1)
            _ = try connection.perform(.authentication(.check(.deviceOwner, context)))
            #expect(keychain.released.isEmpty)
        }
        #expect(eventually("the context is released") { keychain.released == [context.identifier] })
    }

    @Test("a process that became another program gets no reply with data, and changes nothing")
    func confirmed() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let peer = ChangedPeer(backend: keychain)
        let connection = try #require(server.server).connect(peer, of: 1)
        for command in [Self.read, .items(KeychainRequest(.add(["acct": .string("a")]), client: .person))] {
            let error = #expect(throws: KeychainError.self) { try connection.perform(command) }
            #expect(error?.status == .missingEntitlement)
        }
        #expect(keychain.counts == [:])
        #expect(peer.statuses.withLock(\.self) == [.missingEntitlement, .missingEntitlement])
    }

    @Test("a change of a program that is gone is refused, and a read is not")
    func gone() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let connection = try #require(server.server).connect(Self.peer(8, keychain), of: 1)
        connection.end()
        let change = KeychainCommand.items(KeychainRequest(.add(["acct": .string("a")]), client: .person))
        let error = #expect(throws: KeychainError.self) { try connection.perform(change) }
        #expect(error?.status == .notAvailable)
        #expect(keychain.counts == [:])
        _ = try connection.perform(Self.read)
    }

    @Test("a front's command with values that are too large is refused, and logged")
    func sizes() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let peer = ChangedPeer(backend: keychain)
        let connection = try #require(server.server).connect(peer, of: 1)
        let client = Client(accessGroups: Array(repeating: "a", count: KeychainCommand.maximumAccessGroups + 1))
        let error = #expect(throws: KeychainError.self) {
            try connection.perform(.items(KeychainRequest(.copyMatching([:]), client: client)))
        }
        #expect(error?.status == .parameter)
        #expect(peer.statuses.withLock(\.self) == [.parameter])
    }

    /// A process that is another program than the one that was admitted.
    private final class ChangedPeer: ConnectedPeer {
        let process = ProcessInstance(identifier: 8, startTime: 0)
        let backend: any KeychainBackend
        let vouchesForBiometry = false
        let statuses = Mutex<[Status]>([])

        init(backend: any KeychainBackend) { self.backend = backend }

        func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

        func confirm() throws(KeychainError) { throw KeychainError(.missingEntitlement, "it is another program") }

        func finished(_ command: KeychainCommand, _ result: Result<KeychainReply, KeychainError>) {
            guard case .failure(let error) = result else { return }
            statuses.withLock { $0.append(error.status) }
        }
    }
}
