// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security
import Testing

/// What results are made of: real Foundation objects, whichever return flags were set.
struct ResultTypeTests {
    /// Return flags and the class of their result.
    private struct Shape {
        var data = false
        var attributes = false
        var reference = false
        var persistent = false

        /// The combination of a number from 0 to 15.
        init(_ number: Int) {
            data = number & 1 != 0
            attributes = number & 2 != 0
            reference = number & 4 != 0
            persistent = number & 8 != 0
        }

        /// The class of a single result; `nil` when there is none (Semantics, "Result of a copy").
        var type: NSObject.Type? {
            switch (data, attributes, reference, persistent) {
            // A password has no reference type.
            case (false, false, _, false): nil
            case (true, false, false, false), (false, false, false, true): NSData.self
            default: NSDictionary.self
            }
        }
    }

    @Test("a result is an object of Foundation for every combination of return flags", arguments: 0..<16)
    func flags(_ number: Int) throws {
        let shape = Shape(number)
        let flags: [CFString: Any] = [
            kSecReturnData: shape.data, kSecReturnAttributes: shape.attributes, kSecReturnRef: shape.reference,
            kSecReturnPersistentRef: shape.persistent,
        ]
        let keychain = try WitnessedKeychain()
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna", kSecAttrGeneric: Data([1]),
            kSecAttrCreator: 7,
            kSecValueData: Data("secret".utf8),
        ]
        keychain.run {
            var added: CFTypeRef?
            #expect(SecItemAdd(item.merging(flags) { $1 } as CFDictionary, &added) == errSecSuccess)
            expect(added, isA: shape.type)
            let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna"]
            let found = Items.copy(query.merging(flags) { $1 })
            #expect(found.status == errSecSuccess)
            expect(found.result, isA: shape.type)
            let list = Items.copy(query.merging(flags) { $1 }.merging([kSecMatchLimit: kSecMatchLimitAll]) { $1 })
            expect(list.result, isA: NSArray.self)
            let members = list.result as? NSArray ?? NSArray()
            #expect(members.count == (shape.type == nil ? 0 : 1))
        }
    }

    @Test("the values of a result can be cast to objects and to Swift's types")
    func casts() throws {
        let keychain = try WitnessedKeychain()
        let found = keychain.run {
            Items.copy([
                kSecClass: kSecClassKey, kSecReturnAttributes: true, kSecReturnData: true,
                kSecReturnPersistentRef: true,
            ])
        }
        let result = try #require(found.result as? NSDictionary)
        #expect(result[kSecAttrLabel] as? String == "witness")
        #expect(result[kSecAttrLabel] as? NSString == "witness")
        #expect(result[kSecValueData] as? Data == WitnessedKeychain.secret)
        #expect(result[kSecValueData] as? NSData == NSData(data: WitnessedKeychain.secret))
        #expect(result[kSecAttrSynchronizable] as? NSNumber == 0)
        #expect(result[kSecAttrSynchronizable] as? Int == 0)
        #expect(result[kSecAttrSynchronizable] as? Bool == false)
        #expect(result[kSecAttrCreationDate] is Date)
        #expect(result[kSecAttrCreationDate] is NSDate)
        #expect((result[kSecValuePersistentRef] as? Data)?.count == 20)
        let control = try #require(result[kSecAttrAccessControl] as AnyObject?)
        #expect(CFGetTypeID(control) == SecAccessControlGetTypeID())
        let typed = try #require(found.result as? [String: Any])
        #expect(typed[kSecAttrLabel as String] as? String == "witness")
    }

    @Test("a result is left alone on failure")
    func failure() throws {
        let keychain = try WitnessedKeychain()
        let before = NSString(string: "before")
        keychain.run {
            var result: CFTypeRef? = before
            let unknown: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "nobody"]
            #expect(SecItemCopyMatching(unknown as CFDictionary, &result) == errSecItemNotFound)
            #expect(result === before)
            let duplicate = WitnessedKeychain.witness(.genericPassword).merging([kSecReturnData: true]) { $1 }
            #expect(SecItemAdd(duplicate as CFDictionary, &result) == errSecDuplicateItem)
            #expect(result === before)
        }
    }

    /// Fails unless an object is of a class of Foundation, and not a Swift value in a box.
    private func expect(
        _ object: CFTypeRef?,
        isA type: NSObject.Type?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let type else {
            #expect(object == nil, sourceLocation: sourceLocation)
            return
        }
        let actual: Any.Type? = object.map { Swift.type(of: $0) }
        let isOfType = (actual as? NSObject.Type)?.isSubclass(of: type) ?? false
        #expect(isOfType, "it is \(String(describing: actual))", sourceLocation: sourceLocation)
    }
}

extension NSObject {
    /// Whether the class is another one or derived from it.
    fileprivate class func isSubclass(of other: NSObject.Type) -> Bool {
        var next: AnyClass? = self
        while let current = next {
            if current == other { return true }
            next = _getSuperclass(current)
        }
        return false
    }
}
