import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/** The attributes and the key of a table. */
export type TableShape = Pick<CreateTableCommandInput, 'AttributeDefinitions' | 'KeySchema'>;

/** The tables, by their names in `lib/store-tables.ts`. A test compares them with the tables that it creates. */
export const tableShapes = {
  Orders: {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  },
  ApiKeys: {
    AttributeDefinitions: [{ AttributeName: 'ownerHash', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'ownerHash', KeyType: 'HASH' }],
  },
  Owners: {
    AttributeDefinitions: [{ AttributeName: 'ownerId', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'ownerId', KeyType: 'HASH' }],
  },
} as const satisfies Readonly<Record<string, TableShape>>;
