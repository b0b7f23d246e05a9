// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// A file beside a store that changes together with the keybag: the next one lies beside the present one, under a name
/// of its own, until the keybag that belongs to it is in the store.
struct StagedFile: Sendable {
    /// The name of the file in place.
    let name: String

    /// A new name for a next one: 32 hexadecimal digits after the name in place.
    func nextName() -> String { prefix + RandomName.make() }

    /// The names of next files, and of files that a process died while making, but not those of copies that somebody
    /// made of the present one.
    func nextNames(in folder: PrivateDirectory) -> [String] {
        folder.names(beginningWith: prefix).filter { name in
            RandomName.isOne(PrivateDirectory.finalName(name).utf8.dropFirst(prefix.utf8.count))
        }
    }

    /// Puts a next file in place, if there is one that belongs to the keybag, and removes the others.
    func settle(_ next: String?, in folder: PrivateDirectory) throws(RootKeyError) {
        if let next {
            do throws(FileError) { try folder.publish(next, as: name) } catch { throw .file(error) }
        }
        for name in nextNames(in: folder) { folder.remove(name) }
    }

    /// Removes next files, and the one in place if it was the store's.
    func removeAll(wasInPlace: Bool, in folder: PrivateDirectory) {
        for name in nextNames(in: folder) { folder.remove(name) }
        if wasInPlace { folder.remove(name) }
        // A file system that cannot sync folders has its names in order by itself.
        try? folder.sync()
    }

    private var prefix: String { name + "." }
}
