// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainMacFrontEnd

/// Creates a keychain file; it stays unlocked.
///
/// A keychain named `login.keychain` in the user's folder is added to the search list, and becomes the default if there
/// is none; others have to be added (``SecKeychainSetSearchList(_:)``).
///
/// - Parameters:
///   - pathName: the path, or a name in the folder of the user's keychains.
///   - passwordLength: the length of the password in bytes.
///   - password: the password.
///   - promptUser: whether to prompt for the password, which is not supported here.
///   - initialAccess: ignored.
///   - keychain: receives the keychain.
/// - Returns: `errSecSuccess`, `errSecDuplicateKeychain`, `errSecInteractionNotAllowed` for a prompt, `errSecParam`
///   without a password.
@discardableResult
public func SecKeychainCreate(
    _ pathName: UnsafePointer<CChar>,
    _ passwordLength: UInt32,
    _ password: UnsafeRawPointer?,
    _ promptUser: Bool,
    _ initialAccess: SecAccess?,
    _ keychain: UnsafeMutablePointer<SecKeychain?>?
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        guard !promptUser else { throw .noPrompt }
        guard password != nil || passwordLength == 0 else { throw .parameter("there is no password") }
        let path = files.preferences.home.newKeychainPath(String(cString: pathName))
        try files.files.create(at: path, password: FileCall.bytes(password, passwordLength))
        try files.preferences.recordCreation(of: path)
        keychain?.pointee = SecKeychain(path: path)
    }
}

/// A keychain by its path; the file need not exist.
///
/// - Parameters:
///   - pathName: the path, or a name in the folder of the user's keychains.
///   - keychain: receives the keychain.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainOpen(
    _ pathName: UnsafePointer<CChar>,
    _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        keychain.pointee = files.keychain(files.preferences.home.keychainPath(String(cString: pathName)))
    }
}

/// Removes a keychain file with its contents, also from the search list; if it was the default keychain, there is then
/// none.
///
/// - Returns: `errSecSuccess`, `errSecNoSuchKeychain`, `errSecInvalidKeychain` for a file that is not a keychain.
@discardableResult
public func SecKeychainDelete(_ keychainOrArray: SecKeychain?) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        guard let keychainOrArray else { throw KeychainError(.invalidKeychain, "there is no keychain to remove") }
        let path = try files.path(keychainOrArray)
        try files.files.delete(at: path)
        try files.preferences.recordRemoval(of: path)
    }
}

/// Locks a keychain, or the default one if `nil`, for every program of the user.
///
/// - Returns: `errSecSuccess`, `errSecNoSuchKeychain`, `errSecNoDefaultKeychain`; one of the latter two also for the
///   data protection keychain without a passcode.
@discardableResult
public func SecKeychainLock(_ keychain: SecKeychain?) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        try files.whole.lock(try files.place(keychain), isNamed: keychain != nil)
    }
}

/// Locks every keychain file, and the data protection keychain if it is searched as the login keychain.
@discardableResult
public func SecKeychainLockAll() -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in try files.whole.lockAll() }
}

/// Unlocks a keychain, or the default one if `nil`, for every program of the user.
///
/// For the data protection keychain, the password is the passcode; if none is set, any password is accepted. The unlock
/// ends with this program if no service owns that keychain.
///
/// - Parameters:
///   - keychain: the keychain.
///   - passwordLength: the length of the password in bytes.
///   - password: the password; it is also checked while the keychain is unlocked.
///   - usePassword: whether there is one; the user cannot be prompted here, so without it the keychain has to be
///     unlocked already.
/// - Returns: `errSecSuccess`, `errSecAuthFailed` for a wrong password, `errSecInteractionNotAllowed` without one,
///   `errSecNoSuchKeychain`, `errSecNoDefaultKeychain`.
@discardableResult
public func SecKeychainUnlock(
    _ keychain: SecKeychain?,
    _ passwordLength: UInt32,
    _ password: UnsafeRawPointer?,
    _ usePassword: Bool
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        let place = try files.place(keychain)
        guard usePassword else {
            guard try files.whole.status(place).isLocked else { return }
            throw .noPrompt
        }
        _ = try files.whole.unlock(place, password: FileCall.bytes(password, passwordLength))
    }
}

/// Sets when a keychain, which has to be unlocked, locks automatically.
///
/// - Parameters:
///   - keychain: the keychain; `nil` for the default one.
///   - newSettings: the settings; `UInt32.max` seconds without use mean never.
/// - Returns: `errSecSuccess`, `errSecInteractionNotAllowed` for a locked keychain, `errSecNoSuchKeychain`.
@discardableResult
public func SecKeychainSetSettings(
    _ keychain: SecKeychain?,
    _ newSettings: UnsafePointer<SecKeychainSettings>
) -> OSStatus {
    let settings = newSettings.pointee.value
    return FileCall.status { (files) throws(KeychainError) in
        try files.whole.setSettings(settings, of: try files.place(keychain))
    }
}

/// Returns when a keychain, which has to be unlocked, locks automatically.
///
/// - Parameters:
///   - keychain: the keychain; `nil` for the default one.
///   - outSettings: receives the settings.
/// - Returns: `errSecSuccess`, `errSecAuthFailed` for a locked keychain, `errSecNoSuchKeychain`.
@discardableResult
public func SecKeychainCopySettings(
    _ keychain: SecKeychain?,
    _ outSettings: UnsafeMutablePointer<SecKeychainSettings>
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        let status = try files.whole.status(try files.place(keychain))
        guard !status.isLocked else {
            throw KeychainError(.authenticationFailed, "the settings of a locked keychain cannot be read")
        }
        outSettings.pointee = SecKeychainSettings(status.settings)
    }
}

/// Whether a keychain is unlocked, and whether it can be read and written.
///
/// - Parameters:
///   - keychain: the keychain; `nil` for the default one.
///   - keychainStatus: receives the flags: `kSecUnlockStateStatus`, `kSecReadPermStatus`, `kSecWritePermStatus`.
/// - Returns: `errSecSuccess`, `errSecNoSuchKeychain`, `errSecInvalidKeychain`.
@discardableResult
public func SecKeychainGetStatus(
    _ keychain: SecKeychain?,
    _ keychainStatus: UnsafeMutablePointer<SecKeychainStatus>
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        let place = try files.place(keychain)
        var flags = kSecReadPermStatus
        if !(try files.whole.status(place).isLocked) { flags |= kSecUnlockStateStatus }
        let isWritable =
            switch place {
            case .file(let path): FileManager.default.isWritableFile(atPath: path)
            case .dataProtection: true
            }
        if isWritable { flags |= kSecWritePermStatus }
        keychainStatus.pointee = flags
    }
}

/// The path of a keychain, with a zero at its end; of the data protection keychain that of the login keychain.
///
/// - Parameters:
///   - keychain: the keychain; `nil` for the default one.
///   - ioPathLength: the size of the buffer; receives the length of the path, without the zero.
///   - pathName: receives the path.
/// - Returns: `errSecSuccess`, `errSecBufferTooSmall`, `errSecNoDefaultKeychain`.
@discardableResult
public func SecKeychainGetPath(
    _ keychain: SecKeychain?,
    _ ioPathLength: UnsafeMutablePointer<UInt32>,
    _ pathName: UnsafeMutablePointer<CChar>
) -> OSStatus {
    let room = Int(ioPathLength.pointee)
    var isTooLong = false
    let status = FileCall.status { (files) throws(KeychainError) in
        let path = if let keychain { files.listedPath(keychain) } else { try files.path(nil) }
        ioPathLength.pointee = UInt32(path.utf8.count)
        isTooLong = path.utf8.count + 1 > room
        guard !isTooLong else { return }
        path.withCString { pathName.update(from: $0, count: path.utf8.count + 1) }
    }
    return isTooLong ? errSecBufferTooSmall : status
}

/// Sets whether the user may be prompted for a password: if so, a locked keychain is `errSecAuthFailed`, and else
/// `errSecInteractionNotAllowed`.
@discardableResult
public func SecKeychainSetUserInteractionAllowed(_ state: Bool) -> OSStatus {
    KeychainContext.inEffect.fileBased.interaction.isAllowed = state
    return errSecSuccess
}

/// Whether the user may be prompted for a password.
@discardableResult
public func SecKeychainGetUserInteractionAllowed(_ state: UnsafeMutablePointer<Bool>) -> OSStatus {
    state.pointee = KeychainContext.inEffect.fileBased.interaction.isAllowed
    return errSecSuccess
}

/// The version of the functions on keychain files, as macOS gives it.
@discardableResult
public func SecKeychainGetVersion(_ returnVers: UnsafeMutablePointer<UInt32>) -> OSStatus {
    returnVers.pointee = 0x0202_8000
    return errSecSuccess
}

extension KeychainError {
    static let noPrompt = KeychainError(
        .interactionNotAllowed,
        "there is no prompt for the password of a keychain file; pass it to the function"
    )
}
