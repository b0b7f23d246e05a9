// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainMacFrontEnd

/// Shared code of the functions on keychain files.
enum FileCall {
    /// Performs an operation on the file-based keychains of the caller.
    ///
    /// - Returns: `errSecSuccess`, or the status of the thrown error.
    static func status(_ body: (FileBasedKeychain) throws(KeychainError) -> Void) -> OSStatus {
        FunctionCall.status { () throws(KeychainError) in try body(KeychainContext.inEffect.fileBased) }
    }

    /// Adds an item to a keychain file, or to the data protection keychain if that is the destination.
    static func add(_ dictionary: PropertyDictionary) -> OSStatus {
        let context = KeychainContext.inEffect
        let frontEnd = KeychainContext.frontEnd(context.backend, context.fileBased)
        var dictionary = dictionary
        dictionary[PropertyKey.useDataProtectionKeychain] = .boolean(false)
        let request = KeychainRequest(.add(dictionary), client: context.client)
        return FunctionCall.status { () throws(KeychainError) in _ = try frontEnd.perform(request) }
    }

    /// Whether this process may prompt for passwords of the user's own keychain files.
    static let interaction = UserInteraction()

    /// The bytes of a password or a name that a caller hands over.
    static func bytes(_ start: UnsafeRawPointer?, _ count: UInt32) -> SecretBytes {
        SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
    }

    /// A text that a caller hands over; `nil` without a pointer.
    static func text(_ start: UnsafePointer<CChar>?, _ count: UInt32) -> String? {
        guard let start else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }
}

extension FileBasedKeychain {
    /// The keychain of a path.
    func keychain(_ path: String) -> SecKeychain {
        preferences.place(of: path) == .dataProtection ? .standard : SecKeychain(path: path)
    }

    /// The path of a keychain as lists have it: of the data protection keychain that of the login keychain.
    func listedPath(_ keychain: SecKeychain) -> String { keychain.path ?? preferences.home.loginKeychainPath }

    /// The path of a keychain; of the default one without a keychain.
    ///
    /// - Throws: `errSecNoDefaultKeychain`; `errSecNoSuchKeychain` for the data protection keychain, which has no file.
    func path(_ keychain: SecKeychain?) throws(KeychainError) -> String {
        if let keychain {
            guard let path = keychain.path else {
                throw KeychainError(.noSuchKeychain, "the data protection keychain has no file")
            }
            return path
        }
        guard let path = try preferences.defaultKeychain() else { throw .noDefaultKeychain }
        return path
    }

    /// The keychain files of an argument, which is a `SecKeychain` or an array of them, as in a query.
    ///
    /// The data protection keychain, which may be among them, is omitted.
    ///
    /// - Throws: `errSecParam` for other objects.
    func searchList(_ argument: CFTypeRef) throws(KeychainError) -> PropertyValue {
        let keychains = try Members.required(argument, as: SecKeychain.self, named: "a keychain")
        return .array(keychains.compactMap(\.path).map { .keychain($0) })
    }

    /// The place of a keychain, or of the default one if `nil`: a file, or the data protection keychain for a login
    /// keychain without a file.
    ///
    /// - Throws: The errors of ``path(_:)``.
    func place(_ keychain: SecKeychain?) throws(KeychainError) -> SearchedKeychain {
        if keychain == .standard, preferences.loginHasDataProtection { return .dataProtection }
        return preferences.place(of: try path(keychain))
    }

    /// Carries out a call of an item function.
    func item(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        try perform(KeychainRequest(operation, client: KeychainContext.inEffect.client))
    }
}
