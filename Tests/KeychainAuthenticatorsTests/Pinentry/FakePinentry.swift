// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport

/// A pinentry that a test writes in the shell's language.
final class FakePinentry: Sendable {
    private let folder: TemporaryFolder
    let path: String

    /// A program that runs `script` with each line that it is sent in `$line`, and says hello before.
    convenience init(onEachLine script: String) throws {
        try self.init("echo 'OK at your service'\nwhile IFS= read -r line; do\n\(script)\ndone\n")
    }

    /// A program that answers `GETPIN` by some shell words, and everything else with `OK`.
    convenience init(pin script: String) throws {
        try self.init(
            onEachLine:
                "printf '%s\\n' \"$line\" >>\"${0%/*}/log\"; case $line in GETPIN) \(script);; *) echo OK;; esac"
        )
    }

    init(_ script: String) throws {
        folder = try TemporaryFolder(prefix: "pinentry")
        path = try folder.makeProgram("pinentry", script)
    }

    /// What it was sent.
    func requests() throws -> [String] {
        try contents("log").split(separator: "\n").map(String.init)
    }

    /// What it wrote into a file beside itself.
    func contents(_ name: String) throws -> String {
        try String(contentsOfFile: folder.path(of: name), encoding: .utf8)
    }

    func authenticator(_ environment: [String: String] = [:]) -> PinentryAuthenticator {
        PinentryAuthenticator(path: path) { environment[$0] }
    }

    func ask(
        _ kind: AuthenticationPrompt.Kind = .passcode,
        timeoutSeconds: Double = AuthenticationPrompt.defaultTimeoutSeconds
    ) -> AuthenticationReply {
        authenticator().ask(AuthenticationPrompt(kind, reason: "why", timeoutSeconds: timeoutSeconds))
    }

    /// Whether the process whose number it wrote is still there.
    func isRunning() throws -> Bool {
        let text = try contents("pid").trimmingCharacters(in: .whitespacesAndNewlines)
        return pid_t(text).map { kill($0, 0) == 0 } ?? false
    }
}
