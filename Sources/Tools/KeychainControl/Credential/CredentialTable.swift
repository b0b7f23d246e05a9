// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// Which unit of systemd may read which secret: a file with lines `UNIT CREDENTIAL REFERENCE`.
///
/// Empty lines and those that begin with `#` are comments. `NAME@.service` is each instance of a template, unless a
/// line has the instance itself.
struct CredentialTable: Sendable {
    /// The lines, in their order.
    let rows: [Row]

    /// A line.
    struct Row: Hashable, Sendable {
        /// The unit, or a template.
        let unit: String

        /// The name that the unit has for the credential.
        let name: String

        /// The secret.
        let reference: SecretReference
    }

    /// Reads the text of a table.
    ///
    /// - Throws: ``Refusal`` with the number of a line that is none of these, or that says of a credential again what
    ///   it is.
    init(_ text: [UInt8], in file: String) throws(Refusal) {
        var rows: [Row] = []
        var known: Set<[String]> = []
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let words = line.split { [0x20, 0x09, 0x0D].contains($0) }
            guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
            func failure(_ what: String) -> Refusal { Refusal("\(file.printable), line \(index + 1): \(what)", .usage) }
            guard words.count == 3, let unit = Self.unit(words[0]), let name = Self.name(words[1]),
                let text = String(validating: words[2], as: UTF8.self)
            else { throw failure("is not UNIT CREDENTIAL \(SecretReference.prefix)SERVICE/ACCOUNT") }
            let reference: SecretReference
            do throws(Refusal) { reference = try SecretReference(text) } catch { throw failure("\(error)") }
            guard known.insert([unit, name]).inserted else { throw failure("has a credential for the second time") }
            rows.append(Row(unit: unit, name: name, reference: reference))
        }
        self.rows = rows
    }

    /// Reads the file of a table, which nobody but its user and root may have written.
    ///
    /// - Throws: ``Refusal`` if it is missing, belongs to another user or may be changed by one, or has a mistake.
    init(file: String) throws(Refusal) {
        if let part = ReplaceablePart(of: file) {
            throw Refusal("\(file.printable) could be another user's: \(part.path.printable) may be changed by others")
        }
        let descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Refusal("\(file.printable) cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Refusal("\(file.printable) is not a file")
        }
        // That which was opened, whatever the path has meant before.
        let isPrivateGroup = status.st_gid == geteuid() && status.st_gid == getegid()
        let othersMayWrite = status.st_mode & (isPrivateGroup ? S_IWOTH : S_IWGRP | S_IWOTH) != 0
        guard [0, geteuid()].contains(status.st_uid), !othersMayWrite else {
            throw Refusal("\(file.printable) may be changed by others")
        }
        let contents = DescriptorContents(of: descriptor, atMost: Self.maximumByteCount)
        guard contents.end == .complete else { throw Refusal("\(file.printable) cannot be read, or is too long") }
        try self.init(contents.bytes, in: file)
    }

    private static let maximumByteCount = 1 << 20

    /// What a unit gets as a credential; `nil` if it may have none of this name.
    func reference(for request: CredentialRequest) -> SecretReference? {
        let template = Self.template(of: request.unit)
        for unit in [request.unit, template].compactMap(\.self) {
            if let row = rows.first(where: { $0.unit == unit && $0.name == request.name }) { return row.reference }
        }
        return nil
    }

    /// `app@.service` of `app@one.service`; `nil` for a unit that is no instance.
    private static func template(of unit: String) -> String? {
        guard let at = unit.firstIndex(of: "@"), let dot = unit.lastIndex(of: "."), at < dot else { return nil }
        return "\(unit[...at])\(unit[dot...])"
    }

    /// The name of a unit: at most 255 characters of those that they may have (systemd.unit(5)).
    static func unit(_ text: some Sequence<UInt8>) -> String? {
        let name = String(decoding: Array(text), as: UTF8.self)
        let isName = name.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || "0123456789:-_.\\@".unicodeScalars.contains($0))
        }
        guard isName, !name.isEmpty, name.utf8.count <= maximumNameByteCount else { return nil }
        return name
    }

    /// The name of a credential: that of a file, of printable characters without blanks and colons.
    static func name(_ text: some Sequence<UInt8>) -> String? {
        let bytes = Array(text)
        let isName = bytes.allSatisfy { (0x21...0x7E).contains($0) && !"/:".utf8.contains($0) }
        let name = String(decoding: bytes, as: UTF8.self)
        guard isName, !bytes.isEmpty, bytes.count <= maximumNameByteCount, ![".", ".."].contains(name) else {
            return nil
        }
        return name
    }

    private static let maximumNameByteCount = 255
}
