// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainCore
import KeychainHost
import KeychainServer
import MessageBus
import Synchronization

/// The Secret Service API (`org.freedesktop.secrets`) in front of a keychain daemon: it has no rules of its own, and
/// turns calls into commands.
package final class SecretServiceFront: Sendable {
    private let place: SecretServiceBus
    private let surroundings: SecretService.Surroundings
    /// Whose changes of items are announced, by the collections that they are.
    private let observed: [CollectionName: any KeychainBackend]
    private let observations = Mutex<[ChangeObservation]>([])
    private let folders = Mutex<FolderObservation?>(nil)
    private let current = Mutex(SecretServiceState.starting)
    /// That of the current connection to the bus.
    private let mailbox = Mutex<BusMailbox?>(nil)
    private let isStopping = Atomic(false)
    private let thread = DispatchGroup()
    private let pause = DispatchSemaphore(value: 0)

    /// A front beside a server, which serves once ``start()`` is called.
    ///
    /// - Parameters:
    ///   - place: the bus.
    ///   - server: executes the commands.
    ///   - admission: identifies the programs of the bus.
    ///   - keychain: the keychain that the server serves, whose changes are announced.
    ///   - memory: executes the commands for the collection `session`: a keychain in memory.
    ///   - options: who asks people, and limits.
    package init(
        on place: SecretServiceBus,
        _ server: KeychainServer,
        admission: any BusAdmission,
        keychain: any KeychainBackend,
        memory: any KeychainBackend,
        options: SecretServiceOptions = SecretServiceOptions()
    ) {
        self.place = place
        observed = [.login: keychain, .session: memory]
        surroundings = SecretService.Surroundings(
            server: server,
            admission: admission,
            keychain: keychain,
            memory: memory,
            options: options,
            work: ClientWork(of: options.limits),
            prompts: PromptThreads(),
            started: .now
        )
    }

    /// Whether programs are served now.
    package var state: SecretServiceState { current.withLock(\.self) }

    /// Serves until ``stop()``, on threads of its own.
    ///
    /// Where there is no bus, it is tried again from time to time.
    ///
    /// - Throws: `errSecNotAvailable` if the system cannot create another thread.
    package func start() throws(KeychainError) {
        var observations = observed.compactMap { collection, keychain in
            keychain.observeItemChanges { [weak self] notice in self?.post { $0.announce(notice, in: collection) } }
        }
        if let locks = surroundings.keychain.observeLocks({ [weak self] in self?.post { $0.lookAtLock() } }) {
            observations.append(locks)
        }
        if let files = surroundings.options.files {
            let changed = { @Sendable [weak self] in _ = self?.post { $0.refreshFiles() } }
            if let observation = files.observe(changed) { observations.append(observation) }
            let folders = FolderObservation(of: files.folders, changed)
            folders.start()
            self.folders.withLock { $0 = folders }
        }
        self.observations.withLock { $0 = observations }
        thread.enter()
        let isStarted = HostThread.start(.blocked) { [self] in
            run()
            thread.leave()
        }
        guard !isStarted else { return }
        thread.leave()
        throw KeychainError(.notAvailable, "the system cannot create another thread", kind: .unavailable)
    }

    /// Leaves the bus, and returns once no command is in progress any longer, and no person is asked.
    package func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        post { _ in }
        pause.signal()
        thread.wait()
        surroundings.work.stop()
        surroundings.prompts.wait()
        folders.withLock { $0.take() }?.stop()
        observations.withLock { $0 = [] }
    }

    /// Has the current connection to the bus do something; without one there is nobody to do it for.
    private func post(_ task: @escaping BusMailbox.Task) { mailbox.withLock(\.self)?.post(task) }

    private var isOver: Bool { isStopping.load(ordering: .sequentiallyConsistent) }

    private func run() {
        var pauses = RetryPauses()
        while !isOver {
            do throws(BusError) {
                guard let mailbox = BusMailbox() else { throw BusError(-EMFILE) }
                let service = try SecretService(
                    connect(takesDescriptors: false),
                    surroundings,
                    mailbox: mailbox,
                    connect: { [self] () throws(BusError) in try connect(takesDescriptors: true) }
                )
                let began = Deadline(milliseconds: Self.lastingMilliseconds)
                self.mailbox.withLock { $0 = mailbox }
                defer {
                    // One that ends at once again and again is not tried without a pause.
                    if began.isOver { pauses = .none }
                    self.mailbox.withLock { $0 = nil }
                    service.end()
                }
                // From here on changes are posted; nobody is served yet.
                service.noteLocked(surroundings.isKeychainLocked)
                try serve(service)
            } catch {
                setState(.noBus("\(error)"))
                _ = pause.wait(timeout: .now() + .milliseconds(Int(pauses.next())))
            }
        }
    }

    private func serve(_ service: SecretService) throws(BusError) {
        setState(service.state)
        while !isOver {
            if try service.handlePending() { setState(service.state) }
            _ = try service.bus.wait(
                or: service.mailbox.descriptor,
                beside: service.passing,
                atMost: service.longestWaitMilliseconds
            )
        }
    }

    private func connect(takesDescriptors: Bool) throws(BusError) -> Bus {
        switch place {
        case .session: return try Bus.ofSession(takesDescriptors: takesDescriptors)
        case .address(let address): return try Bus(address: address, takesDescriptors: takesDescriptors)
        case .socket(let connect):
            guard let socket = connect() else { throw BusError(-ENOTCONN) }
            return try Bus(taking: socket, takesDescriptors: takesDescriptors)
        }
    }

    /// After so long a connection has lasted.
    private static let lastingMilliseconds: Int32 = 1_000

    private func setState(_ state: SecretServiceState) {
        let hasChanged = current.withLock { current in
            defer { current = state }
            return current != state
        }
        if hasChanged { surroundings.options.stateChanged(state) }
    }
}
