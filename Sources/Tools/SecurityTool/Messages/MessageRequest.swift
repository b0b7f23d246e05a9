// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// The options of `cms`.
struct MessageRequest {
    /// The letter of the operation.
    var mode: Character?
    var input: Word?
    var output: Word?
    var keychain: Word?

    // For decoding.
    var contents: Word?
    var headerLevel: Int?
    var suppressesContents = false

    // For signing.
    var signer: Word?
    var digest: Word?
    var isDetached = false
    var hasTime = false
    var hasCapabilities = false

    // For encrypting.
    var recipients: Word?

    /// The mode of each option that only one mode has.
    private static let modes: [Character: Character] = [
        "c": "D", "h": "D", "n": "D", "G": "S", "P": "S", "T": "S", "r": "E",
    ]

    /// Processes an option.
    ///
    /// - Throws: wrong usage for an option of another mode than the previous one's.
    mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) {
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
        // The usage of a certificate is ignored.
        default: break
        }
    }

    /// The bytes of the named file, or of standard input.
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
