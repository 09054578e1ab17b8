#!/usr/bin/env bash
# Puts back the orders that a restored table has and the table of orders lacks. Changes no order that exists. Waits until
# the restored table is ready. Can be repeated. Usage: docs/put-back-orders.sh RESTORED ORDERS
set -euo pipefail
restored=$1
orders=$2

missing() {
  node -e 'const [restored, stored] = process.argv.slice(1).map((file) => JSON.parse(fs.readFileSync(file)).Items);
    const ids = new Set(stored.map(({ id }) => id.N));
    for (const item of restored) if (!ids.has(item.id.N)) console.log(JSON.stringify(item));' "$@"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
aws dynamodb wait table-exists --table-name "$restored"
aws dynamodb scan --table-name "$restored" --output json > "$folder/restored.json"
aws dynamodb scan --table-name "$orders" --projection-expression id --output json > "$folder/stored.json"
missing "$folder/restored.json" "$folder/stored.json" | while IFS= read -r item; do
  aws dynamodb put-item --table-name "$orders" --condition-expression 'attribute_not_exists(id)' --item "$item"
done
