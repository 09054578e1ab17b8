/** The number of calls at the same time. */
const atOnce = 8;

/**
 * Acts on things, several at the same time. After a failure it takes no more, and waits for those that it has begun,
 * so that none continues after the command has ended.
 *
 * @throws the first error of an action, or of the source
 */
export async function inParallel<Thing>(
  source: AsyncGenerator<Thing>,
  act: (thing: Thing) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const work = async () => {
    // After a failure, the loop ends the source for the others, too.
    for await (const thing of source) await act(thing);
  };
  await Promise.all(
    Array.from({ length: atOnce }, () => work().catch((error) => failures.push(error))),
  );
  if (failures.length > 0) throw failures[0];
}
