// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import Security
import Testing

@Suite("A device that boots")
struct RebootTests {
    @Test(
        "It is before its first unlock, also when nothing was asked of it before",
        arguments: VirtualDevice.Storage.allCases
    )
    func first(_ storage: VirtualDevice.Storage) throws {
        let device = try VirtualDevice(storage: storage)
        let app = device.install()
        device.reboot()
        #expect(device.lockState == .beforeFirstUnlock)
        #expect(app.add("a") == errSecInteractionNotAllowed)
        #expect(app.add("b", [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]) == errSecInteractionNotAllowed)
        try device.unlock()
        #expect(app.add("a") == errSecSuccess)
    }
}
