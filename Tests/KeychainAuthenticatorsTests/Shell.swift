// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A shell that runs beside a test.
struct Shell {
    let identifier: pid_t

    static func start(_ script: String, ownGroup: Bool = false) throws -> Shell {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if ownGroup { posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
        let arguments: [String] = ["/bin/sh", "-c", script]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var identifier: pid_t = 0
        try #require(posix_spawn(&identifier, "/bin/sh", nil, &attributes, words, environ) == 0)
        return Shell(identifier: identifier)
    }

    func end() {
        kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
    }
}
