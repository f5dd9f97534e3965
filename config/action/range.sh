#!/usr/bin/env bash
# Finds the two ends of the change that the event is about, and fetches what is missing between
# them. Ends with status 2 where it cannot: what was not compared is never called clean.
#
# Outputs: base, head (empty for what is checked out), merge-base.

# shellcheck source=config/action/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

DEPTH_CURE='Set "fetch-depth: 0" on actions/checkout, or leave "persist-credentials" at its default so that this step can fetch.'
fetch_log=

main() {
  enter_repository
  require_name base "${INPUT_BASE:-}"
  require_name head "${INPUT_HEAD:-}"
  require_name base "${EVENT_BASE:-}"
  require_name head "${EVENT_HEAD:-}"
  git rev-parse --git-dir > /dev/null 2>&1 ||
    fail "'$PWD' is no git repository" 'Run actions/checkout before this action.'
  find_head
  find_base
  if [ -z "$base" ]; then
    output base ''
    output head "$shown_head"
    return
  fi
  connect
  merge_base=$(git merge-base --end-of-options "$base" "$head")
  if [ "$merge_base" = "$head" ]; then
    at_base
  fi
  printf 'base %s, head %s, merge base %s\n' "$base" "$head" "$merge_base"
  output base "$base"
  output head "$shown_head"
  output merge-base "$merge_base"
}

# Ends the step where git would take a name for more than that, an option or a rule that says what to fetch and which
# branch to write it to: require_name INPUT NAME
require_name() {
  case $2 in
    [-+^]* | *[:*[:space:]]*)
      fail "the $1 '$2' is no commit, branch or tag" \
        "The input \"$1\" names one: without colons, stars and blanks, and none begins with a dash, a plus or a caret."
      ;;
  esac
}

# Sets head, the commit that is checked, and shown_head, empty where it is what is checked out.
find_head() {
  shown_head=${INPUT_HEAD:-}
  # Of pull_request_target, the base is checked out, as it should be: the change is only read.
  if [ -z "$shown_head" ] && [ "$EVENT" = pull_request_target ]; then
    shown_head=$EVENT_HEAD
  fi
  head=$(commit_of "${shown_head:-HEAD}") || {
    [ -n "$shown_head" ] ||
      fail 'nothing is checked out: "HEAD" names no commit' 'Run actions/checkout before this action.'
    fetch "$shown_head" || fetch "refs/pull/$PULL_REQUEST/head" || true
    head=$(commit_of "$shown_head") || head=$(commit_of "refs/remotes/origin/$shown_head") ||
      fail "the commit '$shown_head' is not in this clone and could not be fetched: $fetch_log" "$DEPTH_CURE"
  }
  [ -z "$shown_head" ] || shown_head=$head
}

# Sets base, a commit id; empty where all that there is is new.
find_base() {
  if [ -n "${INPUT_BASE:-}" ]; then
    resolve_base "$INPUT_BASE"
    return
  fi
  case $EVENT in
    pull_request | pull_request_target)
      # The merge commit's own parent: the branch may have moved on since the event was made.
      base=$(merged_into "$EVENT_HEAD")
      base=${base:-$EVENT_BASE}
      ;;
    merge_group | push) base=$EVENT_BASE ;;
    *) base= ;;
  esac
  case $base in
    *[!0]*) ;;
    *) default_base ;;
  esac
}

# The first parent of head, where head is a merge of the commit $1. Reads the commit itself: a
# shallow clone hides its parents from every other command.
merged_into() {
  local first second
  first=$(parents | sed -n 1p)
  second=$(parents | sed -n 2p)
  if [ -n "$1" ] && [ "$second" = "$1" ]; then
    printf '%s' "$first"
  fi
}

parents() {
  git cat-file commit "$head" | sed -e '/^$/q' | sed -n 's/^parent //p'
}

# Without an event that names a base: the default branch; on that branch the commit before.
default_base() {
  base=
  if [ -n "$DEFAULT_BRANCH" ] && [ "$GITHUB_REF" != "refs/heads/$DEFAULT_BRANCH" ]; then
    resolve_base "$DEFAULT_BRANCH"
    return
  fi
  base=$(parents | sed -n 1p)
  if [ -n "$base" ]; then
    note notice 'This event names no base: the last commit was compared with the one before. The input "base" names another.'
  else
    note notice 'This is the first commit: all of it counts as new.'
  fi
}

# Sets base to the commit that $1 names: a commit, a tag, or a branch of origin.
resolve_base() {
  base=$(commit_of "refs/remotes/origin/$1") || base=$(commit_of "$1") || {
    if fetch "$1"; then
      base=$(commit_of FETCH_HEAD)
    else
      fail "the base '$1' is not in this clone and could not be fetched: $fetch_log" "$DEPTH_CURE"
    fi
  }
}

commit_of() {
  git rev-parse --verify --quiet --end-of-options "$1^{commit}"
}

is_shallow() {
  [ "$(git rev-parse --is-shallow-repository)" = true ]
}

is_connected() {
  git merge-base --end-of-options "$base" "$head" > /dev/null 2>&1
}

# Fetches until both ends and the commit they share are here.
connect() {
  if ! commit_of "$base" > /dev/null; then
    fetch "$base" || fetch "refs/heads/${BASE_BRANCH:-$DEFAULT_BRANCH}" || true
    commit_of "$base" > /dev/null ||
      fail "the base commit $base is not in this clone and could not be fetched: $fetch_log" "$DEPTH_CURE"
  fi
  local depth
  for depth in 1 30 300 3000; do
    if is_connected || ! is_shallow; then
      break
    fi
    deepen "--deepen=$depth" || break
  done
  if ! is_connected && is_shallow; then
    deepen --unshallow || true
  fi
  is_connected && return
  if is_shallow; then
    fail "this clone is shallow and ends before the commit that $base and $head share; fetching more of it failed: $fetch_log" "$DEPTH_CURE"
  fi
  fail "$base and $head share no history" 'Name another base with the input "base".'
}

# Fetches one commit or branch. A new end of a shallow clone comes alone: `deepen` brings the rest.
fetch() {
  if is_shallow; then
    fetch_from_origin --depth=1 "$1"
  else
    fetch_from_origin '' "$1"
  fi
}

deepen() {
  fetch_from_origin "$1" "$head" "$base" || fetch_from_origin "$1" "$GITHUB_REF" "$base"
}

# fetch_from_origin DEPTH WANTED...: DEPTH is an option of git fetch, or empty.
fetch_from_origin() {
  local options=(--no-tags --no-recurse-submodules --no-write-commit-graph) log
  [ -z "$1" ] || options+=("$1")
  shift
  printf 'git fetch %s origin %s\n' "${options[*]}" "$*"
  if log=$(authorized_git fetch "${options[@]}" --end-of-options origin "$@" 2>&1); then
    return 0
  fi
  fetch_log=$(printf '%s' "$log" | tail -n 1)
  printf '%s\n' "$log"
  return 1
}

# Runs git with the workflow's token, where the checkout has left none behind.
authorized_git() {
  local header="http.$GITHUB_SERVER_URL/.extraheader"
  case $(git remote get-url origin 2> /dev/null) in
    "$GITHUB_SERVER_URL"/*)
      if [ -n "${TOKEN:-}" ] && ! git config --get-all "$header" > /dev/null; then
        local basic
        basic=$(printf 'x-access-token:%s' "$TOKEN" | base64 | tr -d '\n')
        printf '::add-mask::%s\n' "$basic" >&3
        # By the environment: arguments show in the list of processes.
        GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=$header GIT_CONFIG_VALUE_0="AUTHORIZATION: basic $basic" git "$@"
        return
      fi
      ;;
  esac
  git "$@"
}

# The head is in the base: a pull request always has a commit of its own, so that this checkout is not its head.
at_base() {
  case $EVENT in
    pull_request | pull_request_target)
      fail "what is checked out, $head, is in the base already: it is no commit of this pull request" \
        'Check out the pull request: actions/checkout does so when no "ref" is given.'
      ;;
    *) note notice "Nothing is new: $head is in the base, $base." ;;
  esac
}

main 3>&1
