// swift-format-ignore-file: NeverForceUnwrap
// SPDX-License-Identifier: Apache-2.0

public import KeychainServices

/// Keys that stay with their device.
///
/// On Linux the keys are kept by software, not a chip: a private key is sealed by the device of the keychain, exists in
/// the clear only during the call that uses it, and is never returned by a function. Anyone who can read the memory of
/// the process while it is used, or has the keychain's root key and passcode, can take it.
///
/// Every error has the domain `NSOSStatusErrorDomain`: `errSecInteractionNotAllowed` while the device is locked or no
/// prompt is allowed, `errSecUserCanceled` and `errSecAuthFailed` if the owner does not authenticate, `errSecDecode`
/// for a data representation that was altered, or created by another device.
public enum SecureEnclave: Sendable {
    /// Whether keys can be created and used here; independent of the lock state.
    public static var isAvailable: Bool { EnclaveHandle.isAvailable }

    /// For the first unlock of this device, without a prompt.
    @usableFromInline static var defaultAccessControl: SecAccessControl {
        SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, [], nil)!
    }

    /// Keys of the curve P-256.
    public enum P256: Sendable {
        /// ECDSA (FIPS 186-5).
        public enum Signing: Sendable {}

        /// ECDH (NIST SP 800-56A).
        public enum KeyAgreement: Sendable {}
    }

    /// ML-KEM-768 (FIPS 203).
    public enum MLKEM768: Sendable {}

    /// ML-KEM-1024 (FIPS 203).
    public enum MLKEM1024: Sendable {}

    /// ML-DSA-65 (FIPS 204).
    public enum MLDSA65: Sendable {}

    /// ML-DSA-87 (FIPS 204).
    public enum MLDSA87: Sendable {}
}
