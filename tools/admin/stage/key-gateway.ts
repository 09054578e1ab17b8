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
 * The operations of API Gateway that the commands for owners and keys need. A local run implements them, too. A *gateway
 * key* is an API key of API Gateway, whose value consists of an owner's id and a plan. It is never a bearer token.
 */
export type KeyGateway = ReturnType<typeof keyGateway>;

const pageSize = 500;

/** The key gateway of API Gateway itself. */
export function keyGateway(client: APIGatewayClient) {
  return {
    /** Fails if a key with this value exists, because values are unique in an account and Region. */
    createGatewayKey: async (key: {
      name: string;
      value: string;
      tags: Record<string, string>;
    }) => {
      const { id } = await client.send(new CreateApiKeyCommand({ ...key, enabled: true }));
      return { id: id! };
    },
    /** Finds the gateway keys whose names start with the given text. Names are not unique. */
    findGatewayKeys: async (nameQuery: string) => {
      const pages = await Array.fromAsync(paginateGetApiKeys({ client, pageSize }, { nameQuery }));
      return pages.flatMap(({ items = [] }) =>
        items.map(({ id, name }) => ({ id: id!, name: name! })),
      );
    },
    /** Also succeeds if the key does not exist. */
    deleteGatewayKey: async (id: string) => {
      await client.send(new DeleteApiKeyCommand({ apiKey: id })).catch(unlessNotFound);
    },
    /** Fails if the key is in a usage plan of the same stage, even if it is this usage plan. */
    addToUsagePlan: async (usagePlanId: string, keyId: string) => {
      const keyType = 'API_KEY';
      await client.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType }));
    },
    /** Reads the used and remaining quota of each day, by the ids or values of a usage plan's gateway keys. */
    getUsage: async (asked: { usagePlanId: string; startDate: string; endDate: string }) => {
      const pages = await Array.fromAsync(paginateGetUsage({ client, pageSize }, asked));
      return Object.assign({}, ...pages.map(({ items }) => items)) as Record<string, number[][]>;
    },
  };
}

function unlessNotFound(error: unknown): void {
  if (!(error instanceof NotFoundException)) throw error;
}
