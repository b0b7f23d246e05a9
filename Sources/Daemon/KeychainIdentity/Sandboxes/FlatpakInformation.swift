// SPDX-License-Identifier: Apache-2.0

/// The application identity that Flatpak writes to the root folder of a sandbox, as a file `.flatpak-info`
/// (flatpak-metadata(5)).
///
/// A sandboxed application cannot change it. A program of the same user outside of every sandbox can create a mount
/// namespace with such a file, and so impersonate any application (ThreatModel).
struct FlatpakInformation: Sendable, Hashable {
    /// The application's name, such as `org.example.App`.
    let application: String

    static let fileName = ".flatpak-info"
    static let largestByteCount = 1 << 16

    /// Reads the file; `nil` for anything but a key file whose group `Application` has a name.
    ///
    /// Parsed as bytes: the program itself may have written it.
    init?(text: [UInt8]) {
        guard text.count < Self.largestByteCount, String(validating: text, as: UTF8.self) != nil else { return nil }
        var isApplication = false
        var names: [ArraySlice<UInt8>] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            if line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]"), line.count > 1 {
                isApplication = line.dropFirst().dropLast().elementsEqual("Application".utf8)
            } else if isApplication, let equals = line.firstIndex(of: UInt8(ascii: "=")) {
                let key = Self.withoutBlanks(line[..<equals])
                if key.elementsEqual("name".utf8) { names.append(line[(equals + 1)...].drop(while: Self.isBlank)) }
            }
        }
        guard names.count == 1, Self.isName(names[0]) else { return nil }
        application = String(decoding: names[0], as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") }

    private static func withoutBlanks(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()[...]
    }

    /// At least three words with periods between them, of at most 255 characters (the names of D-Bus).
    static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        let words = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return words.count >= 3 && name.count <= 255
            && words.allSatisfy { word in
                guard let first = word.first, !isDigit(first) else { return false }
                return word.allSatisfy { isDigit($0) || isLetter($0) || "-_".utf8.contains($0) }
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
