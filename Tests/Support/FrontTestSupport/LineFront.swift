// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainCore
import KeychainHost
import KeychainServer
import KeychainWire
import Synchronization

/// A small front: a protocol of lines on a Unix socket.
///
/// A client sends ``greeting``, waits for `ready`, and then sends requests. Each is answered by a line, which is
/// `error STATUS` for one that fails:
///
/// * `count CLASS` and `count CLASS GROUP`: the number of items, as `2`.
/// * `add GROUP ACCOUNT`: adds a generic password; `added`.
/// * `watch GROUP`: `watching`, and from then on also a line `changed` for each notice.
package final class LineFront: Sendable {
    /// What a client sends before it is identified.
    package static let greeting = Array("hello\n".utf8)

    private let server: KeychainServer
    private let admission: any Admission
    private let listening: ListeningSocket
    private let state = Mutex(State())
    private let threads = DispatchGroup()

    private struct State {
        var sockets: [Int32: LineSocket] = [:]
        var counts = ShareCount(atMost: .init(total: 64, ofProcess: 16, ofUser: 32))
        var isStopping = false
    }

    /// A front beside a server, which serves until ``stop()``.
    ///
    /// - Parameters:
    ///   - location: where it listens.
    ///   - server: executes the commands.
    ///   - admission: identifies the programs; they may have sent ``greeting`` before.
    /// - Throws: `errSecNotAvailable` if it cannot listen.
    package init(
        at location: SocketLocation,
        _ server: KeychainServer,
        admission: any Admission
    ) throws(KeychainError) {
        self.server = server
        self.admission = admission
        listening = try ListeningSocket(location)
        _ = fcntl(listening.descriptor, F_SETFL, fcntl(listening.descriptor, F_GETFL) | O_NONBLOCK)
        try Self.prepare(listening.descriptor)
        guard start({ [self] in accept() }) else { throw .noThread }
    }

    /// Ends every connection, and returns once no command is in progress any longer.
    package func stop() {
        let sockets = state.withLock { state in
            state.isStopping = true
            return Array(state.sockets.values)
        }
        shutdown(listening.descriptor, Int32(SHUT_RDWR))
        for socket in sockets { socket.end() }
        threads.wait()
    }

    /// Another process that gets the socket of the one that was identified cannot send in its place.
    private static func prepare(_ socket: Int32) throws(KeychainError) {
        let failure = keychain_name_senders(socket)
        guard failure == 0 else { throw KeychainError(.notAvailable, "setsockopt: \(failure)", kind: .unavailable) }
        keychain_permit_descriptors(socket, false)
    }

    private func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        threads.enter()
        let isStarted = HostThread.start(.blocked) { [threads] in
            body()
            threads.leave()
        }
        if !isStarted { threads.leave() }
        return isStarted
    }

    private func accept() {
        while !state.withLock(\.isStopping) {
            _ = SocketReadiness.wait(for: .readable, of: listening.descriptor, milliseconds: 1_000)
            let descriptor = keychain_accept(listening.descriptor)
            guard descriptor >= 0 else { continue }
            let socket = LineSocket(descriptor)
            let isOpen = state.withLock { state in
                if !state.isStopping { state.sockets[descriptor] = socket }
                return !state.isStopping
            }
            guard isOpen else { return }
            let isStarted = start { [self] in
                serve(socket)
                state.withLock { $0.sockets[descriptor] = nil }
            }
            if !isStarted { state.withLock { $0.sockets[descriptor] = nil } }
        }
    }

    private func serve(_ socket: LineSocket) {
        do throws(KeychainError) {
            try Self.prepare(socket.descriptor)
            var process: pid_t = 0
            var user: uid_t = 0
            let failure = keychain_peer(socket.descriptor, &process, &user)
            guard failure == 0 else { throw .notAvailable }
            let program = try server.connect(try admission.admit(socket.descriptor), of: user)
            let share = program.share
            guard state.withLock({ $0.counts.begin(share) }) else { throw .notAvailable }
            defer { state.withLock { $0.counts.end(share) } }
            serve(program, LineReader(socket, sender: process))
        } catch {
            socket.send("error \(error.status.rawValue)")
        }
        socket.end()
    }

    private func serve(_ program: FrontConnection, _ lines: consuming LineReader) {
        defer { program.end() }
        guard lines.next() == "hello" else { return }
        lines.socket.send("ready")
        var observations: [ChangeObservation] = []
        while let line = lines.next() {
            do throws(KeychainError) {
                let held = try program.hold(line.utf8.count)
                defer { held.end() }
                let words = line.split(separator: " ").map(String.init)
                if words.count == 2, words[0] == "watch" {
                    observations.append(try watch(words[1], program, sendingTo: lines.socket))
                } else {
                    lines.socket.send(try Self.answer(words, program))
                }
            } catch {
                lines.socket.send("error \(error.status.rawValue)")
            }
        }
    }

    private func watch(
        _ group: String,
        _ program: FrontConnection,
        sendingTo socket: LineSocket
    ) throws(KeychainError) -> ChangeObservation {
        let observation = try program.observeChanges(as: Client(accessGroups: [group])) { notice in
            switch notice {
            case .success: socket.send("changed")
            case .failure(let error): socket.send("error \(error.status.rawValue)")
            }
        }
        socket.send("watching")
        return observation
    }

    private static func answer(_ words: [String], _ program: FrontConnection) throws(KeychainError) -> String {
        switch (words.first, words.count) {
        case ("count", 2), ("count", 3):
            var query: PropertyDictionary = [
                "class": .string(words[1]), PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
                PropertyKey.returnAttributes: .boolean(true),
            ]
            if words.count == 3 { query["agrp"] = .string(words[2]) }
            return "\(try count(query, program))"
        case ("add", 3):
            let item: PropertyDictionary = [
                "class": .string("genp"), "agrp": .string(words[1]), "acct": .string(words[2]),
            ]
            _ = try program.perform(.items(KeychainRequest(.add(item), client: Client(accessGroups: [words[1]]))))
            return "added"
        default: throw .parameter("there is no such request")
        }
    }

    private static func count(
        _ query: PropertyDictionary,
        _ program: FrontConnection
    ) throws(KeychainError) -> Int {
        do throws(KeychainError) {
            let reply = try program.perform(.items(KeychainRequest(.copyMatching(query), client: .person)))
            guard case .answer(.list(let items)) = reply else { throw .unexpectedReply }
            return items.count
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return 0
        }
    }
}

extension KeychainError {
    fileprivate static let noThread = KeychainError(.notAvailable, "there is no thread", kind: .unavailable)
    fileprivate static let notAvailable = KeychainError(.notAvailable, "there is no room", kind: .unavailable)
}
