/**
 * Yields the text of each object of a JSON array while its bytes arrive, with only one chunk and one
 * incomplete object in memory. It does not parse the objects. They must not contain objects or arrays.
 *
 * @throws SyntaxError if the text is not such an array or is cut off, after the objects before
 * @throws TypeError if the bytes are not UTF-8
 */
export async function* elementsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  // An object ends at the first brace outside of a string.
  const element = /\s*([[,])\s*(\{(?:"(?:[^"\\]|\\.)*"|[^"{}])*\})\s*/y;
  let separator = '[';
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    element.lastIndex = 0;
    let end = 0;
    for (let found = element.exec(rest); found?.[1] === separator; found = element.exec(rest)) {
      end = element.lastIndex;
      separator = ',';
      yield found[2]!;
    }
    rest = rest.slice(end);
  }
  if (rest.replaceAll(/\s/g, '') === (separator === '[' ? '[]' : ']')) return;
  throw new SyntaxError(
    `the array is not closed: it ends with ${JSON.stringify(rest.slice(0, 40))}`,
  );
}
