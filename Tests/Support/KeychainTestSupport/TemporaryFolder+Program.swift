// SPDX-License-Identifier: Apache-2.0

extension TemporaryFolder {
    /// Makes a program of a script in the language of the shell.
    ///
    /// Another process writes it: children that other tests start meanwhile would for a moment have a file of this one
    /// open for writing, and a program that is being written cannot be started (execve(2), ETXTBSY).
    ///
    /// - Parameters:
    ///   - name: the name of its file.
    ///   - script: its lines, without the first.
    /// - Returns: The path.
    /// - Throws: why it cannot be written.
    package func makeProgram(_ name: String, _ script: String) throws -> String {
        let path = path(of: name)
        try Workshop().run(#"printf '#!/bin/sh\n%s' "$1" > "$2"; chmod 700 "$2""#, script, path)
        return path
    }
}
