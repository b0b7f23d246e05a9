// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import FrontTestSupport
import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

@testable import KeychainAudit
@testable import KeychainDaemon

/// A front beside the socket of a user's daemon: a module that imports the server, and knows nothing of its inside.
@Suite(.timeLimit(.minutes(5)))
final class FrontTests {
    private static let foreign = "ABCDEFGHIJKLMNOPQRSTUVWX23.b"

    private let temporary: TemporaryFolder
    private let folder: PrivateDirectory
    private let audit: AuditLog
    private let server: TestServer
    private let location: SocketLocation
    private let front: LineFront
    private let programs: ServedPrograms

    init() throws {
        temporary = try TemporaryFolder(prefix: "kf")
        folder = try PrivateDirectory(KeychainLocation(path: temporary.path(of: "keychain")))
        audit = AuditLog(in: folder, fixed: AuditSettings(), log: DaemonLog(descriptor: -1))
        programs = ServedPrograms(
            keychain: EmbeddedKeychain.inMemory(device: DeviceOptions(authenticator: CallAuthenticator())),
            identities: try IdentityService(IdentityOptions(), folder: nil),
            proofs: PasscodeProofs(),
            life: DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {}),
            audit: audit
        )
        server = try TestServer(admission: UserAdmission(programs))
        location = SocketLocation(path: temporary.path(of: "front"))
        front = try LineFront(
            at: location,
            try #require(server.server),
            admission: OtherProcess(UserAdmission(programs, greetingByteCount: LineFront.greeting.count))
        )
    }

    deinit { front.stop() }

    @Test("a front answers from the keychain that the socket serves")
    func answer() throws {
        let client = try LineClient(location)
        #expect(client.ask("count genp") == "0")
        #expect(client.ask("add shared anna") == "added")
        #expect(client.ask("count genp") == "1")
        let query: PropertyDictionary = ["class": .string("genp"), PropertyKey.returnAttributes: .boolean(true)]
        let request = KeychainRequest(.copyMatching(query), client: Client(accessGroups: ["shared"]))
        #expect(try server.client().perform(request) != .nothing)
        #expect(client.ask("nonsense") == "error \(Status.parameter.rawValue)")
    }

    @Test("a program of a front is refused another's access group, and that is logged like what it may do")
    func refusal() throws {
        let client = try LineClient(location)
        #expect(client.ask("count genp") == "0")
        #expect(client.ask("count genp \(Self.foreign)") == "error \(Status.missingEntitlement.rawValue)")
        #expect(client.ask("add \(Self.foreign) anna") == "error \(Status.missingEntitlement.rawValue)")
        audit.close()
        var reader = AuditReader(in: folder)
        let records = try reader.next().entries.compactMap { if case .call(let record) = $0 { record } else { nil } }
        #expect(records.map(\.operation) == ["SecItemCopyMatching", "SecItemCopyMatching", "SecItemAdd"])
        #expect(
            records.map { Status(rawValue: $0.status) } == [.itemNotFound, .missingEntitlement, .missingEntitlement]
        )
        #expect(records.last?.accessGroups == [Self.foreign])
        #expect(records.allSatisfy { $0.caller.process == getpid() })
    }

    @Test("a subscriber of the socket is notified of a change that a front makes, and a program of a front of others'")
    func notices() throws {
        let subscriber = server.client()
        let notices = RecordedNotices(subscriber, ["shared"])
        #expect(notices.receives(.unknown))
        let client = try LineClient(location)
        #expect(client.ask("watch shared") == "watching")
        #expect(client.ask("add shared anna") == "added")
        #expect(notices.receives(.changed([ChangedItems(.genericPassword, in: "shared")])))
        let item: PropertyDictionary = ["class": .string("genp"), "acct": .string("bert")]
        _ = try server.client().perform(KeychainRequest(.add(item), client: Client(accessGroups: ["shared"])))
        #expect(client.nextLine() == "changed")
    }

    @Test("a program of a front stores and deletes by lookup attributes, and is refused another's access group")
    func lookups() throws {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let sockets = ends.map(LineSocket.init)
        defer { withExtendedLifetime(sockets) {} }
        let peer = try UserAdmission(programs, greetingByteCount: 0).admit(ends[1])
        let connection = try #require(server.server).connect(peer, of: getuid())
        let contents = LookupContents(
            attributes: ["service": "S"],
            label: "",
            secret: SecretBytes([1]),
            contentType: "text/plain"
        )
        let shared = Client(accessGroups: ["shared"])
        let store = LookupRequest(.store(contents, replacing: true), client: shared)
        let reply = try connection.perform(.lookup(store))
        let stored: LookupStored? = if case .lookupStored(let stored) = reply { stored } else { nil }
        let identifier = try #require(stored).identifier
        #expect(stored?.isNew == true)
        #expect(try server.client().perform(.lookup(LookupRequest(.delete(identifier), client: shared))) == .done)
        let foreign = LookupRequest(.search(LookupAttributes()), client: Client(accessGroups: [Self.foreign]))
        let refusal = #expect(throws: KeychainError.self) { try connection.perform(.lookup(foreign)) }
        #expect(refusal?.status == .missingEntitlement)
    }

    @Test("requests that are sent at once are answered one after the other")
    func twoAtOnce() throws {
        let client = try LineClient(location)
        client.send("add shared anna\ncount genp\n")
        #expect(client.nextLine() == "added")
        #expect(client.nextLine() == "1")
    }

    @Test("the commands of a front are refused once the daemon stops")
    func stopped() throws {
        let client = try LineClient(location)
        #expect(client.ask("count genp") == "0")
        server.stop()
        #expect(client.ask("count genp") == "error \(Status.notAvailable.rawValue)")
    }

    @Test("a program may send as much before it is identified as the greeting of its protocol has", arguments: [6, 16])
    func greeting(_ byteCount: Int) throws {
        let programs = ServedPrograms(
            keychain: EmbeddedKeychain.inMemory(),
            identities: try IdentityService(IdentityOptions(), folder: nil),
            proofs: PasscodeProofs(),
            life: DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
        )
        let admission = UserAdmission(programs, greetingByteCount: byteCount)
        for (sent, isAdmitted) in [(0, true), (byteCount, true), (byteCount + 1, false)] {
            var ends: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            let (program, daemon) = (LineSocket(ends[0]), LineSocket(ends[1]))
            program.send([UInt8](repeating: 0, count: sent))
            let peer = try? admission.admit(daemon.descriptor)
            #expect((peer != nil) == isAdmitted, "\(sent) bytes")
        }
    }
}

/// The programs of another admission as if each was another process than this one, which has the socket's clients.
private struct OtherProcess: Admission {
    private let admission: any Admission

    init(_ admission: any Admission) { self.admission = admission }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer { Peer(peer: try admission.admit(socket)) }

    private struct Peer: ConnectedPeer {
        let peer: any ConnectedPeer

        var process: ProcessInstance { ProcessInstance(identifier: peer.process.identifier, startTime: 0) }
        var backend: any KeychainBackend { peer.backend }
        var vouchesForBiometry: Bool { false }

        func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand {
            try peer.permitted(command)
        }

        func perform(
            _ permitted: KeychainCommand,
            sentAs command: KeychainCommand
        ) throws(KeychainError) -> KeychainReply {
            try peer.perform(permitted, sentAs: command)
        }

        func confirm() throws(KeychainError) { try peer.confirm() }

        func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter {
            try peer.changeFilter(for: client)
        }

        func finished(_ command: KeychainCommand, _ result: Result<KeychainReply, KeychainError>) {
            peer.finished(command, result)
        }
    }
}

/// A program's end of a connection to the front, which has been let in.
private final class LineClient {
    private let socket: LineSocket
    private var unread: [UInt8] = []

    struct NotLetIn: Error {}

    init(_ location: SocketLocation) throws {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        socket = LineSocket(descriptor)
        guard try location.withShortPath({ keychain_connect(descriptor, $0) }) == 0 else { throw NotLetIn() }
        socket.send(LineFront.greeting)
        guard nextLine() == "ready" else { throw NotLetIn() }
    }

    func ask(_ line: String) -> String? {
        send("\(line)\n")
        return nextLine()
    }

    func send(_ text: String) { socket.send(Array(text.utf8)) }

    /// The next line; `nil` after the end, or if none comes within a minute.
    func nextLine() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            _ = SocketReadiness.wait(for: .readable, of: socket.descriptor, milliseconds: 60_000)
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = keychain_receive(socket.descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            unread += buffer[..<count]
        }
    }
}
