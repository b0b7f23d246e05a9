// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices
public import KeychainSimulation
import PortableSecurity

extension ScenarioWorld {
    /// Makes the event of the scenario happen; a second call does nothing.
    ///
    /// - Throws: `VirtualDeviceError`, if the event is impossible in the state of the device after the test's calls, or
    ///   for an app with these entitlements. It can then be tried again.
    public func triggerEvent() throws(VirtualDeviceError) {
        guard begin() else { return }
        do throws(VirtualDeviceError) {
            try performEvent()
        } catch {
            resetEvent()
            throw error
        }
    }

    private func performEvent() throws(VirtualDeviceError) {
        switch scenario.event {
        case .lock: try device.lock()
        case .reboot: device.reboot()
        case .otherAttributes: try storeOtherAttributes()
        case .lessEntitlements: try removeEntitlement()
        case .otherTeam: app.transfer(toTeam: app.entitlements.team == "NEWTEAM123" ? "NEWTEAM456" : "NEWTEAM123")
        case .noPasscode: try device.removePasscode()
        case .otherBiometry: device.enrollBiometry()
        case .otherDevice: try moveToNewDevice()
        case .reinstallation: reinstall()
        }
    }

    private func removeEntitlement() throws(VirtualDeviceError) {
        var entitlements = app.entitlements
        let first = entitlements.accessGroups.first
        if !entitlements.keychainAccessGroups.isEmpty { entitlements.keychainAccessGroups.removeFirst() }
        if let first, entitlements.accessGroups.contains(first) {
            throw VirtualDeviceError(
                .parameter("the app stores in \(first), which no update can take from it: give it another group first")
            )
        }
        app.update(to: entitlements)
    }

    private func moveToNewDevice() throws(VirtualDeviceError) {
        let backup = try device.backUp(password: "password of the backup")
        let new = try VirtualDevice(restoring: backup, password: "password of the backup", device.platform)
        replace(app: new.install(app.entitlements))
        copySettings()
    }

    private func reinstall() {
        let (device, entitlements) = (device, app.entitlements)
        app.uninstall()
        loseSettings()
        replace(app: device.install(entitlements))
    }

    /// Adds attributes outside the primary key to every password of the app, as an earlier version would have stored
    /// them.
    ///
    /// This bypasses the log and the faults of the device, which are for the calls of the test's own code.
    private func storeOtherAttributes() throws(VirtualDeviceError) {
        let (own, backend) = (app.context, device.backend)
        let earlier = KeychainContext(backend: backend, client: own.client, entitlements: own.entitlements)
        for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword] {
            let status = KeychainContext.$current.withValue(earlier) { Self.storeOtherAttributes(itemClass) }
            // Not found means that the test stored no item of the class.
            guard status != errSecSuccess, status != errSecItemNotFound else { continue }
            let reason = "the device did not let an earlier version store the items with other attributes"
            throw VirtualDeviceError(KeychainError(Status(rawValue: status), reason))
        }
    }

    private static func storeOtherAttributes(_ itemClass: CFString) -> OSStatus {
        let text = "stored by an earlier version"
        let query: [CFString: Any] = [kSecClass: itemClass, kSecAttrSynchronizable: kSecAttrSynchronizableAny]
        var attributes: [CFString: Any] = [kSecAttrLabel: text, kSecAttrComment: text, kSecAttrDescription: text]
        if itemClass == kSecClassGenericPassword { attributes[kSecAttrGeneric] = Data(text.utf8) }
        return SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
    }
}
