// SPDX-License-Identifier: Apache-2.0

/// A result code of the Security framework, which Apple calls an `OSStatus`.
///
/// Any number is a valid value. Names and messages come from ``StatusTable``.
package struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number, as a C caller sees it.
    package var rawValue: Int32

    /// Creates a status from its number.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The C name, for example `errSecItemNotFound`, or `OSStatus -1234` for a code that has none.
    package var description: String {
        StatusTable.row(code: rawValue)?.name ?? "OSStatus \(rawValue)"
    }

    /// The message for users, or nil if Apple's list has none for the code.
    ///
    /// - Note: Source: the comments of SecBase.h, from which `SecCopyErrorMessageString` takes its text.
    package var message: String? {
        StatusTable.row(code: rawValue)?.message
    }
}

// The codes that the engine itself returns.
extension Status {
    /// No error.
    package static let success = Status(rawValue: 0)

    /// The function or operation is not implemented.
    package static let unimplemented = Status(rawValue: -4)

    /// The disk is full.
    package static let diskFull = Status(rawValue: -34)

    /// Reading or writing failed.
    package static let io = Status(rawValue: -36)

    /// A file must not be written: `errSecWrPerm`.
    package static let writePermission = Status(rawValue: -61)

    /// A parameter is not valid: `errSecParam`.
    package static let parameter = Status(rawValue: -50)

    /// Memory could not be allocated.
    package static let allocate = Status(rawValue: -108)

    /// The user canceled the operation.
    package static let userCanceled = Status(rawValue: -128)

    /// A component failed inside.
    package static let internalComponent = Status(rawValue: -2070)

    /// An entitlement is missing.
    package static let missingEntitlement = Status(rawValue: -34018)

    /// The client may not perform the operation.
    package static let restrictedAPI = Status(rawValue: -34020)

    /// No keychain is available.
    package static let notAvailable = Status(rawValue: -25291)

    /// The keychain cannot be modified.
    package static let readOnly = Status(rawValue: -25292)

    /// Authentication failed: `errSecAuthFailed`.
    package static let authenticationFailed = Status(rawValue: -25293)

    /// There is no such keychain file.
    package static let noSuchKeychain = Status(rawValue: -25294)

    /// A file is not a keychain.
    package static let invalidKeychain = Status(rawValue: -25295)

    /// There is a keychain of the same name already.
    package static let duplicateKeychain = Status(rawValue: -25296)

    /// The program may not change who owns the item: `errSecInvalidOwnerEdit`.
    package static let invalidOwnerEdit = Status(rawValue: -25244)

    /// An entry of an access list cannot be used: `errSecInvalidACL`.
    package static let invalidACL = Status(rawValue: -67702)

    /// The item exists already.
    package static let duplicateItem = Status(rawValue: -25299)

    /// No item was found.
    package static let itemNotFound = Status(rawValue: -25300)

    /// The data is too large.
    package static let dataTooLarge = Status(rawValue: -25302)

    /// The attribute does not exist: `errSecNoSuchAttr`.
    package static let noSuchAttribute = Status(rawValue: -25303)

    /// The item no longer exists: `errSecInvalidItemRef`.
    package static let invalidItemReference = Status(rawValue: -25304)

    /// The item class does not exist.
    package static let noSuchClass = Status(rawValue: -25306)

    /// No keychain file is the default.
    package static let noDefaultKeychain = Status(rawValue: -25307)

    /// User interaction is needed and not allowed.
    package static let interactionNotAllowed = Status(rawValue: -25308)

    /// Data could not be decoded.
    package static let decode = Status(rawValue: -26275)

    /// An internal failure: the private code `errSecInternal`.
    package static let `internal` = Status(rawValue: -26276)
}
