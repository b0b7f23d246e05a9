// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whether only root can change the file at a path: the file and every folder on the path are owned by root, and
/// writable by neither a group nor everyone.
struct FileTrust: Sendable {
    /// The required owner.
    var owner: uid_t = 0

    /// The folder from which on the path is checked: `/`, except in tests.
    var base = "/"

    /// Why others can change it; `nil` when they cannot.
    func objection(to path: String) -> String? {
        guard path.hasPrefix("/"), let resolved = realpath(path, nil) else { return "does not exist" }
        defer { free(resolved) }
        guard let path = String(validatingCString: resolved) else { return "has a name that is not UTF-8" }
        var way = path
        while true {
            if let objection = objection(toPart: way) {
                return way == path ? objection : "is in \(way), which \(objection)"
            }
            guard way != base, way != "/" else { return nil }
            let end = way.lastIndex(of: "/") ?? way.startIndex
            way = end == way.startIndex ? "/" : String(way[..<end])
        }
    }

    /// Why others can decide what the folder of a name has, or had under this name earlier; `nil` when they cannot.
    ///
    /// There need not be such a folder now, if only root can make one.
    func objection(toFolder path: String) -> String? {
        guard path.hasPrefix("/") else { return "is no absolute path" }
        let parts = path.split(separator: "/")
        // The loader replaces what begins with a dollar sign.
        guard !parts.contains(where: { $0 == ".." || $0.contains("$") }) else { return "is no plain path" }
        for count in 0...parts.count {
            let way = "/" + parts.prefix(count).joined(separator: "/")
            guard base == "/" || way == base || way.hasPrefix("\(base)/") else { continue }
            var status = stat()
            guard lstat(way, &status) == 0 else {
                return errno == ENOENT ? nil : "cannot be inspected (\(SystemText.of(errno)))"
            }
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            let found = isLink ? objection(to: way) : objection(toPart: way)
            if let found { return count == parts.count ? found : "is in \(way), which \(found)" }
        }
        return nil
    }

    private func objection(toPart path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return "does not exist" }
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return "is neither a file nor a folder" }
        guard status.st_uid == owner else { return "is owned by user \(status.st_uid)" }
        // An access control list shows in the rights of the group (acl(5)).
        guard status.st_mode & 0o022 == 0 else { return "is writable by others than its owner" }
        return nil
    }
}
