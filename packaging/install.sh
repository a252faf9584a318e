#!/bin/sh
# Installs mortise {{VERSION}} into ~/.local/bin, or into MORTISE_INSTALL_DIR. Needs no root.
#
# The archive comes over https. Its SHA-256 stands in this script and is compared before anything is unpacked or put in
# place. MORTISE_DOWNLOAD names another place with the same archives: an https:// or file:// address.
set -eu

version={{VERSION}}
download=${MORTISE_DOWNLOAD:-{{DOWNLOAD}}}

fail() {
    printf 'error: %s\n' "$1" >&2
    [ "$#" -lt 2 ] || printf 'hint: %s\n' "$2" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Everything is in functions, so that a script that was cut off on its way does nothing.
choose() {
    case "$(uname -s)-$(uname -m)" in
{{PLATFORMS}}
    *) fail "there is no mortise for $(uname -s) on $(uname -m)" "build it from source: see docs/install.md" ;;
    esac
    if [ "$(uname -s)" = Linux ] && ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
        fail "mortise needs glibc, which this system does not have" "on Alpine use a Debian container"
    fi
}

fetch() {
    case $download in
    https://*)
        if have curl; then
            curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$2" "$1"
        elif have wget; then
            wget --https-only --quiet --output-document="$2" "$1"
        else
            fail "neither curl nor wget is installed" "install one of them"
        fi || fail "cannot download $1" "look at the address, or set MORTISE_DOWNLOAD"
        ;;
    *) cp -- "${1#file://}" "$2" || fail "cannot read ${1#file://}" ;;
    esac
}

sum_of() {
    if have sha256sum; then
        sha256sum "$1" | cut -d ' ' -f 1
    elif have shasum; then
        shasum -a 256 "$1" | cut -d ' ' -f 1
    else
        fail "neither sha256sum nor shasum is installed, so the checksum can't be compared" "install coreutils"
    fi
}

main() {
    choose
    [ -n "${MORTISE_INSTALL_DIR:-}${HOME:-}" ] || fail "HOME is not set" "set MORTISE_INSTALL_DIR"
    folder=${MORTISE_INSTALL_DIR:-$HOME/.local/bin}
    name=mortise-mcp-$version-$target
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM

    case $download in
    https://* | file:///*) printf 'Downloading %s\n' "$download/$name.tar.gz" ;;
    *) fail "$download is not an https:// address" "set MORTISE_DOWNLOAD to an https:// or file:// address" ;;
    esac
    fetch "$download/$name.tar.gz" "$scratch/archive.tar.gz"
    got=$(sum_of "$scratch/archive.tar.gz")
    [ "$got" = "$sum" ] || fail "the archive has the checksum $got and not $sum" "it was changed on its way, so nothing of it was installed"

    tar -xzf "$scratch/archive.tar.gz" -C "$scratch"
    "$scratch/$name/mortise" --version >/dev/null || fail "the program does not start on this machine"
    mkdir -p "$folder" || fail "cannot make $folder" "set MORTISE_INSTALL_DIR to a folder that you can write"
    # Beside its place first: a program that runs is replaced in one step.
    cp "$scratch/$name/mortise" "$folder/.mortise.new" || fail "cannot write to $folder" "set MORTISE_INSTALL_DIR to a folder that you can write"
    chmod 755 "$folder/.mortise.new"
    mv -f "$folder/.mortise.new" "$folder/mortise"

    printf 'Installed %s\n' "$folder/mortise"
    case ":${PATH:-}:" in
    *":$folder:"*) printf 'Next: mortise help\n' ;;
    *) printf '%s is not on your PATH. Next: %s help\n' "$folder" "$folder/mortise" ;;
    esac
}

main
