// swift-format-ignore-file: NeverForceUnwrap
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("A client certificate from a file", .fieldApp)
struct ClientIdentityTests {
    @Test("a file is opened by its password only")
    func file() throws {
        let identity = try ClientIdentity(file: Self.file, password: "hunter2")
        #expect(identity.summary == "Field Client")
        #expect(identity.isWhole())
        #expect(throws: ClientIdentity.Failure.status(errSecAuthFailed)) {
            try ClientIdentity(file: Self.file, password: "hunter3")
        }
        #expect(throws: ClientIdentity.Failure.status(errSecDecode)) {
            try ClientIdentity(file: Data("no file".utf8), password: "")
        }
    }

    @Test("an identity is stored under a label, found, and removed")
    func stored() throws {
        let label = service("identity")
        let identity = try ClientIdentity(file: Self.file, password: "hunter2")
        _ = identity.remove()
        #expect(ClientIdentity(label: label) == nil)
        #expect(identity.store(label: label) == errSecSuccess)
        #expect(identity.store(label: label) == errSecDuplicateItem)
        let found = try #require(ClientIdentity(label: label))
        #expect(found.identity == identity.identity)
        #expect(found.isWhole())
        #expect(found.remove() == errSecSuccess)
        #expect(ClientIdentity(label: label) == nil)
    }

    static let file = Data(base64Encoded: encoded)!

    private static let encoded = """
        MIIElQIBAzCCBEsGCSqGSIb3DQEHAaCCBDwEggQ4MIIENDCCAsIGCSqGSIb3DQEHBqCCArMwggKvAgEAMIICqAYJKoZIhvcNAQcB\
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi9AaNji1CnawICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEEmI\
        opa8d7YArBubnjwYegmAggJAn0bduEy60q7boA8lo7MZHRI6HLbOUO1mIL2vZv5BES7Jbpa8LQ+vyQbuhxRd8mgsHsd5097X4ky2\
        sqexroAH80XSHlY6xvzaeTsghKjxUjZagnIVgXnaz6rNQLk0dKHcJoDnJevsjF/47bnhS07qYAOflI7ZWLkafmvwQu39EnpJ4RN9\
        xUSf0Z/miW+A6m3j2X2UbxQu8qso+grMLdl3I0ItbQi8TIZoqhCCrl8J/3hPuan6DEWmVWIPWbzZ2DSj4AhfaNaQ3U5GgoMlcz/s\
        q9gck5C8kaykV7VDCf8MQ2fsMSDNywcYMQ9YYsUkZV2i68kt9gpG78EirZwnCGGSqBwb/24GgPuEwbXN9V+obAyXI49eru3LUU2f\
        NpX4CimilrpVDRWPhCBdhaM5n8wjTSpxOvH1z60UQmCAaYZwO4jMOs5u73xdFmrYg2tPyiZSeZN1+wFXfpJ0/69njwvWgOi0Y9dB\
        kBJVdoviPGl4szXxZLeORCLNTRmO9OasCncoZDdrgtIRHtomY1QUWz0luuyzhZGlkPH2OhhALfKASj6q21MFInE+Xbv+xY5Y6KUM\
        IKlYNhKV4d8jtIUbQm8FOhltj08+o92+9yKdyYSU9T9WEFF9mharddcRL1ox0anwB1CqWsXDLRBdMCBF1aBzgScGFcBB+ohjNI3V\
        WCYkw5GGo3xUHysfSqBKvsg5gbFFGVwjEsWwPRr8fYmeK9Z50uAhTUkKX+iLwaoL2TJNwx0yKH5+7glDc9wTMEnRzofFMIIBagYJ\
        KoZIhvcNAQcBoIIBWwSCAVcwggFTMIIBTwYLKoZIhvcNAQwKAQKgge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwE\
        CJ7lHKSRUnoSAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQcZXYk2xUVHbGTwJzGWsyGwSBkF/fe72FRlyeuvNwojfJ\
        BCbp+IipyjYFMFF0OIC8g2DXQ2781ksnHtaHxosZ8qnX2GuR8h3TM+szdxkuSeIijUBWRpfzPAhn6EkSG6GtpS5rXMheC8pMzEYc\
        O74H+d4wE+2B1MP/4DujFhvtBa9jHrcs3VcJ3AmcaJd1zYE4j5SHXFLtV98x+4ecyg/coACBTjFOMCMGCSqGSIb3DQEJFTEWBBQy\
        F11ql2ilzR/YAzeo3hbRfC2YuzAnBgkqhkiG9w0BCRQxGh4YAGYAaQBlAGwAZAAgAGMAbABpAGUAbgB0MEEwMTANBglghkgBZQME\
        AgEFAAQg8EffcFv0dmTW3h5etIw2XFt+ShXr09OkGpyuq3Ap0NcECNtvWJawV2dtAgIIAA==
        """
}
