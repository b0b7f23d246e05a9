// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import KeychainHost

extension PeerProcess {
    /// Checks that no other process shares its memory (clone(2), `CLONE_VM`): that could act as this one, and be traced
    /// in its place.
    ///
    /// A process shares its memory for a moment with a child that executes another program (vfork(2)), so others count
    /// once they have done so for a second.
    ///
    /// - Returns: Whether that can be told: kernels without kcmp(2) do not say it.
    /// - Throws: ``IdentityError`` if one does.
    func checkMemoryIsItsOwn() throws(IdentityError) -> Bool {
        guard keychain_shares_memory(identifier, identifier) else { return false }
        var others = threadsSharingMemory
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: 1_000))
        while let other = others.first {
            guard pauses.wait() else {
                throw IdentityError(
                    "process \(other) shares its memory (CLONE_VM), so that either can act as the other"
                )
            }
            others.removeAll { !keychain_shares_memory(identifier, $0) }
        }
        return true
    }

    /// One thread each of the other processes with the same memory.
    ///
    /// Whether others may inspect a process depends on its memory, among other things, and this one is inspected: none
    /// that may not be inspected shares it.
    private var threadsSharingMemory: [Int32] {
        Self.numbers(in: "/proc").filter { $0 != identifier }.compactMap { process in
            if keychain_shares_memory(identifier, process) { return process }
            // Once the first thread has ended, only the others have the memory.
            return Self.numbers(in: "/proc/\(process)/task").first { keychain_shares_memory(identifier, $0) }
        }
    }

    private static func numbers(in folder: String) -> [Int32] {
        FolderNames.of(folder, beginningWith: "").compactMap { Int32($0) }
    }
}
