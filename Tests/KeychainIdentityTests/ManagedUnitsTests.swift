// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainIdentity

/// In which unit of which service manager a process is, by its control group.
struct ManagedUnitsTests {
    private static let user = "0::/user.slice/user-1000.slice/user@1000.service"
    private static let ofUser = "\(user)/app.slice/swift-keychain-credentials.service\n"
    private static let ofSystem = "0::/system.slice/swift-keychain-credentials.service\n"

    private static func unit(_ group: String, seenBy own: String) -> String? {
        ManagedUnits(ofManagerOf: Array(own.utf8))?.unit(of: Array(group.utf8))
    }

    @Test(
        "a process is in the unit that its control group names",
        arguments: [
            ("\(user)/app.slice/app.service\n", ofUser, "app.service"),
            ("\(user)/app.slice/app-x.slice/app@a\\x2db.service\n", ofUser, "app@a\\x2db.service"),
            ("\(user)/app.slice/app.service/.control\n", ofUser, "app.service"),
            ("\(user)/app.service\n", ofUser, "app.service"),
            ("\(user)/app.slice/_memory.service\n", ofUser, "memory.service"),
            ("0::/system.slice/app.service\n", ofSystem, "app.service"),
            ("0::/app.slice/app.service/inner.service\n", ofSystem, "app.service"),
            ("\(user)/app.slice/app.service\n", ofSystem, "user@1000.service"),
            ("0::/box/system.slice/app.service\n", "0::/box/system.slice/own.service\n", "app.service"),
            ("1:name=systemd:/system.slice/app.service\n0::/\n", ofSystem, "app.service"),
        ]
    )
    func unit(_ group: String, own: String, expected: String) {
        #expect(Self.unit(group, seenBy: own) == expected)
    }

    @Test(
        "a process of another manager is in none of them, nor is one whose control group is gone or not seen",
        arguments: [
            "0::/system.slice/app.service\n",
            "0::/user.slice/user-1001.slice/user@1001.service/app.slice/app.service\n",
            "0::/\n", "", "0::/user.slice/user-1000.slice/session-1.scope\n", "\(user)/app.slice\n",
            "\(user)/app.slice/app.service (deleted)\n", "0::/../app.service\n",
            "\(user)/../user@1000.service/app.service\n",
            "0::/user.slice/user-1000.slice/user@10001.service/app.service\n",
        ]
    )
    func other(_ group: String) { #expect(Self.unit(group, seenBy: Self.ofUser) == nil) }

    @Test("a user's manager was started by the system's, and that by nobody")
    func outer() throws {
        let units = try #require(ManagedUnits(ofManagerOf: Array(Self.ofUser.utf8)))
        let outer = try #require(units.ofOuterManager)
        #expect(outer == ManagedUnits(ofManagerOf: Array(Self.ofSystem.utf8)))
        #expect(outer.unit(of: Array("0::/system.slice/app.service\n".utf8)) == "app.service")
        #expect(outer.ofOuterManager == nil)
    }

    @Test("a process in no unit knows no manager", arguments: ["0::/\n", "", "x", "0::relative\n"])
    func none(_ own: String) { #expect(ManagedUnits(ofManagerOf: Array(own.utf8)) == nil) }
}
