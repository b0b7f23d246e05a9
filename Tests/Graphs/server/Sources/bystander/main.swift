// SPDX-License-Identifier: Apache-2.0

import Crypto
import X509

// A program that uses X509, and neither our package nor the keychain.
print(try Certificate.PrivateKey(P256.Signing.PrivateKey()).serializeAsPEM().discriminator)
