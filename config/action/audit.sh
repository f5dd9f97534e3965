#!/usr/bin/env bash
# Runs `secondhand check`. Findings do not fail this step: the reports are to be handed out first,
# and the last step gives the verdict.
#
# Outputs: exit-code, the counts, sarif-file, html-file, summary-file, lines-file, annotations.

# shellcheck source=config/action/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# Whether the program writes this format: one that was given to the action may be of another version.
knows() {
  "$BINARY" check --repo "$PWD" --isolated --base HEAD --head HEAD --format "$1" > /dev/null 2>&1
}

# A summary of the counts, for a program that writes no Markdown.
count_summary() {
  printf '## Secondhand\n\n| | |\n|---|--:|\n'
  sed 's/^\(.*\)=\(.*\)$/| \1 | \2 |/' "$reports/counts"
}

# Makes a folder, and those above it, but not through a link in the workspace: the author of the change may have left it.
make_folder() {
  local rest=$1/ reached='' workspace
  workspace=$(cd -P -- "$GITHUB_WORKSPACE" && pwd)
  while [ -n "$rest" ]; do
    reached+=${rest%%/*}
    rest=${rest#*/}
    if [ -L "$reached" ] && [[ $(cd -P -- "${reached%/*}/" && pwd)/ = "$workspace"/* ]]; then
      fail "cannot write '$1': '$reached' is a link of the checkout, and links are not written through" \
        'Name a file with the input "sarif-file" that no link leads to, or take the link away.'
    fi
    [ -z "$reached" ] || [ -d "$reached" ] || mkdir -- "$reached"
    reached+=/
  done
}

enter_repository
# What an earlier run has left would pass for the reports of this one.
reports=$RUNNER_TEMP/secondhand-reports
rm -rf -- "$reports"
mkdir -p "$reports"
sarif=${INPUT_SARIF_FILE:-$reports/secondhand.sarif}
case $sarif in
  /* | [A-Za-z]:*) ;;
  *) sarif=$GITHUB_WORKSPACE/$sarif ;;
esac
case $sarif in
  /*) make_folder "$(dirname -- "$sarif")" ;;
  *) mkdir -p -- "$(dirname -- "$sarif")" ;;
esac
if [ -f "$sarif" ] && [ ! -L "$sarif" ]; then
  rm -f -- "$sarif"
fi

arguments=(check --repo "$PWD" --no-progress --color never --fail-on "${INPUT_FAIL_ON:-warning}")
arguments+=(--report "sarif=$sarif" --report "counts=$reports/counts")
if knows github; then
  arguments+=(--report "github=$reports/annotations")
fi
if knows markdown; then
  arguments+=(--report "markdown=$reports/summary.md")
fi
if knows concise; then
  arguments+=(--report "concise=$reports/lines")
fi
if knows html; then
  arguments+=(--report "html=$reports/secondhand.html")
fi
[ "${INPUT_HISTORY:-false}" != true ] || arguments+=(--history)
while IFS= read -r corpus; do
  [ -z "$corpus" ] || arguments+=("--corpus=$corpus")
done <<< "${INPUT_CORPUS:-}"
[ -z "${INPUT_BASELINE:-}" ] || arguments+=("--baseline=$INPUT_BASELINE")
[ -z "${INPUT_TRUST:-}" ] || arguments+=(--trust "$INPUT_TRUST")
[ -z "${BASE:-}" ] || arguments+=(--base "$BASE")
[ -z "${HEAD:-}" ] || arguments+=(--head "$HEAD")
[ -z "${INPUT_CONFIG:-}" ] || arguments+=(--config "$INPUT_CONFIG")
while IFS= read -r project; do
  [ -z "$project" ] || arguments+=("--project=$project")
done <<< "${INPUT_PROJECTS:-}"
while IFS= read -r argument; do
  [ -z "$argument" ] || arguments+=("$argument")
done <<< "${INPUT_ARGS:-}"
# Last, and behind what ends the flags: a path may begin with a dash.
paths=()
while IFS= read -r path; do
  [ -z "$path" ] || paths+=("$path")
done <<< "${INPUT_PATHS:-}"
if [ "${#paths[@]}" != 0 ]; then
  arguments+=(-- "${paths[@]}")
fi

# Source code is printed here: nothing in it may be taken for a command to the runner.
stop=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '::stop-commands::%s\n' "$stop"
code=0
"$BINARY" "${arguments[@]}" 2> "$reports/errors" || code=$?
cat "$reports/errors"
printf '::%s::\n' "$stop"

case $code in
  0 | 1)
    for report in "$sarif" "$reports/counts"; do
      [ -s "$report" ] || fail "it did not write $report" 'This is a fault of Secondhand: please report it.'
    done
    ;;
  2) fail "$(cat "$reports/errors")" 'Nothing was checked.' ;;
  *) fail "it ended with status $code: $(tail -n 5 "$reports/errors")" 'This is a fault of Secondhand: please report it.' ;;
esac

if [ "${INPUT_SUMMARY:-true}" = true ]; then
  if [ -f "$reports/summary.md" ]; then
    cat "$reports/summary.md"
  else
    count_summary
  fi >> "$GITHUB_STEP_SUMMARY"
fi
cat "$reports/counts" >> "$GITHUB_OUTPUT"
if [ -f "$reports/annotations" ]; then
  output annotations "$reports/annotations"
fi
if [ -f "$reports/summary.md" ]; then
  output summary-file "$reports/summary.md"
fi
if [ -f "$reports/lines" ]; then
  output lines-file "$reports/lines"
fi
if [ -f "$reports/secondhand.html" ]; then
  output html-file "$reports/secondhand.html"
fi
output exit-code "$code"
output sarif-file "$sarif"
