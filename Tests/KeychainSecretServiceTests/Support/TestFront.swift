// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainCore
import KeychainSecretService
import KeychainServer
import KeychainTestSupport
import MessageBus
import ServerTestSupport
import Synchronization

/// The service on a bus of the test's own, in front of a keychain.
final class TestFront<Keychain: KeychainBackend>: Sendable {
    let bus: PrivateBus
    let keychain: Keychain
    let front: SecretServiceFront
    private let server: TestServer

    /// Serves once it is made, or is in another state.
    init(
        of keychain: Keychain,
        memory: any KeychainBackend = LookupKeychain(),
        on bus: PrivateBus? = nil,
        admission: (any BusAdmission)? = nil,
        serverOptions: ServerOptions = ServerOptions(),
        _ options: SecretServiceOptions = SecretServiceOptions(),
        until expected: SecretServiceState = .serving
    ) throws {
        self.bus = try bus ?? PrivateBus()
        self.keychain = keychain
        server = try TestServer(keychain, serverOptions)
        guard let beside = server.server else { throw KeychainError(.notAvailable, "it is stopped") }
        var options = options
        let isServing = DispatchSemaphore(value: 0)
        let stateChanged = options.stateChanged
        options.stateChanged = { state in
            stateChanged(state)
            if state == expected { isServing.signal() }
        }
        front = SecretServiceFront(
            on: .address(self.bus.address),
            beside,
            admission: admission ?? OpenBusAdmission(keychain),
            keychain: keychain,
            memory: memory,
            options: options
        )
        try front.start()
        guard isServing.wait(timeout: .now() + .seconds(120)) == .success else {
            throw KeychainError(.notAvailable, "the service does not start")
        }
    }

    deinit { front.stop() }

    /// A program on the bus.
    func client() throws -> TestClient { try TestClient(at: bus.address, of: self) }
}

extension TestFront<LookupKeychain> {
    /// In front of a keychain with lookup attributes and nothing else.
    convenience init(passcode: String? = nil, _ options: SecretServiceOptions = SecretServiceOptions()) throws {
        try self.init(of: LookupKeychain(passcode: passcode), options)
    }
}

/// Lets every program of the bus in, and has them do what they want.
struct OpenBusAdmission: BusAdmission {
    private let keychain: any KeychainBackend

    init(_ keychain: any KeychainBackend) { self.keychain = keychain }

    func admit(_ caller: BusCaller) throws(KeychainError) -> any ConnectedPeer {
        OpenPeer(process: ProcessInstance(identifier: caller.process, startTime: 0), backend: keychain)
    }
}

/// Waits for something before each program is let in.
struct SlowAdmission: BusAdmission {
    private let admission: any BusAdmission
    private let wait: @Sendable () -> Void

    init(_ admission: any BusAdmission, _ wait: @escaping @Sendable () -> Void) {
        self.admission = admission
        self.wait = wait
    }

    func admit(_ caller: BusCaller) throws(KeychainError) -> any ConnectedPeer {
        wait()
        return try admission.admit(caller)
    }
}

/// Identifies the connections of a bus as programs with some access groups, in the order of their first calls.
final class GroupAdmission: BusAdmission {
    private let keychain: any KeychainBackend
    private let programs: Mutex<ArraySlice<[String]>>

    init(_ keychain: any KeychainBackend, _ programs: [String]...) {
        self.keychain = keychain
        self.programs = Mutex(programs[...])
    }

    func admit(_ caller: BusCaller) throws(KeychainError) -> any ConnectedPeer {
        guard let groups = programs.withLock({ $0.popFirst() }) else {
            throw KeychainError(.missingEntitlement, "no other program is expected")
        }
        let process = ProcessInstance(identifier: caller.process, startTime: 0)
        return GroupPeer(process: process, backend: keychain, groups: groups)
    }
}

/// A program that has its access groups only, whatever it claims.
private struct GroupPeer: ConnectedPeer {
    let process: ProcessInstance
    let backend: any KeychainBackend
    let groups: [String]
    let vouchesForBiometry = false

    func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand {
        var permitted = command
        permitted.client?.accessGroups = groups
        return permitted
    }

    func confirm() throws(KeychainError) {}

    func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter { ChangeFilter(groups: groups) }
}
