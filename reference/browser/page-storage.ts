/** Reads a stored value; undefined if there is none, or if the browser does not allow storage. */
export function readStored(storage: () => Storage, name: string): string | undefined {
  try {
    return storage().getItem(`store-orders:${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value, if the browser allows it. */
export function writeStored(storage: () => Storage, name: string, value: string): void {
  try {
    storage().setItem(`store-orders:${name}`, value);
  } catch {
    // The page also works without stored values.
  }
}
