// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainMacFrontEnd

/// Which files of a backup are restored, and where: whoever knows its secret may have written it.
extension UserKeychainFiles {
    /// Why a file is not restored to a path; `nil` if it can be.
    ///
    /// It is one that a program opens as a keychain, in a place where keychain files can be: in the folder of the
    /// user's keychains, where the search list has it, or under a name that ends like one. Into a folder that the user
    /// names it goes under any name that is not hidden. It replaces nothing but a keychain file.
    func objection(to file: BackedUpFile, at path: String, isFolderNamed: Bool) -> String? {
        guard let name = path.pathNames.last, !name.hasPrefix(".") else { return "its name is hidden" }
        guard isFolderNamed || isPlaceOfKeychains(path, name) else {
            return "its name is not that of a keychain (.keychain or .keychain-db); name a folder for it by --files-to"
        }
        if let objection = KeychainFileCheck.objection(to: file.contents.unprotectedCopy) {
            return "it is not a keychain file: \(objection)"
        }
        if let there = try? AtomicFile.read(path, limit: BackedUpFile.largestByteCount),
            BackedUpFile(name: file.name, mode: 0, contents: SecretBytes(there.bytes)).objection != nil
        {
            return "what is there is not a keychain file"
        }
        return nil
    }

    private func isPlaceOfKeychains(_ path: String, _ name: String) -> Bool {
        if [".keychain", ".keychain-db"].contains(where: { name.hasSuffix($0) }) { return true }
        return path == "\(home.keychainFolder)/\(name)" || listedPaths.contains(path)
    }

    /// The paths of the user's search list, and of the default keychain.
    private var listedPaths: [String] {
        let list = (try? preferences.searchList(.user)) ?? []
        guard let chosen = try? preferences.defaultKeychain() else { return list }
        return list + [chosen]
    }
}
