#!/usr/bin/env bash
# Finds out whether code scanning takes reports of this repository, so that an upload is not tried in vain: it would
# show as an error of a run that is well. Where that cannot be told, it is tried.
#
# Outputs: takes-reports.

# shellcheck source=config/action/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

answer=$RUNNER_TEMP/secondhand-scanning.json
# The token goes through standard input: arguments can be read by other users of the runner.
status=$(printf 'header = "Authorization: Bearer %s"\n' "$TOKEN" |
  curl --silent --show-error --max-time 20 --config - --header 'Accept: application/vnd.github+json' \
    --output "$answer" --write-out '%{http_code}' \
    "${GITHUB_API_URL:-}/repos/$GITHUB_REPOSITORY/code-scanning/alerts?per_page=1" 2> /dev/null) || status=000

case $status in
  # 404 is also said of a repository that has had no report yet.
  403) takes=false ;;
  404) if grep -q 'no analysis found' -- "$answer"; then takes=true; else takes=false; fi ;;
  *) takes=true ;;
esac
if [ "$takes" = false ]; then
  echo 'The report does not go to code scanning: it is not enabled for this repository, or the job lacks the permission security-events: write.'
fi
output takes-reports "$takes"
