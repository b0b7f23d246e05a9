// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import FoundationEssentials
import KeychainAuthenticators
import KeychainCore

/// A file that is sealed by a passphrase in the format of age (C2SP, "age-encryption.org/v1", recipient type scrypt):
/// `age --decrypt` reads it as well.
///
/// The program age asks for passphrases on a terminal only; files for recipients are sealed and opened by it.
enum AgeFile {
    private static let version = "age-encryption.org/v1"
    private static let armor = "-----BEGIN AGE ENCRYPTED FILE-----"
    private static let label = "age-encryption.org/v1/scrypt"

    /// The work of new files: 2^18, as age has it.
    private static let log2Cost = 18
    /// The most work that is done for a file: 2^22, as age does.
    private static let largestLog2Cost = 22

    private static let chunkSize = 64 << 10
    private static let tagSize = 16

    /// Whether a file is sealed in this format.
    static func isOne(_ contents: SecretBytes) -> Bool {
        contents.withUnsafeBytes { $0.starts(with: "\(version)\n".utf8) || $0.starts(with: armor.utf8) }
    }

    /// Whether it is sealed by a passphrase.
    static func hasPassphrase(_ contents: SecretBytes) -> Bool {
        contents.withUnsafeBytes { $0.starts(with: "\(version)\n-> scrypt ".utf8) }
    }

    /// Seals bytes.
    ///
    /// - Parameters:
    ///   - plain: the bytes.
    ///   - passphrase: the passphrase.
    ///   - log2Cost: the binary logarithm of scrypt's cost.
    /// - Returns: The file.
    /// - Throws: ``Refusal`` without memory for scrypt.
    static func sealed(
        _ plain: SecretBytes,
        by passphrase: SecretBytes,
        log2Cost: Int = log2Cost
    ) throws(Refusal) -> SecretBytes {
        let fileKey = SymmetricKey(size: .bits128)
        let salt = random(16)
        var header = "\(version)\n-> scrypt \(base64(salt)) \(log2Cost)\n"
        do {
            let wrapKey = try self.wrapKey(passphrase, salt, log2Cost: log2Cost)
            let body = try fileKey.withUnsafeBytes { try seal($0, wrapKey, nonce: [UInt8](repeating: 0, count: 12)) }
            header += "\(base64(body))\n---"
            let mac = HMAC<SHA256>.authenticationCode(for: Array(header.utf8), using: headerKey(fileKey))
            let nonce = random(16)
            var sealed = Array("\(header) \(base64(Array(mac)))\n".utf8) + nonce
            let key = payloadKey(fileKey, nonce)
            try plain.withUnsafeBytes { bytes in
                var (place, counter): (Int, UInt64) = (0, 0)
                repeat {
                    let end = min(place + chunkSize, bytes.count)
                    let chunk = UnsafeRawBufferPointer(rebasing: bytes[place..<end])
                    sealed += try seal(chunk, key, nonce: chunkNonce(counter, isLast: end == bytes.count))
                    (place, counter) = (end, counter + 1)
                } while place < bytes.count
            }
            return SecretBytes(sealed)
        } catch {
            throw Refusal("the passwords cannot be sealed: there is not enough memory for scrypt")
        }
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - contents: the file.
    ///   - passphrase: the passphrase.
    ///   - largestLog2Cost: the binary logarithm of the most work that is done for it.
    /// - Returns: The bytes.
    /// - Throws: ``Refusal`` for a wrong passphrase, a damaged file, and one that would take too long.
    static func opened(
        _ contents: SecretBytes,
        by passphrase: SecretBytes,
        atMost largestLog2Cost: Int = largestLog2Cost
    ) throws(Refusal) -> SecretBytes {
        let bytes = contents.unprotectedCopy
        var rest = bytes[...]
        guard line(&rest) == version, let stanza = line(&rest), let body = line(&rest), let last = line(&rest) else {
            throw damaged
        }
        let words = stanza.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 4, words[0] == "->", words[1] == "scrypt", let salt = decoded(words[2]), salt.count == 16,
            let log2Cost = Int(words[3]), log2Cost > 0, words[3] == "\(log2Cost)", let body = decoded(body),
            body.count == 32, last.hasPrefix("--- "), let mac = decoded(String(last.dropFirst(4))), mac.count == 32
        else { throw damaged }
        guard log2Cost <= largestLog2Cost else { throw Refusal("the sealed file demands too much work: 2^\(log2Cost)") }
        let wrapKey: SymmetricKey
        do { wrapKey = try self.wrapKey(passphrase, salt, log2Cost: log2Cost) } catch {
            throw Refusal("the sealed file cannot be opened: there is not enough memory for scrypt")
        }
        let nonce = [UInt8](repeating: 0, count: 12)
        guard let opened = try? open(body[...], wrapKey, nonce: nonce) else {
            throw Refusal("the passphrase of the sealed file is wrong")
        }
        let fileKey = SymmetricKey(data: opened)
        let header = "\(version)\n\(stanza)\n\(base64(body))\n---"
        guard HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: Array(header.utf8), using: headerKey(fileKey))
        else { throw damaged }
        guard rest.count >= 16 + tagSize else { throw damaged }
        let key = payloadKey(fileKey, Array(rest.prefix(16)))
        return try payload(rest.dropFirst(16), key)
    }

    private static func payload(_ bytes: ArraySlice<UInt8>, _ key: SymmetricKey) throws(Refusal) -> SecretBytes {
        var rest = bytes
        var plain = SecretBuffer(capacity: rest.count)
        var counter: UInt64 = 0
        while true {
            let chunk = rest.prefix(chunkSize + tagSize)
            rest = rest[chunk.endIndex...]
            guard let opened = try? open(chunk, key, nonce: chunkNonce(counter, isLast: rest.isEmpty)),
                // Only an empty file has an empty chunk.
                !opened.isEmpty || (counter == 0 && rest.isEmpty)
            else { throw damaged }
            opened.withUnsafeBytes { plain.append($0) }
            counter += 1
            if rest.isEmpty { return plain.bytes }
        }
    }

    // MARK: - Parts

    private static let damaged = Refusal("the sealed file is damaged, or not sealed by a passphrase")

    private static func wrapKey(
        _ passphrase: SecretBytes,
        _ salt: [UInt8],
        log2Cost: Int
    ) throws -> SymmetricKey {
        try KDF.Scrypt.deriveKey(
            from: passphrase.unprotectedCopy,
            salt: Array(label.utf8) + salt,
            outputByteCount: 32,
            rounds: 1 << log2Cost,
            blockSize: 8,
            parallelism: 1,
            maxMemory: 8 << 30
        )
    }

    private static func headerKey(_ fileKey: SymmetricKey) -> SymmetricKey {
        derived(fileKey, salt: [], "header")
    }

    private static func payloadKey(_ fileKey: SymmetricKey, _ nonce: [UInt8]) -> SymmetricKey {
        derived(fileKey, salt: nonce, "payload")
    }

    private static func derived(_ fileKey: SymmetricKey, salt: [UInt8], _ info: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: fileKey, salt: salt, info: Array(info.utf8), outputByteCount: 32)
    }

    private static func chunkNonce(_ counter: UInt64, isLast: Bool) -> [UInt8] {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: counter >> UInt64(56 - 8 * $0)) }
        return [0, 0, 0] + bytes + [isLast ? 1 : 0]
    }

    private static func seal(
        _ plain: UnsafeRawBufferPointer,
        _ key: SymmetricKey,
        nonce: [UInt8]
    ) throws -> [UInt8] {
        let box = try ChaChaPoly.seal(plain, using: key, nonce: ChaChaPoly.Nonce(data: nonce))
        return Array(box.ciphertext) + Array(box.tag)
    }

    private static func open(_ sealed: ArraySlice<UInt8>, _ key: SymmetricKey, nonce: [UInt8]) throws -> Data {
        guard sealed.count >= tagSize else { throw damaged }
        let box = try ChaChaPoly.SealedBox(
            nonce: ChaChaPoly.Nonce(data: nonce),
            ciphertext: sealed.dropLast(tagSize),
            tag: sealed.suffix(tagSize)
        )
        return Data(try ChaChaPoly.open(box, using: key))
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let end = rest.prefix(1_024).firstIndex(of: 0x0A) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return String(validating: rest[..<end], as: UTF8.self)
    }

    /// Base 64 without padding (RFC 4648, section 4).
    private static func base64(_ bytes: [UInt8]) -> String {
        var text = Data(bytes).base64EncodedString()
        while text.hasSuffix("=") { text.removeLast() }
        return text
    }

    /// The bytes of canonical base 64 without padding.
    private static func decoded(_ text: String) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding), base64(Array(data)) == text else { return nil }
        return Array(data)
    }
}
