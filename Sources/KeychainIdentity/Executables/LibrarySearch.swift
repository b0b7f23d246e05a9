// SPDX-License-Identifier: Apache-2.0

/// Where the loader (ld.so(8)) looks for the libraries of a program by what the program itself says.
///
/// A library that was found in a folder of somebody else can be gone when the folder is looked at, and have left none
/// of its code in memory. So only those folders count that nobody but root can change.
enum LibrarySearch {
    /// Why others than root can choose a library of a program; `nil` when they cannot.
    ///
    /// - Parameters:
    ///   - file: the contents of the executable.
    ///   - path: where it is, without symbolic links.
    ///   - trust: what only root can change.
    /// - Returns: The rest of a sentence about the program.
    static func objection(to file: ELFFile, at path: String, _ trust: FileTrust) -> String? {
        let origin = folder(of: path)
        for entry in file.searchFolders {
            guard let reason = objection(to: entry, origin, trust) else { continue }
            let name = entry.isEmpty ? "an empty name" : entry
            return "is linked to look for libraries in \(name) (RUNPATH), which \(reason)"
        }
        // Those without a slash are looked for.
        for name in file.libraries where name.contains("/") || name.contains("$") {
            guard let reason = objection(to: folder(of: name), origin, trust) else { continue }
            return "is linked to the library \(name), whose folder \(reason)"
        }
        if let loader = file.loader, let reason = trust.objection(toFolder: folder(of: loader)) {
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
        // What else the loader replaces, such as $LIB, depends on the system.
        guard !folder.contains("$") else { return "has a name of which the loader makes another" }
        return trust.objection(toFolder: folder).map { folder == entry ? $0 : "is \(folder), which \($0)" }
    }

    /// The part of a path before its last name; empty for a name alone.
    private static func folder(of path: String) -> String {
        guard let end = path.lastIndex(of: "/") else { return "" }
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}
