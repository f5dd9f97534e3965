#!/usr/bin/env bash
# Ends the action with the status of the audit: 0 clean, 1 findings, 2 no audit.
#
# Outputs: exit-code.

# shellcheck source=config/action/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# Without a status of the audit there was none, whatever the reason.
code=${EXIT_CODE:-2}
output exit-code "$code"
case $code in
  0) echo "Secondhand: no finding at or above '${INPUT_FAIL_ON:-warning}' (${FINDINGS:-0} in all)." ;;
  1) printf '::error title=Secondhand::%s\n' "${FINDINGS:-Some} finding(s), at least one at or above '${INPUT_FAIL_ON:-warning}'. The summary of this run shows them." ;;
  *) echo 'Secondhand: the audit could not be done; see the error above.' ;;
esac
exit "$code"
