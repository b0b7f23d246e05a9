// SPDX-License-Identifier: Apache-2.0

// Where keychain files are, and which of them are searched, is for their users to say, too.
@_exported public import KeychainFrontEnd
