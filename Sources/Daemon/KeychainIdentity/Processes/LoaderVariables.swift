// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The variables with which the loader (ld.so(8)) and the C library load libraries into a program that is not linked to
/// them (Identity, "Variables").
enum LoaderVariables {
    private enum Content {
        /// Names of libraries.
        case libraries
        /// Names of folders in which libraries are looked for; whether an empty one is the folder of the process.
        case folders(emptyIsCurrent: Bool)
    }

    private static let rules: KeyValuePairs<String, Content> = [
        "LD_PRELOAD": .libraries,
        "LD_AUDIT": .libraries,
        "LD_LIBRARY_PATH": .folders(emptyIsCurrent: true),
        "GCONV_PATH": .folders(emptyIsCurrent: false),
        // The replacement for $ORIGIN if the loader cannot read the link in /proc.
        "LD_ORIGIN_PATH": .folders(emptyIsCurrent: false),
    ]

    /// Those variables in the environment of a process (proc(5), `environ`) that name a library, or a folder that users
    /// other than root can change; with the reason.
    static func named(in environment: [UInt8], _ trust: FileTrust) -> [String] {
        let variables = environment.split(separator: 0)
        return rules.compactMap { name, content in
            let values = variables.filter { $0.starts(with: "\(name)=".utf8) }.map { $0.dropFirst(name.utf8.count + 1) }
            switch content {
            case .libraries:
                // Blanks and colons are between the names of libraries.
                return values.contains { value in value.contains { !" :\t\n".utf8.contains($0) } } ? name : nil
            case .folders(let emptyIsCurrent):
                for value in values where !value.isEmpty {
                    for folder in value.split(omittingEmptySubsequences: !emptyIsCurrent, whereSeparator: isSeparator) {
                        if let objection = objection(to: folder, trust) { return "\(name) (\(objection))" }
                    }
                }
                return nil
            }
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ":") || byte == UInt8(ascii: ";") }

    private static func objection(to folder: ArraySlice<UInt8>, _ trust: FileTrust) -> String? {
        guard !folder.isEmpty else { return "an empty name in it is the current folder" }
        guard let path = String(validating: folder, as: UTF8.self) else { return "it has a name that is not UTF-8" }
        // The loader replaces what begins with a dollar sign.
        let isPlain = !path.utf8.contains(UInt8(ascii: "$")) && !path.pathNames.contains("..")
        guard isPlain || !path.isAbsolutePath else { return "\(path) is no plain path" }
        return trust.objection(toFolder: path).map { "\(path) \($0)" }
    }
}

extension PeerProcess {
    /// Checks that it was not started with one of them.
    ///
    /// It can overwrite its initial environment.
    ///
    /// - Parameter trust: determines what only root can change.
    /// - Returns: Whether this process can check that: the system service cannot, because only the process's user may
    ///   open the file.
    /// - Throws: ``IdentityError`` if it was.
    func checkLoaderVariables(_ trust: FileTrust) throws(IdentityError) -> Bool {
        guard let environment = folder.contents("environ", limit: Self.maximumEnvironmentBytes) else {
            let failure = errno
            if failure == EACCES, user != geteuid() { return false }
            errno = failure
            throw folder.failure("the variables that it was started with cannot be read")
        }
        guard environment.count < Self.maximumEnvironmentBytes else {
            throw IdentityError("it was started with more variables than can be read")
        }
        let names = LoaderVariables.named(in: environment, trust)
        guard names.isEmpty else {
            throw IdentityError(
                "it was started with \(names.joined(separator: " and ")), which may load code that then hides: start "
                    + "it without, or have its manifest allow that ('keychainctl sign --preload')"
            )
        }
        return true
    }

    /// More than execve(2) accepts: 6 MiB.
    private static let maximumEnvironmentBytes = 1 << 23
}
