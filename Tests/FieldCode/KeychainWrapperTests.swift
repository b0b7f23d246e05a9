// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("A wrapper class with typed accessors", .fieldApp)
struct KeychainWrapperTests {
    @Test("strings, data, booleans and numbers come back as they were stored")
    func typedAccessors() throws {
        try withScratchService("wrapper.types") { service in
            let wrapper = KeychainWrapper(serviceName: service)
            #expect(wrapper.set("grüße, 世界", forKey: "string"))
            #expect(wrapper.set(Data([0, 1, 2, 255]), forKey: "data"))
            #expect(wrapper.set(true, forKey: "yes"))
            #expect(wrapper.set(false, forKey: "no"))
            #expect(wrapper.set(-42, forKey: "integer"))
            #expect(wrapper.set(2.5, forKey: "double"))

            #expect(wrapper.string(forKey: "string") == "grüße, 世界")
            #expect(wrapper.data(forKey: "data") == Data([0, 1, 2, 255]))
            #expect(wrapper.bool(forKey: "yes") == true)
            #expect(wrapper.bool(forKey: "no") == false)
            #expect(wrapper.integer(forKey: "integer") == -42)
            #expect(wrapper.double(forKey: "double") == 2.5)
            #expect(wrapper.string(forKey: "never stored") == nil)
            #expect(wrapper.bool(forKey: "never stored") == nil)
        }
    }

    @Test("an empty value is a value")
    func emptyValue() throws {
        try withScratchService("wrapper.empty") { service in
            let wrapper = KeychainWrapper(serviceName: service)
            #expect(wrapper.set("", forKey: "empty"))
            #expect(wrapper.hasValue(forKey: "empty"))
            #expect(wrapper.string(forKey: "empty") == "")
        }
    }

    @Test("setting a key again overwrites its value")
    func overwriting() throws {
        try withScratchService("wrapper.overwrite") { service in
            let wrapper = KeychainWrapper(serviceName: service)
            #expect(wrapper.set("first", forKey: "token"))
            #expect(wrapper.set("second", forKey: "token"))
            #expect(wrapper.string(forKey: "token") == "second")
            #expect(wrapper.allKeys() == ["token"])
        }
    }

    @Test(
        "the accessibility asked for is the one stored",
        arguments: KeychainItemAccessibility.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly }
    )
    func accessibility(_ level: KeychainItemAccessibility) throws {
        try withScratchService("wrapper.accessibility.\(level)") { service in
            let wrapper = KeychainWrapper(serviceName: service)
            #expect(wrapper.set("value", forKey: "key", withAccessibility: level))
            #expect(wrapper.accessibility(ofKey: "key") == level)
        }
    }

    @Test("an item without a given accessibility is readable when unlocked, and an overwrite can change that")
    func defaultAccessibility() throws {
        try withScratchService("wrapper.accessibility.default") { service in
            let wrapper = KeychainWrapper(serviceName: service)
            #expect(wrapper.set("value", forKey: "key"))
            #expect(wrapper.accessibility(ofKey: "key") == .whenUnlocked)
            #expect(wrapper.set("value", forKey: "key", withAccessibility: .afterFirstUnlock))
            #expect(wrapper.accessibility(ofKey: "key") == .afterFirstUnlock)
        }
    }

    @Test("wrappers of two services do not see each other, and removeAllKeys removes only its own")
    func servicesAreSeparate() throws {
        try withScratchService("wrapper.mine") { mine in
            try withScratchService("wrapper.theirs") { theirs in
                let wrapper = KeychainWrapper(serviceName: mine)
                let other = KeychainWrapper(serviceName: theirs)
                #expect(wrapper.set("a", forKey: "one"))
                #expect(wrapper.set("b", forKey: "two"))
                #expect(other.set("c", forKey: "one"))
                #expect(wrapper.allKeys() == ["one", "two"])

                #expect(wrapper.removeObject(forKey: "two"))
                #expect(!wrapper.removeObject(forKey: "two"))
                #expect(wrapper.removeAllKeys())
                #expect(!wrapper.removeAllKeys())
                #expect(wrapper.allKeys().isEmpty)
                #expect(other.string(forKey: "one") == "c")
            }
        }
    }

    @Test("the default access group can be named, and another program's group can't")
    func accessGroup() throws {
        try withScratchService("wrapper.group") { service in
            let wrapper = KeychainWrapper(serviceName: service)
            #expect(wrapper.set("value", forKey: "key"))
            let attributes = try #require(wrapper.attributes(forKey: "key"))
            let group = try #require(attributes[kSecAttrAccessGroup as String] as? String)

            let sameGroup = KeychainWrapper(serviceName: service, accessGroup: group)
            #expect(sameGroup.string(forKey: "key") == "value")
            #expect(sameGroup.allKeys() == ["key"])

            let foreign = KeychainWrapper(serviceName: service, accessGroup: "NOTMYTEAM.com.example.\(service)")
            #expect(!foreign.set("value", forKey: "key"))
            #expect(foreign.string(forKey: "key") == nil)
            #expect(!foreign.removeAllKeys())
            #expect(wrapper.string(forKey: "key") == "value")
        }
    }
}
