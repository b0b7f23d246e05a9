// SPDX-License-Identifier: Apache-2.0

/// Adds, updates, reads and deletes of items of this process's own, and of items that all processes fight for.
struct Hammer {
    let subject: Subject
    let name: String
    let rounds: Int

    /// Adds by eight threads until the next line.
    static func burst(_ subject: Subject, _ name: String) {
        let threads = (0..<8).map { thread in
            Worker { index in subject.add("\(name)-\(thread)-\(index)") }
        }
        _ = Console.readLine()
        for thread in threads { thread.stop() }
    }

    func run() {
        for round in 0..<rounds {
            let own = "own-\(name)-\(round)"
            subject.add(own)
            subject.add("shared-\(round)", label: name)
            subject.read(own)
            subject.read("shared-\(round)")
            subject.update(own, label: "\(name)-\(round)")
            subject.update("contended", label: name)
            subject.delete("gone-\(round)")
            if round % 3 == 0 { subject.delete(own) }
        }
    }
}
