// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// A netrc file (ftp(1)), with quoted words as curl reads them.
enum NetrcText {
    /// Whether a text begins as such a file does.
    static func isOne(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        let first = word(&rest)
        return first == "machine" || first == "macdef" || (first == "default" && word(&rest) != nil)
    }

    /// The passwords of a file.
    ///
    /// - Throws: ``Refusal`` with the number of an entry that has a mistake.
    static func file(_ text: String) throws(Refusal) -> ImportedPasswords {
        var file = ImportedPasswords()
        var rest = Array(text.utf8)[...]
        var entry: Entry?
        var number = 0
        func end() {
            guard let entry else { return }
            let place = "entry \(number)"
            guard let machine = entry.machine else {
                return file.refused.append((place, "the default entry is for no host"))
            }
            guard let password = entry.password else { return file.leaveOut("entry without a password") }
            var item = ImportedItem(service: machine, account: entry.login, secret: password, place: place)
            item.itemClass = .internetPassword
            item.attributes = ServerAddress(scheme: "https", host: machine).attributes
            item.attributes[.label] = .string(machine)
            file.items.append(item)
        }
        while let keyword = word(&rest) {
            switch keyword {
            case "machine", "default":
                end()
                number += 1
                entry = Entry()
                if keyword == "machine" { entry?.machine = try value(&rest, number) }
            case "login": entry?.login = try value(&rest, number)
            case "password": entry?.password = SecretBytes(Array(try value(&rest, number).utf8))
            case "account":
                _ = try value(&rest, number)
                file.leaveOut("account of a netrc file")
            case "macdef":
                file.leaveOut("macro")
                skipMacro(&rest)
            default: throw Refusal("entry \(number): a word is neither machine, login, password nor account")
            }
        }
        end()
        return file
    }

    private struct Entry {
        var machine: String?
        var login = ""
        var password: SecretBytes?
    }

    private static func value(_ rest: inout ArraySlice<UInt8>, _ number: Int) throws(Refusal) -> String {
        guard let value = word(&rest, isValue: true) else { throw Refusal("entry \(number): a value is missing") }
        return value
    }

    /// The next word; comments are skipped, except where a value is, which may begin as they do.
    private static func word(_ rest: inout ArraySlice<UInt8>, isValue: Bool = false) -> String? {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        while let first = rest.first {
            if first == UInt8(ascii: "#"), !isValue {
                rest = rest.drop { $0 != 0x0A }
            } else if blanks.contains(first) {
                rest.removeFirst()
            } else {
                break
            }
        }
        guard let first = rest.first else { return nil }
        guard first == UInt8(ascii: "\"") else {
            let word = rest.prefix { !blanks.contains($0) }
            rest = rest.dropFirst(word.count)
            return String(decoding: word, as: UTF8.self)
        }
        rest.removeFirst()
        var word: [UInt8] = []
        let escapes: [UInt8: UInt8] = [0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09]
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                word.append(byte)
                continue
            }
            word.append(escapes[next] ?? next)
        }
        return String(decoding: word, as: UTF8.self)
    }

    /// A macro ends with an empty line.
    private static func skipMacro(_ rest: inout ArraySlice<UInt8>) {
        var isEmpty = false
        while let byte = rest.popFirst() {
            if byte == 0x0A {
                if isEmpty { return }
                isEmpty = true
            } else if byte != 0x0D {
                isEmpty = false
            }
        }
    }
}
