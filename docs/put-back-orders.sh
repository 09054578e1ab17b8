#!/usr/bin/env bash
# Puts back the orders that a restored table has and the table of orders lacks. Changes no order that exists. Waits until
# the restored table is ready. Can be repeated. Needs jq. Usage: docs/put-back-orders.sh RESTORED ORDERS
set -euo pipefail
restored=$1
orders=$2
stored=$(mktemp)
trap 'rm -f "$stored"' EXIT

aws dynamodb wait table-exists --table-name "$restored"
aws dynamodb scan --table-name "$orders" --projection-expression id --output json > "$stored"
aws dynamodb scan --table-name "$restored" --output json |
  jq -c --slurpfile stored "$stored" \
    'INDEX($stored[0].Items[]; .id.N) as $present | .Items[] | select($present[.id.N] | not)' |
  while IFS= read -r item; do
    aws dynamodb put-item --table-name "$orders" --condition-expression 'attribute_not_exists(id)' --item "$item"
  done
