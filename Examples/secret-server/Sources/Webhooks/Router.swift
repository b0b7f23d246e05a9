// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HTTPTypes
import Hummingbird

extension HTTPField.Name {
    /// `sha256=` and the HMAC-SHA256 of the body in hexadecimal digits.
    static let signature = HTTPField.Name("X-Signature-256")
}

/// Takes webhooks whose sender knows the secret.
public func makeRouter(secret: Data) -> Router<BasicRequestContext> {
    let key = SymmetricKey(data: secret)
    let router = Router()
    router.post("/webhook") { request, _ -> HTTPResponse.Status in
        let body = try await request.body.collect(upTo: 1 << 20)
        guard let name = HTTPField.Name.signature, let signature = request.headers[name].flatMap(signatureBytes),
            HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: body.readableBytesView, using: key)
        else { throw HTTPError(.unauthorized, message: "The signature is missing or wrong.") }
        return .noContent
    }
    return router
}

/// The bytes of a signature's hexadecimal digits.
private func signatureBytes(_ field: String) -> [UInt8]? {
    let prefix = "sha256="
    var digits = field.dropFirst(prefix.count)
    guard field.hasPrefix(prefix), digits.count == 2 * SHA256.byteCount,
        digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return nil }
    var bytes: [UInt8] = []
    while let byte = UInt8(digits.prefix(2), radix: 16) {
        bytes.append(byte)
        digits = digits.dropFirst(2)
    }
    return bytes
}
