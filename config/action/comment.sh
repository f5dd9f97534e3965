#!/usr/bin/env bash
# Writes the summary as a comment of the pull request: one, which each run brings up to date, with what earlier runs found
# and this one does not. A pull request that never had a finding gets none.

# shellcheck source=config/action/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# GitHub takes 65,536 characters: for the summary, and for what is remembered of earlier runs and shown as gone.
MAX_LENGTH=45000
MAX_SEEN=50
MAX_NAME=200
MAX_NAMES=8000

# By this the comment is found again. Of the category, so that two jobs have two comments, and nothing else of it than
# what cannot end the HTML comment.
marker="<!-- secondhand:${CATEGORY//[^A-Za-z0-9_.]/-} -->"

# The newest comment that begins with our marker and was written by a program: nobody else's is replaced.
find_comment() {
  gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments?per_page=100" \
    --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id" | tail -n 1
}

# The findings, a line each, as they are called from run to run: without level, numbers and ids, which move, and without
# what could end an HTML comment. Overlong ones are left out.
names_in() {
  sed -E 's/ \[[0-9a-f]+\]$//; s/:[0-9]+(:[0-9]+)?//g; s/ [0-9]+ lines? / /; s/, (also found|which is written) in .*//; s/: (error|warning|note)\[/: [/; s/--/- -/g; s/[<>]/ /g' -- "$1" |
    LC_ALL=C awk -v max="$MAX_NAME" 'length <= max' | LC_ALL=C sort -u
}

# What the comment says that all runs before it have found.
seen_in() {
  gh api "repos/$GITHUB_REPOSITORY/issues/comments/$1" --jq .body | sed -n '/^<!-- seen$/,/^-->$/p' | sed '1d;$d' | LC_ALL=C sort -u
}

# The first lines of a list, as many as MAX_SEEN and MAX_NAMES allow; a line may be indented.
first_of() {
  LC_ALL=C awk -v lines="$MAX_SEEN" -v bytes="$MAX_NAMES" '{ n += length + 5 } NR > lines || n > bytes { exit } { print }'
}

write_body() {
  printf '%s\n<!-- seen\n%s\n-->\n' "$marker" "$(LC_ALL=C sort -u "$names" "$seen" | first_of)"
  head -c "$MAX_LENGTH" -- "$SUMMARY"
  if [ "$(wc -c < "$SUMMARY")" -gt "$MAX_LENGTH" ]; then
    # What was cut may have opened a block of code or a fold.
    printf '\n```\n\n</details>\n\nThe rest is in the summary of [the run](%s/%s/actions/runs/%s).\n' \
      "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID"
  fi
  if [ -s "$gone" ]; then
    # Indented, so that nothing in it is read as Markdown.
    printf '\n<details><summary>Gone since earlier runs: %d</summary>\n\n%s\n\n</details>\n' "$(wc -l < "$gone")" "$(first_of < "$gone" | sed 's/^/    /')"
  fi
}

names=$RUNNER_TEMP/secondhand-names
seen=$RUNNER_TEMP/secondhand-seen
gone=$RUNNER_TEMP/secondhand-gone
: > "$names"
: > "$seen"
[ -z "${FOUND:-}" ] || names_in "$FOUND" > "$names"
comment=$(find_comment)
[ -z "$comment" ] || seen_in "$comment" > "$seen"
LC_ALL=C comm -13 "$names" "$seen" > "$gone"
body=$RUNNER_TEMP/secondhand-comment.md
write_body > "$body"
if [ -n "$comment" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$comment" --field "body=@$body"
  echo "comment $comment is up to date"
elif [ "${FINDINGS:-0}" != 0 ]; then
  gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" --field "body=@$body"
  echo 'commented'
else
  echo 'no finding, and no comment to bring up to date'
fi
