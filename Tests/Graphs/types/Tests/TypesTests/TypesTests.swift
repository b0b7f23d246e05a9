// SPDX-License-Identifier: Apache-2.0

import LocalAuthentication
import PortableLocalAuthentication
import PortableSecurity
import Security
import Testing

@Suite struct TypesTests {
    private func identifiers(_ types: [Any.Type]) -> [ObjectIdentifier] { types.map(ObjectIdentifier.init) }

    @Test func eachNameIsOneType() {
        #expect(identifiers(BySecurity.types) == identifiers(ByPortableSecurity.types))
        #expect(identifiers(BySecurity.types) == identifiers(ByLocalAuthentication.types))
        #expect(Security.SecKey.self == PortableSecurity.SecKey.self)
        #expect(LocalAuthentication.LAContext.self == PortableLocalAuthentication.LAContext.self)
        #expect(Security.errSecParam == PortableSecurity.errSecParam)
    }

    @Test func valuesGoFromOneToTheOther() throws {
        let service = "com.example.graphs.\(UUID())"
        let bySecurity = try #require(BySecurity.accessControl())
        let byPortableSecurity = try #require(ByPortableSecurity.accessControl())
        let byLocalAuthentication = try #require(ByLocalAuthentication.accessControl())
        #expect(bySecurity == byPortableSecurity)

        #expect(BySecurity.add(service: service, accessControl: byPortableSecurity) == errSecSuccess)
        #expect(ByPortableSecurity.add(service: service, accessControl: byLocalAuthentication) == errSecSuccess)
        #expect(ByLocalAuthentication.add(service: service, accessControl: bySecurity) == errSecSuccess)
        let query = [kSecClass: kSecClassGenericPassword, kSecAttrService: service] as CFDictionary
        #expect(SecItemDelete(query) == errSecSuccess)
        #expect(SecItemDelete(query) == errSecItemNotFound)
    }

    @Test func namesAreNotAmbiguousWhereAllAreImported() {
        let key: SecKey? = nil
        let context: LAContext = LAContext()
        #expect(key == nil)
        #expect(context.localizedReason.isEmpty)
        #expect(SecCopyErrorMessageString(errSecItemNotFound, nil) != nil)
    }
}
