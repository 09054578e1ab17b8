import type { Recording } from '../fact.ts';
import { binaryBodies } from './binary-bodies.ts';
import { failingAuthorizers } from './failing-authorizers.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { keysAndAuthorizers } from './keys-and-authorizers.ts';
import { mockAnswers } from './mock-answers.ts';
import { proxyEvents } from './proxy-events.ts';
import { proxyEventsDotnet } from './proxy-events-dotnet.ts';
import { proxyResults } from './proxy-results.ts';
import { proxyResultsDotnet } from './proxy-results-dotnet.ts';
import { routing } from './routing.ts';
import { traceIds } from './trace-ids.ts';
import { unroutedRequests } from './unrouted-requests.ts';

export { gatewayResponses } from './gateway-responses.ts';

/** All that AWS was seen to do with requests. */
export const recordings: readonly Recording[] = [
  ...routing,
  forwardedHeaders,
  ...proxyEvents,
  ...proxyEventsDotnet,
  ...proxyResults,
  ...proxyResultsDotnet,
  ...binaryBodies,
  traceIds,
  ...mockAnswers,
  ...keysAndAuthorizers,
  ...failingAuthorizers,
  ...unroutedRequests,
];
