// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import SecurityTranscripts

extension Pty {
    /// Starts the program with this as its controlling terminal; standard output and errors go to files.
    func start(_ arguments: [String], as user: ToolUser, blocksSignals: Bool = false) throws -> ToolProcess.Running {
        let streams = ToolProcess.Streams(
            input: path,
            output: user.temporary.path(of: "output"),
            errors: user.temporary.path(of: "errors")
        )
        return try ToolProcess.start(
            arguments.map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            streams,
            blocksSignals: blocksSignals
        )
    }
}
