/** An error that ends a local run. Its message is one line that also tells the user what to do. */
export class LocalRunError extends Error {
  override name = 'LocalRunError';
}
