// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost

/// The name of the single keychain, as scripts for macOS write it.
///
/// There is no file of that name.
struct KeychainName: Sendable {
    /// The folder for relative names.
    private let folder: ByteText

    private static let file = "login.keychain"
    private static let suffix = "-db"

    init(home: ByteText) {
        var home = home.bytes
        while home.last == UInt8(ascii: "/") { home.removeLast() }
        folder = ByteText(home) + "/Library/Keychains/"
    }

    /// The name in the home folder of this process.
    static var current: KeychainName {
        if let home = keychain_environment("HOME"), home.pointee == CChar(UInt8(ascii: "/")) {
            let bytes = UnsafeRawBufferPointer(start: home, count: strlen(home))
            return KeychainName(home: ByteText(Array(bytes)))
        }
        return KeychainName(home: ByteText(KeychainLocation.homeFromUserDatabase() ?? ""))
    }

    /// The path to print.
    var path: ByteText { "\(folder)\(Self.file)\(Self.suffix)" }

    /// Whether an operand names the keychain; any other keychain does not exist.
    func isMeant(by operand: Word) -> Bool {
        let name: ByteText = "\(operand)"
        let names: [ByteText] = ["\(Self.file)", "\(Self.file)\(Self.suffix)"]
        return names.contains { name == $0 || name == folder + $0 }
    }

    /// Whether a search covers the keychain: no operands mean all.
    func isSearched(by operands: [Word]) -> Bool { operands.isEmpty || operands.contains(where: isMeant) }
}
