// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainMacFrontEnd

/// Adds a generic password to a keychain file; its label is the service.
///
/// - Parameters:
///   - keychain: the keychain; `nil` for the default one.
///   - serviceNameLength: the length of the service in bytes.
///   - serviceName: the service.
///   - accountNameLength: the length of the account in bytes.
///   - accountName: the account.
///   - passwordLength: the length of the password in bytes.
///   - passwordData: the password.
///   - itemRef: receives the item.
/// - Returns: `errSecSuccess`, `errSecDuplicateItem`, `errSecNoDefaultKeychain`, `errSecNoSuchKeychain`,
///   `errSecAuthFailed` for a locked keychain.
@discardableResult
public func SecKeychainAddGenericPassword(
    _ keychain: SecKeychain?,
    _ serviceNameLength: UInt32,
    _ serviceName: UnsafePointer<CChar>?,
    _ accountNameLength: UInt32,
    _ accountName: UnsafePointer<CChar>?,
    _ passwordLength: UInt32,
    _ passwordData: UnsafeRawPointer,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    var attributes = PropertyDictionary([PropertyKey.itemClass: .string(ItemClass.genericPassword.rawValue)])
    attributes.set("svce", FileCall.text(serviceName, serviceNameLength) ?? "")
    attributes.set("acct", FileCall.text(accountName, accountNameLength) ?? "")
    return add(attributes, password: FileCall.bytes(passwordData, passwordLength), to: keychain, itemRef: itemRef)
}

/// Finds a generic password in keychain files.
///
/// - Parameters:
///   - keychainOrArray: a keychain or an array of keychains to search; `nil` for the search list.
///   - serviceNameLength: the length of the service in bytes.
///   - serviceName: the service; `nil` for any.
///   - accountNameLength: the length of the account in bytes.
///   - accountName: the account; `nil` for any.
///   - passwordLength: the length of the password in bytes.
///   - passwordData: receives the password, for ``SecKeychainItemFreeContent(_:_:)``; `nil` for none.
///   - itemRef: receives the item.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecAuthFailed` for the password of a locked keychain,
///   `errSecParam` for other objects than keychains.
@discardableResult
public func SecKeychainFindGenericPassword(
    _ keychainOrArray: CFTypeRef?,
    _ serviceNameLength: UInt32,
    _ serviceName: UnsafePointer<CChar>?,
    _ accountNameLength: UInt32,
    _ accountName: UnsafePointer<CChar>?,
    _ passwordLength: UnsafeMutablePointer<UInt32>?,
    _ passwordData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    var query = PropertyDictionary([PropertyKey.itemClass: .string(ItemClass.genericPassword.rawValue)])
    query.addCondition(for: "svce", FileCall.text(serviceName, serviceNameLength))
    query.addCondition(for: "acct", FileCall.text(accountName, accountNameLength))
    return find(
        query,
        in: keychainOrArray,
        passwordLength: passwordLength,
        passwordData: passwordData,
        itemRef: itemRef
    )
}

/// Adds an internet password to a keychain file; its label is the server.
///
/// - Parameters:
///   - keychain: the keychain; `nil` for the default one.
///   - serverNameLength: the length of the server in bytes.
///   - serverName: the server.
///   - securityDomainLength: the length of the security domain in bytes.
///   - securityDomain: the security domain; `nil` for none.
///   - accountNameLength: the length of the account in bytes.
///   - accountName: the account.
///   - pathLength: the length of the path in bytes.
///   - path: the path; `nil` for none.
///   - port: the port; 0 for none.
///   - protocol: the protocol; `.any` for none.
///   - authenticationType: the type of authentication; `.any` for none.
///   - passwordLength: the length of the password in bytes.
///   - passwordData: the password.
///   - itemRef: receives the item.
/// - Returns: the statuses of ``SecKeychainAddGenericPassword(_:_:_:_:_:_:_:_:)``.
@discardableResult
public func SecKeychainAddInternetPassword(
    _ keychain: SecKeychain?,
    _ serverNameLength: UInt32,
    _ serverName: UnsafePointer<CChar>?,
    _ securityDomainLength: UInt32,
    _ securityDomain: UnsafePointer<CChar>?,
    _ accountNameLength: UInt32,
    _ accountName: UnsafePointer<CChar>?,
    _ pathLength: UInt32,
    _ path: UnsafePointer<CChar>?,
    _ port: UInt16,
    _ protocol: SecProtocolType,
    _ authenticationType: SecAuthenticationType,
    _ passwordLength: UInt32,
    _ passwordData: UnsafeRawPointer,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    var attributes = PropertyDictionary([PropertyKey.itemClass: .string(ItemClass.internetPassword.rawValue)])
    attributes.set("srvr", FileCall.text(serverName, serverNameLength) ?? "")
    attributes.set("sdmn", FileCall.text(securityDomain, securityDomainLength))
    attributes.set("acct", FileCall.text(accountName, accountNameLength) ?? "")
    attributes.set("path", FileCall.text(path, pathLength))
    attributes.set(port: port, `protocol`, authenticationType)
    return add(attributes, password: FileCall.bytes(passwordData, passwordLength), to: keychain, itemRef: itemRef)
}

/// Finds an internet password in keychain files.
///
/// - Parameters:
///   - keychainOrArray: a keychain or an array of keychains to search; `nil` for the search list.
///   - serverNameLength: the length of the server in bytes.
///   - serverName: the server.
///   - securityDomainLength: the length of the security domain in bytes.
///   - securityDomain: the security domain; `nil` for none.
///   - accountNameLength: the length of the account in bytes.
///   - accountName: the account.
///   - pathLength: the length of the path in bytes.
///   - path: the path; `nil` for none.
///   - port: the port; 0 for any.
///   - protocol: the protocol; `.any` for any.
///   - authenticationType: the type; `.any` for any.
///   - passwordLength: the length of the password in bytes.
///   - passwordData: receives the password, for ``SecKeychainItemFreeContent(_:_:)``; `nil` for none.
///   - itemRef: receives the item.
/// - Returns: the statuses of ``SecKeychainFindGenericPassword(_:_:_:_:_:_:_:_:)``. A text that is `nil` is any.
@discardableResult
public func SecKeychainFindInternetPassword(
    _ keychainOrArray: CFTypeRef?,
    _ serverNameLength: UInt32,
    _ serverName: UnsafePointer<CChar>?,
    _ securityDomainLength: UInt32,
    _ securityDomain: UnsafePointer<CChar>?,
    _ accountNameLength: UInt32,
    _ accountName: UnsafePointer<CChar>?,
    _ pathLength: UInt32,
    _ path: UnsafePointer<CChar>?,
    _ port: UInt16,
    _ protocol: SecProtocolType,
    _ authenticationType: SecAuthenticationType,
    _ passwordLength: UnsafeMutablePointer<UInt32>?,
    _ passwordData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    var query = PropertyDictionary([PropertyKey.itemClass: .string(ItemClass.internetPassword.rawValue)])
    query.addCondition(for: "srvr", FileCall.text(serverName, serverNameLength))
    query.addCondition(for: "sdmn", FileCall.text(securityDomain, securityDomainLength))
    query.addCondition(for: "acct", FileCall.text(accountName, accountNameLength))
    query.addCondition(for: "path", FileCall.text(path, pathLength))
    query.set(port: port, `protocol`, authenticationType)
    return find(
        query,
        in: keychainOrArray,
        passwordLength: passwordLength,
        passwordData: passwordData,
        itemRef: itemRef
    )
}

extension PropertyDictionary {
    fileprivate mutating func set(_ name: String, _ text: String?) {
        if let text { self[name] = .string(text) }
    }

    /// A condition; an empty text is any.
    fileprivate mutating func addCondition(for name: String, _ text: String?) {
        if let text, !text.isEmpty { self[name] = .string(text) }
    }

    fileprivate mutating func set(port: UInt16, _ type: SecProtocolType, _ authentication: SecAuthenticationType) {
        if port != 0 { self["port"] = .number(.integer(Int64(port))) }
        self["ptcl"] = type.fourCharacters
        self["atyp"] = authentication.fourCharacters
    }
}

private func add(
    _ attributes: PropertyDictionary,
    password: SecretBytes,
    to keychain: SecKeychain?,
    itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        var attributes = attributes
        attributes[PropertyKey.valueData] = .data(password)
        attributes[PropertyKey.useKeychain] = .keychain(try files.path(keychain))
        guard case .single(.reference(.keychainItem(let item))) = try files.item(.add(attributes)) else {
            throw .unexpectedReply
        }
        itemRef?.pointee = SecKeychainItem(item)
    }
}

private func find(
    _ query: PropertyDictionary,
    in keychains: CFTypeRef?,
    passwordLength: UnsafeMutablePointer<UInt32>?,
    passwordData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        var query = query
        if let keychains { query[PropertyKey.matchSearchList] = try files.searchList(keychains) }
        query[PropertyKey.returnReference] = .boolean(true)
        if passwordData != nil { query[PropertyKey.returnData] = .boolean(true) }
        var found: [String: PropertyValue] = [:]
        switch try files.item(.copyMatching(query)) {
        case .single(.dictionary(let entries)): found = entries
        case .single(.reference(let reference)): found[PropertyKey.valueReference] = .reference(reference)
        default: throw .unexpectedReply
        }
        if case .data(let secret)? = found[PropertyKey.valueData] {
            passwordLength?.pointee = UInt32(secret.count)
            passwordData?.pointee = HandedOver.copy(secret)
        }
        guard case .reference(.keychainItem(let item))? = found[PropertyKey.valueReference] else { return }
        itemRef?.pointee = SecKeychainItem(item)
    }
}
