#!/usr/bin/env bash
# Writes the summary as a comment of the pull request: one, which each run brings up to date. A pull request that never had
# a finding gets none.

# shellcheck source=config/action/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# GitHub takes 65,536 characters.
MAX_LENGTH=60000

# By this the comment is found again. Of the category, so that two jobs have two comments, and nothing else of it than
# what cannot end the HTML comment.
marker="<!-- secondhand:${CATEGORY//[^A-Za-z0-9_.]/-} -->"

# The newest comment that begins with our marker and was written by a program: nobody else's is replaced.
find_comment() {
  gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments?per_page=100" \
    --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id" | tail -n 1
}

write_body() {
  printf '%s\n' "$marker"
  head -c "$MAX_LENGTH" -- "$SUMMARY"
  if [ "$(wc -c < "$SUMMARY")" -gt "$MAX_LENGTH" ]; then
    # What was cut may have opened a block of code or a fold.
    printf '\n```\n\n</details>\n\nThe rest is in the summary of [the run](%s/%s/actions/runs/%s).\n' \
      "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID"
  fi
}

body=$RUNNER_TEMP/secondhand-comment.md
write_body > "$body"
comment=$(find_comment)
if [ -n "$comment" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$comment" --field "body=@$body"
  echo "comment $comment is up to date"
elif [ "${FINDINGS:-0}" != 0 ]; then
  gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" --field "body=@$body"
  echo 'commented'
else
  echo 'no finding, and no comment to bring up to date'
fi
