// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Items that are unreadable while the device is locked.
    static let whileLocked = [
        SecItemRule(
            "a locked item is not absent",
            "An item that the lock makes unreadable is errSecInteractionNotAllowed (-25308), to copy, to list and to update, and not errSecItemNotFound; after the unlock it is there.",
            otherwise:
                "code that takes -25300 for gone signs its user out in the background, or adds where it should wait",
            source: "Semantics, Items whose keys are unavailable; Apple: errSecInteractionNotAllowed",
            needs: .device
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.device.lock()
            let locked = errSecInteractionNotAllowed
            try bench.copy(SecItemBench.password(), [kSecReturnData: true], gives: locked)
            let service: SecItemBench.Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "mail"]
            try bench.copy(service, [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll], gives: locked)
            try bench.update(SecItemBench.password(), to: SecItemBench.otherSecret, gives: locked)
            try bench.copy(SecItemBench.password("bob"), gives: errSecItemNotFound)
            try bench.device.unlock()
            try bench.expect(Data("secret".utf8), in: SecItemBench.password(), because: "the data of the item")
        },
        SecItemRule(
            "an add while locked is refused",
            "An item whose level the lock makes unavailable cannot be added: errSecInteractionNotAllowed (-25308), and nothing is there afterwards.",
            otherwise: "a token that a background task refreshes is saved in the test, and lost on a device",
            source: "Semantics, Items whose keys are unavailable; Apple: errSecInteractionNotAllowed",
            needs: .device
        ) { bench in
            try bench.device.lock()
            try bench.add(SecItemBench.password(), SecItemBench.secret, gives: errSecInteractionNotAllowed)
            try bench.device.unlock()
            try bench.copy(SecItemBench.password(), gives: errSecItemNotFound)
        },
        SecItemRule(
            "a delete works while locked",
            "A delete takes an item that the lock makes unreadable.",
            otherwise: "code that deletes and then adds loses nothing in the test, and its password on a locked device",
            source: "Semantics, Items whose keys are unavailable",
            needs: .device
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.device.lock()
            try bench.delete(SecItemBench.password())
            try bench.device.unlock()
            try bench.copy(SecItemBench.password(), gives: errSecItemNotFound)
        },
    ]
}
