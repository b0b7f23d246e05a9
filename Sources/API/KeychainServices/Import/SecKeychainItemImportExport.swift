// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Parameters for the older functions that import or export keys.
///
/// Only `flags` and `passphrase` have an effect.
public struct SecKeyImportExportParameters {
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
    /// The permitted uses of imported keys, as bits.
    public var keyUsage: UInt32
    /// The attributes of imported keys, as bits.
    public var keyAttributes: UInt32

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
        keyUsage: UInt32 = 0,
        keyAttributes: UInt32 = 0
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

    /// The same for the newer functions.
    fileprivate var itemParameters: SecItemImportExportKeyParameters {
        SecItemImportExportKeyParameters(version: version, flags: flags, passphrase: passphrase)
    }
}

/// Reads certificates and keys from a file, with the older parameters.
///
/// - Returns: The same as ``SecItemImport(_:_:_:_:_:_:_:_:)``.
@discardableResult
public func SecKeychainItemImport(
    _ importedData: CFData,
    _ fileNameOrExtension: CFString?,
    _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecKeyImportExportParameters>?,
    _ importKeychain: SecKeychain?,
    _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    withItemParameters(keyParams) { parameters in
        SecItemImport(
            importedData,
            fileNameOrExtension,
            inputFormat,
            itemType,
            flags,
            parameters,
            importKeychain,
            outItems
        )
    }
}

/// Writes certificates and keys to a file, with the older parameters.
///
/// - Returns: The same as ``SecItemExport(_:_:_:_:_:)``.
@discardableResult
public func SecKeychainItemExport(
    _ keychainItemOrArray: CFTypeRef,
    _ outputFormat: SecExternalFormat,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecKeyImportExportParameters>?,
    _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    withItemParameters(keyParams) { parameters in
        SecItemExport(keychainItemOrArray, outputFormat, flags, parameters, exportedData)
    }
}

/// Lends the parameters in the form of the newer functions; none stay none.
private func withItemParameters(
    _ parameters: UnsafePointer<SecKeyImportExportParameters>?,
    _ body: (UnsafePointer<SecItemImportExportKeyParameters>?) -> OSStatus
) -> OSStatus {
    guard let parameters else { return body(nil) }
    return withUnsafePointer(to: parameters.pointee.itemParameters) { body($0) }
}
