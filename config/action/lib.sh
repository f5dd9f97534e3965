# shellcheck shell=bash
# What the scripts of the action share. Each of them is run by one step of action.yml, takes its
# inputs from the environment, and ends with status 2 where the audit could not be done.

set -euo pipefail

# Escapes the message of a workflow command.
escaped() {
  local text=$1
  text=${text//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '%s' "${text//$'\n'/%0A}"
}

# Prints a message that shows in the run: note warning|notice MESSAGE.
note() {
  printf '::%s title=Secondhand::%s\n' "$1" "$(escaped "$2")"
}

# Ends the step: the audit could not be done. fail MESSAGE CURE
fail() {
  printf '::error title=Secondhand could not do its audit::%s%%0A%s\n' "$(escaped "$1")" "$(escaped "$2")"
  if [ "${INPUT_SUMMARY:-true}" = true ]; then
    # Indented, so that nothing in it is read as Markdown.
    printf '## Secondhand could not do its audit\n\n%s\n' "$(printf '%s\n%s' "$1" "$2" | sed 's/^/    /')" >> "$GITHUB_STEP_SUMMARY"
  fi
  exit 2
}

# Sets an output of the step to one line of text.
output() {
  printf '%s=%s\n' "$1" "${2//[$'\r\n']/ }" >> "$GITHUB_OUTPUT"
}

# Goes to the repository that is audited.
enter_repository() {
  cd -- "$GITHUB_WORKSPACE/${INPUT_REPOSITORY:-.}" 2>/dev/null ||
    fail "there is no folder '${INPUT_REPOSITORY:-.}' in the workspace" \
      'The input "repository" is the folder that actions/checkout wrote to, below the workspace.'
}

# Runs git in a repository that may belong to another user, as in a container, without its hooks
# and without asking for a password.
git() {
  GIT_TERMINAL_PROMPT=0 command git -c "safe.directory=$PWD" -c core.hooksPath=/dev/null "$@"
}
