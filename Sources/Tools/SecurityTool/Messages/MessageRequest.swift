// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// What was asked of `cms`.
struct MessageRequest {
    /// The letter of what is to be done.
    var mode: Character?
    var input: Word?
    var output: Word?
    var keychain: Word?

    // Of decoding.
    var contents: Word?
    var headerLevel: Int?
    var suppressesContents = false

    // Of signing.
    var signer: Word?
    var digest: Word?
    var isDetached = false
    var hasTime = false
    var hasCapabilities = false

    // Of encrypting.
    var recipients: Word?

    /// What each option that only one mode has belongs to.
    private static let modes: [Character: Character] = [
        "c": "D", "h": "D", "n": "D", "G": "S", "P": "S", "T": "S", "r": "E",
    ]

    /// Takes an option.
    ///
    /// - Throws: wrong usage for one of another mode than the one before it.
    mutating func take(_ option: ParsedOptions.Option) throws(CommandFailure) {
        if let needed = Self.modes[option.letter], needed != mode {
            throw CommandFailure(
                status: CommandFailure.usage.status,
                "security: option -\(String(option.letter)) only supported with option -\(String(needed))"
            )
        }
        switch option.letter {
        case "C", "D", "E", "S": mode = option.letter
        case "i": input = option.value
        case "o": output = option.value
        case "k": keychain = option.value
        case "c": contents = option.value
        case "h": headerLevel = Int(option.value.withCString { atoi($0) })
        case "n": suppressesContents = true
        case "N": signer = option.value
        case "H": digest = option.value
        case "T": isDetached = true
        case "G": hasTime = true
        case "P": hasCapabilities = true
        case "r": recipients = option.value
        // What a certificate is used for is not looked at.
        default: break
        }
    }

    /// The bytes of the file that was named, or of standard input.
    func bytes(_ session: Session) throws(CommandFailure) -> [UInt8] {
        if let input { return try Self.read(input) }
        do throws(InputFile.Failure) {
            return try InputFile.bytes(session.input.descriptor).unprotectedCopy
        } catch {
            throw CommandFailure("security: unable to read standard input: \(error.text)")
        }
    }

    /// The bytes of a file.
    static func read(_ path: Word) throws(CommandFailure) -> [UInt8] {
        do throws(InputFile.Failure) {
            return try InputFile.bytes(path).unprotectedCopy
        } catch {
            throw CommandFailure("security: unable to open \"\(path)\" for reading: \(error.text)")
        }
    }
}
