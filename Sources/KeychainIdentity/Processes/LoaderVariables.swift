// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The variables by which the loader brings libraries into a program that it is not linked to (ld.so(8)).
enum LoaderVariables {
    private static let names = ["LD_PRELOAD", "LD_AUDIT"]

    /// Those of them that name a library in the environment of a process (proc(5), `environ`).
    static func named(in environment: [UInt8]) -> [String] {
        let variables = environment.split(separator: 0)
        return names.filter { name in
            variables.contains { variable in
                // Blanks and colons are between the names of libraries.
                variable.starts(with: "\(name)=".utf8)
                    && variable.dropFirst(name.utf8.count + 1).contains { !" :\t\n".utf8.contains($0) }
            }
        }
    }
}

extension PeerProcess {
    /// Checks that it was not started with one of them.
    ///
    /// It can overwrite what it was started with.
    ///
    /// - Returns: Whether this process can see that: the system service cannot, because only the process's user may
    ///   open the file.
    /// - Throws: ``IdentityError`` if it was.
    func checkLoaderVariables() throws(IdentityError) -> Bool {
        guard let environment = folder.contents("environ", limit: Self.mostEnvironmentBytes) else {
            let failure = errno
            if failure == EACCES, user != geteuid() { return false }
            errno = failure
            throw folder.failure("the variables that it was started with cannot be read")
        }
        guard environment.count < Self.mostEnvironmentBytes else {
            throw IdentityError("it was started with more variables than can be read")
        }
        let names = LoaderVariables.named(in: environment)
        guard names.isEmpty else {
            throw IdentityError(
                "it was started with \(names.joined(separator: " and ")), which may load code that then hides: start "
                    + "it without, or have its manifest allow that ('keychainctl sign --preload')"
            )
        }
        return true
    }

    /// More than execve(2) takes: 6 MiB.
    private static let mostEnvironmentBytes = 1 << 23
}
