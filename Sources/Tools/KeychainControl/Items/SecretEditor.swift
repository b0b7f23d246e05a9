// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost

/// Has an editor change a secret, in a file that is nowhere but in memory.
struct SecretEditor {
    private let surroundings: Surroundings

    init(_ surroundings: Surroundings) { self.surroundings = surroundings }

    /// `TMPFS_MAGIC` of linux/magic.h.
    static let memoryFileSystem: UInt32 = 0x0102_1994

    /// What a secret is after it was edited.
    ///
    /// - Throws: ``Refusal`` if there is no folder in memory, or if the editor fails.
    func edited(_ secret: SecretBytes) throws(Refusal) -> SecretBytes {
        let folder = try makeFolder()
        let path = "\(folder)/secret.txt"
        defer {
            unlink(path)
            rmdir(folder)
        }
        try SecretFile.write(secret, to: path, standardOutput: surroundings.standardOutput)
        let editor = surroundings.environment("VISUAL") ?? surroundings.environment("EDITOR") ?? "vi"
        // As git does: the variable may have arguments in it.
        let status = try surroundings.run(["sh", "-c", "\(editor)\(Self.options(of: editor)) \"$@\"", "sh", path], nil)
        guard status == 0 else { throw Refusal("the editor failed with status \(status): nothing was changed") }
        let edited = try SecretFile.read(path, standardInput: surroundings.standardInput)
        return secret.endsWithNewline || !edited.endsWithNewline ? edited : edited.withoutFinalNewline
    }

    /// The options by which an editor keeps no copies.
    private static func options(of editor: String) -> String {
        let program = editor.split(separator: " ").first?.split(separator: "/").last.map(String.init) ?? ""
        switch program {
        case "vim", "nvim", "vimdiff", "view": return " -n -i NONE -c 'set nobackup nowritebackup noundofile'"
        default: return ""
        }
    }

    /// Makes a folder of one's own in memory, and returns its path.
    private func makeFolder() throws(Refusal) -> String {
        let places = [surroundings.environment("XDG_RUNTIME_DIR"), "/dev/shm"].compactMap(\.self)
        for place in places where keychain_file_system(place) == Self.memoryFileSystem {
            var template = Array("\(place)/keychainctl.XXXXXX".utf8CString)
            if mkdtemp(&template) != nil {
                return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
        }
        throw Refusal("there is no folder in memory for the editor: XDG_RUNTIME_DIR and /dev/shm are none (tmpfs)")
    }
}

extension SecretBytes {
    fileprivate var endsWithNewline: Bool { withUnsafeBytes { $0.last == UInt8(ascii: "\n") } }

    /// Without the newline at its end, if there is one.
    var withoutFinalNewline: SecretBytes {
        withUnsafeBytes { bytes in
            guard bytes.last == UInt8(ascii: "\n") else { return self }
            return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
        }
    }
}
