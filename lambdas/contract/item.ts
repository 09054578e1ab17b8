import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item of a table, or the key of an item, in DynamoDB's own JSON. */
export type Item = Record<string, AttributeValue>;
