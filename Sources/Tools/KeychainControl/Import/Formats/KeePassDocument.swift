// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An unencrypted XML export of KeePassXC and KeePass.
enum KeePassDocument {
    /// The passwords of a document.
    ///
    /// - Throws: ``Refusal`` for what is none, and for one whose values are encrypted.
    static func file(_ text: String) throws(Refusal) -> ImportedPasswords {
        var reader = XMLReader(text)
        guard case .start("KeePassFile", _)? = try reader.next() else {
            throw Refusal("the XML is not that of KeePass: it begins with another element than KeePassFile")
        }
        var state = State()
        var path: [String] = ["KeePassFile"]
        while let event = try reader.next() {
            switch event {
            case .text: break
            case .end:
                path.removeLast()
                if state.binDepth.map({ path.count < $0 }) ?? false { state.binDepth = nil }
            case .start("RecycleBinUUID", _): state.bin = try reader.text()
            case .start("UUID", _) where path.last == "Group":
                let identifier = try reader.text()
                if identifier == state.bin, state.binDepth == nil { state.binDepth = path.count }
            case .start("Entry", _) where path.last == "Group":
                try state.add(from: &reader)
            case .start(let name, _): path.append(name)
            }
        }
        return state.file
    }

    private struct State {
        var file = ImportedPasswords()
        var bin: String?
        /// The number of elements around the contents of the bin.
        var binDepth: Int?
        var number = 0

        /// Reads an entry to its end.
        mutating func add(from reader: inout XMLReader) throws(Refusal) {
            number += 1
            var login = ImportedLogin(place: "entry \(number)")
            var depth = 1
            while depth > 0, let event = try reader.next() {
                switch event {
                case .text: break
                case .end: depth -= 1
                case .start("String", _): try readString(&reader, into: &login)
                case .start("History", _):
                    file.leaveOut("former version of an entry", try Self.countEntries(&reader))
                case .start("Times", _): try readTimes(&reader)
                case .start("Binary", _):
                    _ = try reader.text()
                    file.leaveOut("attachment")
                case .start("Tags", _): if !(try reader.text()).isEmpty { file.leaveOut("list of tags") }
                case .start: depth += 1
                }
            }
            if binDepth != nil { file.leaveOut("entry in the recycle bin") } else { login.add(to: &file) }
        }

        private mutating func readTimes(_ reader: inout XMLReader) throws(Refusal) {
            while let event = try reader.next(), event != .end("Times") {
                guard case .start(let name, _) = event else { continue }
                let text = try reader.text()
                switch name {
                case "CreationTime", "LastModificationTime": file.leaveOut("time")
                case "Expires": if text.lowercased() == "true" { file.leaveOut("expiry") }
                default: break
                }
            }
        }

        private mutating func readString(
            _ reader: inout XMLReader,
            into login: inout ImportedLogin
        ) throws(Refusal) {
            var (key, value, isProtected) = ("", "", false)
            while let event = try reader.next(), event != .end("String") {
                switch event {
                case .start("Key", _): key = try reader.text()
                case .start("Value", let attributes):
                    guard attributes["Protected"]?.lowercased() != "true" else {
                        throw Refusal("the values of the XML are encrypted; export it by 'Export to XML File' there")
                    }
                    isProtected = attributes["ProtectInMemory"]?.lowercased() == "true"
                    value = try reader.text()
                case .start: _ = try reader.text()
                default: break
                }
            }
            guard !value.isEmpty else { return }
            switch key {
            case "Title": login.title = value
            case "UserName": login.user = value
            case "Password": login.password = SecretBytes(Array(value.utf8))
            case "URL": login.addresses.insert(value, at: 0)
            case "Notes": login.notes.insert(value, at: 0)
            case "otp": login.otp = value
            case _ where key.hasPrefix("KP2A_URL"): login.addresses.append(value)
            case _ where isProtected || key.hasPrefix("TimeOtp-Secret") || key == "TOTP Seed":
                login.secrets.append((key, value))
            default: login.notes.append("\(key): \(value)")
            }
        }

        private static func countEntries(_ reader: inout XMLReader) throws(Refusal) -> Int {
            var (depth, count) = (1, 0)
            while depth > 0, let event = try reader.next() {
                switch event {
                case .start(let name, _):
                    if name == "Entry" { count += 1 }
                    depth += 1
                case .end: depth -= 1
                case .text: break
                }
            }
            return count
        }
    }
}
