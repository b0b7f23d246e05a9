// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Security
import Testing

@testable import KeychainServices

/// Policies as objects.
struct PolicyFunctionTests {
    @Test("a policy says what it asks for")
    func policies() {
        #expect(SecPolicyCreateBasicX509().value == .basicX509)
        #expect(SecPolicyCreateSSL(true, "example.com").value == .tls(isServer: true, host: "example.com"))
        #expect(SecPolicyCreateSSL(false, nil).value == .tls(isServer: false, host: nil))
        #expect(CFGetTypeID(SecPolicyCreateBasicX509()) == SecPolicyGetTypeID())
    }
}
