// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The identifier of the machine (machine-id(5)): 32 hexadecimal digits.
enum MachineIdentifier {
    /// It; `nil` if there is none.
    static let text: String? = {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 32)
            guard read(descriptor, &bytes, bytes.count) == 32, RandomName.isOne(bytes) else { continue }
            return String(decoding: bytes, as: UTF8.self)
        }
        return nil
    }()
}
