import { hashToken } from '../../../lambdas/keys/api-key.ts';
import type { Decision } from '../../../lambdas/keys/decision.ts';
import { Limiter } from '../../../lambdas/keys/limiter.ts';
import type { Plans } from '../../../lambdas/keys/plan.ts';
import type { Command, Execution } from '../../helpers/dynamodb/execution.ts';
import { exampleToken, keyPrefix, ownerHash } from '../../helpers/dynamodb/key-items.ts';

/*
 * An execution environment as a function. Its behaviour depends only on its inputs so far. An input is a request or a
 * response of DynamoDB, at a time of the environment's clock.
 */

export const tolerated = 1;
export const banSeconds = 120;
const banRule = { toleratedRejectionsPerMinute: tolerated, banSeconds };
/** The plans of the limiter, from the smallest to the largest. */
export const plans = {
  small: { perMinute: 1, perDay: 1, limitsPerOwner: false, ...banRule },
  free: { perMinute: 2, perDay: 4, limitsPerOwner: false, ...banRule },
  large: { perMinute: 3, perDay: 5, limitsPerOwner: false, ...banRule },
  enterprise: { perMinute: 3, perDay: 5, limitsPerOwner: true, ...banRule },
} satisfies Plans;
/** The addresses of two keys of an owner. */
export const keys = ['a', 'b'].map((character) => {
  const token = exampleToken(keyPrefix, character.repeat(20));
  return { ownerHash, tokenHash: hashToken(token) };
});

/** A request with a key, or DynamoDB's response to the last command. */
export type Input = { nowSeconds: number } & ({ key: number } | { answer: Execution['answer'] });

/** The reaction of an execution environment to an input: it sends a command, or the request ends. */
export type Reaction = { sent: Command } | End;
export type End = { decision: Decision } | { error: unknown };

/** Gives inputs to a new execution environment, and returns its reaction to the last input. */
export async function reactionTo(inputs: readonly Input[]): Promise<Reaction> {
  let nowSeconds = 0;
  let reaction: Reaction | undefined;
  let answer: ((answer: Execution['answer']) => void) | undefined;
  const send = (sent: Command) =>
    new Promise((resolve, reject) => {
      reaction = { sent };
      answer = (given) => (given instanceof Error ? reject(given) : resolve(given));
    });
  const limiter = new Limiter({
    client: { send } as never,
    tableName: 'ApiKeys',
    plans,
    now: () => nowSeconds * 1_000,
  });
  for (const input of inputs) {
    nowSeconds = input.nowSeconds;
    if ('key' in input) {
      limiter.decide(keys[input.key]!).then(
        (decision) => {
          reaction = { decision };
        },
        (error) => {
          reaction = { error };
        },
      );
    } else answer!(input.answer);
    await new Promise(setImmediate);
  }
  return reaction!;
}
