// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore
import KeychainMacFrontEnd

/// The domain of a search list and a default keychain.
public enum SecPreferencesDomain: Int32, Sendable, Hashable, CaseIterable {
    /// Those of the user.
    case user = 0
    /// Those of the system.
    case system = 1
    /// The additional list of every user.
    case common = 2
    /// The keychains of hardware: none here.
    case dynamic = 3

    fileprivate var domain: KeychainPreferences.Domain {
        switch self {
        case .user: .user
        case .system: .system
        case .common: .common
        case .dynamic: .dynamic
        }
    }
}

/// The default keychain, in which items are added.
///
/// - Important: Differs from Apple: the login keychain without a file is the data protection keychain, and so is the
///   default one if the user has none and the macOS front end is off, as a destination for imports.
///
/// - Parameter keychain: receives the keychain.
/// - Returns: `errSecSuccess`; `errSecNoDefaultKeychain`.
@discardableResult
public func SecKeychainCopyDefault(_ keychain: UnsafeMutablePointer<SecKeychain?>) -> OSStatus {
    let isFileNeeded = KeychainContext.inEffect.hasFrontEnd
    return FileCall.status { (files) throws(KeychainError) in
        do throws(KeychainError) {
            keychain.pointee = files.keychain(try files.path(nil))
        } catch {
            guard error.status == .noDefaultKeychain, !isFileNeeded else { throw error }
            keychain.pointee = .standard
        }
    }
}

/// Chooses the default keychain.
///
/// - Returns: `errSecSuccess`; `errSecParam` without a keychain; `errSecNoSuchKeychain` for one without a file.
@discardableResult
public func SecKeychainSetDefault(_ keychain: SecKeychain?) -> OSStatus {
    SecKeychainSetDomainDefault(.user, keychain)
}

/// The default keychain of a domain.
///
/// - Returns: `errSecSuccess`; `errSecNoDefaultKeychain`.
@discardableResult
public func SecKeychainCopyDomainDefault(
    _ domain: SecPreferencesDomain,
    _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        guard let path = try files.preferences.defaultKeychain(domain.domain) else {
            throw .noDefaultKeychain
        }
        keychain.pointee = files.keychain(path)
    }
}

/// Chooses the default keychain of a domain.
///
/// - Returns: as ``SecKeychainSetDefault(_:)``.
@discardableResult
public func SecKeychainSetDomainDefault(_ domain: SecPreferencesDomain, _ keychain: SecKeychain?) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        guard let keychain else { throw .parameter("there is no keychain to choose") }
        try files.preferences.setDefaultKeychain(files.listedPath(keychain), domain.domain)
    }
}

/// The searched keychains in order, including the data protection keychain if it is searched.
///
/// - Parameter searchList: receives an array of them.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainCopySearchList(_ searchList: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        searchList.pointee = keychains(try files.preferences.searched())
    }
}

/// Replaces the search list; the files need not exist.
///
/// - Returns: `errSecSuccess`; `errSecParam` for an array of other objects.
@discardableResult
public func SecKeychainSetSearchList(_ searchList: CFArray) -> OSStatus {
    SecKeychainSetDomainSearchList(.user, searchList)
}

/// The keychains of a domain that are searched, in their order.
@discardableResult
public func SecKeychainCopyDomainSearchList(
    _ domain: SecPreferencesDomain,
    _ searchList: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        var paths = try files.preferences.searchList(domain.domain)
        let login = files.preferences.home.loginKeychainPath
        if domain == .user, !paths.contains(login), try files.preferences.searched().contains(.dataProtection) {
            paths.append(login)
        }
        searchList.pointee = keychains(paths.map(files.preferences.place))
    }
}

/// Replaces the keychains of a domain that are searched.
///
/// - Returns: as ``SecKeychainSetSearchList(_:)``.
@discardableResult
public func SecKeychainSetDomainSearchList(_ domain: SecPreferencesDomain, _ searchList: CFArray) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        guard let keychains = Members.of(searchList, SecKeychain.self) else {
            throw .parameter("the search list has something else than keychains")
        }
        try files.preferences.setSearchList(keychains.map(files.listedPath), domain.domain)
    }
}

private func keychains(_ places: [SearchedKeychain]) -> CFArray {
    let keychains = places.map { place in
        switch place {
        case .file(let path): SecKeychain(path: path)
        case .dataProtection: SecKeychain.standard
        }
    }
    return NSArray(array: keychains)
}
