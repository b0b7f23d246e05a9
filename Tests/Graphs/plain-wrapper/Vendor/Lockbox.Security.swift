// SPDX-License-Identifier: Apache-2.0

// On Apple's platforms Foundation brings the keychain to files that import nothing else.
#if canImport(Security)
@_exported import Security
#endif
