#!/usr/bin/env bash
# Applies the settings that DynamoDB does not copy when it restores or imports a table: the protection from deletion,
# the recovery and its days, the tag, and the stream of orders. Can be repeated.
# Usage: docs/apply-table-settings.sh STACK TABLE…
set -euo pipefail
stack=$1
shift

for table in "$@"; do
  arn=$(aws dynamodb describe-table --table-name "$table" --query Table.TableArn --output text)
  aws dynamodb update-table --table-name "$table" --deletion-protection-enabled > /dev/null
  aws dynamodb wait table-exists --table-name "$table"
  aws dynamodb update-continuous-backups --table-name "$table" --point-in-time-recovery-specification \
    PointInTimeRecoveryEnabled=true,RecoveryPeriodInDays=35 > /dev/null
  aws dynamodb tag-resource --resource-arn "$arn" --tags "Key=service-stack,Value=$stack"
  case $table in
    *TablesOrders*)
      # Asks first, because DynamoDB refuses to turn on a stream that is already on.
      has_stream=$(aws dynamodb describe-table --table-name "$table" --output text \
        --query Table.StreamSpecification.StreamEnabled)
      [ "$has_stream" = True ] || aws dynamodb update-table --table-name "$table" --stream-specification \
        StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES > /dev/null
      ;;
  esac
done
