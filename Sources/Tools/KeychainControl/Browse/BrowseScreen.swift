// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The lines of a screen, each of exactly its width.
struct BrowseScreen: Equatable {
    /// A line, all of it in one style; styles are no colours.
    struct Line: Equatable {
        var text: String
        var isReversed = false
    }

    /// Where a secret is written, which is no part of any text.
    struct SecretPlace: Equatable {
        let row: Int
        let column: Int
        let width: Int
    }

    var lines: [Line] = []
    var secretPlace: SecretPlace?
    /// The column of the cursor, in the first line; `nil` to hide it.
    var cursor: Int?

    /// The smallest screen.
    static let smallest = BrowseModel.Size(rows: 8, columns: 24)
}

extension BrowseModel {
    /// What is on the screen.
    var screen: BrowseScreen {
        guard size.rows >= BrowseScreen.smallest.rows, size.columns >= BrowseScreen.smallest.columns else {
            return filled([BrowseScreen.Line(text: "The terminal is too small.")])
        }
        if let page { return pageScreen(page) }
        return isLocked ? lockedScreen : listScreen
    }

    private func pageScreen(_ page: [String]) -> BrowseScreen {
        let height = size.rows - 2
        var lines = [
            BrowseScreen.Line(
                text: "Why '\(words.isEmpty ? "it" : words.printable)' is visible, or not",
                isReversed: true
            )
        ]
        lines += page[min(pageTop, page.count)...].prefix(height).map { BrowseScreen.Line(text: $0) }
        var screen = filled(lines)
        let more = page.count > height ? "arrows move  " : ""
        screen.lines[size.rows - 1] = line("\(more)Esc back", isReversed: true)
        return screen
    }

    private var lockedScreen: BrowseScreen {
        var screen = filled([
            BrowseScreen.Line(text: "keychainctl", isReversed: true), BrowseScreen.Line(text: ""),
            BrowseScreen.Line(text: "The keychain is locked."),
        ])
        screen.lines[size.rows - 2] = line(message)
        screen.lines[size.rows - 1] = line("Enter unlock  Esc quit", isReversed: true)
        return screen
    }

    private var listScreen: BrowseScreen {
        let prompt = "Search: "
        let count =
            matches.count == items.count ? "\(items.count)" : "\(matches.count) of \(items.count)"
        let room = size.columns - TextWidth.of(prompt) - count.count - 2
        // The end of what is typed.
        let typed = TextWidth.end(of: words.printable, in: room)
        var lines = [
            BrowseScreen.Line(
                text: prompt + TextWidth.fitted(typed, to: room) + "  " + count,
                isReversed: true
            )
        ]
        for place in top..<top + listHeight {
            let isSelected = place == selection
            guard matches.indices.contains(place) else {
                let isHint = place == 0
                let hint = items.isEmpty ? "There are no passwords." : "No password fits: control-E says why."
                lines.append(BrowseScreen.Line(text: isHint ? "  \(hint)" : ""))
                continue
            }
            lines.append(BrowseScreen.Line(text: row(of: items[matches[place]], isSelected), isReversed: isSelected))
        }
        lines.append(BrowseScreen.Line(text: String(repeating: "-", count: size.columns)))
        let details = self.details
        lines += details.map { BrowseScreen.Line(text: $0) }
        var screen = filled(lines)
        screen.lines[size.rows - 2] = line(message)
        screen.lines[size.rows - 1] = line(
            "Enter copy  ^R reveal (hold)  ^E why not visible  ^L lock  Esc quit",
            isReversed: true
        )
        if revealed != nil, !details.isEmpty {
            let column = Self.labelWidth
            screen.secretPlace = .init(row: listHeight + 2, column: column, width: size.columns - column)
        }
        screen.cursor = TextWidth.of(prompt) + TextWidth.of(typed)
        return screen
    }

    private static let labelWidth = 17

    /// The password, and the attributes as far as there is space.
    private var details: [String] {
        guard let selected, detailHeight > 0 else { return [] }
        let label = "Password:".padded(to: Self.labelWidth)
        var lines = [label + (revealed == nil ? "hidden" : "")]
        lines += items[selected].rows().map { "\($0.name):".padded(to: Self.labelWidth) + $0.value }
        guard lines.count > detailHeight else { return lines }
        return lines.prefix(detailHeight - 1) + ["and \(lines.count - detailHeight + 1) more: keychainctl show"]
    }

    private func row(of item: Item, _ isSelected: Bool) -> String {
        let mark = isSelected ? "> " : "  "
        let cells = item.cells()
        guard size.columns >= 60 else { return mark + cells.name }
        let place = TextWidth.fitted(cells.place, to: 16)
        return mark + TextWidth.fitted(cells.name, to: size.columns - 32) + "  " + place + "  " + cells.day
    }

    private func line(_ text: String, isReversed: Bool = false) -> BrowseScreen.Line {
        BrowseScreen.Line(text: TextWidth.fitted(text, to: size.columns), isReversed: isReversed)
    }

    /// As many lines as the screen has, each of its width.
    private func filled(_ lines: [BrowseScreen.Line]) -> BrowseScreen {
        let empty = BrowseScreen.Line(text: "")
        let rows = (lines + Array(repeating: empty, count: max(size.rows - lines.count, 0))).prefix(max(size.rows, 0))
        return BrowseScreen(lines: rows.map { line($0.text, isReversed: $0.isReversed) })
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { TextWidth.fitted(self, to: width) }
}
