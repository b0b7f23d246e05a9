// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// The keychain files and the label of `login` at one time, to find out what has changed since: whoever changed it.
struct FileSnapshot: Sendable {
    let loginLabel: String

    /// In the order of the search list.
    let entries: [Entry]

    /// One file.
    struct Entry: Sendable {
        let shown: ShownFile
        /// The items, and when they were changed.
        let items: [ItemIdentifier: Timestamp?]
        fileprivate let mark: AtomicFile.Mark?
    }

    /// Looks at the files; the items of those that are as they were are not read.
    init(of collections: FileCollections, after former: FileSnapshot?) {
        loginLabel = (try? collections.loginLabel()) ?? former?.loginLabel ?? CollectionName.login.label
        let service = KeychainFileService { (command) throws(KeychainError) in
            try collections.backend.perform(.files(command))
        }
        let files: [FileCollections.File]
        do throws(KeychainError) { files = try collections.files() } catch {
            entries = former?.entries ?? []
            return
        }
        entries = files.compactMap { file in
            let former = former?.entries.first { $0.shown.file == file }
            do throws(KeychainError) {
                return try Entry(of: file, service, after: former)
            } catch {
                // What could not be looked at now may be as it was.
                let isGone = error.status == .noSuchKeychain || error.status == .invalidKeychain
                return isGone ? nil : former
            }
        }
    }

    func entry(_ collection: CollectionName) -> Entry? { entries.first { $0.shown.collection == collection } }
}

extension FileSnapshot.Entry {
    fileprivate init(
        of file: FileCollections.File,
        _ service: KeychainFileService,
        after former: Self?
    ) throws(KeychainError) {
        // Before the look, so that a change meanwhile is found by the next one.
        mark = (try? AtomicFile.mark(file.path)) ?? nil
        shown = ShownFile(file: file, details: try service.details(at: file.path))
        if let former, mark != nil, former.mark == mark {
            items = former.items
            return
        }
        guard case .lookupMatches(let matches) = try service.perform(.search(LookupAttributes()), at: file.path) else {
            throw .unexpectedReply
        }
        let identifiers = matches.prefix(LookupRequest.maximumItems).map(\.identifier)
        guard case .lookupItems(let found) = try service.perform(.describe(identifiers), at: file.path) else {
            throw .unexpectedReply
        }
        items = Dictionary(found.map { ($0.identifier, $0.modified) }) { first, _ in first }
    }
}
