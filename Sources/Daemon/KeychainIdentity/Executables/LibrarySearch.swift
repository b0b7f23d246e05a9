// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// The folders in which the loader (ld.so(8)) searches for the libraries of a program, according to the program itself.
///
/// A library from a folder that others can change may be gone by the time the folder is examined, and may have left no
/// code in memory. So only folders that root alone can change are accepted.
enum LibrarySearch {
    /// Why users other than root can choose a library of a program; `nil` if they cannot.
    ///
    /// - Parameters:
    ///   - file: the contents of the executable.
    ///   - path: its path, without symbolic links.
    ///   - trust: determines what only root can change.
    /// - Returns: The rest of a sentence about the program.
    static func objection(to file: ELFFile, at path: String, _ trust: FileTrust) -> String? {
        let origin = path.folderOfPath
        for entry in file.searchFolders {
            guard let reason = objection(to: entry, origin, trust) else { continue }
            let name = entry.isEmpty ? "an empty name" : entry
            return "is linked to look for libraries in \(name) (RUNPATH), which \(reason)"
        }
        // Those without a slash are looked for.
        for name in file.libraries where name.utf8.contains(where: [UInt8(ascii: "/"), UInt8(ascii: "$")].contains) {
            guard let reason = objection(to: name.folderOfPath, origin, trust) else { continue }
            return "is linked to the library \(name), whose folder \(reason)"
        }
        if let loader = file.loader, let reason = trust.objection(toFolder: loader.folderOfPath) {
            return "is loaded by \(loader), whose folder \(reason)"
        }
        return nil
    }

    private static func objection(to entry: String, _ origin: String, _ trust: FileTrust) -> String? {
        guard !entry.isEmpty else { return "is the current folder" }
        var folder = entry
        for name in ["$ORIGIN", "${ORIGIN}"] where entry == name || entry.hasPrefix("\(name)/") {
            folder = origin + entry.dropFirst(name.count)
        }
        // Other variables of the loader, such as $LIB, depend on the system.
        guard !folder.utf8.contains(UInt8(ascii: "$")) else { return "contains a part that the loader expands" }
        return trust.objection(toFolder: folder).map { folder == entry ? $0 : "is \(folder), which \($0)" }
    }
}
