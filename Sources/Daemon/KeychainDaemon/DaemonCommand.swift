// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainAudit
import KeychainAuthenticators
import KeychainCore
import KeychainHost
import KeychainWire
import LoginManager

/// The command line of `keychaind`.
struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keychaind",
        abstract: "Serves a user's keychain to that user's programs, or keychain files, or the keychains of all users.",
        discussion: CommandDiscussion.text(
            "It accepts a listening socket from systemd. 'keychainctl service enable' makes programs use it.",
            examples: [
                "keychaind --background --exit-when-idle 600": "Serves this user until it is idle for ten minutes.",
                "keychaind --store /tmp/keychain --socket /tmp/keychain/socket": "Serves another folder, for a trial.",
                "keychaind --secret-service --bus /tmp/me/bus --unlock-fd 3 3< passcode":
                    "Serves programs of the Secret Service where there is no session bus.",
                "sudo -u swift-keychain keychaind --system --audit": "Serves all users, and logs who uses what.",
            ]
        ),
        version: LoginManager.isAvailable ? ProductVersion.text : "\(ProductVersion.text)\n\(staticLimits)"
    )

    /// What a statically linked daemon lacks.
    private static let staticLimits = """
        linked statically: without D-Bus (locking a session or suspending the computer does not lock the keychain, \
        and there is no Secret Service), and without OpenSSL (it evaluates no certificates)
        """

    @Flag(exclusivity: .chooseLast)
    var service = DaemonArguments.Service.user

    @Option(
        help: ArgumentHelp(
            "The keychain's folder, or that of all keychains.",
            discussion: "Default: SWIFT_KEYCHAIN_HOME, or the user's own; with --system, /var/lib/swift-keychain.",
            valueName: "folder"
        ),
        transform: parsePath
    )
    var store: String?

    @Option(
        help: ArgumentHelp("The socket to listen on; default: where programs look for it.", valueName: "path"),
        transform: parsePath
    )
    var socket: String?

    /// Where it runs once it listens.
    enum Place: EnumerableFlag {
        case foreground
        case background

        static func help(for value: Place) -> ArgumentHelp? {
            switch value {
            case .foreground: "Stay in the foreground (default)."
            case .background: "Move to the background once it listens."
            }
        }
    }

    @Flag(exclusivity: .chooseLast)
    var place = Place.foreground

    @Option(
        help: ArgumentHelp(
            "Exit after that time without a connection, unless that would lock items.",
            valueName: "seconds"
        )
    )
    var exitWhenIdle: Int?

    @Option(
        help: ArgumentHelp(
            "With --system, the maximum size of each user's keychain; default: 1024.",
            valueName: "MiB"
        )
    )
    var keychainLimit: Int?

    @Flag(
        help: ArgumentHelp(
            "Log requests, whatever 'keychainctl service audit' says.",
            discussion: "With --system, those of each user in that user's folder."
        )
    )
    var audit = false

    @Option(
        help: ArgumentHelp(
            "The same, with attributes of items: \(AuditAttribute.names).",
            valueName: "names"
        ),
        transform: parseAttributes
    )
    var auditAttributes: Set<AuditAttribute>?

    @Flag(
        help: ArgumentHelp(
            "Serve programs that use the Secret Service, over D-Bus.",
            discussion: "It takes the keychain over, as 'keychainctl service enable' does."
        )
    )
    var secretService = false

    @Option(
        help: ArgumentHelp(
            "With --secret-service: be a message bus on that socket, for where there is no session bus.",
            valueName: "path"
        ),
        transform: parsePath
    )
    var bus: String?

    @Option(
        help: ArgumentHelp(
            "With --secret-service: unlock the keychain with the first line of that descriptor.",
            discussion: "An empty keychain without a passcode gets it as its passcode.",
            valueName: "n"
        ),
        transform: GivenDescriptor.init(argument:)
    )
    var unlockFd: GivenDescriptor?

    @Option(
        help: ArgumentHelp(
            "With --secret-service: the program that asks the user for the passcode.",
            valueName: "program"
        ),
        transform: parsePath
    )
    var pinentry: String?

    func validate() throws {
        if let exitWhenIdle, !(1...86_400 * 365).contains(exitWhenIdle) {
            throw ValidationError("--exit-when-idle takes a number of seconds, at most a year")
        }
        if let keychainLimit {
            guard (1...1 << 20).contains(keychainLimit) else {
                throw ValidationError("--keychain-limit takes a number of MiB, at most 1048576")
            }
            guard service == .system else { throw ValidationError("--keychain-limit is for --system") }
        }
        guard secretService else {
            guard bus == nil, unlockFd == nil, pinentry == nil else {
                throw ValidationError("--bus, --unlock-fd and --pinentry are for --secret-service")
            }
            return
        }
        guard service == .user else { throw ValidationError("--secret-service is not for --system or --files") }
        guard LoginManager.isAvailable else {
            throw ValidationError("--secret-service needs D-Bus, which this statically linked keychaind is without")
        }
        if let bus, bus.utf8.count > SocketLocation.longestPath {
            throw ValidationError("--bus takes a path of at most \(SocketLocation.longestPath) bytes")
        }
        do throws(GivenDescriptor.Fault) { _ = try unlockFd?.number(for: .reading) } catch {
            throw ValidationError(error.text(of: "unlock-fd", never: "passcode"))
        }
    }

    /// The parsed options.
    var arguments: DaemonArguments {
        DaemonArguments(
            service: service,
            store: store,
            socket: socket,
            isInBackground: place == .background,
            idleSeconds: exitWhenIdle,
            keychainLimit: keychainLimit,
            audit: auditAttributes.map(AuditSettings.init(attributes:)) ?? (audit ? AuditSettings() : nil),
            secretService: secretService
                ? SecretServiceArguments(
                    bus: bus,
                    unlockDescriptor: try? unlockFd?.number(for: .reading),
                    pinentry: pinentry
                ) : nil
        )
    }
}

extension DaemonArguments.Service: EnumerableFlag {
    static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .user: "Serve the user who runs it (default)."
        case .files:
            ArgumentHelp(
                "Serve keychain files of the user who runs it.",
                discussion: "They are locked or unlocked for all programs of the user."
            )
        case .system: "Serve all users; run by a user that has no other programs, never by root."
        }
    }
}

extension AuditAttribute {
    /// The names of all, for people.
    fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// A path that does not depend on the current folder.
private func parsePath(_ path: String) throws -> String {
    guard path.isAbsolutePath else { throw ValidationError("it must be an absolute path") }
    return path
}

private func parseAttributes(_ names: String) throws -> Set<AuditAttribute> {
    guard let attributes = AuditAttribute.list(names) else {
        throw ValidationError("it takes names separated by commas: \(AuditAttribute.names)")
    }
    return Set(attributes)
}
