#!/usr/bin/env bash
# Lets a CloudTrail trail record every write to the tables of a stack, except for the writes of its functions.
# Replaces the trail's other selectors. Usage: docs/record-writes.sh STACK TRAIL
set -euo pipefail
stack=$1
trail=$2

output() {
  aws cloudformation describe-stacks --stack-name "$stack" --output text \
    --query "Stacks[0].Outputs[?OutputKey=='$1'].OutputValue"
}
owners=$(output OwnersTableName)
api_keys=$(output ApiKeysTableName)
orders=$(output OrdersTableName)
authorizer=$(output AuthorizerFunctionName)
cancel_order=$(output CancelOrderFunctionName)

aws cloudtrail put-event-selectors --trail-name "$trail" --advanced-event-selectors '[
  {"FieldSelectors": [{"Field": "eventCategory", "Equals": ["Management"]}]},
  {"FieldSelectors": [{"Field": "eventCategory", "Equals": ["Data"]},
    {"Field": "resources.type", "Equals": ["AWS::DynamoDB::Table"]},
    {"Field": "resources.ARN", "EndsWith": ["/'"$owners"'", "/'"$api_keys"'", "/'"$orders"'"]},
    {"Field": "readOnly", "Equals": ["false"]},
    {"Field": "userIdentity.arn", "NotEndsWith": ["/'"$authorizer"'", "/'"$cancel_order"'"]}]}]' > /dev/null
