// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainServer

/// Which authentication contexts are discarded when there are too many.
struct ContextTableTests {
    private struct Peer: ConnectedPeer {
        let process: ProcessInstance
        let application: String?
        let backend: any KeychainBackend
        let vouchesForBiometry = false

        func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

        func confirm() throws(KeychainError) {}
    }

    private static var options: ServerOptions {
        var options = ServerOptions()
        options.maximumContextsPerProcess = 8
        options.maximumContextsPerUser = 20
        return options
    }

    private let keychain = CountingKeychain()
    private let table = ProcessTable(options)

    private func join(
        _ number: Int32,
        of user: UInt32 = 1,
        _ application: String? = nil
    ) throws -> ConnectedProcess {
        let process = ProcessInstance(identifier: number, startTime: 0)
        return try table.join(Peer(process: process, application: application, backend: keychain), of: user)
    }

    /// Has a process use so many new contexts.
    private func claim(_ count: Int, _ process: ConnectedProcess) throws -> [Bytes16] {
        let contexts = (0..<count).map { _ in Bytes16.random() }
        for context in contexts { try table.claim([context], for: process) }
        return contexts
    }

    @Test("a process that has too many contexts loses its oldest one, and no other process does")
    func ofProcess() throws {
        let (few, many) = (try join(1), try join(2))
        let kept = try claim(3, few)
        let contexts = try claim(10, many)
        #expect(keychain.released == Array(contexts.prefix(2)))
        // What was discarded is nobody's.
        try table.claim([contexts[0]], for: few)
        #expect(throws: KeychainError.self) { try table.claim([contexts[3]], for: few) }
        try table.claim(kept, for: few)
    }

    @Test("the end of a context that was discarded discards no other")
    func endOfDiscarded() throws {
        let process = try join(1)
        let contexts = try claim(9, process)
        #expect(keychain.released == [contexts[0]])
        try table.claim([contexts[0]], for: process, adding: false)
        #expect(keychain.released == [contexts[0]])
        table.releaseDisplaced([contexts[0], contexts[1]], of: process)
        #expect(keychain.released == [contexts[0], contexts[0]])
    }

    @Test("a discarded context that another process uses meanwhile keeps nothing of the first one's")
    func takenMeanwhile() throws {
        let (first, second) = (try join(1), try join(2))
        let contexts = try claim(9, first)
        try table.claim([contexts[0]], for: second)
        table.releaseDisplaced([contexts[0]], of: first)
        #expect(keychain.released == [contexts[0], contexts[0]])
    }

    @Test("when a user has too many contexts, the process with the most loses its oldest one")
    func ofUser() throws {
        let few = try join(1)
        let kept = try claim(2, few)
        let (first, second, third) = (try join(2), try join(3), try join(4))
        let most = try claim(8, first)
        let others = try claim(6, second) + claim(4, third)
        #expect(keychain.released.isEmpty)
        _ = try claim(1, few)
        #expect(keychain.released == [most[0]])
        // Of three with six each it is the one that wants more.
        _ = try claim(2, third)
        #expect(keychain.released == [most[0], most[1], others[6]])
        let last = try claim(2, few)
        #expect(keychain.released.count == 5)
        #expect(Set(keychain.released).isDisjoint(with: kept + last))
    }

    @Test("a process with few contexts keeps them, however many other processes of the user name")
    func fewOfMany() throws {
        let few = try join(1)
        let kept = try claim(2, few)
        for number in 2..<10 { _ = try claim(8, join(Int32(number))) }
        #expect(keychain.released.count == 66 - 20)
        #expect(Set(keychain.released).isDisjoint(with: kept))
    }

    @Test("the processes of a sandboxed application count as one, of which the one with the most loses its oldest")
    func ofApplication() throws {
        let alone = try claim(6, join(1))
        let processes = try (2...6).map { try join($0, "com.example.app") }
        let most = try claim(4, processes[0])
        let others = try processes.dropFirst().map { try claim(2, $0) }
        #expect(keychain.released.isEmpty)
        _ = try claim(3, join(7))
        #expect(keychain.released == [most[0]])
        #expect(Set(keychain.released).isDisjoint(with: alone + others.flatMap(\.self)))
    }

    @Test("the contexts of one user displace none of another's")
    func ofUsers() throws {
        let kept = try claim(8, join(1, of: 1)) + claim(8, join(2, of: 1))
        for number in 1...10 { _ = try claim(8, join(Int32(number), of: 2)) }
        #expect(keychain.released.count == 80 - 20)
        #expect(Set(keychain.released).isDisjoint(with: kept))
    }

    @Test("the newest context of a process is not discarded for itself")
    func newest() throws {
        var options = Self.options
        options.maximumContextsPerUser = 1
        let table = ProcessTable(options)
        let peers = (1...2).map { number in
            Peer(
                process: ProcessInstance(identifier: number, startTime: 0),
                application: nil,
                backend: keychain
            )
        }
        let (first, second) = (try table.join(peers[0], of: 1), try table.join(peers[1], of: 1))
        let contexts = (0..<3).map { _ in Bytes16.random() }
        try table.claim([contexts[0]], for: first)
        try table.claim([contexts[1]], for: second)
        #expect(keychain.released == [contexts[0]])
        try table.claim([contexts[2]], for: second)
        #expect(keychain.released == [contexts[0], contexts[1]])
    }

    @Test("what was released, and what ended with its process, makes room")
    func room() throws {
        let (first, second) = (try join(1), try join(2))
        let contexts = try claim(8, first)
        table.forget(contexts[0], of: first)
        let newer = try claim(1, first)
        _ = try claim(8, second)
        #expect(keychain.released.isEmpty)
        #expect(table.leave(first) == contexts.dropFirst() + newer)
        for number in 3..<5 { _ = try claim(6, join(Int32(number))) }
        #expect(keychain.released.isEmpty)
    }

    @Test("a process whose last connection has ended gets no context, which nobody would release")
    func gone() throws {
        let process = try join(1)
        #expect(table.leave(process).isEmpty)
        let context = Bytes16.random()
        #expect(throws: KeychainError.self) { try table.claim([context], for: process) }
        // It is nobody's, also for another connection of the process.
        try table.claim([context], for: join(1))
    }
}
