// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Glibc
import KeychainCore
import KeychainHost

/// A change of the configuration of a program, determined before anything is written.
struct HelperChange {
    let program: HelpedProgram
    let file: ConfigurationFile

    /// The new contents; `nil` if the file is to be removed.
    let new: [UInt8]?

    /// What changes in a file that is written anew and may have secrets in any of its lines; `nil` for other files.
    var shown: [String]?

    /// Whether it takes the helper out.
    var isRemoval = false

    /// Whether the new contents are those of a copy, so that what they replace needs none.
    private var isRestored: Bool { new.map { new in file.copies.contains { $0.bytes == new } } ?? false }

    /// What else is to be said.
    var remarks: [String] = []

    /// The link by which pip finds the helper, and whether it is made or removed.
    var link: (path: String, target: String, isMade: Bool)?

    /// Whether there is nothing to do.
    var isNothing: Bool { (new ?? []) == file.bytes && link == nil }

    /// What is to be done, as text.
    var steps: [String] {
        var steps: [String] = []
        if (new ?? []) != file.bytes {
            steps.append("\(file.path):")
            let lines = {
                ConfigurationChanges.text(
                    String(decoding: file.bytes, as: UTF8.self),
                    String(decoding: new ?? [], as: UTF8.self)
                )
            }
            steps += (shown ?? lines()).map { "  \($0)" }
        }
        if let link { steps.append(link.isMade ? "\(link.path) -> \(link.target)" : "remove \(link.path)") }
        return steps
    }

    /// Carries it out.
    func perform() throws(Refusal) {
        if let link {
            if link.isMade {
                do throws(FileError) { try AtomicFile.makeFolders(above: link.path, mode: 0o755) } catch {
                    throw Refusal(error.description)
                }
                guard symlink(link.target, link.path) == 0 else { throw Self.failure(link.path) }
            } else {
                guard unlink(link.path) == 0 else { throw Self.failure(link.path) }
            }
        }
        if let new {
            if new != file.bytes { try file.replace(with: new, keepsCopy: !(isRemoval && isRestored)) }
        } else {
            try file.remove()
        }
    }

    private static func failure(_ path: String) -> Refusal {
        Refusal("\(path): \(String(cString: strerror(errno)))")
    }
}
