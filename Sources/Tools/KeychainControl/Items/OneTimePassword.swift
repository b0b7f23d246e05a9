// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// A key for one-time passwords (RFC 4226, RFC 6238), from a URI `otpauth://TYPE/LABEL?secret=KEY` as QR pictures have
/// it (Google Authenticator, "Key URI Format").
struct OneTimePassword: Sendable {
    private let key: SymmetricKey
    private let algorithm: Algorithm
    private let digits: Int
    let moving: MovingFactor

    /// What changes from one password to the next.
    enum MovingFactor: Hashable, Sendable {
        /// The time (RFC 6238), in steps of so many seconds.
        case time(period: Int)
        /// The next value of a counter (RFC 4226).
        case counter(UInt64)
    }

    private enum Algorithm: String {
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
    }

    private static let prefix = "otpauth://"

    /// The fewest bits of a key that is no URI: 16 characters.
    private static let minimumBitCount = 80

    /// Whether a secret is a URI of this form; a key alone may be any word.
    static func isURI(_ secret: SecretBytes) -> Bool {
        let beginning = secret.withUnsafeBytes { String(decoding: $0.prefix(prefix.utf8.count), as: UTF8.self) }
        return beginning.lowercased() == prefix && (try? OneTimePassword(secret)) != nil
    }

    /// Reads the secret of an item: such a URI, or the key alone in base 32 (RFC 4648), for six digits of SHA-1 every
    /// 30 seconds.
    ///
    /// - Throws: ``Refusal``, which does not repeat anything of it.
    init(_ secret: SecretBytes) throws(Refusal) {
        guard let text = secret.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw Self.failure("is not UTF-8")
        }
        let uri = text.split(whereSeparator: \.isWhitespace).joined()
        guard uri.lowercased().hasPrefix(Self.prefix) else {
            key = try Self.key(uri)
            // RFC 4226, section 4 (R6) wants 128 bits, and many services give 80: fewer are a word, or cut off.
            guard key.bitCount >= Self.minimumBitCount else { throw Self.failure("has fewer than 16 characters") }
            (algorithm, digits, moving) = (.sha1, 6, .time(period: 30))
            return
        }
        let rest = uri.dropFirst(Self.prefix.count)
        let parameters = try Self.parameters(rest)
        key = try Self.key(parameters["secret"] ?? "")
        guard let algorithm = Algorithm(rawValue: (parameters["algorithm"] ?? "SHA1").uppercased()) else {
            throw Self.failure("has another algorithm than SHA1, SHA256 and SHA512")
        }
        self.algorithm = algorithm
        guard let digits = Int(parameters["digits"] ?? "6"), (6...8).contains(digits) else {
            throw Self.failure("has a number of digits other than 6 to 8")
        }
        self.digits = digits
        switch rest.prefix(while: { $0 != "/" && $0 != "?" }).lowercased() {
        case "totp":
            guard let period = Int(parameters["period"] ?? "30"), (1...86_400).contains(period) else {
                throw Self.failure("has no period in seconds")
            }
            moving = .time(period: period)
        case "hotp":
            guard let counter = parameters["counter"].flatMap(UInt64.init), counter < .max else {
                throw Self.failure("has no counter")
            }
            moving = .counter(counter)
        default: throw Self.failure("is of another type than totp and hotp")
        }
    }

    /// The password at a time.
    ///
    /// - Parameter seconds: the time, in seconds since 1970.
    /// - Returns: The password.
    /// - Throws: ``Refusal`` for a key with a counter.
    func code(at seconds: Int) throws(Refusal) -> String {
        guard case .time(let period) = moving else {
            throw Refusal("the key has a counter: 'keychainctl otp' counts it on")
        }
        return code(of: UInt64(max(seconds, 0) / period))
    }

    /// The password of a value of the counter, or of a step of time (RFC 4226, section 5.3).
    func code(of counter: UInt64) -> String {
        let message = withUnsafeBytes(of: counter.bigEndian) { Array($0) }
        let hash: [UInt8] =
            switch algorithm {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        let offset = Int(hash[hash.count - 1] & 0x0F)
        let number = hash[offset..<offset + 4].reduce(0) { $0 << 8 | UInt64($1) } & 0x7FFF_FFFF
        let code = "\(number % (0..<digits).reduce(1) { power, _ in power * 10 })"
        return String(repeating: "0", count: digits - code.utf8.count) + code
    }

    /// The URI of an item with another counter.
    static func uri(_ secret: SecretBytes, counter: UInt64) throws(Refusal) -> SecretBytes {
        guard let text = secret.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw failure("is not UTF-8")
        }
        let parts = text.split(separator: "?", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw failure("has no parameters") }
        let parameters = parts[1].split(separator: "&").map { parameter in
            parameter.lowercased().hasPrefix("counter=") ? "counter=\(counter)" : String(parameter)
        }
        return SecretBytes(Array("\(parts[0])?\(parameters.joined(separator: "&"))".utf8))
    }

    private static func parameters(_ rest: Substring) throws(Refusal) -> [String: String] {
        var parameters: [String: String] = [:]
        guard let mark = rest.firstIndex(of: "?") else { return parameters }
        for parameter in rest[rest.index(after: mark)...].split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard let name = parts.first, let value = PercentEncoding.decoded(parts.count > 1 ? parts[1] : ""),
                let text = String(validating: value.unprotectedCopy, as: UTF8.self)
            else { throw failure("has a parameter that is not percent-encoded UTF-8") }
            guard parameters.updateValue(text, forKey: name.lowercased()) == nil else {
                throw failure("has a parameter twice")
            }
        }
        return parameters
    }

    private static func key(_ text: String) throws(Refusal) -> SymmetricKey {
        guard let bytes = Base32.decoded(text), !bytes.isEmpty else { throw failure("has no key in base 32") }
        return SymmetricKey(data: bytes)
    }

    private static func failure(_ what: String) -> Refusal {
        Refusal("the secret is no key for one-time passwords: it \(what)")
    }
}
