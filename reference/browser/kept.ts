/** What the page keeps under a name; undefined also where a browser lets pages keep nothing. */
export function readKept(storage: () => Storage, name: string): string | undefined {
  try {
    return storage().getItem(`store-orders:${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(storage: () => Storage, name: string, value: string): void {
  try {
    storage().setItem(`store-orders:${name}`, value);
  } catch {
    // The page works without; it only forgets.
  }
}
