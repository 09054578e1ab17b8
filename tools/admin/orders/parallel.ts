const atOnce = 8;

/**
 * Acts on things, several at the same time. After a failure it begins no other, and waits for those that it has begun.
 *
 * @throws the first error of an action, or of the source
 */
export async function inParallel<Thing>(
  source: AsyncGenerator<Thing>,
  act: (thing: Thing) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  const work = async () => {
    for await (const thing of source) {
      if (failures.length > 0) return;
      await act(thing).catch(fail);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, () => work().catch(fail)));
  if (failures.length > 0) throw failures[0];
}
