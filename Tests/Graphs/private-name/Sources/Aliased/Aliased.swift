// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import LocalAuthentication
import Security

/// Whether this target is compiled with Security.
public func seesSecurity() -> Bool { true }
#else
#error("The alias has no effect on canImport")
#endif

/// The status of a call with an empty request, by its qualified name.
public func statusOfAnEmptyRequest() -> (found: OSStatus, named: OSStatus) {
    (Security.SecItemAdd([:] as CFDictionary, nil), Security.errSecParam)
}

/// An access control, for others to use.
public func makeAccessControl() -> Security.SecAccessControl? {
    SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAfterFirstUnlock, [], nil)
}

/// A private key, if this version makes keys, for others to use.
public func makeKey() -> SecKey? {
    let attributes: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256]
    return SecKeyCreateRandomKey(attributes as CFDictionary, nil)
}

/// The type of a context, by its qualified name.
public func makeContext() -> LocalAuthentication.LAContext { LAContext() }
