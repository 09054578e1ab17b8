import {
  type APIGatewayClient,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsage,
  paginateGetUsagePlans,
} from '@aws-sdk/client-api-gateway';
import type { KeyGateway } from './key-store.ts';

const pageSize = 500;

/** The key gateway that API Gateway's control plane provides, at the endpoint of the client. */
export function apiGatewayKeys(client: APIGatewayClient): KeyGateway {
  const gateway: KeyGateway = {
    createApiKey: async (key) => {
      const { id } = await client.send(new CreateApiKeyCommand(key));
      return { id: id! };
    },
    findApiKeys: async (nameQuery) => {
      const found: { id: string; name: string }[] = [];
      for await (const page of paginateGetApiKeys({ client, pageSize }, { nameQuery })) {
        for (const { id, name } of page.items ?? []) found.push({ id: id!, name: name! });
      }
      return found;
    },
    deleteApiKey: async (key) => {
      await client.send(new DeleteApiKeyCommand(key)).catch(unlessNotFound);
    },
    createUsagePlanKey: async (member) => {
      const command = new CreateUsagePlanKeyCommand({ ...member, keyType: 'API_KEY' });
      await client.send(command).catch(async (error: unknown) => {
        // The key is already in this usage plan, or in another one of the same stage.
        const isMember =
          error instanceof ConflictException &&
          (await gateway.findUsagePlans(member)).includes(member.usagePlanId);
        if (!isMember) throw error;
      });
    },
    deleteUsagePlanKey: async (member) => {
      await client.send(new DeleteUsagePlanKeyCommand(member)).catch(unlessNotFound);
    },
    findUsagePlans: async ({ keyId }) => {
      const ids: string[] = [];
      for await (const page of paginateGetUsagePlans({ client, pageSize }, { keyId })) {
        for (const plan of page.items ?? []) ids.push(plan.id!);
      }
      return ids;
    },
    getUsage: async (asked) => {
      const usage: Record<string, number[][]> = {};
      for await (const page of paginateGetUsage({ client, pageSize }, asked)) {
        Object.assign(usage, page.items);
      }
      return usage;
    },
  };
  return gateway;
}

function unlessNotFound(error: unknown): void {
  if (!(error instanceof NotFoundException)) throw error;
}
