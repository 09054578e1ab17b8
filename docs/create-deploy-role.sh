# !/usr/bin/env bash Creates the role with which GitHub deploys a stage, or updates its policy, and prints the role's
# ARN. Can be repeated. The first block of docs/first-deploy.md sets ACCOUNT, AWS_REGION, STACK and STAGE. QUALIFIER is
# the qualifier with which the account was bootstrapped, by default the CDK's own. Usage: docs/create-deploy-role.sh
# OWNER/NAME
set -euo pipefail
repository() { gh api "repos/$slug" --jq "$1"; }
slug=$1
role=$STACK-deploy

# Looked up, because the tokens with which GitHub signs in have the ids, and the names in GitHub's own spelling.
owner=$(repository .owner.login)
owner_id=$(repository .owner.id)
name=$(repository .name)
name_id=$(repository .id)
filled() {
  sed "s/<OWNER>/$owner/g; s/<NAME>/$name/g; s/<OWNER_ID>/$owner_id/g; s/<NAME_ID>/$name_id/g;
    s/<ACCOUNT>/$ACCOUNT/g; s/<REGION>/$AWS_REGION/g; s/<STACK>/$STACK/g; s/<STAGE>/$STAGE/g;
    s/<QUALIFIER>/${QUALIFIER:-hnb659fds}/g" "docs/iam/deploy-$1.json"
}

aws iam get-role --role-name "$role" > /dev/null ||
  aws iam create-role --role-name "$role" --assume-role-policy-document "$(filled trust)" > /dev/null
aws iam put-role-policy --role-name "$role" --policy-name deploy --policy-document "$(filled policy)"
aws iam get-role --role-name "$role" --query Role.Arn --output text
