#!/usr/bin/env bash
# Restores tables of a stack as new tables, in their state at a time, and prints the names of the new tables.
# Usage: docs/restore-tables.sh STACK TIME TABLE…, where TABLE is Orders, ApiKeys or Owners.
set -euo pipefail
stack=$1
time=$2
shift 2

for table in "$@"; do
  name=$(aws cloudformation describe-stacks --stack-name "$stack" --output text \
    --query "Stacks[0].Outputs[?OutputKey=='${table}TableName'].OutputValue")
  aws dynamodb restore-table-to-point-in-time --source-table-name "$name" --restore-date-time "$time" \
    --target-table-name "$name-$(tr -d ':-' <<< "$time")" --query TableDescription.TableName --output text
done
