// SPDX-License-Identifier: Apache-2.0

// The product KeychainTesting. It is empty on Apple platforms: the system's keychain cannot be replaced in a test.
#if !canImport(Darwin)
@_exported public import KeychainTesting
#endif
