// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// The places where commands of `backup` write.
extension Surroundings {
    /// Refuses a place in the keychain's own folder: a file there is taken for one of the keychain's by its name, and
    /// removed or replaced as such.
    ///
    /// - Parameter path: an absolute path, of a file or a folder.
    /// - Throws: ``Refusal`` for such a place.
    func checkIsOutsideOfKeychain(_ path: String) throws(Refusal) {
        guard let location = try? scheduleHost().location, location.contains(path) else { return }
        throw OwnFolder.refusal(of: path)
    }
}

/// The folder of the keychain of this process, which other commands do not write into either.
enum OwnFolder {
    /// - Throws: ``Refusal`` for a path in it.
    static func check(_ path: String) throws(Refusal) {
        if KeychainLocation.isInOwnFolder(path) { throw refusal(of: path) }
    }

    fileprivate static func refusal(of path: String) -> Refusal {
        Refusal(
            "\(path.printable) is in the keychain's own folder, where programs remove and replace files; name another place"
        )
    }
}
