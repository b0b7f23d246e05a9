// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainContainers
import KeychainCore

/// The version of the parameters.
public let SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION: Int32 = 0

/// Parameters for importing or exporting keys.
///
/// Only `flags` and `passphrase` have an effect.
public struct SecItemImportExportKeyParameters {
    /// The version: 0.
    public var version: UInt32
    /// How keys are treated.
    public var flags: SecKeyImportExportFlags
    /// A string, or data with UTF-8.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// The title of a question for the passphrase.
    public var alertTitle: Unmanaged<CFString>?
    /// The text of a question for the passphrase.
    public var alertPrompt: Unmanaged<CFString>?
    /// The access control list of imported keys.
    public var accessRef: Unmanaged<SecAccess>?
    /// The permitted uses of imported keys.
    public var keyUsage: Unmanaged<CFArray>?
    /// The attributes of imported keys.
    public var keyAttributes: Unmanaged<CFArray>?

    /// Creates empty parameters.
    public init() { self.init(version: 0, flags: [], passphrase: nil) }

    /// Parameters from their parts.
    public init(
        version: UInt32,
        flags: SecKeyImportExportFlags,
        passphrase: Unmanaged<CFTypeRef>?,
        alertTitle: Unmanaged<CFString>? = nil,
        alertPrompt: Unmanaged<CFString>? = nil,
        accessRef: Unmanaged<SecAccess>? = nil,
        keyUsage: Unmanaged<CFArray>? = nil,
        keyAttributes: Unmanaged<CFArray>? = nil
    ) {
        self.version = version
        self.flags = flags
        self.passphrase = passphrase
        self.alertTitle = alertTitle
        self.alertPrompt = alertPrompt
        self.accessRef = accessRef
        self.keyUsage = keyUsage
        self.keyAttributes = keyAttributes
    }

    /// The passphrase as text; `nil` without one.
    ///
    /// - Throws: `errSecInvalidPasswordRef` for an object that is neither a string nor UTF-8 data.
    func passphraseText() throws(KeychainError) -> String? {
        switch passphrase?.takeUnretainedValue() {
        case nil: return nil
        case let text as NSString: return text as String
        case let data as NSData:
            guard let text = String(data: data as Data, encoding: .utf8) else {
                throw KeychainError(.invalidPassword, "the passphrase is not UTF-8")
            }
            return text
        default: throw KeychainError(.invalidPassword, "the passphrase is neither a string nor data")
        }
    }
}
