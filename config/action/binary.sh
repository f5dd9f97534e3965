#!/usr/bin/env bash
# Finds the program: the one that is given, else the archive of a release, whose digest has to be the
# one that is pinned, or attested by the release workflow. It is built from the source of this action where the input
# `version` says so, and as long as there is no release.
#
# binary.sh find: outputs path, or build-key where it is to be built.
# binary.sh build: builds it, unless a cache has brought it.

# shellcheck source=config/action/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

home=$RUNNER_TEMP/secondhand-binary
suffix=
[ "$RUNNER_OS" != Windows ] || suffix=.exe
built=$home/bin/secondhand$suffix

find_program() {
  local path=${INPUT_BINARY:-}
  if [ -z "$path" ]; then
    local tags
    tags=$(releases)
    if [ -z "$tags" ]; then
      echo 'The program is built from source: the input "version" says so, or there is no release yet.'
      output build-key "$(source_digest)"
      return
    fi
    from_release "$tags"
    path=$built
  fi
  case $path in
    /* | [A-Za-z]:*) ;;
    *) path=$GITHUB_WORKSPACE/$path ;;
  esac
  [ -f "$path" ] || fail "there is no file '$path'" 'The input "binary" is the path of a built secondhand.'
  tell "$path"
}

build_program() {
  if [ ! -x "$built" ]; then
    from_source
  fi
  tell "$built"
}

tell() {
  local version
  version=$("$1" --version 2>&1) ||
    fail "'$1' does not run: $version" 'Leave the input "binary" empty to have it built.'
  printf '%s at %s\n' "$version" "$1"
  output path "$1"
}

# A digest of all that the program is built from.
source_digest() (
  cd -- "$GITHUB_ACTION_PATH"
  find Cargo.toml Cargo.lock build.rs src config -type f | LC_ALL=C sort | command git hash-object --stdin-paths | digest_of_input
)

# The releases to take the program from, the best first; none where it is built. One that is named, by the input
# `version` or the tag of this action, is the only one. A branch, a commit and a tag like `v0` mean the newest release
# that the change log of this action lists, so none that is newer than the action; the second newest while that one
# is prepared and not published yet.
releases() {
  case ${INPUT_VERSION:-} in
    source) return ;;
    ?*) echo "$INPUT_VERSION"; return ;;
  esac
  case ${ACTION_REF:-} in
    v[0-9]*.[0-9]*.[0-9]*) echo "$ACTION_REF" ;;
    *) sed -n 's/^## \([0-9][0-9]*\.[0-9.]*[0-9]\) (.*/v\1/p' "$GITHUB_ACTION_PATH/CHANGELOG.md" | sed 2q ;;
  esac
}

# Takes the program from the archive of the first of these releases, one a line, that is published. A wrong checksum
# ends the run.
from_release() {
  local target tag archive folder url
  local cure='The input "version" names another release; "version: source" builds the program, which takes minutes.'
  target=$(target) || fail "no release has a program for $RUNNER_OS on $RUNNER_ARCH" "$cure"
  folder=$home/download
  mkdir -p "$folder" "${built%/*}"
  for tag in $1; do
    archive=secondhand-$tag-$target
    case $RUNNER_OS in
      Windows) archive=$archive.zip ;;
      *) archive=$archive.tar.gz ;;
    esac
    url=${INPUT_RELEASES:-$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download}/$tag
    if download "$url/$archive" "$folder/$archive" && download "$url/$archive.sha256" "$folder/$archive.sha256"; then
      verify "$folder" "$archive"
      attest "$folder" "$archive" "$tag"
      unpack "$folder" "$archive"
      mv -- "$folder/secondhand$suffix" "$built"
      return
    fi
    printf 'cannot download %s or its checksum\n' "$url/$archive"
  done
  fail "cannot download $url/$archive or its checksum" "$cure"
}

# The target triple of the archive for this system.
target() {
  case $RUNNER_OS-$RUNNER_ARCH in
    Linux-X64) echo x86_64-unknown-linux-musl ;;
    Linux-ARM64) echo aarch64-unknown-linux-musl ;;
    macOS-X64) echo x86_64-apple-darwin ;;
    macOS-ARM64) echo aarch64-apple-darwin ;;
    Windows-X64) echo x86_64-pc-windows-msvc ;;
    *) return 1 ;;
  esac
}

download() {
  # Neither the address nor what it redirects to may be anything but https, or a folder that the caller names.
  local protocol='=https'
  case $1 in
    file://*) protocol='=file' ;;
  esac
  curl --proto "$protocol" --proto-redir "$protocol" --tlsv1.2 \
    --fail --silent --show-error --location --retry 3 --output "$2" -- "$1"
}

verify() {
  local expected actual
  expected=$(sed -n '1s/[^0-9a-f].*//p' "$1/$2.sha256")
  actual=$(digest_of_input < "$1/$2")
  if [ "${#expected}" != 64 ] || [ "$expected" != "$actual" ]; then
    fail "the checksum of $2 is $actual, and should be ${expected:-in $2.sha256}" 'Do not use this archive; report it to the project.'
  fi
  printf '%s: checksum %s is right\n' "$2" "$actual"
}

# The checksum comes from where the archive does. What else says that the release workflow built it: a digest that
# the caller pins, or the attestation of that workflow.
attest() {
  if [ -n "${INPUT_DIGEST:-}" ]; then
    local actual
    actual=$(digest_of_input < "$1/$2")
    [ "${INPUT_DIGEST#sha256:}" = "$actual" ] ||
      fail "the digest of $2 is $actual, and the input \"digest\" is ${INPUT_DIGEST#sha256:}" 'Do not use this archive; report it to the project.'
    printf '%s: digest is the pinned one\n' "$2"
    return
  fi
  command -v gh > /dev/null ||
    fail "there is no \"gh\" to verify the attestation of $2" 'Pin the archive with the input "digest", or build from source: "version: source".'
  GH_TOKEN=${TOKEN:-} gh attestation verify "$1/$2" --repo "$ACTION_REPOSITORY" \
    --signer-workflow "$ACTION_REPOSITORY/.github/workflows/release.yml" --source-ref "refs/tags/$3" ||
    fail "$2 has no attestation of the release workflow of $ACTION_REPOSITORY for $3" 'Do not use this archive; report it to the project.'
  printf '%s: attested by the release workflow\n' "$2"
}

digest_of_input() {
  local digest
  if command -v sha256sum > /dev/null; then
    digest=$(sha256sum)
  else
    digest=$(shasum -a 256)
  fi
  printf '%s' "${digest%% *}"
}

# Takes the one file that is wanted out of the archive, by name.
unpack() {
  case $2 in
    *.zip) (cd "$1" && unzip -o -j -q "$2" "*/secondhand$suffix" -d .) ;;
    *) tar -xzf "$1/$2" -C "$1" --strip-components=1 "${2%.tar.gz}/secondhand$suffix" ;;
  esac || fail "cannot unpack $2" 'The input "version" names another release; "version: source" builds the program.'
}

from_source() {
  command -v cargo > /dev/null ||
    fail 'there is no "cargo" to build Secondhand with' \
      'Install Rust before this action, or give a built program with the input "binary".'
  CARGO_TARGET_DIR=$RUNNER_TEMP/secondhand-target \
    cargo install --locked --path "$GITHUB_ACTION_PATH" --root "$home" --no-track --force ||
    fail 'Secondhand could not be built' 'The lines above say why. A release ("uses: …@v1.2.3") needs no build.'
}

"${1}_program"
