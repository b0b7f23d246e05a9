// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import KeychainTrust
import Synchronization

/// The keychain of the user who runs this process.
package enum ProcessKeychain {
    /// The backend that executes commands on it: in this process, or through the daemon or system service that owns the
    /// store.
    ///
    /// Nothing is read, created or started before the first command.
    ///
    /// - Parameter authenticator: the user prompts.
    /// - Returns: The keychain; a backend that fails with the reason if its folder cannot be determined.
    package static func backend(authenticator: any Authenticator) -> any KeychainBackend {
        do {
            return RoutedKeychain(try parts(authenticator: authenticator))
        } catch {
            return isWithoutHome ? HomelessKeychain(error) : UnavailableKeychain(error)
        }
    }

    /// The same in its parts, for operations that only one of them supports.
    ///
    /// - Parameters:
    ///   - authenticator: the user prompts.
    ///   - makesChangesTogether: whether changes of several threads share a sync where this process has the store.
    ///   - noteVersion: told that this process gave the store another version.
    /// - Returns: The parts.
    /// - Throws: `KeychainError` if its folder cannot be determined.
    package static func parts(
        authenticator: any Authenticator,
        makesChangesTogether: Bool = false,
        noteVersion: @escaping @Sendable (StoreVersionChange) -> Void = warn
    ) throws(KeychainError) -> Parts {
        Parts(
            storeAt: try location,
            authenticator: authenticator,
            makesChangesTogether: makesChangesTogether,
            noteVersion: noteVersion
        )
    }

    /// Says on standard error that the store excludes programs from now on; nothing of a version that excludes none.
    @Sendable
    private static func warn(_ change: StoreVersionChange) {
        guard change.excludesPrograms else { return }
        let line = Array("swift-keychain: \(change.text)\n".utf8)
        // A line that cannot be written is lost.
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// The parts of a keychain.
    package struct Parts: Sendable {
        package let location: KeychainLocation
        fileprivate let embeddedOnDemand: EmbeddedOnDemand
        package let daemon: DaemonOnDemand
        package let system: DaemonOnDemand
        package let files: DaemonOnDemand
        fileprivate let retryMilliseconds: Int32

        /// The parts of the keychain in a folder.
        ///
        /// - Parameters:
        ///   - location: the folder.
        ///   - authenticator: the user prompts.
        ///   - retryMilliseconds: the time before a daemon that does not respond is observed again.
        ///   - makesChangesTogether: whether changes of several threads share a sync where this process has the store.
        ///   - noteVersion: told that this process gave the store another version.
        package init(
            storeAt location: KeychainLocation,
            authenticator: any Authenticator,
            retryMilliseconds: Int32 = 30_000,
            makesChangesTogether: Bool = false,
            noteVersion: @escaping @Sendable (StoreVersionChange) -> Void = { _ in }
        ) {
            self.location = location
            self.retryMilliseconds = retryMilliseconds
            var options = ClientOptions()
            options.retryMilliseconds = retryMilliseconds
            embeddedOnDemand = EmbeddedOnDemand(
                at: location,
                authenticator: authenticator,
                makesChangesTogether: makesChangesTogether,
                noteVersion: noteVersion
            )
            daemon = DaemonOnDemand(storeAt: location, authenticator: authenticator, options: options)
            system = DaemonOnDemand(storeAt: location, authenticator: authenticator, .system, options: options)
            files = DaemonOnDemand(storeAt: location, authenticator: authenticator, .files, options: options)
        }

        /// The keychain in this process.
        package var embedded: EmbeddedKeychain { embeddedOnDemand.keychain }
    }

    /// Whether there is certainly no folder for a keychain: no variable names one, and the user database does not list
    /// the user.
    private static var isWithoutHome: Bool {
        do throws(FileError) {
            _ = try KeychainLocation(environment: ProcessEnvironment.path)
            return false
        } catch .noHome {
            return (try? KeychainLocation.lookUpHome()) == .some(nil)
        } catch {
            return false
        }
    }

    private static var location: KeychainLocation {
        get throws(KeychainError) {
            do { return try KeychainLocation(environment: ProcessEnvironment.path) } catch {
                throw KeychainError(.notAvailable, "\(error)", kind: .storage(.file), facts: error.facts)
            }
        }
    }
}

/// The keychain in this process, made for the first command that it has to execute: there is none while a daemon has
/// the store.
private final class EmbeddedOnDemand: KeychainBackend {
    private let location: KeychainLocation
    private let authenticator: any Authenticator
    private let makesChangesTogether: Bool
    private let noteVersion: @Sendable (StoreVersionChange) -> Void
    /// Not under a lock: a child that is forked while another thread holds it would deadlock.
    private let made = AtomicLazyReference<EmbeddedKeychain>()

    init(
        at location: KeychainLocation,
        authenticator: any Authenticator,
        makesChangesTogether: Bool,
        noteVersion: @escaping @Sendable (StoreVersionChange) -> Void
    ) {
        self.location = location
        self.authenticator = authenticator
        self.makesChangesTogether = makesChangesTogether
        self.noteVersion = noteVersion
    }

    /// The keychain; if several threads make it at once, all use the first.
    var keychain: EmbeddedKeychain {
        if let keychain = made.load() { return keychain }
        var device = DeviceOptions(authenticator: authenticator)
        device.certificateJudge = SystemTrust(settings: .process)
        device.onEvent = { [noteVersion] event in
            guard case .storeVersionChanged(let change) = event else { return }
            noteVersion(change)
        }
        return made.storeIfNil(
            EmbeddedKeychain(at: location, makesChangesTogether: makesChangesTogether, device: device)
        )
    }

    var families: CommandFamily { .dataProtection }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        try keychain.carryOut(command)
    }
}

extension RoutedKeychain {
    /// A router over the parts of a process's keychain.
    package convenience init(_ parts: ProcessKeychain.Parts) {
        let embedded = parts.embeddedOnDemand
        self.init(parts, embedded: embedded) { () throws(KeychainError) in try embedded.keychain.checkOwner() }
    }

    /// The same, of what opens the store in this process.
    package convenience init(
        _ parts: ProcessKeychain.Parts,
        embedded: any KeychainBackend,
        checkOwner: @escaping @Sendable () throws(KeychainError) -> Bool
    ) {
        let (daemon, system) = (parts.daemon, parts.system)
        self.init(
            [(.embedded, embedded), (.daemon, daemon), (.system, system)],
            files: parts.files,
            folder: parts.location.path,
            retryMilliseconds: Int(parts.retryMilliseconds),
            findServing: { canStart in
                if daemon.isServing { return .daemon }
                if system.isRecordedOwner { return .system }
                return canStart && daemon.startIfRecorded() ? .daemon : nil
            },
            checkOwner: checkOwner
        )
    }
}
