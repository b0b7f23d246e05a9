// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainServer

/// The limit on open descriptors (RLIMIT_NOFILE), and the number of connections that it allows.
enum DescriptorLimit {
    /// A connection has its socket, and a folder and a file in `/proc` by which its process is checked again.
    private static let perConnection = 3

    /// For the store, the login manager and the identification of programs.
    private static let reserved = 128

    /// For the stores that the system service has open, at about 16 each, and the rest.
    static let reservedOfSystemService = 2048

    /// Raises the limit as far as the maximum number of connections and other descriptors need, and the system allows.
    ///
    /// - Returns: The limit; `nil` for none.
    static func raise(reserving reserved: Int = reserved) -> Int? {
        // The constants of the C library have a type that its functions do not accept.
        let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        let wanted = rlim_t(perConnection * ServerOptions().maximumConnections + reserved)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(limit.rlim_max, wanted)
            if setrlimit(resource, &limit) != 0 { getrlimit(resource, &limit) }
        }
        return Int(exactly: limit.rlim_cur)
    }

    /// The options of a server with this number of descriptors: it refuses further connections with an error, before
    /// calls on existing ones fail.
    static func serverOptions(
        _ limit: Int?,
        _ options: ServerOptions = ServerOptions(),
        reserving reserved: Int = reserved
    ) -> ServerOptions {
        var options = options
        guard let limit else { return options }
        // If the limit is low, the connections get half of it.
        let connections = max(8, (limit - min(reserved, limit / 2)) / perConnection)
        guard connections < options.maximumConnections else { return options }
        // A user's share of them stays the same.
        options.maximumConnectionsPerUser = max(
            1,
            options.maximumConnectionsPerUser * connections / options.maximumConnections
        )
        options.maximumConnections = connections
        return options
    }
}
