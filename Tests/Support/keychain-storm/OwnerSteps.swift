// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection

/// Steps in which a store changes hands.
struct OwnerSteps {
    private let folder: String

    init(folder: String) { self.folder = folder }

    /// Makes the store over again and again, beginning with whoever owns it: `owner NAME STATUS` after each time.
    func handOverRepeatedly(times: Int) {
        let embedded = keychain(.embedded)
        let daemon = keychain(.daemon)
        var owner = (try? embedded.checkOwner()) != nil ? StoreOwner.embedded : .daemon
        for _ in 0..<times {
            let next = owner == .embedded ? StoreOwner.daemon : .embedded
            do throws(KeychainError) {
                try (owner == .embedded ? embedded : daemon).handOver(to: next)
                Console.write("owner \(next.name) 0")
                owner = next
            } catch {
                Console.write("owner \(next.name) \(error.status.rawValue) \(error.reason)")
            }
        }
    }

    private func keychain(_ owner: StoreOwner) -> EmbeddedKeychain {
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.owner = owner
        return EmbeddedKeychain(at: KeychainLocation(path: folder), device: device)
    }
}
