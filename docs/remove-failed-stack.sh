#!/usr/bin/env bash
# Removes a protected stack whose first creation failed, and its tables. Usage: docs/remove-failed-stack.sh STACK
# Stops if the stack has ever served requests, or if a table has items. Can be repeated.
set -euo pipefail
stack=$1

state=$(aws cloudformation describe-stacks --stack-name "$stack" --output text --query 'Stacks[0].StackStatus')
echo "$stack: $state"
if ! grep -qxE 'ROLLBACK_COMPLETE|ROLLBACK_FAILED|DELETE_FAILED' <<< "$state"; then
  echo 'This stack may have served requests: nothing was removed' >&2
  exit 1
fi

tables=$(aws cloudformation list-stack-resources --stack-name "$stack" --output text \
  --query "StackResourceSummaries[?ResourceType=='AWS::DynamoDB::Table'].PhysicalResourceId")
for table in $tables; do
  # JSON, because with --output text the AWS CLI would answer once for each page of names.
  exists=$(aws dynamodb list-tables --output json --query "contains(TableNames, '$table')")
  [ "$exists" = true ] || continue
  items=$(aws dynamodb scan --table-name "$table" --no-paginate --limit 1 --output text --query Count)
  if [ "$items" != 0 ]; then
    echo "$table has items: the stack and this table were not removed" >&2
    exit 1
  fi
  aws dynamodb update-table --table-name "$table" --no-deletion-protection-enabled > /dev/null
  aws dynamodb wait table-exists --table-name "$table"
  aws dynamodb delete-table --table-name "$table" > /dev/null
  aws dynamodb wait table-not-exists --table-name "$table"
done

aws cloudformation update-termination-protection --stack-name "$stack" --no-enable-termination-protection > /dev/null
aws cloudformation delete-stack --stack-name "$stack"
aws cloudformation wait stack-delete-complete --stack-name "$stack"
