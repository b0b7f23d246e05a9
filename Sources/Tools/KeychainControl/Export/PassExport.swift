// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Glibc
import KeychainAuthenticators
import KeychainCore

/// Writes a store of pass: a folder with a file for each password, which gpg encrypts.
struct PassExport {
    private let folder: String
    private let recipients: [String]
    private let replaces: Bool

    /// A store in a folder, which is made if it is not there.
    init(_ folder: String, _ recipients: [String], replaces: Bool) {
        (self.folder, self.recipients, self.replaces) = (folder, recipients, replaces)
    }

    /// Writes the files, each of which appears when it is complete.
    ///
    /// - Returns: How many passwords were written.
    func write(
        _ items: [ExportedItem],
        _ surroundings: Surroundings,
        leavingOut left: inout [(name: String, reason: String)]
    ) throws(Refusal) -> Int {
        try make(folder)
        let list = "\(folder)/.gpg-id"
        if access(list, F_OK) != 0 {
            let names = recipients.map { "\($0)\n" }.joined()
            try SecretFile.write(SecretBytes(Array(names.utf8)), to: list, standardOutput: surroundings.standardOutput)
        }
        var count = 0
        for item in items {
            do throws(Refusal) {
                try write(item, surroundings)
                count += 1
            } catch {
                // What the first one meets, all meet.
                guard count > 0 || items.count == 1 || error.description.contains(Self.nameMark) else { throw error }
                left.append((item.entry.name, "\(error)"))
            }
        }
        return count
    }

    private static let nameMark = "cannot be a file"

    private func write(_ item: ExportedItem, _ surroundings: Surroundings) throws(Refusal) {
        let parts = item.entry.name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && $0.utf8.count <= 250 && !$0.utf8.contains(0) })
        else { throw Refusal("its name \(Self.nameMark)") }
        guard !item.secret.withUnsafeBytes({ $0.contains(0x0A) }) else {
            throw Refusal("its password has several lines: it \(Self.nameMark) of pass")
        }
        var path = folder
        for part in parts.dropLast() {
            path += "/\(part)"
            try make(path)
        }
        path += "/\(parts.last ?? "").gpg"
        if !replaces, access(path, F_OK) == 0 { throw Refusal("\(path.printable) is there already") }
        var text = SecretBuffer(capacity: item.secret.count + 64)
        item.secret.withUnsafeBytes { text.append($0) }
        var rest = "\n"
        if let comment = item.entry.text("icmt"), !comment.isEmpty { rest += "\(comment)\n" }
        Array(rest.utf8).withUnsafeBytes { text.append($0) }
        let input = try MemoryFile.descriptor(of: text.bytes)
        defer { close(input) }
        let words = ["gpg", "--quiet", "--batch", "--yes", "--no-encrypt-to", "--encrypt"]
        let sealed = try surroundings.filter(
            words + recipients.flatMap { ["--recipient", $0] },
            input,
            2 * ItemLimits.secretByteCount
        )
        try SecretFile.write(
            sealed,
            to: path,
            standardOutput: surroundings.standardOutput,
            replacing: replaces
        )
    }

    private func make(_ path: String) throws(Refusal) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw Refusal("\(path.printable) cannot be made: \(String(cString: strerror(errno)))")
    }
}
