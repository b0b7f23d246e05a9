// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A command whose exit statuses scripts tell apart, so that 1 has a meaning of its own, and wrong usage is 2.
protocol CommandWithStatuses: ParsableCommand {}

extension KeychainControl {
    /// The exit status for an error of a command that arguments name.
    static func exitStatus(for error: any Error, _ arguments: [String]) -> ExitCode {
        let status = exitCode(for: error)
        let command = configuration.groupedSubcommands.flatMap(\.subcommands).first {
            $0._commandName == arguments.first
        }
        return status == .validationFailure && command is any CommandWithStatuses.Type ? ExitCode(2) : status
    }

    /// Ends the process as swift-argument-parser does, with the status of the command.
    static func exit(withError error: any Error, _ arguments: [String]) -> Never {
        let status = exitStatus(for: error, arguments)
        guard status != exitCode(for: error) else { exit(withError: error) }
        StandardError.write(fullMessage(for: error))
        exit(withError: status)
    }
}
