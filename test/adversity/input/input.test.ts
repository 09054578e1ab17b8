import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningStore } from '../../e2e/running-store.ts';
import { answerFaults } from './answer-faults.ts';
import { type Conversation, conversationOf, converse } from './conversation.ts';
import { corpus } from './corpus.ts';

const requestsPerConversation = 200;
const conversations = process.env.ADVERSITY === 'nightly' ? 10_000 : 500;
const atOnce = 6;
const longestMs = 3_600_000;
const again = 'npm test -- test/adversity/input --selectProjects faults';
const { INPUT_SEED } = process.env;

let store: RunningStore;
let key: string;

beforeAll(async () => {
  store = await RunningStore.start();
  key = (await store.issue()).apiKey;
});

afterAll(() => store?.[Symbol.asyncDispose]());

/** Sends a conversation. @returns the faults of the answers */
async function faultsOf(conversation: Conversation): Promise<string[]> {
  const port = Number(new URL(store.service.origin).port);
  try {
    return answerFaults(conversation, await converse(conversation, port));
  } catch (error) {
    return [(error as Error).message];
  }
}

describe('whatever a client sends', () => {
  it(
    'is answered in order, with an Error where it is refused, and never with a failure',
    async () => {
      const first = Number(INPUT_SEED ?? 1);
      const last = INPUT_SEED ? first : conversations;
      let next = first;
      const found: string[] = [];
      const work = async () => {
        while (next <= last && found.length < 10) {
          const seed = next++;
          const faults = await faultsOf(conversationOf(seed, requestsPerConversation, key));
          const how = `again: INPUT_SEED=${seed} ${again}`;
          found.push(...faults.map((fault) => `seed ${seed}: ${fault} (${how})`));
        }
      };

      await Promise.all(Array.from({ length: atOnce }, work));

      expect(found).toEqual([]);
      expect((await store.list(key)).status).toBe(200);
    },
    longestMs,
  );

  it.each(corpus)('no longer breaks anything: $name', async ({ conversation }) => {
    const faults = await faultsOf(conversation);

    expect(faults).toEqual([]);
    expect((await store.list(key)).status).toBe(200);
  });
});
