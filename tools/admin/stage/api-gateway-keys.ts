import {
  type APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsage,
} from '@aws-sdk/client-api-gateway';

/**
 * The operations of API Gateway that the commands for owners and keys need. A local run implements them, too. A key's
 * *value* consists of an owner's id and a plan. It is never a bearer token.
 */
export type KeyGateway = ReturnType<typeof apiGatewayKeys>;

const pageSize = 500;

/** The key gateway of API Gateway itself. */
export function apiGatewayKeys(client: APIGatewayClient) {
  return {
    /** Fails if a key with this value exists: values are unique in an account and Region. */
    createApiKey: async (key: {
      name: string;
      value: string;
      enabled: true;
      tags: Record<string, string>;
    }) => {
      const { id } = await client.send(new CreateApiKeyCommand(key));
      return { id: id! };
    },
    /** Finds the gateway keys whose names start with a text. Names are not unique. */
    findApiKeys: async (nameQuery: string) => {
      const pages = await Array.fromAsync(paginateGetApiKeys({ client, pageSize }, { nameQuery }));
      return pages.flatMap(({ items = [] }) =>
        items.map(({ id, name }) => ({ id: id!, name: name! })),
      );
    },
    /** Also succeeds if the key does not exist. */
    deleteApiKey: async (key: { apiKey: string }) => {
      await client.send(new DeleteApiKeyCommand(key)).catch(unlessNotFound);
    },
    /** Fails if the key is in a usage plan of the same stage, also in this one. */
    createUsagePlanKey: async (member: { usagePlanId: string; keyId: string }) => {
      await client.send(new CreateUsagePlanKeyCommand({ ...member, keyType: 'API_KEY' }));
    },
    /** Reads the used and remaining quota of each day, by the ids or values of a plan's gateway keys. */
    getUsage: async (asked: { usagePlanId: string; startDate: string; endDate: string }) => {
      const pages = await Array.fromAsync(paginateGetUsage({ client, pageSize }, asked));
      return Object.assign({}, ...pages.map(({ items }) => items)) as Record<string, number[][]>;
    },
  };
}

function unlessNotFound(error: unknown): void {
  if (!(error instanceof NotFoundException)) throw error;
}
