// SPDX-License-Identifier: Apache-2.0

import Foundation

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
            do throws(TransportFailure) {
                try refuseAnother(than: addition[kSecValueRef as String], query)
                return try update(query, attributes)
            } catch {
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
    /// An update brings no reference: a certificate that is there stays, so it has to be the one that is set.
    private func refuseAnother(than reference: Any?, _ query: [String: Any]) throws(TransportFailure) {
        guard let reference = reference.map({ $0 as AnyObject }),
            case .certificate(let certificate)? = ItemContents(certificate: reference)
        else { return }
        var reading = query
        reading[kSecReturnData as String] = true
        guard try copyMatching(reading) as? Data != SecCertificateCopyData(certificate) as Data else { return }
        throw TransportFailure(
            status: errSecDuplicateItem,
            reason: "another certificate has the same issuer and serial number"
        )
    }
}
