// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableLocalAuthentication
import PortableSecurity

extension ItemTransport {
    /// Updates, adds if there was nothing, and starts over if the item was added meanwhile.
    package func updateOrAdd(
        _ query: [String: Any],
        with attributes: [String: Any],
        adding addition: [String: Any]
    ) throws(TransportFailure) {
        let certificate = addition[kSecValueRef as String].flatMap { Self.certificate($0) }
        let query = certificate == nil ? query : Self.askingOnce(query)
        for _ in 0..<64 {
            do throws(TransportFailure) {
                if let certificate { try refuseAnother(than: certificate, query) }
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

    /// An update cannot carry a reference: an existing certificate stays, so it has to be the one being set.
    private func refuseAnother(than certificate: SecCertificate, _ query: [String: Any]) throws(TransportFailure) {
        var reading = query
        reading[kSecReturnData as String] = true
        guard try copyMatching(reading) as? Data != SecCertificateCopyData(certificate) as Data else { return }
        throw TransportFailure(
            status: errSecDuplicateItem,
            reason: "another certificate has the same issuer and serial number"
        )
    }

    private static func certificate(_ reference: Any) -> SecCertificate? {
        guard case .certificate(let certificate)? = ItemContents(certificate: reference as AnyObject) else {
            return nil
        }
        return certificate
    }

    /// The query in a context, so that the update does not repeat the prompts of the read.
    private static func askingOnce(_ query: [String: Any]) -> [String: Any] {
        let (context, interface) = (kSecUseAuthenticationContext as String, kSecUseAuthenticationUI as String)
        guard query[context] == nil, query[interface] == nil else { return query }
        return query.merging([context: LAContext()]) { $1 }
    }
}
