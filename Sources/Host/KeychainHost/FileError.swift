// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The failures with the folder and the files of a keychain.
package enum FileError: Error, Sendable, Hashable {
    /// A system call failed: its name, the path, errno.
    case system(call: String, path: String, errno: Int32)
    /// The home folder that would contain the keychain does not exist.
    case noHome(String)
    /// The path cannot be used as given, and why.
    case unusablePath(String, String)
    /// Others can get at a file or folder.
    case exposed(path: String, String)
    /// A file or folder belongs to another user, who is named by number.
    case foreign(path: String, owner: UInt32)
    /// There is something other than expected: a symbolic link, a folder instead of a file.
    case wrongKind(path: String, expected: String)
    /// The name of a file to be created is taken.
    case taken(path: String)
    /// Another process held a lock for longer than the time-out.
    case lockTimeout(path: String)
    /// A process, of this host or another one, has the lock that all hosts see.
    case heldElsewhere(path: String, holder: String)
    /// A folder that the environment chose cannot be used: why, and what to do.
    case unusableFolder(path: String, String, advice: String)
    /// Something would be created by default in a folder of another user, who is named by number.
    case foreignHome(path: String, owner: UInt32)
}

extension FileError {
    /// The refusal of a path by what names it, shown with a replacement for what is not UTF-8.
    static func notUTF8(_ name: String, _ path: String) -> FileError {
        .unusablePath(path, "\(name) is not UTF-8")
    }

    /// The public details for messages: the path, and of a system call its name and its error number.
    package var facts: [String: String] {
        switch self {
        case .system(let call, let path, let errno): ["call": call, "path": path, "errno": "\(errno)"]
        case .noHome(let path), .unusablePath(let path, _), .exposed(let path, _), .wrongKind(let path, _),
            .taken(let path), .lockTimeout(let path), .foreignHome(let path, _), .foreign(let path, _),
            .unusableFolder(let path, _, _), .heldElsewhere(let path, _):
            ["path": path]
        }
    }

    /// Whether another process held a lock for longer than the time-out.
    package var isBusy: Bool {
        switch self {
        case .lockTimeout, .heldElsewhere: true
        default: false
        }
    }

    /// Whether there was no space: on the disk, in the user's quota, or by the process's limit.
    package var isOutOfSpace: Bool {
        guard case .system(_, _, let errno) = self else { return false }
        return [ENOSPC, EDQUOT, EFBIG].contains(errno)
    }
}

extension FileError: CustomStringConvertible {
    /// One sentence: what is wrong and what to do.
    package var description: String {
        switch self {
        case .system(let call, let path, let errno):
            "\(call) of \(path) failed: \(String(cString: strerror(errno)))"
        case .noHome(let path):
            "the home folder \(path) does not exist; set SWIFT_KEYCHAIN_HOME to a folder for the keychain"
        case .unusablePath(let path, let why): "\(path) cannot hold a keychain: \(why)"
        case .exposed(let path, let why):
            "\(path) \(why); if it is the keychain's alone, chmod it to 0700 or, a file, 0600; else name another folder"
        case .foreign(let path, let owner):
            "\(path) belongs to another user (\(owner)); run this as that user, or name a file or folder of your own, "
                + "a keychain's with SWIFT_KEYCHAIN_HOME"
        case .wrongKind(let path, let expected): "\(path) is not \(expected); move it away"
        case .taken(let path): "there is something at \(path) already; move it away or choose another name"
        case .lockTimeout(let path): "another process held the lock \(path) for too long; try again"
        case .heldElsewhere(let path, let holder):
            "\(path) is held by \(holder); try again, and if that process has ended, for example with its host, remove the file"
        case .unusableFolder(let path, let why, let advice): "\(path) cannot be used: \(why); \(advice)"
        case .foreignHome(let path, let owner):
            "nothing is made in \(path), which belongs to another user (\(owner)); set HOME to the home of the user who runs "
                + "this, or SWIFT_KEYCHAIN_HOME to a folder for the keychain"
        }
    }
}
