// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSimulation
import KeychainTestSupport
import Testing

/// Secrets that no item can hold.
struct LargeSecretTests {
    @Test(
        "a secret that is too large is refused before keys are asked for, and so before it is sealed",
        arguments: [
            .oversizedData(60 << 20), .data(SecretBytes([UInt8](repeating: 7, count: ItemLimits.secretByteCount + 1))),
        ] as [PropertyValue]
    )
    func refusedUnsealed(_ secret: PropertyValue) throws {
        let (device, calls) = try Calls.withDevice()
        let item: [String: PropertyValue] = .one(.genericPassword) + ["acct": .string("kept")]
        #expect(calls.perform(.add(PropertyDictionary(item))) == .done)
        try device.lock()
        let large: [String: PropertyValue] = [PropertyKey.valueData: secret]
        #expect(calls.perform(.add(PropertyDictionary(.one(.genericPassword) + large))) == .failed(.dataTooLarge))
        #expect(calls.update(.one(.genericPassword), large) == .failed(.dataTooLarge))
        // What is wrong with the request comes before.
        let foreign: [String: PropertyValue] = ["agrp": .string("group.elsewhere")]
        #expect(calls.update(.one(.genericPassword), large + foreign) == .failed(.missingEntitlement))
        #expect(calls.perform(.add(PropertyDictionary(large))) == .failed(.parameter))
        // In a query data is no condition, whatever its size.
        #expect(calls.delete(item + large) == .done)
    }
}
