// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

extension ExitCode {
    /// Wrong usage, as of every program of this package; swift-argument-parser has another status for it.
    static let usage = ExitCode(2)
}

extension KeychainControl {
    /// The exit status for an error of any command.
    static func exitStatus(for error: any Error) -> ExitCode {
        // The status of a program that a command has run is the command's own, whatever its number.
        if let status = error as? ExitCode { return status }
        if let refusal = error as? Refusal { return ExitCode(refusal.status.rawValue) }
        let status = exitCode(for: error)
        return status == .validationFailure ? .usage : status
    }

    /// Ends the process as swift-argument-parser does, with the status of this program, and with a message that may
    /// repeat arguments.
    static func end(with error: any Error) -> Never {
        let status = exitStatus(for: error)
        let message = fullMessage(for: error)
        guard !status.isSuccess else {
            // Help is a result.
            if !message.isEmpty { print(message) }
            endWithResult()
        }
        if !message.isEmpty { StandardError.write(message) }
        exit(withError: status)
    }

    /// Ends the process after its result was printed: successfully, unless that cannot be written.
    static func endWithResult() -> Never {
        guard fflush(nil) == 0 else {
            StandardError.write("Error: standard output cannot be written: \(String(cString: strerror(errno)))")
            exit(withError: ExitCode.failure)
        }
        exit(withError: ExitCode.success)
    }
}
