// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that a command writes; only its owner may read it.
final class OutputFile {
    let output: Output
    private var isOpen = true

    /// Makes the file, or empties it.
    ///
    /// - Throws: ``CommandFailure`` with 1
    init(_ path: Word) throws(CommandFailure) {
        let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else {
            throw CommandFailure("security: Error opening outfile \(path): \(String(cString: strerror(errno)))")
        }
        output = Output(descriptor: descriptor)
    }

    deinit {
        if isOpen { Glibc.close(output.descriptor) }
    }

    /// Closes the file; what could not be written by now is an error.
    func close() throws(Output.Failure) {
        isOpen = false
        guard Glibc.close(output.descriptor) == 0 else { throw Output.Failure(code: errno) }
    }
}
