// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Security
#else
import PortableSecurity
#endif

extension ItemTransport {
    /// Updates, adds when nothing was there, and begins anew when somebody else added meanwhile.
    package func updateOrAdd(
        _ query: [String: Any],
        _ attributes: [String: Any],
        _ addition: [String: Any]
    ) throws(TransportFailure) {
        for _ in 0..<64 {
            do throws(TransportFailure) { return try update(query, attributes) } catch {
                guard error.status == errSecItemNotFound else { throw error }
            }
            do throws(TransportFailure) {
                _ = try add(addition)
                return
            } catch {
                guard error.status == errSecDuplicateItem else { throw error }
            }
        }
        throw TransportFailure(status: errSecDuplicateItem, reason: "others add and delete the item all the time")
    }
}
