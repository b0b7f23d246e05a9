// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import KeychainCore
import KeychainHost

/// Which copy to a clipboard was the last one: only its program clears the clipboard.
///
/// Without it, a secret that is copied a second time would be gone when the time of the first copy is over. It is a
/// file with a random number, in the folder of the session or else in memory; where neither can be written, each copy
/// is taken for the last one.
struct ClipboardTurn {
    private let path: String?
    private let number: [UInt8]

    /// Takes the turn from those before.
    ///
    /// - Parameters:
    ///   - clipboard: the clipboard.
    ///   - environment: returns the value of a variable.
    init(of clipboard: Clipboard, environment: (String) -> String?) {
        let display = ["WAYLAND_DISPLAY", "DISPLAY", "TMUX"].map { environment($0) ?? "" }
        let hash = SHA256.hash(data: Array(([clipboard.text] + display).joined(separator: "\0").utf8))
        let name = "keychainctl-clip.\(geteuid()).\(hash.prefix(8).hexadecimal)"
        number = Array(RandomName.make().utf8)
        let places = [RuntimeFolder.path(environment), "/dev/shm"].compactMap(\.self)
        path = places.lazy.map { [number] in Self.write(number, to: "\($0)/\(name)") }.first { $0 != nil } ?? nil
    }

    /// Whether nobody else has taken the turn since.
    var isLast: Bool {
        guard let path, let found = Self.read(path) else { return true }
        return found == number
    }

    /// Removes what it is known by.
    func end() {
        if let path, Self.read(path) == number { unlink(path) }
    }

    private static func write(_ number: [UInt8], to path: String) -> String? {
        guard let draft = try? FileDraft(of: path),
            number.withUnsafeBytes({ DescriptorOutput.write($0, to: draft.descriptor) }),
            (try? draft.publish()) != nil
        else { return nil }
        return path
    }

    /// The number of a file of this user; in a folder of all users there may be one of somebody else.
    private static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { DescriptorInput.read(file, $0) }
        return count > 0 ? Array(bytes[..<count]) : nil
    }
}
