// SPDX-License-Identifier: Apache-2.0

/// Copies of programs of this build that look for no library beside themselves, as those that are installed.
package enum InstalledProgram {
    /// Copies a program, and takes `$ORIGIN` out of the folders in which it looks for libraries (`DT_RUNPATH`).
    ///
    /// What the package manager links looks there unless it is told not to (`--disable-local-rpath`). A folder that
    /// only root can make is named instead.
    ///
    /// - Parameters:
    ///   - program: the path of the program.
    ///   - target: that of the copy, which is written by another process: what this one has open for writing, a child
    ///     that another test starts meanwhile has open as well, and the kernel executes no such file.
    /// - Throws: why it cannot be written.
    package static func copy(_ program: String, to target: String) throws {
        let script = #"LC_ALL=C sed 's|:\$ORIGIN\x00|:/absent\x00|' "$1" > "$2"; chmod 755 "$2""#
        try Workshop().run(script, program, target)
    }
}
