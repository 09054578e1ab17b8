import { setTimeout } from 'node:timers/promises';
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
import { OperatorError, reasonOf } from '../../shared/errors.ts';

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

const maxAttempts = 8;

/** The key gateway of API Gateway itself. */
export function apiGatewayKeys(
  client: APIGatewayClient,
  wait: (ms: number) => Promise<unknown> = setTimeout,
) {
  /**
   * Makes a change, and repeats it while API Gateway refuses it because of another change in the same Region.
   *
   * @see https://github.com/serverless/serverless/issues/12065 for the message of API Gateway
   */
  const whenFree = async <T>(change: () => Promise<T>, attempts = maxAttempts): Promise<T> => {
    try {
      return await change();
    } catch (error) {
      if (!/concurrent modification/.test(reasonOf(error))) throw error;
      if (attempts === 1) {
        const problem = 'API Gateway kept refusing a change because of other changes';
        throw new OperatorError(problem, { cause: error, remedy: 'run the command again' });
      }
    }
    await wait((1 + Math.random()) * 1_000);
    return whenFree(change, attempts - 1);
  };
  const findUsagePlans = async ({ keyId }: { keyId: string }) => {
    const pages = await Array.fromAsync(paginateGetUsagePlans({ client, pageSize }, { keyId }));
    return pages.flatMap(({ items = [] }) => items.map(({ id }) => id!));
  };
  return {
    findUsagePlans,
    /** Fails if a key with this value exists: values are unique in an account and Region. */
    createApiKey: async (key: {
      name: string;
      value: string;
      enabled: true;
      tags: Record<string, string>;
    }) => {
      const { id } = await whenFree(() => client.send(new CreateApiKeyCommand(key)));
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
      await whenFree(() => client.send(new DeleteApiKeyCommand(key))).catch(unlessNotFound);
    },
    /** Also succeeds if the key is already in the usage plan. */
    createUsagePlanKey: async (member: UsagePlanMember) => {
      const command = new CreateUsagePlanKeyCommand({ ...member, keyType: 'API_KEY' });
      await whenFree(() => client.send(command)).catch(async (error: unknown) => {
        // A conflict means that the key is already in this usage plan, or in another usage plan of the same stage.
        const plans = error instanceof ConflictException ? await findUsagePlans(member) : [];
        if (!plans.includes(member.usagePlanId)) throw error;
      });
    },
    /** Also succeeds if the key is not in the usage plan. */
    deleteUsagePlanKey: async (member: UsagePlanMember) => {
      const command = new DeleteUsagePlanKeyCommand(member);
      await whenFree(() => client.send(command)).catch(unlessNotFound);
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
