#!/usr/bin/env bash
# Names the cache of fingerprints. The keys begin with what makes a cache useless when it differs:
# the format of the index, the system, the settings. They end with the commit, since a saved cache
# never changes.
#
# Outputs: path (below the workspace, so that it is the same on every machine), key, restore-keys.

# shellcheck source=config/action/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

enter_repository
folder=$(git rev-parse --git-common-dir)
# There, even if nothing is ever put into it: a cache step warns about a folder that is not.
mkdir -p "$folder/secondhand"
settings=$({ "$BINARY" config || true; } 2> /dev/null | git hash-object --stdin)
# "secondhand 1.2.3", and on a line of its own "index format 4".
version=$("$BINARY" --version)
prefix=${version//[$' \r\n']/-}-$RUNNER_OS-$RUNNER_ARCH
output path "${INPUT_REPOSITORY:-.}/$folder/secondhand"
# What was repaired in a second attempt is saved, too, and is the newest then.
attempt=
[ "${GITHUB_RUN_ATTEMPT:-1}" = 1 ] || attempt=-$GITHUB_RUN_ATTEMPT
output key "$prefix-$settings-${HEAD:-$GITHUB_SHA}$attempt"
output prefix "$prefix-"
output settings-prefix "$prefix-$settings-"
