// SPDX-License-Identifier: Apache-2.0

/// An executable that can have a manifest.
package struct ProgramFile: Sendable, Hashable {
    /// Its path, without symbolic links.
    package let path: String

    /// Its SHA-256.
    package let digest: SHA256Value

    /// Why users other than root can choose a library that the loader finds for it; `nil` if they cannot.
    ///
    /// In its current location, it is identified only if its manifest allows that.
    package let libraryObjection: String?

    /// Examines an executable.
    ///
    /// - Throws: ``IdentityError`` if there is none, and for one that executes its input: a script, an interpreter, a
    ///   shell, a debugger.
    package init(path: String) throws(IdentityError) {
        let executable = try Executable(path: path)
        if let objection = try executable.objection() {
            throw IdentityError("\(executable.path) cannot have a manifest: \(objection)")
        }
        self.path = executable.path
        libraryObjection = executable.libraryObjection(by: FileTrust()).map { "\(executable.path) \($0)" }
        digest = try executable.digest(ExecutableHashes()).0
    }

    /// The SHA-256 of a library, for a manifest that names it.
    ///
    /// - Throws: ``IdentityError`` if there is none.
    package static func digest(ofLibrary path: String) throws(IdentityError) -> SHA256Value {
        try Executable(path: path).digest(ExecutableHashes()).0
    }
}
