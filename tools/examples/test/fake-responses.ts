/**
 * Answers with the given responses, one after the other; an error is thrown instead. What was asked
 * is noted as `METHOD path`.
 */
export function fakeFetch(...responses: (Response | Error)[]) {
  const asked: string[] = [];
  return {
    asked,
    fetch: async (request: Request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname}`);
      const next = responses.shift();
      if (next === undefined) throw new Error('more was asked than the test foresaw');
      if (next instanceof Error) throw next;
      return next;
    },
  };
}

export function errorResponse(status: number, code: string, retryAfter?: string): Response {
  const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
  return Response.json({ code, message: 'A message for people.', status }, { status, headers });
}
