// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// A store of pass or gopass: a folder with a file for each entry, which gpg decrypts.
struct PassStore {
    private let folder: String
    private let decrypt: (Int32) throws(Refusal) -> SecretBytes

    /// A store, and what decrypts the contents of a descriptor.
    init(_ folder: String, decrypt: @escaping (Int32) throws(Refusal) -> SecretBytes) {
        (self.folder, self.decrypt) = (folder, decrypt)
    }

    private static let deepestNesting = 64
    private static let largestCount = 100_000

    /// The items of the store.
    ///
    /// - Parameter progress: is told how many of how many entries were read.
    /// - Returns: The items.
    /// - Throws: ``Refusal`` if it has no entries, or the first one cannot be decrypted: then none can.
    func file(progress: (Int, Int) -> Void) throws(Refusal) -> ImportedPasswords {
        var file = ImportedPasswords()
        var names: [String] = []
        find(in: "", depth: 0, &names, &file)
        names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard !names.isEmpty else {
            throw Refusal("\(folder.printable) is no store of pass: it has no files that end with '.gpg'")
        }
        var isDecrypted = false
        for (index, name) in names.enumerated() {
            let entry = String(name.dropLast(Self.suffix.count))
            do throws(Refusal) {
                let contents = try read("\(folder)/\(name)")
                isDecrypted = true
                Self.add(contents, entry, to: &file)
            } catch {
                guard isDecrypted || index < names.count - 1 && index < 2 else { throw error }
                file.refused.append((entry, "\(error)"))
            }
            progress(index + 1, names.count)
        }
        return file
    }

    private static let suffix = ".gpg"

    private func find(in path: String, depth: Int, _ names: inout [String], _ file: inout ImportedPasswords) {
        for name in FolderNames.of(path.isEmpty ? folder : "\(folder)/\(path)", beginningWith: "")
        where !name.hasPrefix(".") && names.count < Self.largestCount {
            let own = path.isEmpty ? name : "\(path)/\(name)"
            var status = stat()
            guard lstat("\(folder)/\(own)", &status) == 0 else {
                file.refused.append((own, "it is gone, or its name is not UTF-8"))
                continue
            }
            switch status.st_mode & S_IFMT {
            case S_IFDIR where depth < Self.deepestNesting: find(in: own, depth: depth + 1, &names, &file)
            case S_IFREG where name.hasSuffix(Self.suffix): names.append(own)
            case S_IFREG:
                if name.hasSuffix(".age") { file.refused.append((own, "entries of age are not read")) }
            default: file.refused.append((own, "it is a link, or no file"))
            }
        }
    }

    private func read(_ path: String) throws(Refusal) -> SecretBytes {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Refusal("\(path.printable) cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        return try decrypt(descriptor)
    }

    /// Adds an entry: its first line is the password, lines such as `login: ada` name the account, and the others are
    /// the comment.
    ///
    /// Bytes that are no text are the password as a whole.
    static func add(_ contents: SecretBytes, _ entry: String, to file: inout ImportedPasswords) {
        let names = entry.utf8.lastIndex(of: UInt8(ascii: "/")).map { slash in
            (String(entry.utf8[..<slash]) ?? entry, String(entry.utf8[entry.utf8.index(after: slash)...]) ?? "")
        }
        guard let text = contents.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            var item = ImportedItem(
                service: names?.0 ?? entry,
                account: names?.1 ?? "",
                secret: contents,
                place: entry
            )
            item.attributes[.label] = .string(entry)
            return file.items.append(item)
        }
        // By scalars: a carriage return and a line feed are one character.
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.last == "\r" ? line.dropLast() : line)
        }
        let password = lines.removeFirst()
        var (user, keys, comment): (String?, [String], [String]) = (nil, [], [])
        for line in lines {
            if line.lowercased().hasPrefix("otpauth://") {
                keys.append(line)
            } else if user == nil, let login = login(line) {
                user = login
            } else {
                comment.append(line)
            }
        }
        while comment.last?.isEmpty == true { comment.removeLast() }
        let service = user == nil ? names?.0 ?? entry : entry
        let account = user ?? names?.1 ?? ""
        var item = ImportedItem(
            service: service,
            account: account,
            secret: SecretBytes(Array(password.utf8)),
            place: entry
        )
        item.attributes[.label] = .string(entry)
        if !comment.isEmpty { item.attributes["icmt"] = .string(comment.joined(separator: "\n")) }
        file.items.append(item)
        for key in keys {
            var otp = ImportedItem(
                service: "\(service) (\(ImportedLogin.otpName))",
                account: account,
                secret: SecretBytes(Array(key.utf8)),
                place: entry
            )
            otp.attributes[.label] = .string("\(entry) (\(ImportedLogin.otpName))")
            otp.attributes["desc"] = .string("one-time password")
            file.items.append(otp)
        }
    }

    private static func login(_ line: String) -> String? {
        for name in ["login", "user", "username"] where line.lowercased().hasPrefix("\(name):") {
            let value = line.dropFirst(name.count + 1).drop { $0 == " " || $0 == "\t" }
            return value.isEmpty ? nil : String(value)
        }
        return nil
    }
}
