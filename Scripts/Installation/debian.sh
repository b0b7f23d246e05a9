# SPDX-License-Identifier: Apache-2.0
# Sourced by Scripts/release: functions that make the packages of Debian, of what was built.
# shellcheck shell=sh

# make_tools_package VERSION: the commands, the daemon and its units, manual pages and completion.
make_tools_package() {
    package=swift-keychain
    begin_package
    # shellcheck disable=SC2086 # a list of names
    place_tools $tools
    place_helpers
    place_units lib/systemd/user
    place_system_service
    zsh_folder=vendor-completions
    place_completions
    quietly "Making the manual pages" place_manuals
    find "$staged/share/man" -type f -exec gzip -9n {} +
    mkdir -p "$root/DEBIAN"
    for script in postinst prerm postrm; do place 755 "Packaging/debian/$script" "$root/DEBIAN/$script"; done
    finish_package "$1"
}

# make_development_package VERSION: the library, its modules and the toolsets.
make_development_package() {
    package=swift-keychain-dev
    begin_package
    quietly "Placing the library" place_library
    strip --strip-unneeded "$staged"/lib/swift-keychain/*.so
    finish_package "$1"
}

# make_secret_service_package VERSION: what has a session bus start the daemon of the other package.
make_secret_service_package() {
    package=swift-keychain-secret-service
    begin_package
    place_activation
    place_activation_file secret-service.conf "$staged/lib/systemd/user/swift-keychain.service.d/secret-service.conf"
    mkdir -p "$root/DEBIAN"
    for script in preinst postrm; do place 755 "Packaging/debian/$package.$script" "$root/DEBIAN/$script"; done
    finish_package "$1" all
}

# The licences as deb-copyright(5) wants them: a text that Debian has no copy of is a part of the file.
copyright() {
    cat Packaging/debian/copyright
    for license in Expat:"$tools_build/checkouts/Yams/LICENSE" Unicode-3.0:Packaging/licenses/Unicode-3.0.txt; do
        printf '\nLicense: %s\n' "${license%%:*}"
        sed -e 's/[[:space:]]*$//' -e 's/^$/./' -e 's/^/ /' "${license#*:}"
    done
}

# The source packages of Debian of which parts are linked statically, and whose licences ask for the exact sources.
built_using() {
    dpkg-query -W -f '${source:Package} (= ${source:Version})\n' libc6-dev 'libstdc++-*-dev' 2> /dev/null |
        grep -v '(= )' | sort -u | paste -sd , | sed 's/,/, /g'
}

begin_package() {
    prefix=/usr
    root="$work/$package"
    staged="$root/usr"
    mkdir -p "$staged"
}

# finish_package VERSION [ARCHITECTURE]: what every package has, and the package itself.
finish_package() {
    architecture="${2:-$(dpkg --print-architecture)}"
    documents="$staged/share/doc/$package"
    copyright > "$work/copyright"
    place 644 "$work/copyright" "$documents/copyright"
    entry="$(sed -n '/^## /,$p' CHANGELOG.md | head -n 1 | sed 's/^## //')"
    {
        echo "swift-keychain ($1) unstable; urgency=medium"
        echo
        echo "  * Release ${entry}; see /usr/share/doc/$package/NEWS.gz."
        echo
        echo " -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")"
    } | gzip -9n > "$documents/changelog.gz"
    gzip -9nc CHANGELOG.md > "$documents/NEWS.gz"
    if [ -e "Packaging/debian/$package.lintian-overrides" ]; then
        place 644 "Packaging/debian/$package.lintian-overrides" "$staged/share/lintian/overrides/$package"
    fi
    mkdir -p "$root/DEBIAN"
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
    chmod 644 "$root/DEBIAN/md5sums"
    find "$root" -type d -exec chmod 755 {} +
    size="$(du -sk --apparent-size "$root/usr" | cut -f 1)"
    # One for all architectures has no programs.
    depends=""
    [ "$architecture" = all ] || depends="$(libraries)"
    [ -n "$depends" ] || [ "$architecture" = all ] || { echo "dpkg-shlibdeps names no packages for $package" >&2; exit 1; }
    sed -e "s/@VERSION@/$1/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@SIZE@/$size/" \
        -e "s/@MAINTAINER@/$maintainer/" -e "s/@DEPENDS@/$depends/" -e "s/@BUILT_USING@/$(built_using)/" \
        "Packaging/debian/$package.control" > "$root/DEBIAN/control"
    find "$root" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0r touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
    dpkg-deb --root-owner-group -Zxz --build "$root" "$output/${package}_${1}_$architecture.deb" > /dev/null
}

# The variables of devscripts(1) name who builds a package; without them, the project has no address to give.
maintainer="${DEBFULLNAME:-swift-keychain maintainers} <${DEBEMAIL:-maintainers@swift-keychain.example}>"

# The packages whose libraries the programs and libraries of a package load (dpkg-shlibdeps(1)).
libraries() {
    mkdir -p "$work/shlibs/debian"
    echo "Source: swift-keychain" > "$work/shlibs/debian/control"
    files="$(find "$staged/bin" "$staged/lib/swift-keychain" -type f \( -name keychaind -o -name '*.so' \) 2>/dev/null |
        sed 's/^/-e/')"
    # shellcheck disable=SC2086 # a list of options
    (cd "$work/shlibs" && dpkg-shlibdeps -O --ignore-missing-info -l"$staged/lib/swift-keychain" $files) \
        > "$work/shlibs/depends"
    sed -n 's/^shlibs:Depends=//p' "$work/shlibs/depends"
}
