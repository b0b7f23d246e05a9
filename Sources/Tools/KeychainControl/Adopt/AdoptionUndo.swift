// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Glibc
import KeychainCore
import KeychainHost

/// Brings files back as they were before their secrets were moved.
struct AdoptionUndo {
    let surroundings: Surroundings
    let isDryRun: Bool
    private let copies: SealedCopies

    init(_ surroundings: Surroundings, isDryRun: Bool) {
        (self.surroundings, self.isDryRun) = (surroundings, isDryRun)
        copies = SealedCopies(surroundings: surroundings)
    }

    /// The number of nanoseconds that leaves a time as it is (utimensat(2), a macro that Swift does not import).
    private static let omittedTime = 0x3FFF_FFFE

    /// What was done, or would be.
    struct Outcome {
        var restored: [String] = []
        var remarks: [String] = []
    }

    /// Restores a file and, unless other files need it, the one that names its helper.
    ///
    /// - Throws: ``Refusal`` if the file was changed since; it is as it was then.
    func undo(_ path: String) throws(Refusal) -> Outcome {
        guard var copy = try copies.copy(of: path) else {
            throw Refusal(
                "there is no sealed copy of \(path.printable); 'keychainctl adopt --list' shows all",
                .notFound
            )
        }
        var outcome = Outcome()
        var companions: [String] = []
        while let layer = copy.layers.last {
            let isFirst = outcome.restored.isEmpty
            guard isFirst || isWritten(layer, path) else {
                outcome.remarks.append(
                    "\(path.printable) is as it was before the last change; it was changed between two"
                )
                break
            }
            if let remark = try restore(layer, path) { outcome.remarks.append(remark) }
            if let companion = layer.companion, !companions.contains(companion) { companions.append(companion) }
            outcome.restored = [path]
            guard !isDryRun else { return outcome }
            for item in layer.items.reversed() {
                if let remark = try undo(item, of: path) { outcome.remarks.append(remark) }
            }
            copy.layers.removeLast()
            if copy.layers.isEmpty { try copies.delete(path) } else { try copies.save(copy) }
        }
        guard copy.layers.isEmpty else { return outcome }
        for companion in companions where try !isNeeded(companion) {
            guard try copies.copy(of: companion) != nil else { continue }
            do throws(Refusal) {
                let other = try undo(companion)
                outcome.restored += other.restored
                outcome.remarks += other.remarks
            } catch {
                // The secrets are back; what is left of the helper does no harm.
                outcome.remarks.append("\(error)")
            }
        }
        return outcome
    }

    /// Takes back the last change of a file that was stored, and not carried out.
    func takeBack(_ path: String) throws(Refusal) {
        guard var copy = try copies.copy(of: path), let layer = copy.layers.popLast() else { return }
        for item in layer.items.reversed() { _ = try undo(item, of: path) }
        if copy.layers.isEmpty { try copies.delete(path) } else { try copies.save(copy) }
    }

    /// Whether a file is what was written to it.
    private func isWritten(_ layer: SealedCopy.Layer, _ path: String) -> Bool {
        guard let contents = try? AtomicFile.read(path, limit: 1 << 20) else { return false }
        return contents.bytes == layer.written
    }

    /// Whether another file that was changed needs the helper that a file names.
    private func isNeeded(_ companion: String) throws(Refusal) -> Bool {
        for path in try copies.paths() where path != companion {
            if try copies.copy(of: path)?.layers.contains(where: { $0.companion == companion }) == true { return true }
        }
        return false
    }

    // MARK: - Files

    private func restore(_ layer: SealedCopy.Layer, _ path: String) throws(Refusal) -> String? {
        let file = try ConfigurationFile(
            path,
            home: try surroundings.homeOfPrograms(),
            takesLockFile: layer.program?.takesLockFile ?? false
        )
        var status = stat()
        let isThere = lstat(path, &status) == 0
        let current = isThere ? file.bytes : nil
        if current == layer.original { return nil }
        if let current, current != layer.written { return try takeOut(layer, of: file) }
        guard !isDryRun else { return nil }
        guard let original = layer.original else {
            try file.remove()
            return nil
        }
        try file.replace(with: original, keepsCopy: false)
        chmod(path, mode_t(layer.mode))
        var times = [timespec(), timespec()]
        times[0].tv_nsec = Self.omittedTime
        times[1] = timespec(tv_sec: layer.seconds, tv_nsec: layer.nanoseconds)
        utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW)
        return nil
    }

    /// Takes the helper out of a configuration that somebody changed since; refuses other files.
    private func takeOut(_ layer: SealedCopy.Layer, of file: ConfigurationFile) throws(Refusal) -> String {
        let path = file.path
        let lines = HiddenDifference.lines(layer.written, file.bytes)
        let refusal = Refusal(
            "\(path.printable) was changed since, so it is left as it is:\n\(lines.joined(separator: "\n"))"
        )
        guard let program = layer.program, program.needsProfile == false, let block = program.block("", profile: nil)
        else {
            throw refusal
        }
        let text = try file.text()
        guard let new = try? block.removed(from: text), new != text else { throw refusal }
        if !isDryRun { try file.replace(with: Array(new.utf8), keepsCopy: false) }
        return "\(path.printable) was changed since: only the lines of the helper were taken out"
    }

    // MARK: - Items

    /// Restores what an item was, unless another file needs it, or somebody changed it.
    private func undo(_ item: SealedCopy.Item, of path: String) throws(Refusal) -> String? {
        guard item.origin != .present, try !handOver(item, of: path) else { return nil }
        for entry in try surroundings.entries(at: item.place) {
            guard try surroundings.secret(of: entry) == item.secret else { continue }
            switch item.origin {
            case .added: try surroundings.withItems { (store) throws(KeychainError) in try store.delete(entry) }
            case .replaced(let former):
                try surroundings.withItems { (store) throws(KeychainError) in
                    try store.update(entry, [:], secret: former)
                }
            case .present: break
            }
            return nil
        }
        guard case .replaced(let former) = item.origin else { return nil }
        // The second attempt of an undo that was ended between the items.
        for entry in try surroundings.entries(at: item.place) where try surroundings.secret(of: entry) == former {
            return nil
        }
        return "\(item.place.name.printable) has another value by now, and keeps it"
    }

    /// Leaves an item to another file whose secret it is as well.
    private func handOver(_ item: SealedCopy.Item, of path: String) throws(Refusal) -> Bool {
        for other in try copies.paths() where other != path {
            guard var copy = try copies.copy(of: other) else { continue }
            for layer in copy.layers.indices {
                for index in copy.layers[layer].items.indices
                where copy.layers[layer].items[index].place == item.place
                    && copy.layers[layer].items[index].secret == item.secret
                {
                    copy.layers[layer].items[index].origin = item.origin
                    try copies.save(copy)
                    return true
                }
            }
        }
        return false
    }
}

/// The lines in which two texts differ, without their contents: only the first word of a line is shown, if it is one
/// that the other text has at the beginning of a line as well.
enum HiddenDifference {
    static func lines(_ written: [UInt8], _ current: [UInt8]) -> [String] {
        let (old, new) = (lines(written), lines(current))
        let known = Set(old.compactMap(firstWord))
        let difference = new.difference(from: old)
        let changes = difference.removals + difference.insertions
        return changes.prefix(20).map { change in
            switch change {
            case .remove(let offset, let line, _): "  - line \(offset + 1): \(shown(line, known))"
            case .insert(let offset, let line, _): "  + line \(offset + 1): \(shown(line, known))"
            }
        } + (changes.count > 20 ? ["  and \(changes.count - 20) more"] : [])
    }

    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    }

    private static func firstWord(_ line: ArraySlice<UInt8>) -> String? {
        let word = line.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 > 0x20 && $0 != 0x3D && $0 != 0x3A }
        return word.isEmpty || word.count == line.count ? nil : String(validating: word, as: UTF8.self)
    }

    private static func shown(_ line: ArraySlice<UInt8>, _ known: Set<String>) -> String {
        let count = Count.text(line.count, "byte")
        guard let word = firstWord(line), known.contains(word) else { return "(hidden, \(count))" }
        return "\(word.printable) (hidden, \(count))"
    }
}
