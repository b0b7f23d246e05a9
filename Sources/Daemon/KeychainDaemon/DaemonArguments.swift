// SPDX-License-Identifier: Apache-2.0

import KeychainAudit
import KeychainCore

/// The command line of `keychaind`.
struct DaemonArguments: Hashable {
    /// What is served.
    var service = Service.user

    /// What a daemon serves.
    enum Service: Hashable {
        /// The store of the user who runs it.
        case user
        /// Keychain files of the user who runs it, and nothing else.
        case files
        /// All users, each with their own store.
        case system
    }

    /// The folder of the user's keychain, or that of all users' stores; `nil` for the one that the environment names,
    /// or the default one of the system service.
    var store: String?

    /// The socket to listen on; `nil` for the one that programs look for.
    var socket: String?

    /// Whether to move to the background once it listens.
    var isInBackground = false

    /// After how many seconds without a connection to exit, unless the daemon holds unlocked keys; `nil` for never.
    var idleSeconds: Int?

    /// The maximum size of a user's keychain in the system service, in MiB; `nil` for the default.
    var keychainLimit: Int?

    /// Overrides the audit settings beside the store; `nil` to use those.
    ///
    /// The system service has no others.
    var audit: AuditSettings?

    /// What is asked for.
    enum Request: Hashable {
        case serve(DaemonArguments)
        /// Certificates of a user, for the system service, which starts it so.
        case judgeCertificates
        case showHelp
        case showVersion
    }

    /// Why a command line is not understood.
    struct Problem: Error, Hashable {
        let description: String
    }

    /// Reads the arguments that follow the program's name.
    static func parse(_ words: [String]) throws(Problem) -> Request {
        var arguments = DaemonArguments()
        var rest = words[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            func value() throws(Problem) -> String {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                    throw Problem(description: "\(parts[0]) requires a value")
                }
                return value
            }
            func path() throws(Problem) -> String {
                let path = try value()
                guard path.hasPrefix("/") else { throw Problem(description: "\(parts[0]) requires an absolute path") }
                return path
            }
            switch parts[0] {
            case "--store": arguments.store = try path()
            case "--socket": arguments.socket = try path()
            case "--exit-when-idle":
                guard let seconds = Int(try value()), (1...86_400 * 365).contains(seconds) else {
                    throw Problem(description: "--exit-when-idle requires a number of seconds")
                }
                arguments.idleSeconds = seconds
            case "--keychain-limit":
                guard let mebibytes = Int(try value()), (1...1 << 20).contains(mebibytes) else {
                    throw Problem(description: "--keychain-limit requires a number of MiB")
                }
                arguments.keychainLimit = mebibytes
            case "--audit" where parts.count == 1: arguments.audit = arguments.audit ?? AuditSettings()
            case "--audit-attributes":
                guard let attributes = AuditAttribute.list(try value()) else {
                    let names = AuditAttribute.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Problem(description: "--audit-attributes requires names separated by commas: \(names)")
                }
                arguments.audit = AuditSettings(attributes: Set(attributes))
            case "--background" where parts.count == 1: arguments.isInBackground = true
            case "--foreground" where parts.count == 1: arguments.isInBackground = false
            case "--user" where parts.count == 1: arguments.service = .user
            case "--files" where parts.count == 1: arguments.service = .files
            case "--system" where parts.count == 1: arguments.service = .system
            case JudgeProgram.option where words.count == 1: return .judgeCertificates
            case "--help", "-h": return .showHelp
            case "--version": return .showVersion
            default: throw Problem(description: "unknown option \(parts[0]); see 'keychaind --help'")
            }
        }
        guard arguments.service == .system || arguments.keychainLimit == nil else {
            throw Problem(description: "--keychain-limit is for --system")
        }
        return .serve(arguments)
    }

    static let help = """
        OVERVIEW: Serves the keychain of a user to that user's programs, or the user's keychain files, or the keychains
                  of all users.

        USAGE: keychaind [--files] [--store <folder>] [--socket <path>] [--background] [--exit-when-idle <seconds>]
               [--audit] [--audit-attributes <names>]
               keychaind --system [--store <folder>] [--socket <path>] [--background] [--exit-when-idle <seconds>]
               [--keychain-limit <MiB>] [--audit] [--audit-attributes <names>]

        It accepts a listening socket from systemd. 'keychainctl service enable' makes programs use it.

        OPTIONS:
          --user                     Serve the user who runs it (default).
          --files                    Serve keychain files of the user who runs it, and keep them locked or unlocked for
                                     all programs of the user. The first command on a keychain file starts it.
          --system                   Serve all users; run by a user that has no other programs, never by root.
          --store <folder>           The keychain's folder; default: SWIFT_KEYCHAIN_HOME, or the user's own.
                                     With --system, the folder of all keychains; default: /var/lib/swift-keychain.
          --socket <path>            The socket to listen on; default: where programs look for it.
          --foreground               Stay in the foreground (default).
          --background               Move to the background once it listens.
          --exit-when-idle <seconds> Exit after that time without a connection, unless that would lock items.
          --keychain-limit <MiB>     With --system, the maximum size of each user's keychain; default: 1024.
          --audit                    Log requests, whatever 'keychainctl service audit' says; with --system, those of
                                     each user in that user's folder.
          --audit-attributes <names> The same, with attributes of items: account, service, server, label.
          --version                  Show the version.
          -h, --help                 Show help information.

        """
}
