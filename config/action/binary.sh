#!/usr/bin/env bash
# Finds the program: the one that is given, else the archive of a release, whose digest has to be the
# one that is pinned, or attested by the release workflow, else one that is built from the source of this action.
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
    from_release || { output build-key "$(source_digest)"; return; }
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

# Takes the program from the archive of the release that this action was called by, or that the
# input `version` names. Fails where there is none; a wrong checksum ends the run.
from_release() {
  local tag=${INPUT_VERSION:-} archive folder url
  if [ -z "$tag" ]; then
    case ${ACTION_REF:-} in
      v[0-9]*.[0-9]*.[0-9]*) tag=$ACTION_REF ;;
      *) return 1 ;;
    esac
  fi
  [ "$tag" != source ] || return 1
  archive=secondhand-$tag-$(target) || return 1
  case $RUNNER_OS in
    Windows) archive=$archive.zip ;;
    *) archive=$archive.tar.gz ;;
  esac
  url=${INPUT_RELEASES:-$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download}/$tag
  folder=$home/download
  mkdir -p "$folder" "${built%/*}"
  if ! download "$url/$archive" "$folder/$archive" || ! download "$url/$archive.sha256" "$folder/$archive.sha256"; then
    [ -z "${INPUT_VERSION:-}" ] ||
      fail "cannot download $url/$archive or its checksum" 'Look whether the release has this archive; without the input "version" it is built from source.'
    note notice "No archive for this system at $url: it is built from source."
    return 1
  fi
  verify "$folder" "$archive"
  attest "$folder" "$archive" "$tag"
  unpack "$folder" "$archive"
  mv -- "$folder/secondhand$suffix" "$built"
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
  esac || fail "cannot unpack $2" 'Without the input "version" it is built from source.'
}

from_source() {
  command -v cargo > /dev/null ||
    fail 'there is no "cargo" to build Secondhand with, and no archive for this system' \
      'Install Rust before this action, or give a built program with the input "binary".'
  CARGO_TARGET_DIR=$RUNNER_TEMP/secondhand-target \
    cargo install --locked --path "$GITHUB_ACTION_PATH" --root "$home" --no-track --force ||
    fail 'Secondhand could not be built' 'The lines above say why. A release ("uses: …@v1.2.3") needs no build.'
}

"${1}_program"
