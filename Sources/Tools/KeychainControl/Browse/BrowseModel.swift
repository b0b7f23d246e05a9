// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What is on the screen of `keychainctl browse`, and what keys change: no terminal, no clock and no keychain.
struct BrowseModel {
    /// A password in the list.
    struct Item: Sendable {
        let name: String
        /// The cells of a list; of ten thousand items, few are ever on the screen.
        let cells: @Sendable () -> (name: String, place: String, day: String)
        /// What is searched; the first counts most.
        let texts: @Sendable () -> [String]
        /// The attributes, for people.
        let rows: @Sendable () -> [(name: String, value: String)]
    }

    /// What a key asks for that the model cannot do; numbers are those of items.
    enum Effect: Hashable {
        case copy(Int)
        case reveal(Int)
        case explain(String)
        case lock
        case unlock
        case reload
        case suspend
        case quit
    }

    /// Rows and columns.
    struct Size: Hashable {
        var rows: Int
        var columns: Int
    }

    private(set) var items: [Item]
    /// The texts of all items as they are compared, from the first search on.
    private var folded: [[[Unicode.Scalar]]]?
    var size: Size { didSet { keepSelectionVisible() } }
    private(set) var words = ""
    /// The numbers of the items that fit the words, the best first.
    private(set) var matches: [Int]
    /// The place in ``matches``.
    private(set) var selection = 0
    /// The place of the first line of the list.
    private(set) var top = 0
    var message = ""
    /// Lines that are shown instead of the list, and the first of them on the screen.
    private(set) var page: [String]?
    private(set) var pageTop = 0
    var isLocked = false
    /// The item whose secret is shown, and until when, in milliseconds.
    private(set) var revealed: (item: Int, until: Int)?

    /// How long a secret stays after its key was last heard of: keys that are held begin to repeat after half a second.
    static let revealMilliseconds = 1_000

    init(_ items: [Item], size: Size) {
        (self.items, self.size) = (items, size)
        matches = Array(items.indices)
    }

    /// The number of the selected item.
    var selected: Int? { matches.indices.contains(selection) && !isLocked ? matches[selection] : nil }

    /// How long nothing changes by itself; `nil` for always.
    func milliseconds(at now: Int) -> Int? { revealed.map { max($0.until - now, 0) } }

    /// Shows other items.
    mutating func setItems(_ items: [Item]) {
        let name = selected.map { self.items[$0].name }
        self.items = items
        folded = nil
        matches = Array(items.indices)
        search()
        if let place = matches.firstIndex(where: { items[$0].name == name }) { select(place) }
    }

    /// Shows a text instead of the list.
    mutating func open(_ text: String) {
        page = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
        pageTop = 0
    }

    /// Hides what was shown for a time.
    mutating func hide() { revealed = nil }

    mutating func pass(to now: Int) {
        if let until = revealed?.until, until <= now { revealed = nil }
    }

    /// What a key does.
    mutating func handle(_ key: BrowseKey, at now: Int) -> [Effect] {
        pass(to: now)
        message = ""
        if key != .control("r") { revealed = nil }
        switch key {
        case .control("c"): return [.quit]
        case .control("z"): return [.suspend]
        default: break
        }
        if page != nil { return handleInPage(key) }
        return isLocked ? handleLocked(key) : handleInList(key, at: now)
    }

    private mutating func handleLocked(_ key: BrowseKey) -> [Effect] {
        switch key {
        case .enter, .control("l"): return [.unlock]
        case .escape, .control("d"): return [.quit]
        default: return []
        }
    }

    private mutating func handleInPage(_ key: BrowseKey) -> [Effect] {
        let step =
            switch key {
            case .up, .control("p"): -1
            case .down, .control("n"): 1
            case .pageUp: -(size.rows - 2)
            case .pageDown, .text(" "): size.rows - 2
            case .home: -pageTop
            case .end: page?.count ?? 0
            default: 0
            }
        guard step == 0 else {
            pageTop = max(min(pageTop + step, (page?.count ?? 0) - (size.rows - 2)), 0)
            return []
        }
        switch key {
        case .escape, .enter, .text("q"), .backspace: page = nil
        default: break
        }
        return []
    }

    private mutating func handleInList(_ key: BrowseKey, at now: Int) -> [Effect] {
        switch key {
        case .text(let text): setWords(words + text)
        case .backspace: setWords(String(words.dropLast()))
        case .control("u"): setWords("")
        case .up, .control("p"): select(selection - 1)
        case .down, .control("n"): select(selection + 1)
        case .pageUp: select(selection - listHeight)
        case .pageDown: select(selection + listHeight)
        case .home, .control("a"): select(0)
        case .end: select(matches.count - 1)
        case .enter, .control("y"): return selected.map { [.copy($0)] } ?? []
        case .control("r"):
            guard let selected else { return [] }
            let isShown = revealed?.item == selected
            revealed = (selected, now + Self.revealMilliseconds)
            return isShown ? [] : [.reveal(selected)]
        case .control("e"):
            let name = words.isEmpty ? selected.map { items[$0].name } ?? "" : words
            return name.isEmpty ? [] : [.explain(name)]
        case .control("l"): return [.lock]
        case .control("t"): return [.reload]
        case .escape:
            if words.isEmpty { return [.quit] }
            setWords("")
        case .control("d"): return words.isEmpty ? [.quit] : []
        case .control: break
        }
        return []
    }

    private mutating func setWords(_ new: String) {
        // What does not fit some letters does not fit more of them either.
        if !new.hasPrefix(words) { matches = Array(items.indices) }
        words = new
        search()
    }

    private mutating func search() {
        let searched = words.split(separator: " ").map { FuzzySearch.folded(String($0)) }
        if searched.isEmpty {
            matches = Array(items.indices)
        } else {
            let texts = folded ?? items.map { $0.texts().map(FuzzySearch.folded) }
            folded = texts
            let ranked = matches.compactMap { item in
                FuzzySearch.rank(texts[item], folded: searched).map { (item: item, rank: $0) }
            }
            // Equal ones in the order of their names, which is that of the items.
            matches = ranked.sorted { ($0.rank, $0.item) < ($1.rank, $1.item) }.map(\.item)
        }
        (selection, top) = (0, 0)
    }

    private mutating func select(_ place: Int) {
        selection = max(min(place, matches.count - 1), 0)
        keepSelectionVisible()
    }

    private mutating func keepSelectionVisible() {
        top = max(min(top, selection), selection - listHeight + 1, 0)
        pageTop = max(min(pageTop, (page?.count ?? 0) - (size.rows - 2)), 0)
    }

    // MARK: - Layout

    /// The lines of the details.
    var detailHeight: Int { min(11, max(size.rows - 4, 0) / 2) }

    /// The lines of the list: the others are the search, a rule, the details, a message and the keys.
    var listHeight: Int { max(size.rows - 4 - detailHeight, 1) }
}
