// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost

/// Whether only root can change a file: the file and every folder on its path are owned by root, writable by neither a
/// group nor everyone, and on file systems that users cannot have mounted.
///
/// A user can exchange folders between two checks of a path. So a file is opened first, and the open file is checked;
/// and the folders on its path are opened one after the other, each from the previous one.
struct FileTrust: Sendable {
    /// The required owner.
    var owner: uid_t = 0

    /// The folder from which on the path is checked: `/`, except in tests.
    ///
    /// Its file system is not checked.
    var base = "/"

    /// Why others can change an open file, or open another one in its place; `nil` when they cannot.
    func objection(to file: Int32) -> String? {
        var status = stat()
        guard fstat(file, &status) == 0 else { return Self.unknown() }
        guard let path = linkTarget("/proc/self/fd/\(file)", below: AT_FDCWD), path.isAbsolutePath else {
            return "has no path that can be read"
        }
        switch traverse(to: path) {
        case .refusal(let reason): return reason
        case .end(let found) where found.st_dev == status.st_dev && found.st_ino == status.st_ino: return nil
        case .end, .link, .nothing: return "was moved or removed"
        }
    }

    /// Why users other than root can decide the contents of the folder with a name, or could earlier; `nil` if they
    /// cannot.
    ///
    /// The folder need not exist, if only root can create one. Symbolic links that only root can change are followed.
    func objection(toFolder name: String) -> String? {
        guard name.isAbsolutePath else { return "is no absolute path" }
        var path = name
        for _ in 0..<Self.maximumLinks {
            switch traverse(to: path) {
            case .refusal(let reason): return reason
            case .end, .nothing: return nil
            case .link(let target): path = target
            }
        }
        return "has too many symbolic links on its path"
    }

    /// As the kernel (path_resolution(7)).
    private static let maximumLinks = 40

    /// The target of a path, as long as only root can change that.
    private enum Way {
        /// To a file or a folder.
        case end(stat)
        /// A symbolic link, with the path that it refers to.
        case link(String)
        /// To nothing.
        case nothing
        /// Stopped: others can change what is on the way.
        case refusal(String)
    }

    private func traverse(to path: String) -> Way {
        let isBelow = base == "/" || path.isSamePath(as: base) || path.utf8.starts(with: "\(base)/".utf8)
        let start = isBelow ? base : "/"
        guard var here = Descriptor(start, Descriptor.asPath | O_DIRECTORY | O_NOFOLLOW), var status = here.status
        else {
            return .refusal(Self.unknown())
        }
        let below = String(decoding: path.utf8.dropFirst(start.utf8.count), as: UTF8.self)
        let names = below.pathNames.filter { $0 != "." }
        var way = start == "/" ? "" : start
        func refusal(_ reason: String, isLast: Bool) -> Way {
            .refusal(isLast ? reason : "is in \(way.isEmpty ? "/" : way), which \(reason)")
        }
        if let reason = objection(toPart: status) { return refusal(reason, isLast: names.isEmpty) }
        for (index, name) in names.enumerated() {
            // No link is on the way here, so that this is the folder above.
            if name == ".." {
                let above = way.pathNames.dropLast() + names[(index + 1)...]
                return .link("/" + above.joined(separator: "/"))
            }
            guard let next = Descriptor(name, below: here.number, Descriptor.asPath | O_NOFOLLOW),
                let found = next.status
            else { return errno == ENOENT || errno == ENOTDIR ? .nothing : .refusal(Self.unknown()) }
            if found.st_mode & S_IFMT == S_IFLNK {
                guard let target = linkTarget("", below: next.number) else { return .refusal(Self.unknown()) }
                let rest = [target] + names[(index + 1)...]
                return .link((target.isAbsolutePath ? "" : "\(way)/") + rest.joined(separator: "/"))
            }
            way += "/\(name)"
            let isEntered = found.st_dev != status.st_dev && !next.isOnSameMount(as: here)
            let foreign = isEntered ? Self.objection(toFileSystemOf: next) : nil
            if let reason = foreign ?? objection(toPart: found) {
                return refusal(reason, isLast: index == names.count - 1)
            }
            status = found
            here = next
        }
        return .end(status)
    }

    private func objection(toPart status: stat) -> String? {
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return "is neither a file nor a folder" }
        guard status.st_uid == owner else { return "is owned by user \(status.st_uid)" }
        // An access control list shows in the rights of the group (acl(5)).
        guard status.st_mode & 0o022 == 0 else { return "is writable by others than its owner" }
        return nil
    }

    /// Why a file system may report false owners: a user can have mounted it.
    ///
    /// File systems that fusermount(1), mount(8) and udisks(8) mount for a user are FUSE, or have no set-user-ID
    /// programs. Those that root has mounted in this way are trusted if they show a part of the file system above
    /// (Decisions).
    private static func objection(toFileSystemOf folder: borrowing Descriptor) -> String? {
        if keychain_is_served_by_program(folder.number) != 0 {
            return "is on a FUSE file system, which can report any owner"
        }
        var system = statvfs()
        guard fstatvfs(folder.number, &system) == 0 else { return unknown() }
        let isLimited = system.f_flag & UInt(ST_NOSUID) != 0
        return isLimited ? "is on a file system that a user may have mounted (nosuid)" : nil
    }

    private static func unknown() -> String { "cannot be inspected (\(SystemText.of(errno)))" }
}

extension Descriptor {
    /// Whether two files are on one mount: overlayfs has devices of their own for some files (proc(5), `fdinfo`).
    fileprivate func isOnSameMount(as other: borrowing Descriptor) -> Bool {
        guard let mount, let others = other.mount else { return false }
        return mount == others
    }

    private var mount: ArraySlice<UInt8>? {
        guard let file = Descriptor("/proc/self/fdinfo/\(number)", O_RDONLY) else { return nil }
        let text = file.contents(limit: 4096) ?? []
        return text.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "mnt_id:".utf8) }
    }
}
