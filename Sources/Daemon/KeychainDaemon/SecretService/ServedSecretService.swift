// SPDX-License-Identifier: Apache-2.0

import KeychainBus
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainMacFrontEnd
import KeychainOnDemand
import KeychainSecretService
import KeychainServer

/// The Secret Service of a user's daemon: on the session bus, or on a bus of the daemon's own.
final class ServedSecretService: Sendable {
    private let bus: BusServer?
    private let front: SecretServiceFront

    /// The size of the collection in memory.
    private static let sessionMebibytes = 64

    /// Serves beside a server.
    ///
    /// - Parameters:
    ///   - arguments: which bus, and who asks the user.
    ///   - server: executes the commands.
    ///   - admission: identifies programs.
    ///   - keychain: the keychain that the server serves.
    ///   - location: its folder, beside which the daemon of keychain files has its own.
    ///   - log: receives whether programs are served.
    /// - Throws: ``DaemonFailure``, among others if another program listens on the socket of the bus.
    init(
        _ arguments: SecretServiceArguments,
        beside server: KeychainServer,
        admission: UserAdmission,
        keychain: EmbeddedKeychain,
        at location: KeychainLocation,
        log: DaemonLog
    ) throws(DaemonFailure) {
        // Those who observe keychain files use it, whatever programs of the bus have opened by then.
        DispatchDescriptors.make()
        do throws(KeychainError) {
            var busOptions = BusOptions()
            busOptions.descriptorsAreUsedUp = {
                log.write(.warning, "there are no descriptors left: new programs of the bus wait until there are some")
            }
            let bus = try arguments.bus.map { (path) throws(KeychainError) in
                try BusServer(path: path, reserving: [Self.name], options: busOptions)
            }
            var options = SecretServiceOptions()
            options.stateChanged = { Self.report($0, log) }
            options.files = Self.files(at: location)
            let place = PromptPlace(
                pinentry: arguments.pinentry,
                environment: { ProcessEnvironment.value($0) },
                log: log
            )
            options.prompter = PromptForUnlock(place).answer
            // Where there is no session bus there are no sandboxes of its desktop.
            options.portal = arguments.bus == nil ? admission : nil
            front = SecretServiceFront(
                on: bus.map { bus in .socket { try? bus.connect() } } ?? .session,
                server,
                admission: admission,
                keychain: keychain,
                memory: EmbeddedKeychain.inMemory(largestMebibytes: Self.sessionMebibytes),
                options: options
            )
            self.bus = bus
            try bus?.start()
            try front.start()
        } catch {
            throw DaemonFailure(error)
        }
    }

    /// The keychain files of the user, through their daemon, which the first command on one starts.
    private static func files(at location: KeychainLocation) -> FileCollections {
        let home = KeychainHome(variable: ProcessEnvironment.value("HOME"))
        let daemon = DaemonOnDemand(
            storeAt: location,
            authenticator: NoAuthenticator(),
            .files,
            options: ClientOptions()
        )
        return FileCollections(KeychainPreferences(home: home).withDataProtection, servedBy: daemon) { changed in
            // A lock is no change of the file.
            try? daemon.observe(as: .person) { _ in changed() }
        }
    }

    /// The name on the bus (Secret Service API, "Introduction").
    private static let name = "org.freedesktop.secrets"

    /// Whether no program finds the bus any more, because the path of its socket leads elsewhere.
    var isUnreachable: Bool { bus?.isReplaced ?? false }

    /// Ends it: calls in progress are answered first.
    func stop() {
        front.stop()
        bus?.stop()
    }

    private static func report(_ state: SecretServiceState, _ log: DaemonLog) {
        switch state {
        case .starting: break
        case .serving: log.write(.information, "programs of the bus find the keychain as \(name)")
        case .waiting(let owner):
            log.write(.warning, "\(owner) has the name \(name) on the bus; the keychain gets it afterwards")
        case .noBus(let reason): log.write(.warning, "the Secret Service is not served, and is tried again: \(reason)")
        }
    }
}
