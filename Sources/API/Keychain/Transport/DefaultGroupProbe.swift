// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableSecurity

/// Determines the app's default access group: no function returns it, so an item is added without a group and
/// inspected.
enum DefaultGroupProbe {
    static let service = "swift-keychain.default-access-group"

    static func group(_ transport: some ItemTransport) throws(TransportFailure) -> String? {
        let probes: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecUseDataProtectionKeychain as String: true,
        ]
        var probe = probes
        probe[kSecAttrAccount as String] = UUID().uuidString
        // Has to work in every state of the device.
        probe[kSecAttrAccessible as String] = Protection.Accessibility.alwaysThisDeviceOnly.constant
        probe[kSecReturnAttributes as String] = true
        let attributes = try transport.add(probe) as? [String: Any]
        // Those of programs that were stopped in between as well.
        do throws(TransportFailure) { try transport.delete(probes) } catch {
            guard error.status == errSecItemNotFound else { throw error }
        }
        return attributes?[kSecAttrAccessGroup as String] as? String
    }
}
