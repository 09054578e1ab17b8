import {
  type APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsage,
  paginateGetUsagePlans,
} from '@aws-sdk/client-api-gateway';

/**
 * The operations of API Gateway that the commands for owners and keys need. A local run implements them, too. A key's
 * *value* is an owner's id, never a bearer token.
 */
export type KeyGateway = ReturnType<typeof apiGatewayKeys>;

/** `keyId` is the id of a key of API Gateway, not of a key of this service. */
interface UsagePlanMember {
  usagePlanId: string;
  keyId: string;
}

const pageSize = 500;

/** The key gateway of API Gateway itself. */
export function apiGatewayKeys(client: APIGatewayClient) {
  return {
    findUsagePlans: async ({ keyId }: { keyId: string }) => {
      const pages = await Array.fromAsync(paginateGetUsagePlans({ client, pageSize }, { keyId }));
      return pages.flatMap(({ items = [] }) => items.map(({ id }) => id!));
    },
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
    /** Fails if the key is in a usage plan of the same stage. */
    createUsagePlanKey: async (member: UsagePlanMember) => {
      await client.send(new CreateUsagePlanKeyCommand({ ...member, keyType: 'API_KEY' }));
    },
    /** Also succeeds if the key is not in the usage plan. */
    deleteUsagePlanKey: async (member: UsagePlanMember) => {
      const command = new DeleteUsagePlanKeyCommand(member);
      await client.send(command).catch(unlessNotFound);
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
