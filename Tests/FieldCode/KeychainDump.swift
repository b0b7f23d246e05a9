// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

/// Lists everything the program may see, in all the shapes that programs cast results to.
enum KeychainDump {
    static var itemClasses: [CFString] {
        [kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey, kSecClassIdentity]
    }

    /// Attributes and persistent references of all items of a class; items that would ask the user are left out.
    static func items(ofClass itemClass: CFString) -> [[String: Any]] {
        copyAll(itemClass) as? [[String: Any]] ?? []
    }

    static func itemsBySymbol(ofClass itemClass: CFString) -> [[CFString: Any]] {
        copyAll(itemClass) as? [[CFString: Any]] ?? []
    }

    static func itemsByNSString(ofClass itemClass: CFString) -> [[NSString: Any]] {
        copyAll(itemClass) as? [[NSString: Any]] ?? []
    }

    static func itemsByHashable(ofClass itemClass: CFString) -> [[AnyHashable: Any]] {
        copyAll(itemClass) as? [[AnyHashable: Any]] ?? []
    }

    static func itemsAsObjects(ofClass itemClass: CFString) -> NSArray {
        guard let result = copyAll(itemClass) else { return NSArray() }
        return result as! NSArray
    }

    static func itemsAsDictionaries(ofClass itemClass: CFString) -> [NSDictionary] {
        guard let result = copyAll(itemClass) else { return [] }
        return result as! [NSDictionary]
    }

    /// One line per item: class, group, name.
    static func everything() -> [String] {
        itemClasses.flatMap { itemClass in
            items(ofClass: itemClass).map { item in
                let group = item["agrp"] as? String ?? "-"
                let name = item["svce"] as? String ?? item["srvr"] as? String ?? item["labl"] as? String ?? "-"
                return "\(itemClass) \(group) \(name)"
            }
        }
    }

    static func data(forPersistentReference reference: Data) -> Data? {
        var result: AnyObject?
        let query: [NSString: Any] = [kSecValuePersistentRef: reference, kSecReturnData: true]
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
        return result as? Data
    }

    /// The groups of the items that the program may see: the way to learn the team prefix at run time.
    static func accessGroups() -> Set<String> {
        var groups = Set<String>()
        for itemClass in itemClasses {
            for case let attributes as NSDictionary in itemsAsObjects(ofClass: itemClass) {
                if let group = attributes[kSecAttrAccessGroup] as? String { groups.insert(group) }
            }
        }
        return groups
    }

    private static func copyAll(_ itemClass: CFString) -> CFTypeRef? {
        let query: [CFString: Any] = [
            kSecClass: itemClass,
            kSecMatchLimit: kSecMatchLimitAll,
            kSecReturnAttributes: true,
            kSecReturnPersistentRef: true,
            kSecAttrSynchronizable: kSecAttrSynchronizableAny,
            kSecUseAuthenticationUI: kSecUseAuthenticationUISkip,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return status == errSecSuccess ? result : nil
    }
}
