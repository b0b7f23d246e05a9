// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The command line of `keychaind`.
struct DaemonArguments: Hashable {
    /// The folder of the store; `nil` for the one that the environment names.
    var store: String?

    /// Where to listen; `nil` for the place that programs look for.
    var socket: String?

    /// Whether to go on in the background once it listens.
    var isInBackground = false

    /// After how many seconds without a connection to end, as long as no keys are held that an end would lose; `nil`
    /// for never.
    var idleSeconds: Int?

    /// What is asked for.
    enum Request: Hashable {
        case serve(DaemonArguments)
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
                    throw Problem(description: "\(parts[0]) takes a value")
                }
                return value
            }
            func path() throws(Problem) -> String {
                let path = try value()
                guard path.hasPrefix("/") else { throw Problem(description: "\(parts[0]) takes an absolute path") }
                return path
            }
            switch parts[0] {
            case "--store": arguments.store = try path()
            case "--socket": arguments.socket = try path()
            case "--exit-when-idle":
                guard let seconds = Int(try value()), (1...86_400 * 365).contains(seconds) else {
                    throw Problem(description: "--exit-when-idle takes a number of seconds")
                }
                arguments.idleSeconds = seconds
            case "--background" where parts.count == 1: arguments.isInBackground = true
            case "--foreground" where parts.count == 1: arguments.isInBackground = false
            case "--user" where parts.count == 1: continue
            case "--system" where parts.count == 1:
                throw Problem(description: "there is no system service yet; run one for each user")
            case "--help", "-h": return .showHelp
            case "--version": return .showVersion
            default: throw Problem(description: "\(parts[0]) is not an option; see 'keychaind --help'")
            }
        }
        return .serve(arguments)
    }

    static let help = """
        OVERVIEW: Serves the keychain of a user to that user's programs.

        USAGE: keychaind [--store <folder>] [--socket <path>] [--background] [--exit-when-idle <seconds>]

        It takes over a socket that systemd passes on. 'keychainctl service enable' has programs use it.

        OPTIONS:
          --user                     Serve the user who runs it (default).
          --store <folder>           The folder of the keychain; else SWIFT_KEYCHAIN_HOME, else the user's own.
          --socket <path>            Where to listen; else where programs look for it.
          --foreground               Stay in the foreground (default).
          --background               Go on in the background once it listens.
          --exit-when-idle <seconds> End after that time without a connection, unless that would lock items.
          --version                  Show the version.
          -h, --help                 Show help information.

        """
}
