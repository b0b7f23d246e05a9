// SPDX-License-Identifier: Apache-2.0

/// Whether this user may make user namespaces (user_namespaces(7)), as every user may by default.
enum UserNamespaces {
    static let arePossible = (try? PeerProgram.run(["/usr/bin/unshare", "--user", "/bin/true"])) != nil
}
