// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("secCall helpers, access controls, random bytes, type identifiers", .fieldApp)
struct SecCallTests {
    @Test("each calling convention returns its result or throws its error")
    func conventions() throws {
        try withScratchService("seccall.conventions") { service in
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "anna",
            ]
            try secCall { SecItemAdd(item.merging([kSecValueData: Data([7])]) { $1 } as CFDictionary, nil) }
            let found: CFTypeRef = try secCall { (result: UnsafeMutablePointer<CFTypeRef?>) in
                SecItemCopyMatching(item.merging([kSecReturnData: true]) { $1 } as CFDictionary, result)
            }
            #expect(found as? Data == Data([7]))
            let implicit = try secCall {
                SecItemCopyMatching(item.merging([kSecReturnAttributes: true]) { $1 } as CFDictionary, $0)
            }
            #expect((implicit as? [String: Any])?["acct"] as? String == "anna")

            try secCall { SecItemDelete(item as CFDictionary) }
            do {
                try secCall { SecItemDelete(item as CFDictionary) }
                Issue.record("a second delete must fail")
            } catch let error as NSError {
                #expect(error.domain == NSOSStatusErrorDomain)
                #expect(error.code == Int(errSecItemNotFound))
            }
        }
    }

    @Test("a function with an error out-parameter throws that error")
    func errorOutParameter() throws {
        let control: SecAccessControl = try secCall { (error: UnsafeMutablePointer<Unmanaged<CFError>?>) in
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, error)
        }
        #expect(CFGetTypeID(control) == SecAccessControlGetTypeID())
        do {
            let _: SecAccessControl = try secCall { (error: UnsafeMutablePointer<Unmanaged<CFError>?>) in
                SecAccessControlCreateWithFlags(nil, "no such level" as CFString, [], error)
            }
            Issue.record("an unknown protection must fail")
        } catch let error as NSError {
            #expect(error.code == Int(errSecParam))
        }
        let bytes: [UInt8] = try secCall { RandomBytes.array(count: 4) }
        #expect(bytes.count == 4)
        #expect(throws: NSError.self) { let _: Int = try secCall { nil } }
    }

    @Test(
        "combinations of flags that make an access control",
        arguments: [
            [], .userPresence, .biometryAny, .touchIDAny, .biometryCurrentSet, .touchIDCurrentSet, .devicePasscode,
            .applicationPassword, .privateKeyUsage, [.biometryAny, .or, .devicePasscode],
            [.biometryCurrentSet, .and, .applicationPassword], [.privateKeyUsage, .userPresence],
            [.applicationPassword, .userPresence],
        ] as [SecAccessControlCreateFlags]
    )
    func goodFlags(_ flags: SecAccessControlCreateFlags) throws {
        let one = try AccessControls.make(kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags)
        let same = try AccessControls.make(kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags)
        let other = try AccessControls.make(kSecAttrAccessibleAfterFirstUnlock, flags)
        #expect(one == same)
        #expect(one != other)
    }

    @Test("combinations of flags, and protections, that make none")
    func badFlags() throws {
        let level = kSecAttrAccessibleWhenUnlocked as String
        let failures = [
            AccessControls.failureCode("no such level", .userPresence),
            AccessControls.failureCode(level, [.biometryAny, .or, .and, .devicePasscode]),
            AccessControls.failureCode(level, [.biometryAny, .biometryCurrentSet]),
            AccessControls.failureCode(level, [.userPresence, .or, .devicePasscode]),
            AccessControls.failureCode(level, [.userPresence, .biometryAny]),
        ]
        for failure in failures {
            let (domain, code) = try #require(failure)
            #expect(domain == NSOSStatusErrorDomain)
            #expect(code == Int(errSecParam))
        }
        #expect(AccessControls.failureCode(level, .userPresence) == nil)
        #expect(throws: (any Error).self) { try AccessControls.make("no such level" as CFString, []) }
        #expect(AccessControls.userPresence() != nil)
    }

    @Test("an item carries its access control; one without constraints never asks")
    func itemWithAccessControl() throws {
        try withScratchService("seccall.control") { service in
            let control = try AccessControls.make(kSecAttrAccessibleAfterFirstUnlock, [])
            var item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccessControl as String: control,
                kSecValueData as String: Data([1]),
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)

            let query =
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecReturnAttributes: true,
                    kSecReturnData: true,
                ] as CFDictionary
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(query, &result) == errSecSuccess)
            let attributes = try #require(result as? [String: Any])
            #expect(attributes[kSecValueData as String] as? Data == Data([1]))
            #expect(accessControl(in: attributes) != nil)

            // Both kinds of protection at once, then something that is no access control, then one to be synchronized.
            item[kSecAttrAccount as String] = "second"
            item[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlocked
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecParam)
            item[kSecAttrAccessible as String] = nil
            item[kSecAttrAccessControl as String] = "ak"
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecParam)
            item[kSecAttrAccessControl as String] = control
            item[kSecAttrSynchronizable as String] = true
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecParam)
        }
    }

    @Test("every item read back has an access control, asked for or not")
    func synthesizedAccessControl() throws {
        try withScratchService("seccall.synthesized") { service in
            let item = [kSecClass: kSecClassGenericPassword, kSecAttrService: service] as [CFString: Any]
            try secCall { SecItemAdd(item as CFDictionary, nil) }
            let attributes = try secCall {
                SecItemCopyMatching(item.merging([kSecReturnAttributes: true]) { $1 } as CFDictionary, $0)
            }
            #expect(accessControl(in: try #require(attributes as? [String: Any])) != nil)
        }
    }

    @Test("random bytes fill whatever is given")
    func randomBytes() throws {
        #expect(RandomBytes.array(count: 32)?.count == 32)
        #expect(RandomBytes.array(count: 32) != RandomBytes.array(count: 32))
        #expect(try RandomBytes.data(count: 16).count == 16)
        #expect(try RandomBytes.data(count: 16) != Data(count: 16))
        #expect(RandomBytes.boundData(count: 16) != Data(count: 16))
        #expect(RandomBytes.mutableData(count: 16) != NSData(data: Data(count: 16)))
        #expect(RandomBytes.integer() != RandomBytes.integer())
    }

    @Test("type identifiers tell the kinds of attributes apart, a boolean from a number included")
    func typeIdentifiers() throws {
        #expect(AttributeKind(kCFBooleanTrue) == .boolean)
        #expect(AttributeKind(true as CFBoolean) == .boolean)
        #expect(AttributeKind(1 as CFNumber) == .number)
        #expect(AttributeKind(kSecClass) == .string)
        #expect(AttributeKind("text" as CFString) == .string)
        #expect(AttributeKind(Data([1]) as CFData) == .data)
        #expect(AttributeKind(Date() as CFDate) == .date)
        #expect(AttributeKind([1, 2] as CFArray) == .array)
        #expect(AttributeKind([kSecClass: 1] as CFDictionary) == .dictionary)
        #expect(AttributeKind(try #require(AccessControls.userPresence())) == .accessControl)

        try withScratchService("seccall.types") { service in
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrGeneric: Data([1, 2]),
                kSecAttrIsNegative: true, kSecReturnAttributes: true, kSecReturnPersistentRef: true,
            ]
            var result: CFTypeRef?
            #expect(SecItemAdd(item as CFDictionary, &result) == errSecSuccess)
            #expect(AttributeKind(try #require(result)) == .dictionary)
            let attributes = try #require(result as? [CFString: AnyObject])
            func kind(_ key: CFString) throws -> AttributeKind { AttributeKind(try #require(attributes[key])) }
            #expect(try kind(kSecAttrService) == .string)
            #expect(try kind(kSecAttrGeneric) == .data)
            #expect(try kind(kSecAttrCreationDate) == .date)
            #expect(try kind(kSecValuePersistentRef) == .data)
            // Given as a boolean, stored and returned as a number.
            #expect(try kind(kSecAttrIsNegative) == .number)
            #expect(try kind(kSecAttrSynchronizable) == .number)
        }
    }
}
