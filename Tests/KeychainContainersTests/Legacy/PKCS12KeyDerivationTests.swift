// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainContainers

/// Known answers that implementations have in common: passwords "smeg" and "queeg", as OpenSSL's tests have them.
struct PKCS12KeyDerivationTests {
    private static let smeg = "0073006d00650067 0000"
    private static let queeg = "00710075006500650067 0000"

    @Test(
        "bytes are derived with SHA-1",
        arguments: [
            (.encryptionKey, smeg, 1, "0a58cf64530d823f", "8aaae6297b6cb04642ab5b077851284eb7128f1a2a7fbca3"),
            (.initializationVector, smeg, 1, "0a58cf64530d823f", "79993dfe048d3b76"),
            (.encryptionKey, smeg, 1, "642b99ab44fb4b1f", "f3a95fec48d7711e985cfe67908c5ab79fa3d7c5caa5d966"),
            (.initializationVector, smeg, 1, "642b99ab44fb4b1f", "c0a38d64a79bea1d"),
            (.integrityKey, smeg, 1, "3d83c0e4546ac140", "8d967d88f6caa9d714800ab3d48051d63f73a312"),
            (.encryptionKey, queeg, 1000, "05dec959acff72f7", "ed2034e36328830ff09df1e1a07dd357185dac0d4f9eb3d4"),
            (.initializationVector, queeg, 1000, "05dec959acff72f7", "11dedad7758d4860"),
            (.encryptionKey, queeg, 1000, "1682c0fc5b3f7ec5", "483dd6e919d7de2e8e648ba8f862f3fbfbdc2bcb2c02957f"),
            (.initializationVector, queeg, 1000, "1682c0fc5b3f7ec5", "9d461d1b00355c50"),
            (.integrityKey, queeg, 1000, "263216fcc2fab31c", "5ec4c7a80df652294c3925b6489a7ab857c83476"),
        ] as [(PKCS12KeyDerivation.Purpose, String, Int, String, String)]
    )
    func answer(
        purpose: PKCS12KeyDerivation.Purpose,
        password: String,
        iterations: Int,
        salt: String,
        expected: String
    ) throws {
        let expected = try Hex.bytes(expected)
        let derived = LegacyHash.sha1.derive(
            purpose,
            from: try Hex.bytes(password),
            salt: try Hex.bytes(salt)[...],
            iterations: iterations,
            byteCount: expected.count
        )
        #expect(derived == expected)
    }
}
