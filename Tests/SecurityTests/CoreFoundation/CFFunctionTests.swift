// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// The functions of Core Foundation that keychain code calls.
struct CFFunctionTests {
    @Test("equality and hashes go by value for objects of Foundation, by identity for others")
    func equality() {
        let (one, same, other) = (NSString(string: "é"), NSString(string: "é"), NSString(string: "x"))
        #expect(CFEqual(one, same))
        #expect(!CFEqual(one, other))
        #expect(CFHash(one) == CFHash(same))
        let (plain, another) = (Plain(), Plain())
        #expect(CFEqual(plain, plain))
        #expect(!CFEqual(plain, another))
        #expect(CFHash(plain) == CFHash(plain))
        #expect(CFEqual(nil, nil))
        #expect(!CFEqual(one, nil))
        #expect(CFHash(nil) == 0)
    }

    @Test("a class is told from every other, a truth value from a number")
    func typeIdentifiers() throws {
        let control = try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil))
        let identifiers: [CFTypeID] = [
            CFStringGetTypeID(), CFDataGetTypeID(), CFBooleanGetTypeID(), CFNumberGetTypeID(), CFDateGetTypeID(),
            CFArrayGetTypeID(), CFDictionaryGetTypeID(), CFSetGetTypeID(), CFErrorGetTypeID(), CFNullGetTypeID(),
            SecAccessControlGetTypeID(), SecKeyGetTypeID(), SecCertificateGetTypeID(), SecIdentityGetTypeID(),
            SecPolicyGetTypeID(), SecTrustGetTypeID(),
        ]
        #expect(Set(identifiers).count == identifiers.count)
        let objects: [AnyObject] = [
            NSString(string: "x"), NSData(), NSNumber(value: true), NSNumber(value: 1), NSDate(), NSArray(),
            NSDictionary(), NSSet(), NSError(domain: "x", code: 1), NSNull(), control,
        ]
        #expect(objects.map { CFGetTypeID($0) } == Array(identifiers.prefix(objects.count)))
        #expect(CFGetTypeID(kCFBooleanFalse) == CFBooleanGetTypeID())
        #expect(CFGetTypeID(NSNumber(value: 0.0)) == CFNumberGetTypeID())
        #expect(!identifiers.contains(CFGetTypeID(Plain())))
        #expect(!identifiers.contains(CFGetTypeID(nil)))
    }

    @Test("the type of a number is that of its value, and a truth value has one of its own")
    func numberTypes() {
        let types: [(NSNumber, CFNumberType)] = [
            (NSNumber(value: Int8.min), .sInt8Type), (NSNumber(value: UInt8.max), .sInt16Type),
            (NSNumber(value: Int16.min), .sInt16Type), (NSNumber(value: UInt16.max), .sInt32Type),
            (NSNumber(value: Int32.min), .sInt32Type), (NSNumber(value: UInt32.max), .sInt64Type),
            (NSNumber(value: 100), .sInt64Type), (NSNumber(value: Int64.min), .sInt64Type),
            (NSNumber(value: Float(1)), .float32Type), (NSNumber(value: 1.0), .float64Type),
            (NSNumber(value: true), .charType), (kCFBooleanFalse, .charType),
        ]
        for (number, type) in types {
            #expect(CFNumberGetType(number) == type, "\(number) of type \(String(cString: number.objCType))")
            #expect(CFNumberIsFloatType(number) == (type == .float32Type || type == .float64Type))
        }
        #expect(CFNumberType.maxType.rawValue == 16)
        #expect(CFBooleanGetValue(kCFBooleanTrue))
        #expect(!CFBooleanGetValue(kCFBooleanFalse))
    }

    @Test("arrays and dictionaries can be read through pointers, as often as one likes")
    func containers() throws {
        let array = ["a", "b"] as CFArray
        #expect(CFArrayGetCount(array) == 2)
        for (index, expected) in [(0, "a"), (1, "b"), (1, "b")] {
            let pointer = try #require(CFArrayGetValueAtIndex(array, index))
            let object = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
            #expect(object as? String == expected)
        }
        let dictionary = [kSecAttrAccount: "anna", kSecAttrPort: 7] as [CFString: Any] as CFDictionary
        #expect(CFDictionaryGetCount(dictionary) == 2)
        for _ in 0..<3 {
            let key = UnsafeRawPointer(Unmanaged.passUnretained(kSecAttrAccount).toOpaque())
            let pointer = try #require(CFDictionaryGetValue(dictionary, key))
            #expect(Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue() as? String == "anna")
        }
        let missing = UnsafeRawPointer(Unmanaged.passUnretained(kSecAttrLabel).toOpaque())
        #expect(CFDictionaryGetValue(dictionary, missing) == nil)
        #expect(CFDictionaryGetValue(dictionary, nil) == nil)
    }

    @Test("data objects copy what they are made of", arguments: [0, 1, 4_096])
    func data(_ count: Int) throws {
        let expected = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: count + 1)
        defer { bytes.deallocate() }
        bytes.initialize(repeating: 0, count: count + 1)
        bytes.update(from: expected, count: count)
        let copied = try #require(CFDataCreate(kCFAllocatorDefault, bytes, count))
        let uncopied = try #require(CFDataCreateWithBytesNoCopy(kCFAllocatorDefault, bytes, count, kCFAllocatorNull))
        bytes.update(repeating: 0xAA, count: count)
        for data in [copied, uncopied] {
            #expect(CFDataGetLength(data) == count)
            #expect(Array(data as Data) == expected)
            if count > 0 {
                let start = try #require(CFDataGetBytePtr(data))
                #expect(Array(UnsafeBufferPointer(start: start, count: count)) == expected)
            }
        }
        #expect(CFDataGetLength(CFDataCreate(nil, nil, 0)) == 0)
        #expect(CFDataGetLength(CFDataCreateMutable(nil, 16)) == 0)
    }

    @Test("an error keeps its domain, code and details")
    func errors() {
        let details = [NSLocalizedDescriptionKey: "what went wrong"] as CFDictionary
        let error = CFErrorCreate(nil, "com.example" as CFString, -25_300, details)
        #expect(CFErrorGetCode(error) == -25_300)
        #expect(CFErrorGetDomain(error) as String == "com.example")
        #expect(CFErrorCopyUserInfo(error) == details)
        #expect(CFErrorCopyDescription(error) as String == "what went wrong")
        let bare = CFErrorCreate(nil, "com.example" as CFString, 1, nil)
        #expect(CFDictionaryGetCount(CFErrorCopyUserInfo(bare)) == 0)
    }

    @Test("the time is now, and a description is not empty")
    func timeAndDescription() {
        let before = Date().timeIntervalSinceReferenceDate
        let now = CFAbsoluteTimeGetCurrent()
        let after = Date().timeIntervalSinceReferenceDate
        #expect(before <= now && now <= after)
        #expect(CFCopyDescription(NSString(string: "text")) as String == "text")
        #expect(CFCopyDescription(nil) as String == "(null)")
    }

    private final class Plain {}
}
