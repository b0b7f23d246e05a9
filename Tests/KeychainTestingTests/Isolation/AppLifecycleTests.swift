// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security
import Testing

@Suite("An app is installed, updated, transferred and removed; its items stay")
struct AppLifecycleTests {
    let device: VirtualDevice

    init() throws { device = try VirtualDevice() }

    private func shared(_ group: String, _ extra: [String] = []) -> App {
        device.install(
            Entitlements(team: "TEAM000001", bundleIdentifier: "com.example.app", keychainAccessGroups: [group] + extra)
        )
    }

    @Test("an update takes the group away at the next call of code that runs already, and gives it back")
    func update() {
        let app = shared("shared")
        app.run {
            #expect(Items.add() == errSecSuccess)
            app.update { $0.keychainAccessGroups = [] }
            #expect(Items.read().status == errSecItemNotFound)
            app.update { $0.keychainAccessGroups = ["shared"] }
            #expect(Items.read().secret == "secret")
        }
    }

    @Test("another team does not see the items of the old one")
    func transfer() {
        let app = shared("shared")
        let helper = app.installExtension("share", keychainAccessGroups: ["shared"])
        #expect(app.run { Items.add() } == errSecSuccess)
        #expect(helper.run { Items.read().secret } == "secret")
        app.transfer(toTeam: "TEAM000002")
        #expect(helper.entitlements.team == "TEAM000002")
        #expect(app.run { Items.read().status } == errSecItemNotFound)
        #expect(helper.run { Items.read().status } == errSecItemNotFound)
        app.transfer(toTeam: "TEAM000001")
        #expect(app.run { Items.read().secret } == "secret")
    }

    @Test("an extension shares the groups that it is given, and nothing else")
    func extensions() {
        let app = shared("shared", ["private"])
        let helper = app.installExtension("share", keychainAccessGroups: ["shared"])
        #expect(helper.entitlements.bundleIdentifier == "com.example.app.share")
        app.run {
            #expect(Items.add(account: "shared") == errSecSuccess)
            #expect(Items.add(account: "own", more: [kSecAttrAccessGroup: "TEAM000001.private"]) == errSecSuccess)
        }
        helper.run {
            #expect(Items.read("shared").secret == "secret")
            #expect(Items.read("own").status == errSecItemNotFound)
        }
    }

    @Test("items of a removed app are visible after reinstallation")
    func reinstall() {
        let app = shared("shared")
        #expect(app.run { Items.add() } == errSecSuccess)
        app.uninstall()
        #expect(!app.isInstalled)
        app.reinstall()
        #expect(app.run { Items.read().secret } == "secret")
        app.uninstall()
        #expect(shared("shared").run { Items.read().secret } == "secret")
    }

    @Test("nothing runs as an app that was removed, nor as its extensions")
    func uninstalled() {
        let app = shared("shared")
        let helper = app.installExtension()
        var statuses: [OSStatus] = []
        withKnownIssue {
            app.run {
                app.uninstall()
                statuses.append(Items.add())
            }
            helper.run { statuses.append(Items.add()) }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("is not installed any more") }
        }
        #expect(statuses == [errSecNotAvailable, errSecNotAvailable])
    }

    @Test("an app clip may use its own group only, and a network extension those of all network extensions")
    func kinds() {
        let app = shared("shared")
        let clip = app.installExtension("Clip", keychainAccessGroups: ["shared"], kind: .appClip)
        clip.run {
            #expect(Items.add(more: [kSecAttrAccessGroup: "TEAM000001.shared"]) == errSecRestrictedAPI)
            #expect(Items.add(more: [kSecAttrSynchronizable: true]) == errSecRestrictedAPI)
            #expect(Items.add(more: [kSecAttrAccessGroup: "TEAM000001.com.example.app.Clip"]) == errSecSuccess)
        }
        let group = "TEAM000009.com.apple.networkextensionsharing"
        let tunnel = app.installExtension("tunnel", kind: .networkExtension)
        #expect(tunnel.run { Items.add(more: [kSecAttrAccessGroup: group]) } == errSecSuccess)
        #expect(app.run { Items.add(more: [kSecAttrAccessGroup: group]) } == errSecMissingEntitlement)
    }

    @Test("code reads its own entitlements")
    func entitlements() {
        func value(_ key: String) -> CFTypeRef? {
            SecTaskCreateFromSelf(nil).flatMap { SecTaskCopyValueForEntitlement($0, key as CFString, nil) }
        }
        let app = shared("shared")
        app.run {
            #expect(value("application-identifier") as? String == "TEAM000001.com.example.app")
            #expect(value("keychain-access-groups") as? [String] == ["TEAM000001.shared"])
            #expect(value("com.apple.security.application-groups") == nil)
            app.update { $0.applicationGroups = ["group.com.example"] }
            #expect(value("com.apple.security.application-groups") as? [String] == ["group.com.example"])
        }
    }

    @Test("an update cannot make another app of it")
    func otherApp() {
        let app = shared("shared")
        withKnownIssue { app.update(to: .example) }
        #expect(app.entitlements.team == "TEAM000001")
    }
}
