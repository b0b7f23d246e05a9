// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainHost

/// Has an editor change a secret, in a file that is nowhere but in memory.
struct SecretEditor {
    private let surroundings: Surroundings

    init(_ surroundings: Surroundings) { self.surroundings = surroundings }

    /// What a secret is after it was edited.
    ///
    /// - Throws: ``Refusal`` if there is no folder in memory, or if the editor fails.
    func edited(_ secret: SecretBytes) throws(Refusal) -> SecretBytes {
        let folder = try folderInMemory()
        // Whatever the editor leaves beside the file, such as a copy of it, goes with it.
        defer { withExtendedLifetime(folder) {} }
        let path = "\(folder.path)/secret.txt"
        try SecretFile.write(secret, to: path, standardOutput: surroundings.standardOutput)
        let variables = ["VISUAL", "EDITOR"].compactMap(surroundings.environment)
        let editor = variables.first { !$0.allSatisfy(\.isWhitespace) } ?? "vi"
        let line = EditorCommand.line(editor, path: surroundings.environment("PATH"))
        let status = try surroundings.run(["sh", "-c", "\(line) \"$@\"", "sh", path], nil)
        guard status == 0 else { throw Refusal("the editor failed with status \(status): nothing was changed") }
        let edited = try SecretFile.readRegular(path)
        return secret.endsWithNewline || !edited.endsWithNewline ? edited : edited.withoutFinalNewline
    }

    private func folderInMemory() throws(Refusal) -> SecretFolder {
        let places = [RuntimeFolder.path(surroundings.environment), "/dev/shm"].compactMap(\.self)
        for place in places where SecretFolder.isInMemory(place) {
            // The editor may live on if this process is killed.
            if let folder = try? SecretFolder(in: place, isInherited: true) { return folder }
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
