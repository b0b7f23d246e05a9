// SPDX-License-Identifier: Apache-2.0

// On Linux, swift-crypto's Crypto has CryptoKit's API.
@_exported public import Crypto
