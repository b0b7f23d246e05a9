// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import KeychainCore
import KeychainMacFrontEnd

/// Adds an item to a keychain file.
///
/// - Parameters:
///   - itemClass: its class.
///   - attrList: its attributes.
///   - length: the length of the data in bytes.
///   - data: the data.
///   - keychainRef: the keychain; `nil` for the default one.
///   - initialAccess: the access list of the item; `nil` for this program alone.
///   - itemRef: receives the item.
/// - Returns: `errSecSuccess`, `errSecDuplicateItem`, `errSecNoSuchAttr`, `errSecNoDefaultKeychain`.
@discardableResult
public func SecKeychainItemCreateFromContent(
    _ itemClass: SecItemClass,
    _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>,
    _ length: UInt32,
    _ data: UnsafeRawPointer?,
    _ keychainRef: SecKeychain?,
    _ initialAccess: SecAccess?,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        var item = PropertyDictionary(try attrList.pointee.entries())
        item[PropertyKey.itemClass] = .string(itemClass.itemClass.rawValue)
        item[PropertyKey.valueData] = .data(FileCall.bytes(data, length))
        item[PropertyKey.useKeychain] = .keychain(try files.path(keychainRef))
        if let initialAccess { item[PropertyKey.access] = .access(initialAccess.value) }
        item[PropertyKey.returnPersistentReference] = .boolean(true)
        guard case .single(.data(let reference)) = try files.item(.add(item)) else { throw .unexpectedReply }
        itemRef?.pointee = FileBasedKeychain.item(reference).map { SecKeychainItem($0) }
    }
}

/// Removes an item.
///
/// - Returns: `errSecSuccess`; `errSecInvalidItemRef` for one that does not exist; `errSecInvalidOwnerEdit` for a
///   password that this program may not decrypt.
@discardableResult
public func SecKeychainItemDelete(_ itemRef: SecKeychainItem) -> OSStatus {
    itemRef.status { (call) throws(KeychainError) in _ = try call.perform(.delete(call.query)) }
}

/// Changes attributes and data of an item.
///
/// - Parameters:
///   - itemRef: the item.
///   - attrList: the new attributes; `nil` for none.
///   - length: the length of the data in bytes.
///   - data: the new data; `nil` for none.
/// - Returns: `errSecSuccess`, `errSecInvalidItemRef`, `errSecDuplicateItem`, `errSecNoSuchAttr`.
@discardableResult
public func SecKeychainItemModifyAttributesAndData(
    _ itemRef: SecKeychainItem,
    _ attrList: UnsafePointer<SecKeychainAttributeList>?,
    _ length: UInt32,
    _ data: UnsafeRawPointer?
) -> OSStatus {
    itemRef.status { (call) throws(KeychainError) in
        var changes = PropertyDictionary(try attrList?.pointee.entries() ?? [:])
        if let data { changes[PropertyKey.valueData] = .data(FileCall.bytes(data, length)) }
        guard !changes.entries.isEmpty else { return }
        _ = try call.perform(.update(call.query, attributes: changes))
    }
}

/// As ``SecKeychainItemModifyAttributesAndData(_:_:_:_:)``.
@discardableResult
public func SecKeychainItemModifyContent(
    _ itemRef: SecKeychainItem,
    _ attrList: UnsafePointer<SecKeychainAttributeList>?,
    _ length: UInt32,
    _ data: UnsafeRawPointer?
) -> OSStatus {
    SecKeychainItemModifyAttributesAndData(itemRef, attrList, length, data)
}

/// Returns the class, the attributes and the data of an item.
///
/// - Parameters:
///   - itemRef: the item.
///   - itemClass: receives the class.
///   - attrList: a list with the tags of the requested attributes, which receives their values. Free them and the data
///     with ``SecKeychainItemFreeContent(_:_:)``.
///   - length: receives the number of bytes.
///   - outData: receives the data; `nil` for none.
/// - Returns: `errSecSuccess`, `errSecInvalidItemRef`, `errSecAuthFailed` for the data of a locked keychain.
@discardableResult
public func SecKeychainItemCopyContent(
    _ itemRef: SecKeychainItem,
    _ itemClass: UnsafeMutablePointer<SecItemClass>?,
    _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>?,
    _ length: UnsafeMutablePointer<UInt32>?,
    _ outData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> OSStatus {
    itemRef.status { (call) throws(KeychainError) in
        let found = try call.contents(withData: outData != nil)
        itemClass?.pointee = SecItemClass(itemRef.reference.itemClass, found.attributes)
        attrList?.pointee.fill(found.attributes)
        guard let outData else { return }
        length?.pointee = UInt32(found.data.count)
        outData.pointee = HandedOver.copy(found.data)
    }
}

/// Frees the results of ``SecKeychainItemCopyContent(_:_:_:_:_:)`` and of the functions that find passwords; the memory
/// is overwritten.
@discardableResult
public func SecKeychainItemFreeContent(
    _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>?,
    _ data: UnsafeMutableRawPointer?
) -> OSStatus {
    if let attrList { HandedOver.freeValues(of: attrList.pointee) }
    HandedOver.free(data)
    return errSecSuccess
}

/// Returns the class, the attributes and the data of an item.
///
/// - Parameters:
///   - itemRef: the item.
///   - info: the requested attributes; `nil` for none.
///   - itemClass: receives the class.
///   - attrList: receives a list of the attributes. Free it and the data with
///     ``SecKeychainItemFreeAttributesAndData(_:_:)``.
///   - length: receives the number of bytes.
///   - outData: receives the data; `nil` for none.
/// - Returns: the statuses of ``SecKeychainItemCopyContent(_:_:_:_:_:)``.
@discardableResult
public func SecKeychainItemCopyAttributesAndData(
    _ itemRef: SecKeychainItem,
    _ info: UnsafeMutablePointer<SecKeychainAttributeInfo>?,
    _ itemClass: UnsafeMutablePointer<SecItemClass>?,
    _ attrList: UnsafeMutablePointer<UnsafeMutablePointer<SecKeychainAttributeList>?>?,
    _ length: UnsafeMutablePointer<UInt32>?,
    _ outData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> OSStatus {
    guard let info, let attrList else {
        return SecKeychainItemCopyContent(itemRef, itemClass, nil, length, outData)
    }
    let count = Int(info.pointee.count)
    let list = UnsafeMutablePointer<SecKeychainAttributeList>.allocate(capacity: 1)
    let attributes = UnsafeMutablePointer<SecKeychainAttribute>.allocate(capacity: max(1, count))
    for index in 0..<count {
        (attributes + index).initialize(
            to: SecKeychainAttribute(tag: info.pointee.tag[index], length: 0, data: nil)
        )
    }
    list.initialize(to: SecKeychainAttributeList(count: UInt32(count), attr: attributes))
    let status = SecKeychainItemCopyContent(itemRef, itemClass, list, length, outData)
    if status == errSecSuccess { attrList.pointee = list } else { SecKeychainItemFreeAttributesAndData(list, nil) }
    return status
}

/// Gives back what ``SecKeychainItemCopyAttributesAndData(_:_:_:_:_:_:)`` gave; the memory is overwritten.
@discardableResult
public func SecKeychainItemFreeAttributesAndData(
    _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>?,
    _ data: UnsafeMutableRawPointer?
) -> OSStatus {
    if let attrList {
        HandedOver.freeValues(of: attrList.pointee)
        attrList.pointee.attr?.deallocate()
        attrList.deallocate()
    }
    HandedOver.free(data)
    return errSecSuccess
}

/// The keychain of an item.
///
/// - Returns: `errSecSuccess`; `errSecNoSuchKeychain` for a password of the data protection keychain.
@discardableResult
public func SecKeychainItemCopyKeychain(
    _ itemRef: SecKeychainItem,
    _ keychainRef: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    guard !itemRef.reference.keychain.isEmpty else { return errSecNoSuchKeychain }
    keychainRef.pointee = SecKeychain(path: itemRef.reference.keychain)
    return errSecSuccess
}

/// Returns the access list of an item.
///
/// - Returns: `errSecSuccess`, `errSecInvalidItemRef`, `errSecInteractionNotAllowed` for a locked keychain.
@discardableResult
public func SecKeychainItemCopyAccess(
    _ itemRef: SecKeychainItem,
    _ access: UnsafeMutablePointer<SecAccess?>
) -> OSStatus {
    let reference = itemRef.reference
    guard !reference.keychain.isEmpty else { return errSecInvalidItemRef }
    return FileCall.status { (files) throws(KeychainError) in
        access.pointee = SecAccess(try files.files.access(of: reference.identifier, at: reference.keychain))
    }
}

/// Replaces the access list of an item; a list without a partition list leaves that of the item unchanged.
///
/// - Returns: the statuses of ``SecKeychainItemCopyAccess(_:_:)``; `errSecInteractionNotAllowed` for a partition list
///   other than the item's, for which macOS prompts for the password of the keychain.
@discardableResult
public func SecKeychainItemSetAccess(_ itemRef: SecKeychainItem, _ access: SecAccess) -> OSStatus {
    itemRef.status { (call) throws(KeychainError) in
        let changes = PropertyDictionary([PropertyKey.access: .access(access.value)])
        _ = try call.perform(.update(call.query, attributes: changes))
    }
}

/// A persistent reference of an item.
@discardableResult
public func SecKeychainItemCreatePersistentReference(
    _ itemRef: SecKeychainItem,
    _ persistentItemRef: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    let bytes = itemRef.reference.dataProtectionReference ?? FileBasedKeychain.persistentReference(itemRef.reference)
    persistentItemRef.pointee = bytes.withUnsafeBytes { NSData(data: Data($0)) }
    return errSecSuccess
}

/// The item of a persistent reference.
///
/// - Returns: `errSecSuccess`; `errSecParam` for bytes that are not a reference; `errSecItemNotFound` for an item that
///   does not exist.
@discardableResult
public func SecKeychainItemCopyFromPersistentReference(
    _ persistentItemRef: CFData,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>
) -> OSStatus {
    guard let reference = FileBasedKeychain.item(SecretBytes(Array(persistentItemRef as Data))) else {
        return errSecParam
    }
    let item = SecKeychainItem(reference)
    let status = item.status { (call) throws(KeychainError) in _ = try call.contents(withData: false) }
    guard status == errSecSuccess else { return status == errSecInvalidItemRef ? errSecItemNotFound : status }
    itemRef.pointee = item
    return errSecSuccess
}

/// Calls of item functions for one item, in the keychain that it is in.
private struct ItemReferenceCall {
    let query: PropertyDictionary
    private let context: KeychainContext
    private let isInFile: Bool

    init(_ reference: KeychainItemReference) throws(KeychainError) {
        context = KeychainContext.inEffect
        isInFile = !reference.keychain.isEmpty
        if isInFile {
            query = [PropertyKey.valueReference: .reference(.keychainItem(reference))]
        } else if let bytes = reference.dataProtectionReference {
            query = [
                PropertyKey.valuePersistentReference: .data(bytes),
                PropertyKey.useDataProtectionKeychain: .boolean(true),
            ]
        } else {
            throw KeychainError(.invalidItemReference, "the item was returned without its persistent reference")
        }
    }

    func perform(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        guard isInFile else { return try context.backend.perform(KeychainRequest(operation, client: context.client)) }
        return try context.fileBased.item(operation)
    }

    func contents(
        withData: Bool
    ) throws(KeychainError) -> (attributes: [String: PropertyValue], data: SecretBytes) {
        var query = query
        query[PropertyKey.returnAttributes] = .boolean(true)
        if withData { query[PropertyKey.returnData] = .boolean(true) }
        guard case .single(.dictionary(var entries)) = try perform(.copyMatching(query)) else {
            throw .unexpectedReply
        }
        let data = entries.removeValue(forKey: PropertyKey.valueData)
        if case .data(let data)? = data { return (entries, data) }
        return (entries, SecretBytes())
    }
}

extension SecKeychainItem {
    fileprivate func status(_ body: (ItemReferenceCall) throws(KeychainError) -> Void) -> OSStatus {
        FunctionCall.status { () throws(KeychainError) in try body(try ItemReferenceCall(reference)) }
    }
}
