// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainHost

/// A script that has a pseudo-terminal as its controlling terminal; its session is killed when the object goes away.
package final class TerminalProgram {
    /// The number of the process that the script named.
    package let identifier: Int32

    /// When it was started.
    package let startTime: UInt64

    private let process: Process

    /// The session of the process that the script named.
    private let session: Int32

    /// Which process a script means, as it has to write it.
    package struct NoProcess: Error {
        let text: String
    }

    /// Starts a script of bash, which writes `process NUMBER.` first.
    ///
    /// - Parameters:
    ///   - script: the script.
    ///   - pty: the terminal.
    ///   - environment: its variables.
    /// - Throws: ``NoProcess``, or why it does not start.
    package init(
        // Without exec: a process that executes a program has no environment for a moment.
        _ script: String = "echo \"process $$.\"; sleep 600; :",
        on pty: Pty,
        _ environment: [String: String] = [:]
    ) throws {
        let descriptor = open(pty.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Pty.Failure.system("open", errno) }
        let terminal = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
        process.arguments = ["--ctty", "--wait", "/bin/bash", "-c", script]
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { first, _ in first }
        process.standardInput = terminal
        process.standardOutput = terminal
        process.standardError = terminal
        try process.run()
        let text = try pty.readOutput(upTo: ".\r\n")
        let word = String(text.prefix { $0 != "." }).split(separator: " ").last.map(String.init) ?? ""
        guard let number = Int32(word), let startTime = ProcessStartTime.of(number) else {
            throw NoProcess(text: text)
        }
        identifier = number
        session = getsid(number)
        self.startTime = startTime
    }

    /// Sends a signal.
    package func signal(_ signal: Int32) { kill(identifier, signal) }

    /// Waits for the end of the script.
    package func wait() { process.waitUntilExit() }

    deinit {
        kill(identifier, SIGKILL)
        kill(process.processIdentifier, SIGKILL)
        // What a script has started outlives it, with copies of whatever descriptors were open when it was started.
        for number in (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap({ Int32($0) }) ?? []
        where session > 0 && getsid(number) == session {
            kill(number, SIGKILL)
        }
    }
}
